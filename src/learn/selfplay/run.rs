//! Self-play runs, in which several threads play many games and store them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::files::{SelfplayFiles, SelfplayFilesError};
use super::game::{SelfplayGame, SelfplayOutcome, play_game};
use super::settings::SelfplaySettings;
use super::sgf_line::format_line;
use crate::eval::stack::EvaluatorStack;
use crate::game::color::{ByColor, Color};
use crate::search::{SearchError, ThreadPoolError};

/// Error that ends a self-play run.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    #[error(transparent)]
    Files(#[from] SelfplayFilesError),
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Number of games in a run, and number of games played in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfplayLimits {
    /// Number of games in the run. Games are numbered from 1; existing games in the folder are not played again.
    pub max_games: u64,
    /// Number of games played in parallel, each on a separate thread.
    pub parallel_games: usize,
}

/// Plays games and stores them in `folder` until all games of the run are stored or `stop` is set. Sets `stop` after an
/// error.
///
/// Games in progress when `stop` is set are discarded. `progress` is called with the updated statistics after each
/// game.
///
/// # Errors
/// Returns the first error that occurs when a game is played or stored, or when a thread is started.
pub fn run_selfplay(
    settings: &SelfplaySettings,
    stack: &EvaluatorStack,
    folder: &Path,
    limits: SelfplayLimits,
    stop: &AtomicBool,
    progress: &(dyn Fn(&SelfplayStats) + Sync),
) -> Result<SelfplayStats, SelfplayError> {
    let (files, existing) = SelfplayFiles::open(folder)?;
    let stats = SelfplayStats {
        existing_games: existing.len() as u64,
        ..SelfplayStats::default()
    };
    let run = SelfplayRun {
        settings,
        stop,
        progress,
        state: Mutex::new(RunState {
            files,
            existing_games: existing,
            last_started: 0,
            max_games: limits.max_games,
            stats,
            error: None,
        }),
    };
    thread::scope(|scope| {
        for _ in 0..limits.parallel_games.max(1) {
            let spawned = Builder::new().spawn_scoped(scope, || run.run_worker(stack));
            if let Err(error) = spawned {
                let error = SearchError::from(ThreadPoolError::new(limits.parallel_games, &error));
                return run.fail(error.into());
            }
        }
    });
    let state = run.state.into_inner();
    match state.error {
        Some(error) => Err(error),
        None => Ok(state.stats),
    }
}

/// State shared by the threads of a run.
struct SelfplayRun<'a> {
    settings: &'a SelfplaySettings,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(&SelfplayStats) + Sync),
    state: Mutex<RunState>,
}

struct RunState {
    files: SelfplayFiles,
    /// Numbers of the games that existed before the run.
    existing_games: BTreeSet<u64>,
    /// Number of the last game started.
    last_started: u64,
    max_games: u64,
    stats: SelfplayStats,
    error: Option<SelfplayError>,
}

impl SelfplayRun<'_> {
    /// Plays games until all games of the run have been started or the run is stopped.
    fn run_worker(&self, stack: &EvaluatorStack) {
        while let Some(number) = self.next() {
            let result = play_game(self.settings, stack, number, self.stop);
            let saved = match result {
                Ok(None) => return,
                Ok(Some(game)) => self.save(&game),
                Err(error) => Err(error.into()),
            };
            if let Err(error) = saved {
                return self.fail(error);
            }
        }
    }

    fn fail(&self, error: SelfplayError) {
        self.stop.store(true, Ordering::Relaxed);
        self.state.lock().error.get_or_insert(error);
    }

    /// Returns the number of the next game to play, or `None` if all games have been started or the run is stopped.
    fn next(&self) -> Option<u64> {
        let mut state = self.state.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) || state.last_started >= state.max_games {
                return None;
            }
            state.last_started += 1;
            let number = state.last_started;
            if !state.existing_games.contains(&number) {
                return Some(number);
            }
        }
    }

    fn save(&self, game: &SelfplayGame) -> Result<(), SelfplayError> {
        let text = format_line(game, &self.settings.player_name);
        let mut state = self.state.lock();
        // If another thread has failed, the state of the file may be unknown, so nothing more is written.
        if state.error.is_some() {
            return Ok(());
        }
        if game.outcome != SelfplayOutcome::Unfinished {
            state.files.append(&text)?;
        }
        state.stats.add(game);
        (self.progress)(&state.stats);
        Ok(())
    }
}

/// Statistics of a self-play run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelfplayStats {
    /// Number of games that were already in the folder.
    pub existing_games: u64,
    /// Number of games played and stored in this run.
    pub games: u64,
    /// Total number of moves in the games counted by `games`.
    pub moves: u64,
    /// Number of games won by each side.
    pub wins: ByColor<u64>,
    pub draws: u64,
    /// Number of games that ended by resignation.
    pub resignations: u64,
    /// Number of games in which a side would have resigned if resignation had not been disabled.
    pub suppressed_resignations: u64,
    /// Number of suppressed resignations in which the side that would have resigned did not lose.
    pub wrong_resignations: u64,
    /// Number of games that reached the move limit. These games are not stored.
    pub unfinished_games: u64,
}

impl SelfplayStats {
    /// Adds a game to the statistics.
    pub fn add(&mut self, game: &SelfplayGame) {
        if game.outcome == SelfplayOutcome::Unfinished {
            self.unfinished_games += 1;
            return;
        }
        self.games += 1;
        self.moves += game.record.moves().len() as u64;
        match game.winner() {
            Some(winner) => self.wins[winner] += 1,
            None => self.draws += 1,
        }
        match (&game.outcome, game.resigner) {
            (SelfplayOutcome::Resigned(_), _) => self.resignations += 1,
            (_, Some(color)) => {
                self.suppressed_resignations += 1;
                self.wrong_resignations += u64::from(game.winner() != Some(color.opposite()));
            }
            (_, None) => {}
        }
    }

    /// Returns the fraction of games won by Black. A draw counts as half a win.
    pub fn black_win_rate(&self) -> f64 {
        (self.wins[Color::Black] as f64 + self.draws as f64 / 2.0) / self.games.max(1) as f64
    }
}
