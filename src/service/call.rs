//! Execution of requests: a [`Call`] is a request that an operator is executing, and a [`Task`] is a request that waits
//! for a worker because it needs a search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;

use super::client::Client;
use super::error::{CloseReason, ErrorCode, ServiceError};
use super::limits;
use super::position::take_position;
use super::store::Store;
use super::warning::Warning;
use crate::engine::Engine;
use crate::engine::identity::Identity;
use crate::engine::level::Level;
use crate::engine::setting_change::SettingChange;
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::json_analysis::fields::{Fields, convert_value};
use crate::parallel::job_queue::{Job, JobOrigin, JobQueue, Length, SubmitError};

/// An operator of the protocol.
pub struct Operator {
    pub name: &'static str,
    /// Names of the request fields, separated by spaces. Optional fields are in brackets.
    pub fields: &'static str,
    /// One-sentence description, which the operator `operators` returns.
    pub summary: &'static str,
    /// Handler: reads the fields of a request and executes it.
    pub run: fn(&mut Call<'_>) -> CallResult,
}

impl Operator {
    pub const fn new(
        name: &'static str,
        fields: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>) -> CallResult,
    ) -> Self {
        Self {
            name,
            fields,
            summary,
            run,
        }
    }
}

/// Defaults for fields that a request omits.
#[derive(Clone, Copy, Debug)]
pub struct RequestDefaults {
    /// Rules, including komi.
    pub rules: Rules,
    /// Playing level for `genmove`.
    pub level: &'static Level,
    /// Maximum number of visits for `genmove`; `None` for the engine's default.
    pub visits: Option<u64>,
    /// Thinking time for `genmove`; `None` for the engine's default.
    pub time: Option<Duration>,
}

/// State shared by all operators and workers.
pub struct ServiceState {
    pub identity: Identity,
    /// All operators, in documentation order.
    pub operators: Vec<&'static Operator>,
    /// Tasks waiting for a worker or being executed by one.
    pub queue: JobQueue<Arc<Task>>,
    pub store: Store,
    pub defaults: RequestDefaults,
    /// Number of threads that all searches together use.
    pub threads: usize,
}

impl ServiceState {
    /// Returns the number of threads for each running search.
    pub fn threads_per_search(&self) -> usize {
        (self.threads / self.queue.running_count().max(1)).max(1)
    }

    /// Cancels all tasks that satisfy `predicate`, and responds to the waiting ones. Returns their number.
    pub fn cancel_and_respond(&self, predicate: impl Fn(&Task) -> bool) -> usize {
        let cancelled = self.cancel_matching_tasks(predicate);
        for task in &cancelled {
            task.respond_cancelled();
        }
        cancelled.len()
    }

    /// Cancels all tasks that satisfy `predicate`. Removes the waiting tasks from the queue and returns them. The
    /// running tasks end as soon as possible.
    pub fn cancel_matching_tasks(&self, predicate: impl Fn(&Task) -> bool) -> Vec<Arc<Task>> {
        let cancelled = self
            .queue
            .cancel_matching(|task| predicate(task))
            .into_iter();
        cancelled.map(|job| job.task).collect()
    }
}

/// Id of a request: a string or a number that the responses to the request repeat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct RequestId(Value);

impl TryFrom<Value> for RequestId {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        convert_value(&value, "a string or number", |value| {
            (value.is_string() || value.is_number()).then(|| Self(value.clone()))
        })
    }
}

/// Successful outcome of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum CallReply {
    /// The request has been completed, with this response.
    Completed(Value),
    /// The request has been queued for a search. The worker sends the response.
    Queued,
}

pub type CallResult = Result<CallReply, ServiceError>;

/// A request that is being executed by an operator.
pub struct Call<'a> {
    pub service: &'a ServiceState,
    pub client: &'a Arc<Client>,
    /// Id to be repeated in responses.
    pub id: Option<RequestId>,
    /// Fields that have not been read yet.
    pub fields: Fields,
    /// Warnings about the request, which the response contains.
    pub warnings: Vec<Warning>,
    pub(super) permit: Option<RequestPermit>,
}

