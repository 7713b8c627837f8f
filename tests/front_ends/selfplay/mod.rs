//! Self-play as a whole: games that follow from their numbers, files that outlive a crash, results that are counted
//! right.

mod files;
mod games;
mod program;
mod reading;
mod support;
