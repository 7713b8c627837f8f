//! Self-play: plays many games in parallel with one evaluator. Each finished game is stored immediately, so that a
//! crash loses only the games in progress.
//!
//! [`run`] plays the games of a run on several threads, and [`game`] plays a single game. [`conditions`] draws the
//! board size and rules of a game from [weighted choices](weighted_choice), and komi, handicap and opening at random.
//! [`policy`] chooses moves without a search, and [`search`] chooses moves with a search. [`sgf_line`] formats a game
//! as one line of SGF, [`files`] stores these lines, and [`reader`] parses them.
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
