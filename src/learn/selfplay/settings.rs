//! Settings of self-play.

use super::weighted_choice::WeightedChoice;
use crate::game::point::BoardSize;
use crate::game::rules::{Komi, Rules};

/// Settings of a self-play run.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfplaySettings {
    pub sizes: WeightedChoice<BoardSize>,
    /// Rule sets; their komi is ignored.
    pub rules: WeightedChoice<Rules>,
    /// Mean of the komi; `None` is the fair komi for each board size.
    pub komi: Option<Komi>,
    /// Standard deviation of the komi in points.
    pub komi_deviation: f64,
    /// Fraction of games with handicap stones.
    pub handicap_fraction: f64,
    /// Number of visits per move.
    pub playout_cap: PlayoutCap,
    /// Winrate in per cent below which a side resigns; 0 disables resignation.
    pub resign_percent: f64,
    /// Fraction of games without resignation, to measure how often a resigning side would have won.
    pub play_out_fraction: f64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Name of both players in the records.
    pub player_name: String,
}

/// Numbers of visits in playout cap randomization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutCap {
    /// Visits of a full search; 1 disables searching.
    pub full_visits: u64,
    /// Visits of a fast search, including those reused from the previous tree.
    pub fast_visits: u64,
    /// Fraction of full searches.
    pub full_fraction: f64,
    /// Coefficient of forced playouts in full searches:
    /// [`SearchParams::forced_playouts`](crate::search::params::SearchParams::forced_playouts).
    pub forced_playouts: f32,
}
