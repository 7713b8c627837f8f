//! Honinbo, a Go engine.
//!
//! The modules, lowest layer first. A module imports only from modules above it in this table. `tests/layers` enforces
//! this order.
//!
//! | module | content |
//! |---|---|
//! | [`io`] | files, lines of text, messages on standard error, protocol logs |
//! | [`parallel`] | job queue and scratch memory for worker threads |
//! | [`random`] | reproducible random numbers and hashes |
//! | [`game`] | the rules of Go: points, bit sets, boards, positions, records, scoring, symmetries |
//! | [`sgf`] | game records in SGF |
//! | [`tactics`] | exact solvers: captures, ladders, life and death, small boards |
//! | [`clock`] | time control, clocks, and the time budget of a move |
//! | [`encode`] | encoding of positions as network inputs |
//! | [`net`] | network files, and evaluation of positions by networks |
//! | [`eval`] | evaluators: network or playouts, with cache, symmetries and batching |
//! | [`search`] | the tree search (PUCT, UCT) and alpha-beta |
//! | [`engine`] | a Go player: game, clocks, search, passing, resigning, dead stones and score |
//! | [`gtp`] | the Go Text Protocol |
//! | [`json_analysis`] | KataGo's JSON analysis protocol: queries and results as lines of JSON |
//! | [`terminal`] | play in the terminal |
//! | [`review`] | analysis of a whole game, with comments and charts |
//! | [`service`] | JSON over TCP, the web page, stored games |
//! | [`match_play`] | matches and tournaments between engines |
//! | [`learn`] | self-play, training samples, labels from a teacher network |
//! | [`mod@bench`] | speed benchmarks, and a signature of search results |
//!
//! Good places to start reading: [`game::pointset`], [`game::board`] and [`game::position`] for the rules; [`eval`] and
//! [`search::playout`] for the search; [`gtp::session`], [`gtp::command_table`] and [`engine::genmove`] for the path
//! from a line of input to a move.

pub mod bench;
pub mod clock;
pub mod encode;
pub mod engine;
pub mod eval;
pub mod game;
pub mod gtp;
pub mod io;
pub mod json_analysis;
pub mod learn;
pub mod match_play;
pub mod net;
pub mod parallel;
pub mod random;
pub mod review;
pub mod search;
pub mod service;
pub mod sgf;
pub mod tactics;
pub mod terminal;
