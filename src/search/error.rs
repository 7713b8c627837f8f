//! Why a search cannot begin, or told nothing.

use crate::eval::EvalError;

/// Why a search cannot be set up.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} search threads: {reason}")]
pub struct ThreadPoolError {
    threads: usize,
    reason: String,
}

impl ThreadPoolError {
    /// So many threads were to work, and the system does not give them.
    pub fn new(threads: usize, reason: &impl ToString) -> Self {
        Self {
            threads,
            reason: reason.to_string(),
        }
    }
}

/// Why a search told nothing.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvalError),
    /// There is no thread to search on.
    #[error(transparent)]
    Thread(#[from] ThreadPoolError),
}
