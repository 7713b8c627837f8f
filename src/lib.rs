//! Honinbo, a Go engine.
//!
//! The rooms of the house, from the ground up; each imports only those before it (`tests/layers` sees to that):
//!
//! | room | what is in it |
//! |---|---|
//! | [`names`] | the words of others in errors, in short, and the known name closest to them |
//! | [`rng`] | seeded random numbers |
//! | [`file`] | files that are never left half written, nor read without end |
//! | [`notice`] | words on standard error, which nobody has to hear |
//! | [`lines`] | lines from clients, up to a length |
//! | [`traffic`] | the log of what clients say and are told |
//! | [`job_queue`] | jobs of clients that wait for worker threads |
//! | [`scratch_pool`] | memory to work in, lent to one thread after another |
//! | [`game`] | the rules: points, bit sets, boards, positions, records, scoring, symmetries |
//! | [`sgf`] | game files |
//! | [`tactics`] | reading of local positions: captures, ladders, eyes; exact values of small boards |
//! | [`clock`] | time settings, clocks, and how long a move may take |
//! | [`encode`] | positions as a network's input |
//! | [`net`] | the network: its description, its weights, its execution |
//! | [`eval`] | the evaluator seam: network, playouts, and the wrappers cache, symmetry, batcher |
//! | [`search`] | the tree search |
//! | [`engine`] | one player: a game, clocks, a search, and the decisions to pass, resign and call stones dead |
//! | [`gtp`] | the Go Text Protocol |
//! | [`terminal`] | a game for a person in the terminal, on the whole screen or line by line |
//! | [`json`] | analysis for programs: many positions at once, asked for and answered in lines of JSON |
//! | [`review`] | a game looked at move by move: its mistakes, its course as a picture |
//! | [`service`] | positions judged and games kept for any number of clients, over TCP and in the browser |
//! | [`contest`] | matches between engines |
//! | [`learn`] | games against itself, game records to training batches, and how well a net foretells them |
//! | [`bench`] | speeds, and the signature of the search |
//!
//! Three ways to read it. From the bottom: [`game::pointset`], [`game::board`], [`game::position`], then upwards. From
//! the middle: [`eval`] and [`search::playout`], where positions, judgement and tree meet. From the top: a line
//! of text in [`gtp::session`] becomes a command in [`gtp::table`], a move in [`engine::genmove`], a search, an answer.

pub mod bench;
pub mod clock;
pub mod contest;
pub mod encode;
pub mod engine;
pub mod eval;
pub mod file;
pub mod game;
pub mod gtp;
pub mod job_queue;
pub mod json;
pub mod learn;
pub mod lines;
pub mod names;
pub mod net;
pub mod notice;
pub mod review;
pub mod rng;
pub mod scratch_pool;
pub mod search;
pub mod service;
pub mod sgf;
pub mod tactics;
pub mod terminal;
pub mod traffic;
