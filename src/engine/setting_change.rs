//! Changes of the player's settings while it lives.

use std::time::Duration;

use super::Engine;
use super::level::Level;
use crate::search::params::{ParamError, SearchParams};
use crate::search::{Search, ThreadPoolError};

/// A change of one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingChange {
    /// How strong to play.
    Level(&'static Level),
    /// Visits of the root at which a search ends.
    Visits(Option<u64>),
    /// Time for a move, on a clock the most; none is the default's.
    Time(Option<Duration>),
    /// Search threads, at least one.
    Threads(usize),
    /// Whether to think in the opponent's time.
    Ponder(bool),
    /// Noise at the root of analyses alone; see [`Settings`](super::settings::Settings::analysis_noise).
    AnalysisNoise(f32),
    /// A parameter of the search, by its name in [`SearchParams::TABLE`].
    Search(&'static str, f32),
    /// The seed of everything random in the search and in what is drawn from it. How the evaluator turns positions
    /// stays as it was seeded at the start.
    Seed(u64),
}

/// Why a setting was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The value is none for that parameter.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The system gives no threads.
    #[error(transparent)]
    Threads(#[from] ThreadPoolError),
}

impl Engine {
    /// Changes a setting. What was found under other parameters, threads or seeds is forgotten; the game and the clocks
    /// stay.
    ///
    /// # Errors
    /// When it cannot be; nothing has changed then.
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

    /// The search's parameters now.
    pub const fn search_params(&self) -> &SearchParams {
        &self.search.params
    }

    /// A new search, since threads and seed are fixed for a search's life.
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
