//! Self-play: reproducible games, crash-safe files and correct results.

mod files;
mod games;
mod program;
mod reading;
mod support;
