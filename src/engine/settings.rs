//! What a user can set about the player.

use std::time::Duration;

use super::level::Level;
use crate::search::SearchConfig;
use crate::search::params::{Algorithm, SearchParams};

/// Most search threads that may be asked for.
pub const MAX_THREADS: usize = 1024;

/// The longest time that a move may be given, in seconds: nobody waits longer than a year.
pub const MAX_TIME_SECONDS: f64 = 3.2e7;

/// Time for a move where neither a clock nor the user says otherwise.
pub const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// Settings of an [`Engine`](super::Engine).
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Search threads.
    pub threads: usize,
    /// How strong to play.
    pub level: &'static Level,
    /// Visits of the root at which a search ends, those of a kept subtree included; the level may set fewer for a move.
    pub visits: Option<u64>,
    /// Time for a move; on a clock that the client sets, the most.
    pub time: Option<Duration>,
    /// Resign when the chance to win, in per cent, is below this for three own turns in a row; 0 never. Without it the
    /// level says when.
    pub resign: Option<f64>,
    /// Seed of everything random.
    pub seed: u64,
    /// Memory of the tree in MiB.
    pub tree_mib: usize,
    /// Seconds kept back of every move on a client's clock for what lies between the engine and the clock; more where the
    /// client shows more.
    pub lag: f64,
    /// Whether to think in the opponent's time.
    pub ponder: bool,
    /// Whether other players ask the same evaluator: then it forgets nothing that it remembers for them.
    pub shares_evaluator: bool,
    /// The search's parameters.
    pub params: SearchParams,
    /// Noise that makes analyses, unlike moves, look at more moves of the root; without it `wide_root_noise` holds for
    /// both.
    pub analysis_noise: Option<f32>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            threads: 1,
            level: Level::full(),
            visits: None,
            time: None,
            resign: None,
            seed: 0,
            tree_mib: 1024,
            lag: 0.05,
            ponder: false,
            shares_evaluator: false,
            params: SearchParams::default(),
            analysis_noise: None,
        }
    }
}

impl EngineSettings {
    /// The visits of a move: the user's or the level's, whichever are fewer. Levels are made for trees: alpha-beta is as
    /// weak as its depth.
    pub fn move_visits(&self) -> Option<u64> {
        let level_visits = match self.params.algorithm {
            Algorithm::Tree => self.level.visits,
            Algorithm::AlphaBeta { .. } => None,
        };
        [self.visits, level_visits].into_iter().flatten().min()
    }

    /// The time for a move without a clock: the user's, else the default unless there is another end to the search:
    /// visits, or the depth of alpha-beta.
    pub fn time_without_clock(&self) -> Option<Duration> {
        let has_depth_limit = matches!(
            self.params.algorithm,
            Algorithm::AlphaBeta { depth: Some(_) }
        );
        let has_limit = self.move_visits().is_some() || has_depth_limit;
        self.time.or_else(|| (!has_limit).then_some(DEFAULT_TIME))
    }

    /// Whether the same game is played again wherever the opponent's moves are the same, but for what a level draws anew
    /// in each game: one thread, an end of each search that no clock sets, and an evaluator that nobody else asks.
    pub fn is_reproducible(&self) -> bool {
        let is_single = self.threads == 1 && !self.shares_evaluator;
        is_single && self.time_without_clock().is_none() && !self.ponder
    }

    /// What a search is set up with for its life.
    pub(super) const fn search_config(&self) -> SearchConfig {
        SearchConfig {
            threads: self.threads,
            tree_bytes: self.tree_mib << 20,
            seed: self.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_limits_visits_of_tree_search_only() {
        let mut settings = EngineSettings {
            level: Level::by_number(1).unwrap(),
            ..EngineSettings::default()
        };
        assert_eq!(settings.move_visits(), settings.level.visits);
        settings.params.algorithm = Algorithm::AlphaBeta { depth: Some(3) };
        assert_eq!(settings.move_visits(), None);
        settings.visits = Some(7);
        assert_eq!(settings.move_visits(), Some(7));
        assert!(settings.is_reproducible());
        settings.shares_evaluator = true;
        assert!(!settings.is_reproducible());
        settings.shares_evaluator = false;
        settings.threads = 2;
        assert!(!settings.is_reproducible());
    }
}
