//! Matches between programs: games and openings, whole matches with scripted players, child processes.

mod games;
mod matches;
mod openings;
#[cfg(unix)]
mod programs;
mod scripted;
