//! Where messages are taken in: each is found its operator, and everything that is asked is answered exactly once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;
use tokio::sync::OwnedSemaphorePermit;

use super::client::Client;
use super::error::{ErrorCode, ServiceError};
use super::limits;
use super::store::Store;
use super::table::{self, Queue};
use super::worker::{Task, Work};
use crate::engine::level::Level;
use crate::game::rules::Rules;
use crate::io::protocol_log::ProtocolLog;
use crate::json::fields::{Fields, RequestError, object, read_object};
use crate::parallel::job_queue::{JobQueue, SubmitError};

/// Who the service says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceIdentity {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The network's name.
    pub model: String,
}

/// What requests leave unsaid.
#[derive(Clone, Copy, Debug)]
pub struct RequestDefaults {
    /// The rules, komi included.
    pub rules: Rules,
    /// How strong the engine plays.
    pub level: &'static Level,
    /// Visits of a move that the engine makes.
    pub visits: Option<u64>,
    /// Time of such a move; none for the engine's usual.
    pub time: Option<Duration>,
}

/// The fields of an answer.
pub type ResponseFields = Map<String, Value>;

/// How a request was taken.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// It is answered with these fields.
    Completed(ResponseFields),
    /// It waits for a search, and will be answered.
    Queued,
}

/// What comes of a request.
pub type CallResult = Result<CallOutcome, ServiceError>;

/// All that requests are answered with.
pub struct Dispatcher {
    /// Who answers.
    pub identity: ServiceIdentity,
    /// Where requests wait for a search.
    pub queue: JobQueue<Arc<Task>>,
    /// The games kept.
    pub store: Store,
    /// What requests leave unsaid.
    pub defaults: RequestDefaults,
    /// What clients have to show.
    pub token: Option<String>,
    /// All traffic, but for tokens, and but for strangers where a token is asked for.
    pub log: Arc<ProtocolLog>,
    next_id: AtomicU64,
}

/// A request that an operator is asked to answer.
pub struct Call<'a> {
    /// What it may use.
    pub dispatcher: &'a Dispatcher,
    /// Who asks.
    pub client: &'a Arc<Client>,
    /// The name that answers bear.
    pub id: Option<Value>,
    /// What is left of the request.
    pub fields: Fields,
    permit: Option<RequestPermit>,
}

/// A place in one of the queues, of which there are so many.
pub type RequestPermit = OwnedSemaphorePermit;

impl Dispatcher {
    /// A dispatcher that nobody has asked anything yet, with so many searches at the same time behind it.
    pub fn new(
        identity: ServiceIdentity,
        store: Store,
        defaults: RequestDefaults,
        token: Option<String>,
        log: ProtocolLog,
        num_workers: usize,
    ) -> Self {
        Self {
            identity,
            queue: JobQueue::with_client_limit(
                limits::MAX_QUEUED_REQUESTS,
                num_workers / limits::CLIENT_SHARE_DIVISOR,
            ),
            store,
            defaults,
            token,
            log: Arc::new(log),
            next_id: AtomicU64::new(0),
        }
    }

    /// A number for a new client.
    pub fn next_client_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Where a message is to wait for its turn.
    pub fn queue_for(message: &[u8]) -> Queue {
        let peek_queue = || {
            let values = read_object(message).ok()?;
            table::queue_for(values.get("operator")?.as_str()?)
        };
        let is_short = message.len() <= limits::MAX_PEEKED_BYTES;
        is_short
            .then(peek_queue)
            .flatten()
            .unwrap_or(Queue::Compute)
    }

    /// Answers a message in that place of its queue, or sees to it that it will be answered: `None` then.
    pub fn handle(
        &self,
        client: &Arc<Client>,
        message: &[u8],
        permit: Option<RequestPermit>,
    ) -> Option<String> {
        let values = match read_object(message) {
            Ok(values) => values,
            Err(error) => {
                let text = format!("expected a JSON object, found {error}");
                return Some(error_response_text(
                    None,
                    &ServiceError::new(ErrorCode::Message, text),
                ));
            }
        };
        let logged_fields = self.log.is_enabled().then(|| values.clone());
        let mut fields = Fields::new(values);
        let authentication = self.authenticate(client, &mut fields);
        // What strangers ask is not kept, nor what they are answered, else they could fill the disk.
        if let (Ok(()), Some(logged_fields)) = (&authentication, logged_fields) {
            self.log_request(client, logged_fields);
        }
        const ID: &str = "a text or number";
        let id = match fields.optional::<Value>("id", ID) {
            Ok(id @ (None | Some(Value::String(_) | Value::Number(_)))) => id,
            Ok(Some(found)) => {
                return Some(error_response_text(
                    None,
                    &RequestError::unexpected("id", ID, &found).into(),
                ));
            }
            Err(error) => return Some(error_response_text(None, &error.into())),
        };
        let call = Call {
            dispatcher: self,
            client,
            id: id.clone(),
            fields,
            permit,
        };
        match authentication.and_then(|()| run_operator(call)) {
            Ok(CallOutcome::Completed(fields)) => Some(response_text(id.as_ref(), fields)),
            Ok(CallOutcome::Queued) => None,
            Err(error) => Some(error_response_text(id.as_ref(), &error)),
        }
    }

