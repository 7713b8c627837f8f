//! Self-play: plays many games in parallel with one evaluator and stores each finished game immediately, so that a
//! crash does not lose it.
//!
//! [`run`] plays the games of a run on several threads, and [`game`] plays a single one. [`conditions`] draws a game's
//! board size and rules from [weighted choices](weighted_choice), and its komi, handicap and opening at random.
//! [`policy`] chooses moves without a search, and [`search`] chooses them with a search. [`sgf_line`] formats a game as
//! one line of SGF, [`files`] stores the lines, and [`reader`] parses them.
//!
//! Games are numbered. Each game has a separate random number generator, and the evaluation of a position does not
//! depend on the other positions in its batch. A game is therefore reproducible, regardless of the number of threads.

pub mod conditions;
pub mod files;
pub mod game;
pub mod policy;
pub mod reader;
pub mod run;
pub mod search;
pub mod settings;
pub mod sgf_line;
pub mod weighted_choice;

pub use self::settings::SelfplaySettings;