/// Permit to execute a request. The number of permits limits the concurrent requests of a
/// [pool](super::operators::PermitPool). A permit is released when it is dropped.
pub type RequestPermit = OwnedSemaphorePermit;

impl Call<'_> {
    /// Reads the fields that describe a position.
    ///
    /// # Errors
    /// Returns an error for the first invalid field.
    pub fn take_position(&mut self) -> Result<Position, ServiceError> {
        let (position, illegal_moves) =
            take_position(&mut self.fields, self.service.defaults.rules)?;
        self.warnings = illegal_moves.into_iter().map(Warning::from).collect();
        Ok(position)
    }

    /// Reads the remaining fields. Operators must call this before they change any state.
    ///
    /// # Errors
    /// Returns an error if a required field is missing, a value is invalid, or the request has other fields.
    pub fn take_remaining_fields<T: DeserializeOwned>(&mut self) -> Result<T, ServiceError> {
        let fields = self.fields.take_struct()?;
        let unknown = std::mem::take(&mut self.fields).into_unused_names();
        if unknown.is_empty() {
            return Ok(fields);
        }
        let noun = if unknown.len() == 1 {
            "field"
        } else {
            "fields"
        };
        let names: String = unknown.join(", ").chars().take(200).collect();
        let message = format!("unknown {noun}: {names}");
        Err(ServiceError::new(ErrorCode::Field, message))
    }

    /// Releases the permit of this request, so that another request can start. Operators call this before they wait for
    /// other writers to the store, because a waiting request uses no processor time and only little memory.
    pub fn release_permit(&mut self) {
        self.permit = None;
    }

    /// Queues work for the workers. The worker sends the response when the work is done.
    ///
    /// # Errors
    /// Returns an error if this client or all clients together have too many waiting requests, or if the service is
    /// shutting down.
    pub fn enqueue(&self, work: impl Work + 'static) -> CallResult {
        let busy = |owner: &str, limit: usize| {
            let message = format!("too many requests of {owner} are waiting (limit {limit})");
            ServiceError::new(ErrorCode::Busy, message).with("limit", limit)
        };
        if !self.client.try_add_pending_request() {
            return Err(busy("this client", limits::MAX_PENDING_PER_CLIENT));
        }
        let origin = JobOrigin {
            client: self.client.id,
            // The users of this computer share an address.
            address: Some(self.client.address).filter(|address| !address.is_loopback()),
            length: work.length(),
        };
        let task = Task {
            client: Arc::clone(self.client),
            id: self.id.clone(),
            warnings: self.warnings.clone(),
            work: Box::new(work),
        };
        let queued = self.service.queue.try_submit(origin, Arc::new(task));
        queued.map(|()| CallReply::Queued).map_err(|error| {
            self.client.remove_pending_request();
            match error {
                SubmitError::Full => busy("all clients", limits::MAX_QUEUED_REQUESTS),
                SubmitError::Closed => CloseReason::Shutdown.into(),
            }
        })
    }
}

/// Interval between checks of whether a search should stop early.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A request that needs a search, as stored in the queue of the workers.
pub struct Task {
    pub client: Arc<Client>,
    /// Id to be repeated in responses.
    pub id: Option<RequestId>,
    /// Warnings about the request, which the response contains.
    pub warnings: Vec<Warning>,
    pub work: Box<dyn Work>,
}

/// Work that needs a search, divided into one or more steps. Between two steps, the worker can execute other tasks.
pub trait Work: Send + Sync {
    /// Performs the next step.
    ///
    /// # Errors
    /// Returns an error if the step fails. The task then ends, and the error is sent to the client.
    fn run_step(&self, context: &mut StepContext<'_>) -> Result<StepOutcome, ServiceError>;

    /// Returns whether somebody waits for the result for a few seconds at most.
    fn length(&self) -> Length {
        Length::Long
    }
}

/// Returns the length of a search with these limits.
pub fn search_length(visits: Option<u64>, time: Option<Duration>) -> Length {
    let is_short = time.is_some_and(|time| time <= limits::MAX_SHORT_TIME)
        || visits.is_some_and(|visits| visits <= limits::MAX_SHORT_VISITS);
    if is_short {
        Length::Short
    } else {
        Length::Long
    }
}

/// Result of a successful step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    /// The task has been completed, with this response.
    Done(Value),
    /// The task needs another step.
    More,
}

