//! Interface of a search algorithm that works on one root position.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::report::Report;
use super::restriction::Restriction;
use super::root::Candidate;
use crate::eval::EvalError;
use crate::game::point::Move;

/// One search, running or finished. Shared by its worker threads and by [`Search`](super::Search).
pub trait SearchTask: Send + Sync {
    /// Returns true if all threads call [`search`](Self::search), false if a single thread does.
    fn is_parallel(&self) -> bool;

    /// Searches until a limit is reached or the stop flag is set.
    ///
    /// # Errors
    /// Returns the evaluator's error.
    fn search(&self) -> Result<(), EvalError>;

    /// Flag that ends the search when set.
    fn stop_flag(&self) -> &AtomicBool;

    /// First error of any thread.
    fn error_slot(&self) -> &Mutex<Option<EvalError>>;

    /// Returns a snapshot of the results.
    fn report(&self) -> Report;

    /// Returns the root moves that `restriction` allows, best first.
    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate>;

    /// Returns the visits of the root moves without [forced playouts](super::forced_playouts), highest prior first.
    /// Empty for an algorithm without a tree.
    fn unforced_visits(&self) -> Vec<(Move, u32)> {
        Vec::new()
    }
}

impl dyn SearchTask {
    /// Runs the search on this thread and stores its error. A panic is stored as [`EvalError::Panicked`]; it ends the
    /// search, not the program.
    pub fn run(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| self.search()));
        if let Err(error) = result.unwrap_or(Err(EvalError::Panicked)) {
            self.error_slot().lock().get_or_insert(error);
            self.stop();
        }
    }

    /// Makes all threads end the search soon.
    pub fn stop(&self) {
        self.stop_flag().store(true, Ordering::Relaxed);
    }

    /// Returns the error that ended the search, if any.
    pub fn error(&self) -> Option<EvalError> {
        self.error_slot().lock().clone()
    }
}
