//! Atomic types used by the search. They are collected in one module, so that `tests/tree_model` can replace them with
//! the types of a model checker.

pub use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Types that are valid when all bytes are zero.
pub use zerocopy::FromZeros as Zeroed;
