//! What a user can set about the player.

use std::time::Duration;

use super::level::Level;
use crate::search::Setup;
use crate::search::params::{Algorithm, SearchParams};

/// Most search threads that may be asked for.
pub const MAX_THREADS: usize = 1024;

/// The longest time that a move may be given, in seconds: nobody waits longer than a year.
pub const LONGEST_TIME: f64 = 3.2e7;

/// Time for a move where neither a clock nor the user says otherwise.
pub const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// Settings of an [`Engine`](super::Engine).
#[derive(Clone, Debug)]
pub struct Settings {
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

impl Default for Settings {
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

impl Settings {
    /// The visits of a move: the user's or the level's, whichever are fewer. Levels are made for trees: alpha-beta is as
    /// weak as its depth.
    #[must_use]
    pub fn move_visits(&self) -> Option<u64> {
        let of_level = match self.params.algorithm {
            Algorithm::Tree => self.level.visits,
            Algorithm::AlphaBeta { .. } => None,
        };
        [self.visits, of_level].into_iter().flatten().min()
    }

    /// The time for a move without a clock: the user's, else the default unless there is another end to the search:
    /// visits, or the depth of alpha-beta.
    #[must_use]
    pub fn unclocked_time(&self) -> Option<Duration> {
        let is_deep_enough = matches!(
            self.params.algorithm,
            Algorithm::AlphaBeta { depth: Some(_) }
        );
        let ends_by_itself = self.move_visits().is_some() || is_deep_enough;
        self.time
            .or_else(|| (!ends_by_itself).then_some(DEFAULT_TIME))
    }

    /// Whether the same game is played again wherever the opponent's moves are the same, but for what a level draws anew
    /// in each game: one thread, an end of each search that no clock sets, and an evaluator that nobody else asks.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        let alone = self.threads == 1 && !self.shares_evaluator;
        alone && self.unclocked_time().is_none() && !self.ponder
    }

    /// What a search is set up with for its life.
    pub(super) const fn search_setup(&self) -> Setup {
        Setup {
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
    fn a_level_bounds_trees_and_the_depth_alpha_beta() {
        let mut settings = Settings {
            level: Level::numbered(1).unwrap(),
            ..Settings::default()
        };
        assert_eq!(settings.move_visits(), settings.level.visits);
        settings.params.algorithm = Algorithm::AlphaBeta { depth: Some(3) };
        assert_eq!(settings.move_visits(), None);
        settings.visits = Some(7);
        assert_eq!(settings.move_visits(), Some(7));
        assert!(settings.is_repeatable());
        settings.shares_evaluator = true;
        assert!(!settings.is_repeatable());
        settings.shares_evaluator = false;
        settings.threads = 2;
        assert!(!settings.is_repeatable());
    }
}
