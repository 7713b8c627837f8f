//! Worker threads. Each worker has its own engine and repeatedly executes one step of the next task in the queue.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::call::{ServiceState, StepContext, StepOutcome};
use super::error::{ErrorCode, ServiceError};
use crate::engine::Engine;

/// Executes tasks until the queue is closed. If a step panics, its task fails, and the next task is executed with a new
/// engine.
pub fn run_worker(service: &ServiceState, create_engine: impl Fn() -> Option<Engine>) {
    let mut worker_engine = None;
    while let Some(job) = service.queue.next() {
        if worker_engine.is_none() {
            worker_engine = create_engine();
        }
        let result = match &mut worker_engine {
            Some(engine) => {
                let mut context = StepContext {
                    engine,
                    service,
                    job: &job,
                };
                let step = || {
                    context.share_threads()?;
                    job.task.work.run_step(&mut context)
                };
                catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
                    worker_engine = None;
                    Err(ServiceError::new(ErrorCode::Search, "the search failed"))
                })
            }
            None => Err(ServiceError::new(
                ErrorCode::Search,
                "the search engine could not be started",
            )),
        };
        let result = match result {
            Ok(StepOutcome::More) => {
                if !service.queue.requeue(&job) {
                    job.task.respond_cancelled();
                }
                continue;
            }
            Ok(StepOutcome::Done(response)) => Ok(response),
            Err(error) => Err(error),
        };
        service.queue.finish(&job);
        job.task.respond(result);
    }
}
