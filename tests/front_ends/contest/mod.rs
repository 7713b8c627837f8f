//! Matches between programs: games and openings, clocks, whole matches with scripted players, child processes.

mod clocks;
mod games;
mod matches;
mod openings;
#[cfg(unix)]
mod programs;
mod resumed;
mod scripted;
mod systems;