    fn log_request(&self, client: &Client, mut fields: ResponseFields) {
        fields.remove("token");
        let prefix = format_args!("{} <", client.id);
        self.log.write_line(prefix, Value::Object(fields));
    }

    /// Lets a client in that has shown the token, now or earlier.
    fn authenticate(&self, client: &Client, fields: &mut Fields) -> Result<(), ServiceError> {
        let given_token: Option<String> = fields.optional("token", "a text")?;
        let (Some(token), false) = (&self.token, client.is_authenticated()) else {
            return Ok(());
        };
        let given_token = given_token.unwrap_or_default();
        if bool::from(given_token.as_bytes().ct_eq(token.as_bytes())) {
            client.set_authenticated();
            return Ok(());
        }
        let message = "token: expected the service's token, found none or another";
        Err(ServiceError::new(ErrorCode::Token, message))
    }

    /// The client has gone: what it asked for is not wanted any more.
    pub fn remove_client(&self, client: &Client) {
        // Nobody is there to be answered.
        drop(self.cancel_tasks(|task| task.client.id == client.id));
        self.queue.forget_client(client.id);
        client.disconnect();
    }

    /// Ends the tasks that are meant. Those that have not begun are given back.
    pub fn cancel_tasks(&self, predicate: impl Fn(&Task) -> bool) -> Vec<Arc<Task>> {
        let cancelled = self.queue.terminate(|task| predicate(task)).into_iter();
        cancelled.map(|job| job.task).collect()
    }
}

impl Call<'_> {
    /// Checks that every field has been taken. To be called before anything is done.
    ///
    /// # Errors
    /// When some have not.
    pub fn reject_unknown_fields(&mut self) -> Result<(), ServiceError> {
        let unknown = std::mem::take(&mut self.fields).into_unused_names();
        if unknown.is_empty() {
            return Ok(());
        }
        let message = format!(
            "expected fields of this operator, found {}",
            unknown.join(", ").chars().take(200).collect::<String>()
        );
        Err(ServiceError::new(ErrorCode::Field, message))
    }

    /// Lets somebody else have the place of this request. To be called before what may have to wait for others who write:
    /// that takes neither the processor nor much memory.
    pub fn release_permit(&mut self) {
        self.permit = None;
    }

    /// Has the work done when its turn comes.
    ///
    /// # Errors
    /// When too much waits already.
    pub fn enqueue(&self, work: impl Work + 'static) -> CallResult {
        let busy = |owner: &str, limit: usize| {
            let message =
                format!("expected at most {limit} requests of {owner} waiting, found as many");
            ServiceError::new(ErrorCode::Busy, message)
        };
        if !self.client.try_start_request() {
            return Err(busy("one client", limits::MAX_PENDING_PER_CLIENT));
        }
        let task = Task {
            client: Arc::clone(self.client),
            id: self.id.clone(),
            work: Box::new(work),
        };
        let queued = self
            .dispatcher
            .queue
            .try_submit(self.client.id, Arc::new(task));
        queued.map(|()| CallOutcome::Queued).map_err(|error| {
            self.client.finish_request();
            match error {
                SubmitError::Full => busy("all clients", limits::MAX_QUEUED_REQUESTS),
                SubmitError::Closed => {
                    ServiceError::new(ErrorCode::Closing, "the service is ending")
                }
            }
        })
    }
}

fn run_operator(mut call: Call<'_>) -> CallResult {
    let expected = "the name of an operator";
    let name: String = call.fields.required("operator", expected)?;
    (table::find(&name)?.run)(&mut call)
}

/// The answer to a request as text.
pub fn response_text(id: Option<&Value>, fields: ResponseFields) -> String {
    let mut response = ResponseFields::new();
    response.extend(id.map(|id| ("id".to_owned(), id.clone())));
    response.extend(fields);
    Value::Object(response).to_string()
}

/// The answer to a request that failed, as text.
pub fn error_response_text(id: Option<&Value>, error: &ServiceError) -> String {
    response_text(id, object([("error", error.to_json())]))
}
