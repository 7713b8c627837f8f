//! A wrapper that merges the requests of many threads into larger batches.
//!
//! The wrapper does not start threads. Callers copy their requests into the pending batch, and one of the callers
//! evaluates the batch for all of them. As long as fewer than `max_concurrent_batches` batches are running, a request
//! is evaluated immediately. Otherwise, it waits in the pending batch. A single caller is therefore never delayed, and
//! batches grow with the number of callers.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// Evaluator that merges concurrent requests to `inner` into batches.
#[derive(Debug)]
pub struct Batcher<E> {
    inner: E,
    max_batch_size: usize,
    max_concurrent_batches: usize,
    state: Mutex<BatcherState>,
    /// Notified whenever a batch is done.
    batch_done: Condvar,
}

#[derive(Debug, Default)]
struct BatcherState {
    /// Number of callers with requests in the pending batch.
    waiting_callers: usize,
    running_batches: usize,
    /// Requests of the pending batch.
    pending: Vec<OwnedRequest>,
    /// Identifier of the pending batch: the number of batches before it.
    next_batch: u64,
    /// Finished batches with results that some callers have not fetched yet.
    finished: Vec<FinishedBatch>,
    /// Requests of earlier batches. Their allocations are reused.
    spare_requests: Vec<OwnedRequest>,
    /// Evaluation buffers of earlier batches, for reuse.
    spare_evaluations: Vec<Vec<Evaluation>>,
}

/// A copy of a request that can outlive the call.
#[derive(Debug)]
struct OwnedRequest {
    position: Position,
    symmetry: Symmetry,
    ownership: bool,
    all_moves: bool,
}

/// Result of a batch for one caller.
enum BatchOutcome {
    /// The result of the evaluator.
    Done(Result<(), EvalError>),
    /// A shared batch failed. The position that caused the error is unknown, so each caller must retry separately.
    Retry,
}

#[derive(Debug)]
struct FinishedBatch {
    id: u64,
    evaluations: Vec<Evaluation>,
    result: Result<(), EvalError>,
    /// Number of callers that have not fetched their results.
    remaining_callers: usize,
    /// True if the batch had several callers.
    is_shared: bool,
}

impl<E> Batcher<E> {
    /// Creates a batcher that passes at most `max_batch_size` requests per call to `inner` and runs at most
    /// `max_concurrent_batches` calls at the same time. Limits below 1 count as 1.
    pub fn new(inner: E, max_batch_size: usize, max_concurrent_batches: usize) -> Self {
        Self {
            inner,
            max_batch_size: max_batch_size.max(1),
            max_concurrent_batches: max_concurrent_batches.max(1),
            state: Mutex::default(),
            batch_done: Condvar::new(),
        }
    }

    /// Returns the number of callers with requests in the pending batch.
    pub fn waiting_callers(&self) -> usize {
        self.state.lock().waiting_callers
    }
}

impl<E: Evaluator> Batcher<E> {
    /// Evaluates requests in chunks of at most `max_batch_size` and checks that the results are finite.
    fn evaluate_chunks(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let chunks = requests.chunks(self.max_batch_size);
        for (requests, evaluations) in chunks.zip(evaluations.chunks_mut(self.max_batch_size)) {
            self.inner.evaluate(requests, evaluations)?;
        }
        evaluations.iter().try_for_each(Evaluation::check_finite)
    }

