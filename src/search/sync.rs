//! What the threads of a search meet at, named in one place: `tests/tree_model` puts a model checker's in its stead.

pub use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// What is fresh when all its bytes are zero.
pub use zerocopy::FromZeros as Zeroed;
