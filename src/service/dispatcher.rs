//! Dispatcher: parses and authenticates each message, executes its operator and returns the response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use super::call::{
    Call, CallOutcome, CallResult, RequestId, RequestPermit, Services, response_text,
};
use super::client::Client;
use super::error::{ErrorCode, ServiceError};
use super::limits;
use super::operators::{self, Queue};
use crate::io::protocol_log::ProtocolLog;
use crate::json::fields::{Fields, read_object};

/// Dispatcher for the messages of all clients.
pub struct Dispatcher {
    pub services: Services,
    /// Token that clients must send; `None` if no authentication is required.
    pub token: Option<String>,
    /// Log of the messages from and to authenticated clients, without tokens.
    pub log: Arc<ProtocolLog>,
    next_id: AtomicU64,
}

impl Dispatcher {
    pub fn new(services: Services, token: Option<String>, log: ProtocolLog) -> Self {
        Self {
            services,
            token,
            log: Arc::new(log),
            next_id: AtomicU64::new(0),
        }
    }

    /// Returns an id that has not been used for another client.
    pub fn next_client_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the queue in which a message waits. Messages that are long or malformed, or that name no known operator,
    /// use [`Queue::Compute`].
    pub fn queue_for(message: &[u8]) -> Queue {
        let peek_queue = || {
            let values = read_object(message).ok()?;
            operators::queue_for(values.get("operator")?.as_str()?)
        };
        let is_short = message.len() <= limits::MAX_PEEKED_BYTES;
        is_short
            .then(peek_queue)
            .flatten()
            .unwrap_or(Queue::Compute)
    }

    /// Executes a request and returns its response, or `None` if the response is sent asynchronously. The permit is
    /// released when the request has been executed.
    pub fn handle(
        &self,
        client: &Arc<Client>,
        message: &[u8],
        permit: Option<RequestPermit>,
    ) -> Option<String> {
        let mut id = None;
        let result = match self.execute(client, message, permit, &mut id) {
            Ok(CallOutcome::Queued) => return None,
            Ok(CallOutcome::Completed(response)) => Ok(response),
            Err(error) => Err(error),
        };
        Some(response_text(id.as_ref(), result))
    }

    /// Executes a request, and sets `request_id` to its id.
    fn execute(
        &self,
        client: &Arc<Client>,
        message: &[u8],
        permit: Option<RequestPermit>,
        request_id: &mut Option<RequestId>,
    ) -> CallResult {
        let values = read_object(message).map_err(|error| {
            let text = format!("the message is not a JSON object: {error}");
            ServiceError::new(ErrorCode::Message, text)
        })?;
        let logged_fields = self.log.is_enabled().then(|| values.clone());
        let mut fields = Fields::new(values);
        let authentication = self.authenticate(client, &mut fields);
        // Messages of unauthenticated clients and their responses are not logged, because they could fill the disk.
        if let (Ok(()), Some(logged_fields)) = (&authentication, logged_fields) {
            self.log_request(client, logged_fields);
        }
        *request_id = fields.optional("id")?;
        authentication?;
        let name: String = fields.required("operator")?;
        let mut call = Call {
            services: &self.services,
            client,
            id: request_id.clone(),
            fields,
            permit,
        };
        (operators::find(&name)?.run)(&mut call)
    }

    fn log_request(&self, client: &Client, mut fields: Map<String, Value>) {
        fields.remove("token");
        let prefix = format_args!("{} <", client.id);
        self.log.write_line(prefix, Value::Object(fields));
    }

    /// Checks the token in a request. A request needs no token if the client has already sent the token or if the
    /// service requires none.
    fn authenticate(&self, client: &Client, fields: &mut Fields) -> Result<(), ServiceError> {
        let given_token: Option<String> = fields.optional("token")?;
        let (Some(token), false) = (&self.token, client.is_authenticated()) else {
            return Ok(());
        };
        let given_token = given_token.unwrap_or_default();
        if bool::from(given_token.as_bytes().ct_eq(token.as_bytes())) {
            client.set_authenticated();
            return Ok(());
        }
        let message = "token: the token is missing or wrong";
        Err(ServiceError::new(ErrorCode::Token, message))
    }

    /// Cancels all requests of a client that has disconnected.
    pub fn remove_client(&self, client: &Client) {
        // Cancelled requests get no responses, because the client has disconnected.
        drop(
            self.services
                .cancel_tasks(|task| task.client.id == client.id),
        );
        self.services.queue.forget_client(client.id);
        client.disconnect();
    }
}