    /// Waits until fewer than `max_concurrent_batches` batches are running, then evaluates the requests of a single
    /// caller as a separate batch.
    fn run_alone(
        &self,
        mut state: MutexGuard<'_, BatcherState>,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let is_full =
            |state: &mut BatcherState| state.running_batches >= self.max_concurrent_batches;
        self.batch_done.wait_while(&mut state, is_full);
        state.running_batches += 1;
        drop(state);
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.evaluate_chunks(requests, evaluations)
        }));
        self.state.lock().running_batches -= 1;
        self.batch_done.notify_all();
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Evaluates the pending batch for all its callers and adds the results to the finished batches. Releases the lock
    /// during the evaluation.
    fn run_pending<'a>(
        &'a self,
        mut state: MutexGuard<'a, BatcherState>,
    ) -> MutexGuard<'a, BatcherState> {
        let batch = std::mem::take(&mut state.pending);
        let callers = std::mem::take(&mut state.waiting_callers);
        let mut evaluations = state.spare_evaluations.pop().unwrap_or_default();
        let id = state.next_batch;
        state.next_batch += 1;
        state.running_batches += 1;
        drop(state);
        // The vector never shrinks, so that its allocations can be reused.
        evaluations.resize_with(evaluations.len().max(batch.len()), Evaluation::default);
        // If the evaluator panics, the other callers must not wait forever.
        let requests: Vec<Request<'_>> = batch.iter().map(OwnedRequest::request).collect();
        let batch_evaluations = &mut evaluations[..batch.len()];
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.evaluate_chunks(&requests, batch_evaluations)
        }));
        drop(requests);
        let mut state = self.state.lock();
        state.running_batches -= 1;
        state.spare_requests.extend(batch);
        let (result, panic) = match result {
            Ok(result) => (result, None),
            Err(panic) => (Err(EvalError::Panicked), Some(panic)),
        };
        state.finished.push(FinishedBatch {
            id,
            evaluations,
            result,
            remaining_callers: callers,
            is_shared: callers > 1,
        });
        self.batch_done.notify_all();
        if let Some(panic) = panic {
            state.release(id);
            drop(state);
            resume_unwind(panic);
        }
        state
    }
}

impl<E: Evaluator> Evaluator for Batcher<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        if requests.is_empty() {
            return Ok(());
        }
        let mut state = self.state.lock();
        let (batch, range) = (state.next_batch, state.enqueue(requests));
        loop {
            if let Some(outcome) = state.take_results(batch, range.clone(), evaluations) {
                return match outcome {
                    BatchOutcome::Retry => self.run_alone(state, requests, evaluations),
                    BatchOutcome::Done(result) => result,
                };
            }
            if state.next_batch == batch && state.running_batches < self.max_concurrent_batches {
                state = self.run_pending(state);
            } else {
                self.batch_done.wait(&mut state);
            }
        }
    }

    fn inner(&self) -> Option<&dyn Evaluator> {
        Some(&self.inner)
    }
}

impl BatcherState {
    /// Copies requests into the pending batch and returns their range in it.
    fn enqueue(&mut self, requests: &[Request<'_>]) -> Range<usize> {
        let start = self.pending.len();
        for request in requests {
            let position = match self.spare_requests.pop() {
                Some(OwnedRequest { mut position, .. }) => {
                    position.clone_from(request.position);
                    position
                }
                None => request.position.clone(),
            };
            self.pending.push(OwnedRequest {
                position,
                symmetry: request.symmetry,
                ownership: request.ownership,
                all_moves: request.all_moves,
            });
        }
        self.waiting_callers += 1;
        start..self.pending.len()
    }

    /// Moves a caller's results, at `range` in the batch `id`, into `slots`. Returns `None` if the batch is not
    /// finished, and [`BatchOutcome::Retry`] if it failed with an error that another caller's position may have caused.
    fn take_results(
        &mut self,
        id: u64,
        range: Range<usize>,
        slots: &mut [Evaluation],
    ) -> Option<BatchOutcome> {
        let batch = self.finished.iter_mut().find(|batch| batch.id == id)?;
        slots.swap_with_slice(&mut batch.evaluations[range]);
        let outcome = match &batch.result {
            Err(EvalError::Network(_) | EvalError::NotFinite { .. }) if batch.is_shared => {
                BatchOutcome::Retry
            }
            result => BatchOutcome::Done(result.clone()),
        };
        self.release(id);
        Some(outcome)
    }

    /// Records that a caller has fetched its results. After the last caller has done so, the memory of the batch
    /// becomes available for later batches.
    fn release(&mut self, id: u64) {
        let Some(index) = self.finished.iter().position(|batch| batch.id == id) else {
            return;
        };
        self.finished[index].remaining_callers -= 1;
        if self.finished[index].remaining_callers == 0 {
            let batch = self.finished.swap_remove(index);
            self.spare_evaluations.push(batch.evaluations);
        }
    }
}

impl OwnedRequest {
    fn request(&self) -> Request<'_> {
        Request {
            position: &self.position,
            symmetry: self.symmetry,
            ownership: self.ownership,
            all_moves: self.all_moves,
        }
    }
}
