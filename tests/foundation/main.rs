//! Tests of game rules, SGF files, clocks and tactical reading.

mod clock;
#[path = "../support/naive/mod.rs"]
mod naive;
mod rules;
mod sgf;
mod sgf_broken;
mod sgf_cases;
mod solver;
mod tactics;
