//! Thread counts and thread pools.

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Option `--threads`.
#[derive(Clone, Copy, clap::Args)]
pub struct ThreadArgs {
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,
}

impl ThreadArgs {
    /// Returns the number of threads.
    pub fn count(self) -> usize {
        self.threads.map_or_else(core_count, usize::from)
    }
}

/// Returns the number of processor cores available to the process, which is the default of `--threads`.
pub fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Starts a pool of `threads` threads.
pub fn thread_pool(threads: usize) -> anyhow::Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.context("--threads")
}
