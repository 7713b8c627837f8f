//! Self-play: many games at once through one evaluator, written so that a crash loses none that is whole.
//!
//! From one game to all: [`choice`] says what is drawn among, [`terms`] draws the conditions of a game, [`policy`] its
//! moves without a search and [`search`] those with one, [`resignation`] sees when one side would give up, [`game`] plays
//! it, [`line`] writes it as one line of SGF and [`read`] reads it back, [`files`] keeps the lines, [`tally`] counts, and
//! [`run`] has several threads do all that. Game number N is the same whatever the threads, since its conditions and
//! moves come from random numbers of its own, and a position's evaluation does not depend on those beside it.

pub mod conditions;
pub mod files;
pub mod game;
pub mod policy;
pub mod reader;
pub mod resignation;
pub mod run;
pub mod search;
pub mod sgf_line;
pub mod stats;
pub mod weighted_choice;

use crate::game::point::BoardSize;
use crate::game::rules::{Komi, Rules};
use search::PlayoutCap;
use weighted_choice::WeightedChoice;

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfplaySettings {
    /// Board sizes.
    pub sizes: WeightedChoice<BoardSize>,
    /// Rules; the komi is not theirs.
    pub rules: WeightedChoice<Rules>,
    /// The komi around which the games' are drawn; none is the fair one of each board.
    pub komi: Option<Komi>,
    /// Standard deviation of the komi in points.
    pub komi_deviation: f64,
    /// The share of games with handicap stones.
    pub handicap_fraction: f64,
    /// How much is searched.
    pub playout_cap: PlayoutCap,
    /// A side resigns when its chance to win, in per cent, stays below this; 0 never.
    pub resign_percent: f64,
    /// The share of games in which nobody resigns, to see who would have done so too early.
    pub play_out_fraction: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// What both players are called.
    pub player_name: String,
}
