//! How well an evaluator foresees games: the moves that were played, and who won.
//!
//! Promise: the same games, settings and evaluator give the same figures, whatever the number of threads.

use rayon::prelude::*;

use super::archive::{GameFileError, TrainingGame};
use super::sample::training_rules;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::random::Rng;

/// Games that are worked off at the same time; their positions are held in memory one at a time each.
const MAX_CONCURRENT_GAMES: usize = 256;

/// Which positions to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccuracySettings {
    /// How many in all, as long as there are games.
    pub max_positions: u64,
    /// At most how many of one game, at random places.
    pub positions_per_game: usize,
    /// Decides the places, and those rules of a game that its record does not tell.
    pub seed: u64,
}

/// Sums over positions; the methods give their means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    positions: u64,
    top_1_hits: u64,
    top_5_hits: u64,
    /// Positions of games with a winner, and those of them in which it had the better chance.
    decisive_positions: u64,
    winner_hits: u64,
    cross_entropy_sum: f64,
    squared_error_sum: f64,
}

/// Why accuracy could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    /// The games cannot be read.
    #[error(transparent)]
    Games(#[from] GameFileError),
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvalError),
}

impl Accuracy {
    /// Positions looked at.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// The share of moves played that had the highest prior.
    #[must_use]
    pub fn top_1(&self) -> f64 {
        self.mean(self.top_1_hits as f64)
    }

    /// The share of moves played that were among the five with the highest priors.
    #[must_use]
    pub fn top_5(&self) -> f64 {
        self.mean(self.top_5_hits as f64)
    }

    /// The mean of `-ln(prior of the move move_index)`.
    #[must_use]
    pub fn cross_entropy(&self) -> f64 {
        self.mean(self.cross_entropy_sum)
    }

    /// The mean of `(value - result)^2`, both from -1 to 1.
    #[must_use]
    pub fn value_error(&self) -> f64 {
        self.mean(self.squared_error_sum)
    }

    /// The same for the chance to win and a result of 0 or 1: a quarter of it.
    #[must_use]
    pub fn brier_score(&self) -> f64 {
        self.value_error() / 4.0
    }

    /// The share of positions in which the winner had the better chance, of those in games that were not drawn.
    #[must_use]
    pub fn winner_accuracy(&self) -> f64 {
        self.winner_hits as f64 / self.decisive_positions.max(1) as f64
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.positions.max(1) as f64
    }

    /// Adds one position in which `move_index` (in reading order, the pass last) was played and the mover's result was
    /// `result`, 1 or -1, or 0 for a draw.
    fn add(&mut self, evaluation: &Evaluation, move_index: usize, result: f32) {
        let prior = evaluation.policy[move_index];
        let ranks_higher = |(index, other): &(usize, &f32)| {
            **other > prior || (**other == prior && *index < move_index)
        };
        let rank = evaluation
            .policy
            .iter()
            .enumerate()
            .filter(ranks_higher)
            .count();
        self.positions += 1;
        self.top_1_hits += u64::from(rank == 0);
        self.top_5_hits += u64::from(rank < 5);
        self.decisive_positions += u64::from(result != 0.0);
        self.winner_hits += u64::from(evaluation.value * result > 0.0);
        self.cross_entropy_sum -= f64::from(prior.max(f32::MIN_POSITIVE)).ln();
        self.squared_error_sum += f64::from(evaluation.value - result).powi(2);
    }

    fn merge(&mut self, other: &Self) {
        self.positions += other.positions;
        self.top_1_hits += other.top_1_hits;
        self.top_5_hits += other.top_5_hits;
        self.decisive_positions += other.decisive_positions;
        self.winner_hits += other.winner_hits;
        self.cross_entropy_sum += other.cross_entropy_sum;
        self.squared_error_sum += other.squared_error_sum;
    }
}

/// Compares `evaluator` with the games, in rayon's current pool, each thread with a position at a time. `progress` is
/// told how many positions were done since it was told last.
///
/// # Errors
/// The first that a game or the evaluator gives.
pub fn measure<G>(
    evaluator: &dyn Evaluator,
    games: G,
    settings: AccuracySettings,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Accuracy, AccuracyError>
where
    G: IntoIterator<Item = Result<TrainingGame, GameFileError>>,
{
    let mut games = games.into_iter();
    let mut total = Accuracy::default();
    let mut game_index = 0;
    loop {
        let remaining = settings.max_positions - total.positions;
        let tasks = collect_tasks(&mut games, settings, remaining, &mut game_index)?;
        if tasks.is_empty() {
            return Ok(total);
        }
        let results: Vec<Result<Accuracy, EvalError>> = tasks
            .into_par_iter()
            .map(|task| task.run(evaluator, progress))
            .collect();
        // In the order of the games, so that sums round the same way every time.
        for result in results {
            total.merge(&result?);
        }
    }
}

/// A game and the places to look at, in rising order.
struct Task {
    game: TrainingGame,
    move_numbers: Vec<usize>,
    rng: Rng,
}

/// Games enough for `remaining` positions, but no more than are worked off at once.
fn collect_tasks(
    games: &mut impl Iterator<Item = Result<TrainingGame, GameFileError>>,
    settings: AccuracySettings,
    remaining: u64,
    game_index: &mut u64,
) -> Result<Vec<Task>, GameFileError> {
    let mut tasks = Vec::new();
    let mut remaining = usize::try_from(remaining).unwrap_or(usize::MAX);
    while remaining > 0 && tasks.len() < MAX_CONCURRENT_GAMES {
        let Some(game) = games.next().transpose()? else {
            break;
        };
        let mut rng = Rng::stream(settings.seed, *game_index);
        *game_index += 1;
        let mut move_numbers = rng.sample_indices(game.moves.len(), settings.positions_per_game);
        move_numbers.truncate(remaining);
        remaining -= move_numbers.len();
        tasks.push(Task {
            game,
            move_numbers,
            rng,
        });
    }
    Ok(tasks)
}

impl Task {
    /// Plays the game through; an illegal move ends it.
    fn run(
        mut self,
        evaluator: &dyn Evaluator,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Accuracy, EvalError> {
        let size = self.game.size();
        let mut accuracy = Accuracy::default();
        let mut position = self
            .game
            .initial_position(training_rules(&self.game, &mut self.rng));
        let mut slot = [Evaluation::default()];
        let mut next = self.move_numbers.into_iter().peekable();
        for (index, &mv) in self.game.moves.iter().enumerate() {
            let is_legal = mv.point().is_none_or(|point| position.legal(point).is_ok());
            if !is_legal || next.peek().is_none() {
                break;
            }
            if next.next_if_eq(&index).is_some() {
                evaluator.evaluate(&[Request::new(&position)], &mut slot)?;
                slot[0].check()?;
                let move_index = size.move_index(mv);
                let winner = self.game.winner;
                let result = winner.map_or(0.0, |winner| {
                    position
                        .to_move()
                        .to_perspective(winner.to_perspective(1.0))
                });
                accuracy.add(&slot[0], move_index, result);
                progress(1);
            }
            position.play_unchecked(position.to_move(), mv);
        }
        Ok(accuracy)
    }
}
