//! Limits of the solvers for problems and boards.

use std::time::Duration;

use crate::cli::threads::ThreadArgs;
use crate::cli::values::checked_seconds;

/// Resources that a solver may use.
#[derive(clap::Args)]
pub struct SolveLimits {
    /// Time limit in seconds [default: 5 for a problem without --nodes]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Memory of the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    pub memory: usize,
    /// Maximum number of positions: per proof for a problem, in total for a board [default: no limit]
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pub nodes: u64,
}

impl SolveLimits {
    /// Returns the time limit, if there is one.
    pub fn time(&self) -> anyhow::Result<Option<Duration>> {
        (self.time.map(|time| checked_seconds(0.0, time))).transpose()
    }
}
