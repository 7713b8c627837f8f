//! Settings of self-play.

use super::weighted_choice::WeightedChoice;
use crate::game::point::BoardSize;
use crate::game::rules::{Komi, Rules};

/// Settings of a self-play run.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfplaySettings {
    pub sizes: WeightedChoice<BoardSize>,
    /// Rule sets. The komi of a rule set is ignored.
    pub rules: WeightedChoice<Rules>,
    /// Mean komi. If `None`, the mean is the fair komi for the board size and the scoring method.
    pub komi: Option<Komi>,
    /// Standard deviation of komi in points.
    pub komi_deviation: f64,
    /// Fraction of games with handicap stones.
    pub handicap_fraction: f64,
    /// Numbers of visits per search.
    pub playout_cap: PlayoutCap,
    /// Win rate in percent below which a position counts as lost. A side resigns after several consecutive turns in
    /// lost positions. 0 disables resignation.
    pub resign_percent: f64,
    /// Fraction of games in which resignation is disabled, to measure how often a resigning side would have won.
    pub no_resign_fraction: f64,
    /// Seed from which the random numbers of all games are derived.
    pub seed: u64,
    /// Name of both players in the game records.
    pub player_name: String,
}

/// Settings of playout cap randomization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutCap {
    /// Number of visits per full search. If this is 1, moves are drawn from the policy without a search.
    pub full_visits: u64,
    /// Number of visits per fast search, including those reused from the previous tree.
    pub fast_visits: u64,
    /// Fraction of moves with a full search.
    pub full_fraction: f64,
    /// Coefficient of forced playouts in full searches; see
    /// [`SearchParams::forced_playouts`](crate::search::params::SearchParams::forced_playouts).
    pub forced_playouts: f32,
}
