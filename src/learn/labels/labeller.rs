//! Labels positions with a teacher, using several threads.
//!
//! A labelling job chooses positions from one game (see [`position_sampling`](super::position_sampling)) and labels
//! them. Jobs are numbered, and their results are appended to the store in the order of these numbers. The content of
//! the store therefore determines the next job, and an interrupted run can be resumed without affecting the result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::label::Label;
use super::labelled_game::{LabelStoreEntry, LabelledGame, LabelledGameError, Origin};
use super::position_sampling::{PositionSamplingSettings, UnlabelledGame};
use super::store::{LabelStore, LabelStoreError};
use crate::eval::stack::EvaluatorStack;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;
use crate::learn::game::{GameFileError, TrainingGame};
use crate::learn::game_files::GameIter;
use crate::search::{SearchError, ThreadPoolError};

/// Maximum number of positions per call to the teacher.
const BATCH_SIZE: usize = 16;

/// Error that ends a labelling run.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] LabelStoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("teacher: {0}")]
    Teacher(#[from] EvalError),
    /// A labelled game cannot be stored.
    #[error("job {job_number}, game {game}: {cause}; use another --seed")]
    LabelledGame {
        job_number: u64,
        /// Number of the game in the job, starting at 1.
        game: usize,
        cause: LabelledGameError,
    },
    #[error(transparent)]
    GameFile(#[from] GameFileError),
}

/// Configuration of a labelling run.
pub struct Labeller<'a> {
    /// Settings for choosing the positions.
    pub sampling: &'a PositionSamplingSettings,
    /// Evaluators that play the games and draw the moves of [branches](super::position_sampling).
    pub player: &'a EvaluatorStack,
    /// Evaluator that predicts the labels.
    pub teacher: &'a dyn Evaluator,
    /// The run ends when the store contains at least this number of labels.
    pub max_labels: u64,
    /// Number of jobs that run in parallel, each on a separate thread.
    pub parallel_jobs: usize,
}

impl Labeller<'_> {
    /// Labels positions until the store contains `max_labels` labels or `stop` is set. Sets `stop` after an error.
    ///
    /// `recorded` contains the recorded games of the complete run, including games that were used before an
    /// interruption. If `recorded` is `None`, [`player`](Self::player) plays all games. `progress` is called with the
    /// number of labels in the store whenever the result of a job has been stored.
    ///
    /// # Errors
    /// Returns the first error that occurs when positions are chosen, labelled or stored, or when a thread is started.
    pub fn run(
        &self,
        store: &mut LabelStore,
        recorded: Option<GameIter>,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(), LabelError> {
        let next_number = store.next_entry_number(self.sampling.selfplay.seed);
        let queue = self.start_queue(recorded, next_number)?;
        let run = LabellingRun {
            labeller: self,
            stop,
            progress,
            queue: Mutex::new(queue),
            output: Mutex::new(OrderedOutput {
                label_count: store.summary().label_count(),
                store,
                next_number,
                pending: BTreeMap::new(),
            }),
            error: Mutex::new(None),
        };
        thread::scope(|scope| {
            for _ in 0..self.parallel_jobs.max(1) {
                let spawned = Builder::new().spawn_scoped(scope, || run.run_worker());
                if let Err(error) = spawned {
                    let error = SearchError::from(ThreadPoolError::new(self.parallel_jobs, &error));
                    return run.fail(error.into());
                }
            }
        });
        run.error.into_inner().map_or(Ok(()), Err)
    }

    /// Creates a queue that starts with job `next_number`. Skips the recorded games that earlier jobs of the run have
    /// used.
    fn start_queue(
        &self,
        recorded: Option<GameIter>,
        next_number: u64,
    ) -> Result<LabelJobQueue, LabelError> {
        let Some(mut games) = recorded else {
            return Ok(LabelJobQueue {
                next_number,
                games: None,
            });
        };
        let used =
            (0..next_number).filter(|&job_number| self.sampling.job_uses_recorded_game(job_number));
        if let Some(last) = used.count().checked_sub(1) {
            games.nth(last).transpose()?;
        }
        let games = Some(games);
        Ok(LabelJobQueue { next_number, games })
    }

    /// Returns the labels of `positions`, in the same order.
    fn label_positions(&self, positions: &[&Position]) -> Result<Vec<Label>, EvalError> {
        let has_lead = self.teacher.predicts_lead();
        let mut labels = Vec::with_capacity(positions.len());
        let mut evaluations = Vec::new();
        for positions in positions.chunks(BATCH_SIZE) {
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
                    .map(|evaluation| Label::from_evaluation(evaluation, has_lead)),
            );
        }
        Ok(labels)
    }

    /// Labels all positions of a job. A batch may contain positions of several games.
    fn label_games(
        &self,
        job_number: u64,
        unlabelled: &[UnlabelledGame],
    ) -> Result<Vec<LabelledGame>, LabelError> {
        let positions: Vec<Cow<'_, Position>> = unlabelled
            .iter()
            .flat_map(UnlabelledGame::positions)
            .collect();
        let positions: Vec<&Position> = positions.iter().map(AsRef::as_ref).collect();
        let mut labels = self.label_positions(&positions)?.into_iter();
        let games = (1..).zip(unlabelled).map(|(number, game)| {
            let move_numbers = game.move_numbers.iter().copied();
            let labels = move_numbers.zip(labels.by_ref()).collect();
            LabelledGame::new(&game.record, labels).map_err(|cause| LabelError::LabelledGame {
                job_number,
                game: number,
                cause,
            })
        });
        games.collect()
    }
}

