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
    /// Maximum root visits per search.
    Visits(Option<u64>),
    /// Time per move; the maximum time per move on a game clock. `None` restores the default.
    Time(Option<Duration>),
    /// Number of search threads, at least one.
    Threads(usize),
    /// Whether to search during the opponent's turn.
    Ponder(bool),
    /// Wide root noise of analyses; see
    /// [`EngineSettings::analysis_noise`](super::settings::EngineSettings::analysis_noise).
    AnalysisNoise(f32),
    /// A search parameter, by its name in [`SearchParams::TABLE`].
    Search(&'static str, f32),
    /// Random seed of the search and of the choice of moves. The evaluator's choice of symmetries does not change.
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
    /// Changes a setting. A change of search parameters, threads or seed clears the search tree. The game and the
    /// clocks are preserved.
    ///
    /// # Errors
    /// Returns an error if the value is invalid or threads cannot be started. Nothing changes in that case.
    pub fn change_setting(&mut self, change: SettingChange) -> Result<(), SettingError> {
        self.stop_search();
        match change {
            SettingChange::Level(level) => self.settings.level = level,
            SettingChange::Visits(visits) => self.settings.visits = visits,
            SettingChange::Time(time) => self.settings.time = time,
            SettingChange::Ponder(ponder) => self.settings.ponder = ponder,
            SettingChange::AnalysisNoise(noise) => {
                let previous = self.settings.analysis_noise.replace(noise);
                if previous.unwrap_or(self.search.params.wide_root_noise) != noise {
                    self.search.clear();
                }
            }
            SettingChange::Search(name, value) => {
                self.search.params.set(name, value)?;
                self.search.clear();
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

    /// Replaces the search, because its threads and seed are fixed.
    fn restart_search(&mut self, threads: usize, seed: u64) -> Result<(), ThreadPoolError> {
        let mut settings = self.settings.clone();
        settings.threads = threads;
        settings.seed = seed;
        self.search = Search::new(
            self.search.evaluator().clone(),
            self.record.position().clone(),
            self.search.params.clone(),
            settings.search_config(),
        )?;
        self.settings = settings;
        Ok(())
    }
}
