//! Changes of an engine's settings at run time.

use std::time::Duration;

use super::Engine;
use super::level::Level;
use crate::search::params::{ParamError, SearchParams};
use crate::search::{Search, ThreadPoolError};

/// New value of a single setting, for [`Engine::change_setting`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingChange {
    /// Playing strength.
    Level(&'static Level),
    /// Maximum number of root visits per search. `None` removes the limit.
    Visits(Option<u64>),
    /// Time per move or, if there is a game clock, maximum time per move. `None` restores the default.
    Time(Option<Duration>),
    /// Number of search threads, at least one.
    Threads(usize),
    /// Whether to search during the opponent's turn (pondering).
    Ponder(bool),
    /// Wide root noise of analyses; see
    /// [`EngineSettings::analysis_noise`](super::settings::EngineSettings::analysis_noise).
    AnalysisNoise(f32),
    /// A search parameter, identified by its name in [`SearchParams::TABLE`], and its new value.
    Search(&'static str, f32),
    /// Random seed of the search and of the choice of moves. It does not affect the evaluator's choice of symmetries.
    Seed(u64),
}

/// Error returned when a setting cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// Invalid search parameter or value.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The search threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadPoolError),
}

impl Engine {
    /// Changes a setting. Changing a search parameter, the analysis noise, the number of threads or the seed discards
    /// the search tree. The game and the clocks are preserved.
    ///
    /// # Errors
    /// Returns an error and changes nothing if the value is invalid or the search threads cannot be started.
    pub fn change_setting(&mut self, change: SettingChange) -> Result<(), SettingError> {
        self.cancel_search();
        match change {
            SettingChange::Level(level) => self.settings.level = level,
            SettingChange::Visits(visits) => self.settings.visits = visits,
            SettingChange::Time(time) => self.settings.time = time,
            SettingChange::Ponder(ponder) => self.settings.ponder = ponder,
            SettingChange::AnalysisNoise(noise) => {
                let previous = self.settings.analysis_noise.replace(noise);
                if previous.unwrap_or(self.search.params.wide_root_noise) != noise {
                    self.search.clear_tree_and_table();
                }
            }
            SettingChange::Search(name, value) => {
                self.search.params.set(name, value)?;
                self.search.clear_tree_and_table();
            }
            SettingChange::Threads(threads) => self.restart_search(threads, self.settings.seed)?,
            SettingChange::Seed(seed) => {
                self.restart_search(self.settings.threads, seed)?;
                (self.games_played, self.has_moved) = (0, false);
            }
        }
        Ok(())
    }

    /// Returns the current search parameters.
    pub const fn search_params(&self) -> &SearchParams {
        &self.search.params
    }

    /// Replaces the search with a new one, because the threads and the seed of a search cannot be changed.
    fn restart_search(&mut self, threads: usize, seed: u64) -> Result<(), ThreadPoolError> {
        let mut settings = self.settings.clone();
        settings.threads = threads;
        settings.seed = seed;
        self.search = Search::new(
            self.search.evaluator().clone(),
            self.record.position().clone(),
            self.search.params.clone(),
            settings.search_config(&**self.search.evaluator()),
        )?;
        self.settings = settings;
        Ok(())
    }
}
