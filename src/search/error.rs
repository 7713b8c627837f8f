//! Errors of a search.

use crate::eval::EvalError;

/// Error returned when the worker threads cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} search threads: {reason}")]
pub struct ThreadPoolError {
    threads: usize,
    reason: String,
}

impl ThreadPoolError {
    /// Creates the error for a pool of `threads` threads.
    pub fn new(threads: usize, reason: &impl ToString) -> Self {
        Self {
            threads,
            reason: reason.to_string(),
        }
    }
}

/// Error returned by a search.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Evaluator(#[from] EvalError),
    #[error(transparent)]
    Thread(#[from] ThreadPoolError),
}
