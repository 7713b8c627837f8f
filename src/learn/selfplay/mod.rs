//! Self-play: many games in parallel with one evaluator, stored so that a crash loses no finished game.
//!
//! [`run`] plays the games of a run on several threads, and [`game`] plays one of them. [`conditions`] draws its
//! board size, rules and komi from [weighted choices](weighted_choice). [`policy`] chooses moves without a search and
//! [`search`] with one. [`sgf_line`] writes a game as one line of SGF, [`files`] stores the lines, and [`reader`]
//! reads them back.
//!
//! Games are numbered. Each game has a separate random number generator, and evaluations do not depend on other
//! positions in a batch, so a game is reproducible for any number of threads.

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
