//! Dispatcher: parses and authenticates each message, executes its operator and returns the response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use super::call::{
    Call, CallReply, CallResult, Operator, RequestId, RequestPermit, ServiceState, response_text,
    with_warnings,
};
use super::client::Client;
use super::error::{ErrorCode, ServiceError};
use super::operators::{self, PermitPool};
use crate::io::protocol_log::ProtocolLog;
use crate::json_analysis::fields::{Fields, RequestError, read_object};

/// A parsed message. Errors in its fields are reported only when the request is executed, so that the token is checked
/// first.
pub struct Request {
    token: Result<Option<String>, RequestError>,
    id: Result<Option<RequestId>, RequestError>,
    operator: Result<(PermitPool, &'static Operator), ServiceError>,
    /// Remaining fields, which the operator reads.
    fields: Fields,
    /// All fields except the token; `None` if messages are not logged.
    logged_fields: Option<Map<String, Value>>,
}

impl Request {
    /// Returns the pool of permits for the request. Requests that name no known operator use [`PermitPool::Compute`].
    pub fn permit_pool(&self) -> PermitPool {
        (self.operator.as_ref()).map_or(PermitPool::Compute, |(permit_pool, _)| *permit_pool)
    }
}

/// Dispatcher for the messages of all clients.
pub struct Dispatcher {
    pub service: ServiceState,
    /// Token that clients must send; `None` if no authentication is required.
    pub token: Option<String>,
    /// Log of the messages from and to authenticated clients, without tokens.
    pub log: Arc<ProtocolLog>,
    next_id: AtomicU64,
}

impl Dispatcher {
    pub fn new(service: ServiceState, token: Option<String>, log: ProtocolLog) -> Self {
        Self {
            service,
            token,
            log: Arc::new(log),
            next_id: AtomicU64::new(0),
        }
    }

    /// Returns an id that has not been used for another client.
    pub fn next_client_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Parses a message.
    ///
    /// # Errors
    /// Returns an error if the message is not a JSON object.
    pub fn parse(&self, message: &[u8]) -> Result<Request, ServiceError> {
        let values = read_object(message).map_err(|error| {
            let text = format!("the message is not a JSON object: {error}");
            ServiceError::new(ErrorCode::Message, text)
        })?;
        let logged_fields = self.log.is_enabled().then(|| {
            let mut fields = values.clone();
            fields.remove("token");
            fields
        });
        let mut fields = Fields::new(values);
        let name: Result<String, _> = fields.required("operator");
        Ok(Request {
            token: fields.optional("token"),
            id: fields.optional("id"),
            operator: (name.map_err(ServiceError::from)).and_then(|name| operators::find(&name)),
            fields,
            logged_fields,
        })
    }

    /// Executes a request and returns its response, or `None` if a worker will send the response. If the message could
    /// not be parsed, returns the error response. The permit is released when the request has been executed or queued.
    pub fn handle(
        &self,
        client: &Arc<Client>,
        request: Result<Request, ServiceError>,
        permit: Option<RequestPermit>,
    ) -> Option<String> {
        let mut id = None;
        let execute = |request| self.execute(client, request, permit, &mut id);
        let result = match request.and_then(execute) {
            Ok(CallReply::Queued) => return None,
            Ok(CallReply::Completed(response)) => Ok(response),
            Err(error) => Err(error),
        };
        Some(response_text(id.as_ref(), result))
    }

    /// Executes a request. Sets `request_id` to the id of the request, which is also needed for an error response.
    fn execute(
        &self,
        client: &Arc<Client>,
        request: Request,
        permit: Option<RequestPermit>,
        request_id: &mut Option<RequestId>,
    ) -> CallResult {
        let authentication = self.authenticate(client, request.token);
        // Messages of unauthenticated clients, and the responses to them, are not logged, because they could fill the
        // disk.
        if let (Ok(()), Some(fields)) = (&authentication, request.logged_fields) {
            let prefix = format_args!("{} <", client.id);
            self.log.write_line(prefix, Value::Object(fields));
        }
        *request_id = request.id?;
        authentication?;
        let (_, operator) = request.operator?;
        let mut call = Call {
            service: &self.service,
            client,
            id: request_id.clone(),
            fields: request.fields,
            warnings: Vec::new(),
            permit,
        };
        Ok(match (operator.run)(&mut call)? {
            CallReply::Completed(response) => {
                CallReply::Completed(with_warnings(response, &call.warnings))
            }
            CallReply::Queued => CallReply::Queued,
        })
    }

    /// Checks the token in a request. A request needs no token if the client has already sent the token or if the
    /// service requires none.
    fn authenticate(
        &self,
        client: &Client,
        given_token: Result<Option<String>, RequestError>,
    ) -> Result<(), ServiceError> {
        let given_token = given_token?;
        let (Some(token), false) = (&self.token, client.is_authenticated()) else {
            return Ok(());
        };
        let Some(given_token) = given_token else {
            let message = "this service needs its access token (field token)";
            return Err(ServiceError::new(ErrorCode::Token, message).with("given", false));
        };
        if bool::from(given_token.as_bytes().ct_eq(token.as_bytes())) {
            client.set_authenticated();
            return Ok(());
        }
        client.add_wrong_token();
        let message = "the access token is wrong";
        Err(ServiceError::new(ErrorCode::Token, message).with("given", true))
    }

    /// Cancels all requests of a client. Running searches return the results so far.
    pub fn cancel_requests(&self, client: &Client) {
        self.service
            .cancel_and_respond(|task| task.client.id == client.id);
    }

    /// Cancels all requests of a client, removes the client's state from the queue and marks the client as
    /// disconnected.
    pub fn remove_client(&self, client: &Client) {
        // Cancelled requests get no responses, because the client has disconnected.
        drop(
            self.service
                .cancel_matching_tasks(|task| task.client.id == client.id),
        );
        self.service.queue.forget_client(client.id);
        client.disconnect();
    }
}
