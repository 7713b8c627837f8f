//! How well an evaluator foresees games: the moves that were played, and who won.
//!
//! Promise: the same games, settings and evaluator give the same figures, whatever the number of threads.

use rayon::prelude::*;

use super::archive::{ArchiveError, Game};
use super::sample::rules_of;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::rng::Rng;

/// Games that are worked off at the same time; their positions are held in memory one at a time each.
const GAMES_AT_ONCE: usize = 256;

/// Which positions to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccuracySettings {
    /// How many in all, as long as there are games.
    pub positions: u64,
    /// At most how many of one game, at random places.
    pub per_game: usize,
    /// Decides the places, and those rules of a game that its record does not tell.
    pub seed: u64,
}

/// Sums over positions; the methods give their means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    positions: u64,
    first: u64,
    first_five: u64,
    /// Positions of games with a winner, and those of them in which it had the better chance.
    decided: u64,
    winners: u64,
    surprise: f64,
    squared_error: f64,
}

/// Why accuracy could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    /// The games cannot be read.
    #[error(transparent)]
    Games(#[from] ArchiveError),
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
        self.mean(self.first as f64)
    }

    /// The share of moves played that were among the five with the highest priors.
    #[must_use]
    pub fn top_5(&self) -> f64 {
        self.mean(self.first_five as f64)
    }

    /// The mean of `-ln(prior of the move played)`.
    #[must_use]
    pub fn cross_entropy(&self) -> f64 {
        self.mean(self.surprise)
    }

    /// The mean of `(value - result)^2`, both from -1 to 1.
    #[must_use]
    pub fn value_error(&self) -> f64 {
        self.mean(self.squared_error)
    }

    /// The same for the chance to win and a result of 0 or 1: a quarter of it.
    #[must_use]
    pub fn brier_score(&self) -> f64 {
        self.value_error() / 4.0
    }

    /// The share of positions in which the winner had the better chance, of those in games that were not drawn.
    #[must_use]
    pub fn winner_accuracy(&self) -> f64 {
        self.winners as f64 / self.decided.max(1) as f64
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.positions.max(1) as f64
    }

    /// Adds one position in which `played` (in reading order, the pass last) was played and the mover's result was
    /// `result`, 1 or -1, or 0 for a draw.
    fn add(&mut self, evaluation: &Evaluation, played: usize, result: f32) {
        let prior = evaluation.policy[played];
        let before = |(index, other): &(usize, &f32)| {
            **other > prior || (**other == prior && *index < played)
        };
        let rank = evaluation.policy.iter().enumerate().filter(before).count();
        self.positions += 1;
        self.first += u64::from(rank == 0);
        self.first_five += u64::from(rank < 5);
        self.decided += u64::from(result != 0.0);
        self.winners += u64::from(evaluation.value * result > 0.0);
        self.surprise -= f64::from(prior.max(f32::MIN_POSITIVE)).ln();
        self.squared_error += f64::from(evaluation.value - result).powi(2);
    }

    fn join(&mut self, other: &Self) {
        self.positions += other.positions;
        self.first += other.first;
        self.first_five += other.first_five;
        self.decided += other.decided;
        self.winners += other.winners;
        self.surprise += other.surprise;
        self.squared_error += other.squared_error;
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
    G: IntoIterator<Item = Result<Game, ArchiveError>>,
{
    let mut games = games.into_iter();
    let mut total = Accuracy::default();
    let mut number = 0;
    loop {
        let missing = settings.positions - total.positions;
        let tasks = next_tasks(&mut games, settings, missing, &mut number)?;
        if tasks.is_empty() {
            return Ok(total);
        }
        let parts: Vec<Result<Accuracy, EvalError>> = tasks
            .into_par_iter()
            .map(|task| task.run(evaluator, progress))
            .collect();
        // In the order of the games, so that sums round the same way every time.
        for part in parts {
            total.join(&part?);
        }
    }
}

/// A game and the places to look at, in rising order.
struct Task {
    game: Game,
    places: Vec<usize>,
    rng: Rng,
}

/// Games enough for `missing` positions, but no more than are worked off at once.
fn next_tasks(
    games: &mut impl Iterator<Item = Result<Game, ArchiveError>>,
    settings: AccuracySettings,
    missing: u64,
    number: &mut u64,
) -> Result<Vec<Task>, ArchiveError> {
    let mut tasks = Vec::new();
    let mut missing = usize::try_from(missing).unwrap_or(usize::MAX);
    while missing > 0 && tasks.len() < GAMES_AT_ONCE {
        let Some(game) = games.next().transpose()? else {
            break;
        };
        let mut rng = Rng::stream(settings.seed, *number);
        *number += 1;
        let mut places = rng.choose(game.moves.len(), settings.per_game);
        places.truncate(missing);
        missing -= places.len();
        tasks.push(Task { game, places, rng });
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
        let mut sums = Accuracy::default();
        let mut position = self.game.start(rules_of(&self.game, &mut self.rng));
        let mut slot = [Evaluation::default()];
        let mut next = self.places.into_iter().peekable();
        for (index, &mv) in self.game.moves.iter().enumerate() {
            let legal = mv.point().is_none_or(|point| position.legal(point).is_ok());
            if !legal || next.peek().is_none() {
                break;
            }
            if next.next_if_eq(&index).is_some() {
                evaluator.evaluate(&[Request::new(&position)], &mut slot)?;
                slot[0].check()?;
                let played = size.move_index(mv);
                let winner = self.game.winner;
                let result = winner.map_or(0.0, |winner| {
                    position.to_move().from_black(winner.from_black(1.0))
                });
                sums.add(&slot[0], played, result);
                progress(1);
            }
            position.play_legal(position.to_move(), mv);
        }
        Ok(sums)
    }
}
