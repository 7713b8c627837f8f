//! Engine settings that a user can choose.

use std::time::Duration;

use super::level::Level;
use crate::eval::Evaluator;
use crate::search::params::{Algorithm, SearchParams};
use crate::search::{SearchConfig, default_batch_size};

/// Maximum number of search threads.
pub const MAX_THREADS: usize = 1024;

/// Maximum number of leaves that a search thread evaluates together.
pub const MAX_BATCH_SIZE: usize = 1024;

/// Maximum time per move in seconds, about a year.
pub const MAX_TIME_SECONDS: f64 = 3.2e7;

/// Default time per move, used if there is neither a game clock nor another limit.
pub const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// Settings of an [`Engine`](super::Engine).
#[derive(Clone, Debug)]
pub struct EngineSettings {
    pub threads: usize,
    /// Maximum number of leaves that each thread evaluates together. `None` uses the
    /// [default for the evaluator](default_batch_size).
    pub batch_size: Option<usize>,
    /// Playing strength.
    pub level: &'static Level,
    /// Maximum number of root visits per search, including visits from a reused tree. The level may impose a lower
    /// limit on searches for a move.
    pub visits: Option<u64>,
    /// Time per move or, if there is a game clock, maximum time per move. If `None`, only the game clock limits the
    /// time. Without a game clock or another limit, [`DEFAULT_TIME`] applies.
    pub time: Option<Duration>,
    /// Resignation threshold: the engine resigns after three consecutive turns with a win rate below this percentage. 0
    /// disables resignation; `None` uses the level's threshold.
    pub resign_percent: Option<f64>,
    pub seed: u64,
    /// Maximum size of the search tree in MiB.
    pub tree_mib: usize,
    /// Time in seconds reserved per move for the delay between the engine and the client's clock. The engine increases
    /// this reserve if the client's clock shows a larger delay.
    pub lag: f64,
    /// Whether to search during the opponent's turn (pondering).
    pub ponder: bool,
    /// Whether other engines use the same evaluator. If so, this engine does not clear the evaluation cache when it
    /// starts a new game.
    pub shares_evaluator: bool,
    pub params: SearchParams,
    /// Wide root noise of analyses, which makes them explore more root moves than searches for a move do. `None` uses
    /// the search parameter `wide_root_noise` for analyses as well.
    pub analysis_noise: Option<f32>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            threads: 1,
            batch_size: None,
            level: Level::full(),
            visits: None,
            time: None,
            resign_percent: None,
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
    /// Returns the visit limit for a move: the smaller of the user's and the level's limit, or `None` if there is
    /// neither. The level's limit applies to the tree search only; alpha-beta is weakened through its depth.
    pub fn move_visit_limit(&self) -> Option<u64> {
        let level_visits = match self.params.algorithm {
            Algorithm::Mcts => self.level.visits,
            Algorithm::AlphaBeta(_) | Algorithm::Minimax { .. } => None,
        };
        [self.visits, level_visits].into_iter().flatten().min()
    }

    /// Returns the time limit for a move if there is no game clock. This is the user's limit, if there is one.
    /// Otherwise, it is [`DEFAULT_TIME`], or `None` if a visit limit or an alpha-beta depth already limits the search.
    pub fn time_without_clock(&self) -> Option<Duration> {
        let has_depth_limit = self.params.algorithm.max_depth().is_some();
        let has_limit = self.move_visit_limit().is_some() || has_depth_limit;
        self.time.or_else(|| (!has_limit).then_some(DEFAULT_TIME))
    }

    /// Returns true if the engine's moves depend only on the seed and on the opponent's moves. This requires a single
    /// thread, no time limit, no pondering, and an evaluator that is not shared. Levels that choose moves at random are
    /// an exception: their random numbers differ from game to game.
    pub fn is_reproducible(&self) -> bool {
        let is_single = self.threads == 1 && !self.shares_evaluator;
        is_single && self.time_without_clock().is_none() && !self.ponder
    }

    /// Returns the settings that are fixed when a search with `evaluator` is created.
    pub(super) fn search_config(&self, evaluator: &dyn Evaluator) -> SearchConfig {
        let default = || default_batch_size(evaluator, self.threads);
        SearchConfig {
            threads: self.threads,
            batch_size: self.batch_size.unwrap_or_else(default),
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
        assert_eq!(settings.move_visit_limit(), settings.level.visits);
        settings.params.algorithm = Algorithm::Minimax { depth: 3 };
        assert_eq!(settings.move_visit_limit(), None);
        settings.visits = Some(7);
        assert_eq!(settings.move_visit_limit(), Some(7));
        assert!(settings.is_reproducible());
        settings.shares_evaluator = true;
        assert!(!settings.is_reproducible());
        settings.shares_evaluator = false;
        settings.threads = 2;
        assert!(!settings.is_reproducible());
    }
}