/// Queue of the jobs that have not been started.
struct LabelJobQueue {
    next_number: u64,
    games: Option<GameIter>,
}

/// Number of a job, and the recorded game that it uses, if any.
type LabelJob = (u64, Option<TrainingGame>);

/// Output that appends results to the store in the order of the job numbers.
struct OrderedOutput<'a> {
    store: &'a mut LabelStore,
    /// Number of labels in the store.
    label_count: u64,
    /// Number of the next job to append to the store.
    next_number: u64,
    /// Results that cannot be appended yet because an earlier job has not been completed.
    pending: BTreeMap<u64, Vec<LabelledGame>>,
}

/// State shared by the threads of a run.
struct LabellingRun<'a> {
    labeller: &'a Labeller<'a>,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(u64) + Sync),
    queue: Mutex<LabelJobQueue>,
    output: Mutex<OrderedOutput<'a>>,
    error: Mutex<Option<LabelError>>,
}

impl LabellingRun<'_> {
    fn run_worker(&self) {
        while let Some((job_number, recorded)) = self.next_job() {
            match self.run_job(job_number, recorded.as_ref()) {
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

    /// Returns the next job, or `None` if the run must stop. Once the recorded games are exhausted, jobs have no
    /// recorded game.
    fn next_job(&self) -> Option<LabelJob> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut queue = self.queue.lock();
        let job_number = queue.next_number;
        queue.next_number += 1;
        let games = queue.games.as_mut();
        let games = games.filter(|_| self.labeller.sampling.job_uses_recorded_game(job_number));
        match games.and_then(Iterator::next).transpose() {
            Ok(recorded) => Some((job_number, recorded)),
            Err(error) => {
                self.fail(error.into());
                None
            }
        }
    }

    /// Chooses, labels and stores the positions of a job. Returns false if the run was stopped before the positions
    /// were chosen.
    fn run_job(
        &self,
        job_number: u64,
        recorded: Option<&TrainingGame>,
    ) -> Result<bool, LabelError> {
        let Labeller {
            sampling, player, ..
        } = self.labeller;
        let Some(unlabelled) = sampling.draw_positions(player, job_number, recorded, self.stop)?
        else {
            return Ok(false);
        };
        let games = self.labeller.label_games(job_number, &unlabelled)?;
        self.output.lock().append(job_number, games, self)?;
        Ok(true)
    }
}

impl OrderedOutput<'_> {
    /// Adds the result of a job to the pending results. Then appends pending results to the store, in the order of the
    /// job numbers, up to the first job that has not been completed. If the store already contains the maximum number
    /// of labels, sets `stop` instead of appending.
    fn append(
        &mut self,
        job_number: u64,
        games: Vec<LabelledGame>,
        run: &LabellingRun<'_>,
    ) -> Result<(), LabelStoreError> {
        self.pending.insert(job_number, games);
        while let Some(games) = self.pending.remove(&self.next_number) {
            if self.label_count >= run.labeller.max_labels {
                run.stop.store(true, Ordering::Relaxed);
                return Ok(());
            }
            let origin = Origin {
                source_id: run.labeller.sampling.selfplay.seed,
                number: self.next_number,
            };
            let entry = LabelStoreEntry { origin, games };
            self.store.append(&entry)?;
            self.next_number += 1;
            self.label_count += entry.label_count();
            (run.progress)(self.label_count);
        }
        Ok(())
    }
}
