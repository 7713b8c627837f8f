//! Atomics of the model checker.

pub use std::default::Default as Zeroed;

pub use loom::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};
