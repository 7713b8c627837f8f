//! This engine's own net files.

pub mod config;
pub mod describe;
pub mod weights;
