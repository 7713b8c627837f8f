//! A wrapper that joins the requests of many threads into larger batches.
//!
//! There is no thread of its own: callers leave copies of their requests in the batch that is filling, and one of them
//! evaluates it for all. Nobody waits for others as long as there is a processor free. While as many batches are under
//! way as there are processors, whatever is asked goes into the next one. So one caller is answered at once, and batches
//! grow as more of them come.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// Joins requests for `inner`.
#[derive(Debug)]
pub struct Batcher<E> {
    inner: E,
    max_batch_size: usize,
    /// Batches that may be under way.
    max_concurrent_batches: usize,
    state: Mutex<BatcherState>,
    /// Told when a batch is done.
    batch_done: Condvar,
}

#[derive(Debug, Default)]
struct BatcherState {
    /// Callers that wait for the batch that is filling.
    waiting_callers: usize,
    /// Batches under way.
    running_batches: usize,
    /// The batch that is filling.
    pending: Vec<OwnedRequest>,
    /// How many batches were completed before it.
    next_batch: u64,
    /// Batches whose answers have not all been fetched.
    finished: Vec<FinishedBatch>,
    /// Room of earlier batches.
    spare_requests: Vec<OwnedRequest>,
    spare_evaluations: Vec<Vec<Evaluation>>,
}

/// A request that can outlive its maker's call.
#[derive(Debug)]
struct OwnedRequest {
    position: Position,
    symmetry: Symmetry,
    ownership: bool,
    all_moves: bool,
}

/// What comes of a caller's part of a batch.
enum BatchOutcome {
    /// What the evaluator said.
    Done(Result<(), EvalError>),
    /// The batch failed, by whose position is not known.
    Retry,
}

#[derive(Debug)]
struct FinishedBatch {
    id: u64,
    evaluations: Vec<Evaluation>,
    result: Result<(), EvalError>,
    /// Callers that have not fetched theirs.
    remaining_callers: usize,
    /// Whether there were several.
    is_shared: bool,
}

impl<E> Batcher<E> {
    /// Hands `inner` at most `max_batch_size` requests (at least 1) at a time, with at most `max_concurrent_batches` batches (at least 1)
    /// under way.
    #[must_use]
    pub fn new(inner: E, max_batch_size: usize, max_concurrent_batches: usize) -> Self {
        Self {
            inner,
            max_batch_size: max_batch_size.max(1),
            max_concurrent_batches: max_concurrent_batches.max(1),
            state: Mutex::default(),
            batch_done: Condvar::new(),
        }
    }

    /// How many callers wait for a batch that has not begun.
    #[must_use]
    pub fn waiting_callers(&self) -> usize {
        self.state.lock().waiting_callers
    }
}

impl<E: Evaluator> Batcher<E> {
    /// Evaluates a batch, a capacity at a time.
    fn evaluate_chunks(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let chunks = requests.chunks(self.max_batch_size);
        for (requests, evaluations) in chunks.zip(evaluations.chunks_mut(self.max_batch_size)) {
            self.inner.evaluate(requests, evaluations)?;
        }
        evaluations.iter().try_for_each(Evaluation::check)
    }

    /// Evaluates a caller's requests apart from all others', as one of the batches under way.
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

    /// Takes the batch that is filling, evaluates it with the lock released, and leaves the answers.
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
        // Room once taken is kept.
        evaluations.resize_with(evaluations.len().max(batch.len()), Evaluation::default);
        // The others must not wait for ever when the evaluator panics here.
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
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
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

    fn predicts_lead(&self) -> bool {
        self.inner.predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        self.inner.supports_size(size)
    }

    fn reset(&self) {
        self.inner.reset();
    }
}

impl BatcherState {
    /// Copies the requests into the batch that is filling and says which places they got.
    fn enqueue(&mut self, requests: &[Request<'_>]) -> Range<usize> {
        let start = self.pending.len();
        for request in requests {
            let owned = match self.spare_requests.pop() {
                Some(mut owned) => {
                    owned.position.clone_from(request.position);
                    OwnedRequest {
                        symmetry: request.symmetry,
                        ownership: request.ownership,
                        all_moves: request.all_moves,
                        ..owned
                    }
                }
                None => OwnedRequest {
                    position: request.position.clone(),
                    symmetry: request.symmetry,
                    ownership: request.ownership,
                    all_moves: request.all_moves,
                },
            };
            self.pending.push(owned);
        }
        self.waiting_callers += 1;
        start..self.pending.len()
    }

    /// Moves a caller's part of a batch that is done into its slots; `None` when it is not done yet. What may be another
    /// caller's fault is for each to try again alone.
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

    /// One caller less for a batch that is done; after the last its room is used again.
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
