//! Limits of the solvers for problems and boards.

use std::time::Duration;

/// Resources that a solver may use.
pub struct SolveLimits {
    pub threads: usize,
    /// Memory of the transposition table, in MiB.
    pub memory: usize,
    /// Maximum number of positions to search.
    pub nodes: u64,
    pub time: Option<Duration>,
}
