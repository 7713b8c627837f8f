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
    capacity: usize,
    /// Batches that may be under way.
    at_once: usize,
    state: Mutex<State>,
    /// Told when a batch is done.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Callers that wait for the batch that is filling.
    waiting: usize,
    /// Batches under way.
    running: usize,
    /// The batch that is filling.
    filling: Vec<Copied>,
    /// How many batches were completed before it.
    number: u64,
    /// Batches whose answers have not all been fetched.
    done: Vec<Done>,
    /// Room of earlier batches.
    spare_copies: Vec<Copied>,
    spare_answers: Vec<Vec<Evaluation>>,
}

/// A request that can outlive its maker's call.
#[derive(Debug)]
struct Copied {
    position: Position,
    symmetry: Symmetry,
    ownership: bool,
    all_moves: bool,
}

/// What comes of a caller's part of a batch.
enum Fetched {
    /// What the evaluator said.
    Answered(Result<(), EvalError>),
    /// The batch failed, by whose position is not known.
    Refused,
}

#[derive(Debug)]
struct Done {
    number: u64,
    answers: Vec<Evaluation>,
    result: Result<(), EvalError>,
    /// Callers that have not fetched theirs.
    callers: usize,
    /// Whether there were several.
    is_shared: bool,
}

impl<E> Batcher<E> {
    /// Hands `inner` at most `capacity` requests (at least 1) at a time, with at most `at_once` batches (at least 1)
    /// under way.
    #[must_use]
    pub fn new(inner: E, capacity: usize, at_once: usize) -> Self {
        Self {
            inner,
            capacity: capacity.max(1),
            at_once: at_once.max(1),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// How many callers wait for a batch that has not begun.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.state.lock().waiting
    }
}

impl<E: Evaluator> Batcher<E> {
    /// Evaluates a batch, a capacity at a time.
    fn run(&self, requests: &[Request<'_>], answers: &mut [Evaluation]) -> Result<(), EvalError> {
        let parts = requests.chunks(self.capacity);
        for (requests, answers) in parts.zip(answers.chunks_mut(self.capacity)) {
            self.inner.evaluate(requests, answers)?;
        }
        answers.iter().try_for_each(Evaluation::check)
    }

    /// Evaluates a caller's requests apart from all others', as one of the batches under way.
    fn run_apart(
        &self,
        mut state: MutexGuard<'_, State>,
        requests: &[Request<'_>],
        answers: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let is_full = |state: &mut State| state.running >= self.at_once;
        self.changed.wait_while(&mut state, is_full);
        state.running += 1;
        drop(state);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run(requests, answers)));
        self.state.lock().running -= 1;
        self.changed.notify_all();
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Takes the batch that is filling, evaluates it with the lock released, and leaves the answers.
    fn serve<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let batch = std::mem::take(&mut state.filling);
        let callers = std::mem::take(&mut state.waiting);
        let mut answers = state.spare_answers.pop().unwrap_or_default();
        let number = state.number;
        state.number += 1;
        state.running += 1;
        drop(state);
        // Room once taken is kept.
        answers.resize_with(answers.len().max(batch.len()), Evaluation::default);
        // The others must not wait for ever when the evaluator panics here.
        let requests: Vec<Request<'_>> = batch.iter().map(Copied::request).collect();
        let mine = &mut answers[..batch.len()];
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run(&requests, mine)));
        drop(requests);
        let mut state = self.state.lock();
        state.running -= 1;
        state.spare_copies.extend(batch);
        let (result, panic) = match outcome {
            Ok(result) => (result, None),
            Err(panic) => (Err(EvalError::Stopped), Some(panic)),
        };
        state.done.push(Done {
            number,
            answers,
            result,
            callers,
            is_shared: callers > 1,
        });
        self.changed.notify_all();
        if let Some(panic) = panic {
            state.leave(number);
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
        let (number, mine) = (state.number, state.add(requests));
        loop {
            if let Some(fetched) = state.fetch(number, mine.clone(), evaluations) {
                return match fetched {
                    Fetched::Refused => self.run_apart(state, requests, evaluations),
                    Fetched::Answered(result) => result,
                };
            }
            if state.number == number && state.running < self.at_once {
                state = self.serve(state);
            } else {
                self.changed.wait(&mut state);
            }
        }
    }

    fn tells_lead(&self) -> bool {
        self.inner.tells_lead()
    }

    fn plays_on(&self, size: BoardSize) -> bool {
        self.inner.plays_on(size)
    }

    fn forget(&self) {
        self.inner.forget();
    }
}

impl State {
    /// Copies the requests into the batch that is filling and says which places they got.
    fn add(&mut self, requests: &[Request<'_>]) -> Range<usize> {
        let start = self.filling.len();
        for request in requests {
            let copied = match self.spare_copies.pop() {
                Some(mut copied) => {
                    copied.position.clone_from(request.position);
                    Copied {
                        symmetry: request.symmetry,
                        ownership: request.ownership,
                        all_moves: request.all_moves,
                        ..copied
                    }
                }
                None => Copied {
                    position: request.position.clone(),
                    symmetry: request.symmetry,
                    ownership: request.ownership,
                    all_moves: request.all_moves,
                },
            };
            self.filling.push(copied);
        }
        self.waiting += 1;
        start..self.filling.len()
    }

    /// Moves a caller's part of a batch that is done into its slots; `None` when it is not done yet. What may be another
    /// caller's fault is for each to try again alone.
    fn fetch(
        &mut self,
        number: u64,
        part: Range<usize>,
        slots: &mut [Evaluation],
    ) -> Option<Fetched> {
        let done = self.done.iter_mut().find(|done| done.number == number)?;
        slots.swap_with_slice(&mut done.answers[part]);
        let fetched = match &done.result {
            Err(EvalError::Network(_) | EvalError::NotFinite { .. }) if done.is_shared => {
                Fetched::Refused
            }
            result => Fetched::Answered(result.clone()),
        };
        self.leave(number);
        Some(fetched)
    }

    /// One caller less for a batch that is done; after the last its room is used again.
    fn leave(&mut self, number: u64) {
        let Some(index) = self.done.iter().position(|done| done.number == number) else {
            return;
        };
        self.done[index].callers -= 1;
        if self.done[index].callers == 0 {
            let done = self.done.swap_remove(index);
            self.spare_answers.push(done.answers);
        }
    }
}

impl Copied {
    fn request(&self) -> Request<'_> {
        Request {
            position: &self.position,
            symmetry: self.symmetry,
            ownership: self.ownership,
            all_moves: self.all_moves,
        }
    }
}
