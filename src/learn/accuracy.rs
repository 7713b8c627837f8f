//! Measures how accurately an evaluator predicts the moves and winners of recorded games.
//!
//! For the same games, settings and evaluator, the result is identical with any number of threads.

use rayon::prelude::*;

use super::game::{GameFileError, TrainingGame, draw_training_rules};
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::random::Rng;

/// Maximum number of games processed in parallel. Each has one position in memory at a time.
const MAX_CONCURRENT_GAMES: usize = 256;

/// Settings for choosing the evaluated positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccuracySettings {
    /// Maximum number of positions.
    pub max_positions: u64,
    /// Maximum number of positions per game. They are chosen at random.
    pub positions_per_game: usize,
    /// Seed for choosing positions, and for choosing rules that a game record does not specify.
    pub seed: u64,
}

/// Accuracy of an evaluator on a set of positions. The fields are sums over these positions. The methods other than
/// [`position_count`](Self::position_count) return means, or 0 if there are no positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    positions: u64,
    top_1_hits: u64,
    top_5_hits: u64,
    /// Number of positions from games with a winner.
    decisive_positions: u64,
    /// Number of positions in which the evaluator predicts the higher win rate for the winner of the game.
    winner_hits: u64,
    cross_entropy_sum: f64,
    squared_error_sum: f64,
}

/// Error while measuring accuracy.
#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    #[error(transparent)]
    Games(#[from] GameFileError),
    #[error(transparent)]
    Evaluator(#[from] EvalError),
}

impl Accuracy {
    /// Returns the number of positions evaluated.
    pub const fn position_count(&self) -> u64 {
        self.positions
    }

    /// Returns the fraction of positions in which the recorded move has the highest prior.
    pub fn top_1(&self) -> f64 {
        self.mean(self.top_1_hits as f64)
    }

    /// Returns the fraction of positions in which the recorded move has one of the five highest priors.
    pub fn top_5(&self) -> f64 {
        self.mean(self.top_5_hits as f64)
    }

    /// Returns the mean of `-ln(prior of the recorded move)`.
    pub fn cross_entropy(&self) -> f64 {
        self.mean(self.cross_entropy_sum)
    }

    /// Returns the mean of `(value - result)^2`. Both numbers range from -1 to 1.
    pub fn squared_value_error(&self) -> f64 {
        self.mean(self.squared_error_sum)
    }

    /// Returns the mean squared error of the win rate, which is a quarter of
    /// [`squared_value_error`](Self::squared_value_error).
    pub fn brier_score(&self) -> f64 {
        self.squared_value_error() / 4.0
    }

    /// Returns the fraction of positions in which the evaluator predicts the higher win rate for the winner of the
    /// game. Positions from drawn games are excluded.
    pub fn winner_accuracy(&self) -> f64 {
        self.winner_hits as f64 / self.decisive_positions.max(1) as f64
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.positions.max(1) as f64
    }

    /// Adds the evaluation of a position. `move_index` is the index of the recorded move (a pass has the last index).
    /// `result` is the result of the game for the player to move: 1 for a win, -1 for a loss, 0 for a draw.
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

/// Measures how accurately `evaluator` predicts the moves and winners of `games`. Runs in the current rayon pool, in
/// which each thread evaluates one position at a time.
///
/// Calls `progress` with the number of positions evaluated since the previous call.
///
/// # Errors
/// Returns the first error that occurs when a game is read or a position is evaluated.
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
        let sampled_games = read_sampled_games(&mut games, settings, remaining, &mut game_index)?;
        if sampled_games.is_empty() {
            return Ok(total);
        }
        let results: Vec<Result<Accuracy, EvalError>> = sampled_games
            .into_par_iter()
            .map(|game| game.run(evaluator, progress))
            .collect();
        // The results are added in the order of the games, so that rounding errors are reproducible.
        for result in results {
            total.merge(&result?);
        }
    }
}

/// Game with the positions chosen from it.
struct GamePositions {
    game: TrainingGame,
    /// Number of moves before each chosen position, in ascending order.
    move_numbers: Vec<usize>,
    rng: Rng,
}

/// Reads up to [`MAX_CONCURRENT_GAMES`] games and chooses a total of up to `remaining` positions from them. Increases
/// `game_index` by the number of games read.
fn read_sampled_games(
    games: &mut impl Iterator<Item = Result<TrainingGame, GameFileError>>,
    settings: AccuracySettings,
    remaining: u64,
    game_index: &mut u64,
) -> Result<Vec<GamePositions>, GameFileError> {
    let mut sampled_games = Vec::new();
    let mut remaining = usize::try_from(remaining).unwrap_or(usize::MAX);
    while remaining > 0 && sampled_games.len() < MAX_CONCURRENT_GAMES {
        let Some(game) = games.next().transpose()? else {
            break;
        };
        let mut rng = Rng::stream(settings.seed, *game_index);
        *game_index += 1;
        let mut move_numbers = rng.sample_indices(game.moves.len(), settings.positions_per_game);
        move_numbers.truncate(remaining);
        remaining -= move_numbers.len();
        sampled_games.push(GamePositions {
            game,
            move_numbers,
            rng,
        });
    }
    Ok(sampled_games)
}

impl GamePositions {
    /// Replays the game and evaluates the chosen positions. Positions after the first illegal move are omitted.
    fn run(
        mut self,
        evaluator: &dyn Evaluator,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Accuracy, EvalError> {
        let size = self.game.size();
        let mut accuracy = Accuracy::default();
        let mut position = self
            .game
            .initial_position(draw_training_rules(&self.game, &mut self.rng));
        let mut slot = [Evaluation::default()];
        let mut next = self.move_numbers.into_iter().peekable();
        for (index, &mv) in self.game.moves.iter().enumerate() {
            let is_legal = mv
                .point()
                .is_none_or(|point| position.check_legal(point).is_ok());
            if !is_legal || next.peek().is_none() {
                break;
            }
            if next.next_if_eq(&index).is_some() {
                evaluator.evaluate(&[Request::new(&position)], &mut slot)?;
                slot[0].check_finite()?;
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
