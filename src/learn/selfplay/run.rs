//! All games of a run, several at once.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::Settings;
use super::files::{Files, FilesError};
use super::game::{Ending, Played, play};
use super::line::line;
use super::tally::Tally;
use crate::eval::stack::Stack;
use crate::search::{SearchError, ThreadError};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// The games cannot be kept.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// A game cannot be played.
    #[error(transparent)]
    Game(#[from] SearchError),
}

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number of the last game; games 1 to that are played as far as the folder lacks them.
    pub games: u64,
    /// Games at the same time, each on a thread of its own.
    pub parallel: usize,
}

/// Plays games and adds them to the folder, until all are there or `stop` is set, which a failure does too. What `stop`
/// cuts short is not written. `progress` is told the counts after each game.
///
/// # Errors
/// The first failure of the evaluator, of a file or to start a thread.
pub fn run(
    settings: &Settings,
    stack: &Stack,
    folder: &Path,
    extent: Extent,
    stop: &AtomicBool,
    progress: &(dyn Fn(&Tally) + Sync),
) -> Result<Tally, SelfplayError> {
    let (files, present) = Files::open(folder)?;
    let tally = Tally {
        earlier: present.len() as u64,
        ..Tally::default()
    };
    let run = Run {
        settings,
        stop,
        progress,
        state: Mutex::new(State {
            files,
            present,
            last: 0,
            games: extent.games,
            tally,
            failure: None,
        }),
    };
    thread::scope(|scope| {
        for _ in 0..extent.parallel.max(1) {
            let started = Builder::new().spawn_scoped(scope, || run.work(stack));
            if let Err(error) = started {
                let error = SearchError::from(ThreadError::new(extent.parallel, &error));
                return run.give_up(error.into());
            }
        }
    });
    let state = run.state.into_inner();
    match state.failure {
        Some(failure) => Err(failure),
        None => Ok(state.tally),
    }
}

/// Where the threads get their games and bring them.
struct Run<'a> {
    settings: &'a Settings,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(&Tally) + Sync),
    state: Mutex<State>,
}

struct State {
    files: Files,
    /// Games that the folder had before.
    present: BTreeSet<u64>,
    /// The last game begun.
    last: u64,
    games: u64,
    tally: Tally,
    failure: Option<SelfplayError>,
}

impl Run<'_> {
    /// Plays one game after another.
    fn work(&self, stack: &Stack) {
        while let Some(number) = self.next() {
            let played = play(self.settings, stack, number, self.stop);
            let kept = match played {
                Ok(None) => return,
                Ok(Some(played)) => self.keep(&played),
                Err(error) => Err(error.into()),
            };
            if let Err(failure) = kept {
                return self.give_up(failure);
            }
        }
    }

    fn give_up(&self, failure: SelfplayError) {
        self.stop.store(true, Ordering::Relaxed);
        self.state.lock().failure.get_or_insert(failure);
    }

    /// The number of the next game to play.
    fn next(&self) -> Option<u64> {
        let mut state = self.state.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) || state.last >= state.games {
                return None;
            }
            state.last += 1;
            let number = state.last;
            if !state.present.contains(&number) {
                return Some(number);
            }
        }
    }

    fn keep(&self, played: &Played) -> Result<(), SelfplayError> {
        let text = line(played, &self.settings.player);
        let mut state = self.state.lock();
        // Another thread's failure may have left the file in any state.
        if state.failure.is_some() {
            return Ok(());
        }
        if played.ending != Ending::Unfinished {
            state.files.append(&text)?;
        }
        state.tally.add(played);
        (self.progress)(&state.tally);
        Ok(())
    }
}