/// Resources available to a step.
pub struct StepContext<'a> {
    /// The worker's engine. Its position and settings may come from an earlier task, so every step must set the ones
    /// that it uses.
    pub engine: &'a mut Engine,
    pub service: &'a ServiceState,
    pub(super) job: &'a Job<Arc<Task>>,
}

impl StepContext<'_> {
    /// Returns true if the step should end as soon as possible with the results obtained so far.
    pub fn should_stop(&self) -> bool {
        self.job.should_stop()
    }

    /// Returns the flag that is set when the step should end as soon as possible.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        self.job.stop_flag()
    }

    /// Sets the number of engine threads to the number available for each running search.
    ///
    /// # Errors
    /// Returns an error if the threads cannot be started.
    pub(super) fn share_threads(&mut self) -> Result<(), ServiceError> {
        let count = self.service.threads_per_search();
        if count > self.engine.settings().threads {
            self.engine.change_setting(SettingChange::Threads(count))?;
        }
        self.engine.set_active_threads(count);
        Ok(())
    }

    /// Returns true if a short request waits for this thread.
    pub fn blocks_short_request(&self) -> bool {
        self.service.queue.has_waiting_short_job()
    }

    /// Waits until the engine's search ends, calling `on_poll` periodically. Ends the search early if the task is
    /// stopped or `on_poll` returns false. Changes the number of threads as other searches start and end.
    pub fn wait_for_search(&mut self, mut on_poll: impl FnMut(&Self) -> bool) {
        while !self.engine.wait_for(STOP_POLL_INTERVAL) {
            self.engine
                .set_active_threads(self.service.threads_per_search());
            if self.should_stop() || !on_poll(self) {
                self.engine.finish_search_early();
            }
        }
    }

    /// Sends an intermediate result, unless the client is slow to read its messages. Returns true if it was sent.
    pub fn send_update_if_room(&self, fields: Value) -> bool {
        let task = &self.job.task;
        let has_room = task.client.has_room_for_update();
        if has_room {
            let text = response_text(task.id.as_ref(), Ok(fields));
            task.client.send_or_disconnect(text);
        }
        has_room
    }
}

impl Task {
    /// Marks the request as finished and sends its response.
    pub fn respond(&self, result: Result<Value, ServiceError>) {
        let result = result.map(|response| with_warnings(response, &self.warnings));
        let text = response_text(self.id.as_ref(), result);
        // The request must finish before the response is sent, because the client may react to it with another request.
        self.client.remove_pending_request();
        self.client.send_or_disconnect(text);
    }

    /// Sends the error response for a cancelled task.
    pub fn respond_cancelled(&self) {
        let message = "the request was cancelled";
        self.respond(Err(ServiceError::new(ErrorCode::Cancelled, message)));
    }
}

/// Empty set of fields, for operators that take none.
#[derive(Deserialize)]
pub struct NoFields {}

/// Returns the response with a list of warnings, unless there are none.
pub fn with_warnings(mut response: Value, warnings: &[Warning]) -> Value {
    if !warnings.is_empty() {
        response["warnings"] = warnings.iter().map(Warning::to_json).collect();
    }
    response
}

/// Formats a response as one line of JSON, with the request id if there is one.
pub fn response_text(id: Option<&RequestId>, result: Result<Value, ServiceError>) -> String {
    let mut response = result.unwrap_or_else(|error| json!({"error": error.to_json()}));
    if let Some(RequestId(id)) = id {
        response["id"] = id.clone();
    }
    response.to_string()
}
