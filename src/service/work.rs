//! The workers: each has a player, takes the next task, does one step of it, and answers when it was the last.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::client::Client;
use super::dispatcher::{Dispatcher, Reply, answer, failed};
use super::failure::{Code, Failure};
use crate::engine::Engine;
use crate::job_queue::Job;

/// How often a search looks whether it is to end early.
const LISTEN: Duration = Duration::from_millis(10);

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
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, Failure>;
}

/// What a step came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Everything is done, and this is the answer.
    Done(Reply),
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
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.job.is_stopped()
    }

    /// Waits for the player's search to end, or to be ended; `meanwhile` is called again and again.
    pub fn wait(&mut self, mut meanwhile: impl FnMut(&Self)) {
        while !self.engine.wait_for(LISTEN) {
            if self.is_stopped() {
                self.engine.hurry();
            } else {
                meanwhile(self);
            }
        }
    }

    /// Tells the client what has been found so far, if it keeps up reading.
    pub fn tell(&self, reply: Reply) {
        let task = &self.job.task;
        if task.client.reads() {
            task.client.push(answer(task.id.as_ref(), reply));
        }
    }
}

impl Task {
    /// Sends the one answer and counts the request as answered.
    pub fn answer(&self, result: Result<Reply, Failure>) {
        let id = self.id.as_ref();
        let text = match result {
            Ok(reply) => answer(id, reply),
            Err(failure) => failed(id, &failure),
        };
        // First, so that a client that reads the answer may ask again.
        self.client.end();
        self.client.push(text);
    }

    /// Says that it was cancelled before there was an answer.
    pub fn cancel(&self) {
        let told = "the request was cancelled before there was an answer";
        self.answer(Err(Failure::new(Code::Cancelled, told)));
    }
}

/// Works until no more is wanted, with a player that `start` gives, and another after a failure that may have hurt it.
pub fn work(dispatcher: &Dispatcher, start: impl Fn() -> Option<Engine>) {
    let mut player = None;
    while let Some(job) = dispatcher.queue.next() {
        if player.is_none() {
            player = start();
        }
        let result = match &mut player {
            Some(engine) => {
                let mut context = StepContext {
                    engine,
                    dispatcher,
                    job: &job,
                };
                let step = || job.task.work.step(&mut context);
                catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
                    player = None;
                    Err(Failure::new(Code::Search, "the search has failed"))
                })
            }
            None => Err(Failure::new(Code::Search, "there are no threads to search")),
        };
        let result = match result {
            Ok(Step::More) => {
                if !dispatcher.queue.go_on(&job) {
                    job.task.cancel();
                }
                continue;
            }
            Ok(Step::Done(reply)) => Ok(reply),
            Err(failure) => Err(failure),
        };
        dispatcher.queue.done(&job);
        job.task.answer(result);
    }
}
