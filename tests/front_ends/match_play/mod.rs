//! Tests of matches: games, openings, clocks, scheduling with scripted engines, resuming, and child processes.

mod clocks;
mod games;
mod matches;
mod openings;
#[cfg(unix)]
mod programs;
mod resumed;
mod scripted;
mod systems;
