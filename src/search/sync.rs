//! Atomics of the search, in a single module so that `tests/tree_model` can replace them by a model checker's.

pub use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Types that are valid when all bytes are zero.
pub use zerocopy::FromZeros as Zeroed;
