//! All games of a run, several at once.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::SelfplaySettings;
use super::files::{SelfplayFiles, SelfplayFilesError};
use super::game::{SelfplayGame, SelfplayOutcome, play_game};
use super::sgf_line::format_line;
use super::stats::SelfplayStats;
use crate::eval::stack::EvaluatorStack;
use crate::search::{SearchError, ThreadPoolError};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// The games cannot be kept.
    #[error(transparent)]
    Files(#[from] SelfplayFilesError),
    /// A game cannot be played.
    #[error(transparent)]
    Game(#[from] SearchError),
}

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfplayLimits {
    /// The number of the last game; games 1 to that are played as far as the folder lacks them.
    pub max_games: u64,
    /// Games at the same time, each on a thread of its own.
    pub parallel_games: usize,
}

/// Plays games and adds them to the folder, until all are there or `stop` is set, which a failure does too. What `stop`
/// cuts short is not written. `progress` is told the counts after each game.
///
/// # Errors
/// The first failure of the evaluator, of a file or to start a thread.
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

/// Where the threads get their games and bring them.
struct SelfplayRun<'a> {
    settings: &'a SelfplaySettings,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(&SelfplayStats) + Sync),
    state: Mutex<RunState>,
}

struct RunState {
    files: SelfplayFiles,
    /// Games that the folder had before.
    existing_games: BTreeSet<u64>,
    /// The last game begun.
    last_started: u64,
    max_games: u64,
    stats: SelfplayStats,
    error: Option<SelfplayError>,
}

impl SelfplayRun<'_> {
    /// Plays one game after another.
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

    /// The number of the next game to play.
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
        // Another thread's failure may have left the file in any state.
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
