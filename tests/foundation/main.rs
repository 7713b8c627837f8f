//! Tests of game rules, SGF files, clocks and tactical reading.

mod clock;
mod rules;
mod sgf;
mod sgf_broken;
mod solver;
mod tactics;
