//! Interface of a search algorithm that works on one root position.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::report::Report;
use super::restriction::Restriction;
use super::root::Candidate;
use crate::eval::EvalError;
use crate::game::point::Move;

/// A search that is running or finished, shared by its worker threads and by [`Search`](super::Search).
pub trait SearchTask: Send + Sync {
    /// Returns true if all threads must call [`search`](Self::search), or false if only one thread may.
    fn is_parallel(&self) -> bool;

    /// Searches until a limit is reached or the stop flag is set.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    fn search(&self) -> Result<(), EvalError>;

    /// Returns the flag that ends the search when it is set.
    fn stop_flag(&self) -> &AtomicBool;

    /// Lets waiting threads notice that the stop flag has been set.
    fn wake(&self) {}

    /// Returns the slot in which the first error of any thread is stored.
    fn error_slot(&self) -> &Mutex<Option<EvalError>>;

    /// Returns a snapshot of the results.
    fn report(&self) -> Report;

    /// Returns the root moves that `restriction` allows, best first.
    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate>;

    /// Returns the visits of the root moves, excluding [forced playouts](super::forced_playouts), highest prior first.
    /// The result is empty for algorithms without a tree.
    fn unforced_visits(&self) -> Vec<(Move, u32)> {
        Vec::new()
    }
}

impl dyn SearchTask {
    /// Runs the search on this thread and stores its error, if any. A panic ends only the search, not the program, and
    /// is stored as [`EvalError::Panicked`].
    pub fn run(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| self.search()));
        if let Err(error) = result.unwrap_or(Err(EvalError::Panicked)) {
            self.error_slot().lock().get_or_insert(error);
            self.stop();
        }
    }

    /// Sets the stop flag, so that all threads end the search soon. Does not wait for them.
    pub fn stop(&self) {
        self.stop_flag().store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Returns the error that ended the search, if any.
    pub fn error(&self) -> Option<EvalError> {
        self.error_slot().lock().clone()
    }
}
