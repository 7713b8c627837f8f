//! Labels drawn positions with a teacher, on several threads, and appends them to a store.
//!
//! Jobs are numbered, and their results are appended in that order, whichever thread finishes first. The store
//! therefore tells which job is next, and a run that was stopped continues as if it had not been.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::game::{Entry, LabelledGame, LabelledGameError, Origin};
use super::label::Label;
use super::source::{SourceSettings, Unlabelled};
use super::store::{Store, StoreError};
use crate::eval::stack::Stack;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;
use crate::learn::archive::{ArchiveError, Game};
use crate::learn::collection::Games;
use crate::search::{SearchError, ThreadError};

/// Positions that one call to the teacher evaluates.
const BATCH: usize = 16;

/// Why labelling stopped early.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A game cannot be played.
    #[error(transparent)]
    Game(#[from] SearchError),
    /// The teacher failed.
    #[error("teacher: {0}")]
    Teacher(#[from] EvalError),
    /// A game cannot be stored.
    #[error(transparent)]
    Labelled(#[from] LabelledGameError),
    /// A recorded game cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// What a run labels, and with what.
pub struct Labeller<'a> {
    /// Which positions.
    pub source: &'a SourceSettings,
    /// The network that plays the games.
    pub player: &'a Stack,
    /// The evaluator whose predictions become labels.
    pub teacher: &'a dyn Evaluator,
    /// The run ends when the store holds this number of labels.
    pub labels: u64,
    /// Number of jobs in progress at the same time, each on a thread of its own.
    pub parallel: usize,
}

impl Labeller<'_> {
    /// Labels positions until the store has enough labels or `stop` is set, which an error does too. `recorded` are the
    /// recorded games from the first on; without any, all games are played. `progress` is called after each job with
    /// the number of labels in the store.
    ///
    /// # Errors
    /// The first error of the teacher, the player or a file.
    pub fn run(
        &self,
        store: &mut Store,
        recorded: Option<Games>,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(), LabelError> {
        let next = store.next_number(self.source.selfplay.seed);
        let queue = self.queue(recorded, next)?;
        let run = Run {
            labeller: self,
            stop,
            progress,
            queue: Mutex::new(queue),
            output: Mutex::new(Output {
                count: store.summary().label_count(),
                store,
                next,
                waiting: BTreeMap::new(),
            }),
            error: Mutex::new(None),
        };
        thread::scope(|scope| {
            for _ in 0..self.parallel.max(1) {
                let started = Builder::new().spawn_scoped(scope, || run.work());
                if let Err(error) = started {
                    let error = SearchError::from(ThreadError::new(self.parallel, &error));
                    return run.fail(error.into());
                }
            }
        });
        run.error.into_inner().map_or(Ok(()), Err)
    }

    /// The queue at job `next`, with the recorded games of earlier jobs skipped.
    fn queue(&self, recorded: Option<Games>, next: u64) -> Result<Queue, LabelError> {
        let Some(mut games) = recorded else {
            return Ok(Queue { next, games: None });
        };
        let taken = (0..next).filter(|&number| self.source.takes_recorded(number));
        if let Some(last) = taken.count().checked_sub(1) {
            games.nth(last).transpose()?;
        }
        let games = Some(games);
        Ok(Queue { next, games })
    }

    /// The labels of some positions, in their order.
    fn labels(&self, positions: &[&Position]) -> Result<Vec<Label>, EvalError> {
        let has_lead = self.teacher.tells_lead();
        let mut labels = Vec::with_capacity(positions.len());
        let mut evaluations = Vec::new();
        for positions in positions.chunks(BATCH) {
            let requests: Vec<Request<'_>> = positions
                .iter()
                .map(|position| Request {
                    ownership: true,
                    ..Request::new(position)
                })
                .collect();
            evaluations.resize_with(requests.len(), Evaluation::default);
            self.teacher.evaluate(&requests, &mut evaluations)?;
            labels.extend(
                evaluations
                    .iter()
                    .map(|evaluation| Label::of(evaluation, has_lead)),
            );
        }
        Ok(labels)
    }

    /// Labels all positions of a job together.
    fn label(&self, drawn: Vec<Unlabelled>) -> Result<Vec<LabelledGame>, LabelError> {
        let positions: Vec<&Position> = drawn.iter().flat_map(Unlabelled::positions).collect();
        let mut labels = self.labels(&positions)?.into_iter();
        let games = drawn.iter().map(|game| {
            let numbers = game.numbers.iter().copied();
            Ok(LabelledGame::new(
                &game.record,
                numbers.zip(labels.by_ref()).collect(),
            )?)
        });
        games.collect()
    }
}

/// The jobs to come.
struct Queue {
    next: u64,
    games: Option<Games>,
}

/// A job: its number and the recorded game it takes, if any.
type Job = (u64, Option<Game>);

/// Where results go, in the order of the jobs.
struct Output<'a> {
    store: &'a mut Store,
    /// Number of labels in the store.
    count: u64,
    next: u64,
    waiting: BTreeMap<u64, Vec<LabelledGame>>,
}

/// What the threads of a run share.
struct Run<'a> {
    labeller: &'a Labeller<'a>,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(u64) + Sync),
    queue: Mutex<Queue>,
    output: Mutex<Output<'a>>,
    error: Mutex<Option<LabelError>>,
}

impl Run<'_> {
    fn work(&self) {
        while let Some((number, recorded)) = self.next() {
            match self.job(number, recorded.as_ref()) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return self.fail(error),
            }
        }
    }

    fn fail(&self, error: LabelError) {
        self.stop.store(true, Ordering::Relaxed);
        self.error.lock().get_or_insert(error);
    }

    /// The next job. When the recorded games run out, games are played instead.
    fn next(&self) -> Option<Job> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut queue = self.queue.lock();
        let number = queue.next;
        queue.next += 1;
        let games = queue.games.as_mut();
        let games = games.filter(|_| self.labeller.source.takes_recorded(number));
        match games.and_then(Iterator::next).transpose() {
            Ok(recorded) => Some((number, recorded)),
            Err(error) => {
                self.fail(error.into());
                None
            }
        }
    }

    /// Draws and labels the positions of a job; false if the run was stopped before.
    fn job(&self, number: u64, recorded: Option<&Game>) -> Result<bool, LabelError> {
        let Labeller { source, player, .. } = self.labeller;
        let Some(drawn) = source.draw(player, number, recorded, self.stop)? else {
            return Ok(false);
        };
        let games = self.labeller.label(drawn)?;
        self.output.lock().append(number, games, self)?;
        Ok(true)
    }
}

impl Output<'_> {
    /// Takes the result of a job and appends all whose turn has come.
    fn append(
        &mut self,
        number: u64,
        games: Vec<LabelledGame>,
        run: &Run<'_>,
    ) -> Result<(), StoreError> {
        self.waiting.insert(number, games);
        while let Some(games) = self.waiting.remove(&self.next) {
            if self.count >= run.labeller.labels {
                run.stop.store(true, Ordering::Relaxed);
                return Ok(());
            }
            let origin = Origin {
                source: run.labeller.source.selfplay.seed,
                number: self.next,
            };
            let entry = Entry { origin, games };
            self.store.append(&entry)?;
            self.next += 1;
            self.count += entry.label_count();
            (run.progress)(self.count);
        }
        Ok(())
    }
}
