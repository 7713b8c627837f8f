//! The operators, by what they are about.

pub mod about;
pub mod file;
pub mod games;
pub mod play;
pub mod review;
pub mod run;
