//! Limits of the solvers for problems and boards.

use std::time::Duration;

/// Resources of a solver.
pub struct SolveLimits {
    pub threads: usize,
    /// Memory of the transposition table, in MiB.
    pub memory: usize,
    /// Maximum number of positions.
    pub nodes: u64,
    pub time: Option<Duration>,
}
