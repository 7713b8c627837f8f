//! Building blocks for worker threads.

pub mod job_queue;
pub mod scratch_pool;
