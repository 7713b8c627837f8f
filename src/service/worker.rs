//! The workers: each has a player, takes the next task, does one step of it, and answers when it was the last.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::client::Client;
use super::dispatcher::{Dispatcher, ResponseFields, error_response_text, response_text};
use super::error::{ErrorCode, ServiceError};
use crate::engine::Engine;
use crate::parallel::job_queue::Job;

/// How often a search looks whether it is to end early.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A request that waits for a search.
pub struct Task {
    /// Who asked.
    pub client: Arc<Client>,
    /// The name that answers bear.
    pub id: Option<Value>,
    /// What is to be done.
    pub work: Box<dyn Work>,
}

/// Something that takes a search, in one step or several; between its steps others have their turn.
pub trait Work: Send + Sync {
    /// Does a step.
    ///
    /// # Errors
    /// When it cannot be done; no further step follows.
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, ServiceError>;
}

/// What a step came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Everything is done, and this is the answer.
    Done(ResponseFields),
    /// There is more to do.
    More,
}

/// What a step is done with.
pub struct StepContext<'a> {
    /// A player to search with. Its game and level are those of earlier tasks, to be set.
    pub engine: &'a mut Engine,
    /// The games kept.
    pub dispatcher: &'a Dispatcher,
    job: &'a Job<Arc<Task>>,
}

impl StepContext<'_> {
    /// Whether to end as soon as possible, with what has been found.
    pub fn is_stopped(&self) -> bool {
        self.job.is_stopped()
    }

    /// Waits for the player's search to end, or to be ended; `on_poll` is called again and again.
    pub fn wait_for_search(&mut self, mut on_poll: impl FnMut(&Self)) {
        while !self.engine.wait_for(STOP_POLL_INTERVAL) {
            if self.is_stopped() {
                self.engine.finish_early();
            } else {
                on_poll(self);
            }
        }
    }

    /// Tells the client what has been found so far, if it keeps up reading.
    pub fn send_update(&self, fields: ResponseFields) {
        let task = &self.job.task;
        if task.client.has_spare_capacity() {
            task.client
                .send_or_disconnect(response_text(task.id.as_ref(), fields));
        }
    }
}

impl Task {
    /// Sends the one answer and counts the request as answered.
    pub fn respond(&self, result: Result<ResponseFields, ServiceError>) {
        let id = self.id.as_ref();
        let text = match result {
            Ok(fields) => response_text(id, fields),
            Err(error) => error_response_text(id, &error),
        };
        // First, so that a client that reads the answer may ask again.
        self.client.finish_request();
        self.client.send_or_disconnect(text);
    }

    /// Says that it was cancelled before there was an answer.
    pub fn respond_cancelled(&self) {
        let message = "the request was cancelled before there was an answer";
        self.respond(Err(ServiceError::new(ErrorCode::Cancelled, message)));
    }
}

/// Works until no more is wanted, with a player that `create_engine` gives, and another after a failure that may have hurt it.
pub fn run_worker(dispatcher: &Dispatcher, create_engine: impl Fn() -> Option<Engine>) {
    let mut worker_engine = None;
    while let Some(job) = dispatcher.queue.next() {
        if worker_engine.is_none() {
            worker_engine = create_engine();
        }
        let result = match &mut worker_engine {
            Some(engine) => {
                let mut context = StepContext {
                    engine,
                    dispatcher,
                    job: &job,
                };
                let step = || job.task.work.step(&mut context);
                catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
                    worker_engine = None;
                    Err(ServiceError::new(
                        ErrorCode::Search,
                        "the search has failed",
                    ))
                })
            }
            None => Err(ServiceError::new(
                ErrorCode::Search,
                "there are no threads to search",
            )),
        };
        let result = match result {
            Ok(Step::More) => {
                if !dispatcher.queue.requeue(&job) {
                    job.task.respond_cancelled();
                }
                continue;
            }
            Ok(Step::Done(fields)) => Ok(fields),
            Err(error) => Err(error),
        };
        dispatcher.queue.finish(&job);
        job.task.respond(result);
    }
}
