//! Estimates the owner of every point. An estimate combines random playouts with the ownership that the evaluator
//! predicts. The prediction is averaged over all symmetries, or over the positions that a search has evaluated.

use crate::eval::random_playout::RandomPlayout;
use crate::eval::symmetry::evaluate_average;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::benson::pass_alive;
use crate::game::board::Chain;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;
use crate::search::report::Report;

/// Number of random playouts per ownership estimate.
const NUM_PLAYOUTS: usize = 64;
/// Weight of the playouts' log-odds, relative to a weight of 1 for the evaluator's log-odds.
const PLAYOUT_WEIGHT: f32 = 0.7;
/// Playout seed used by all engines. It does not depend on the settings, so that engines with the same evaluator obtain
/// the same counts.
pub(super) const COMMON_SEED: u64 = 0;
/// Maximum absolute ownership. Larger values are clamped before estimates are combined.
const MAX_CERTAINTY: f32 = 0.98;

/// Expected owner of every point, from -1 (White) to 1 (Black).
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    black: Vec<f32>,
    /// The evaluator's own prediction or, if it makes none, that of the playouts. It is the better mean of many outcomes:
    /// the combined values are closer to the most likely one.
    mean: Vec<f32>,
    /// True if a proof contradicted the estimate.
    is_corrected: bool,
}

impl Ownership {
    /// Creates the ownership from values in row-major order, from Black's perspective.
    #[cfg(test)]
    pub(super) fn from_black(black: Vec<f32>) -> Self {
        Self {
            mean: black.clone(),
            black,
            is_corrected: false,
        }
    }

    /// Estimates the ownership in `position` from evaluations by `base` under all symmetries and from random playouts
    /// seeded with `seed`. `base` must evaluate under the symmetry given in each request. For a position
    /// without earlier moves, averages the evaluations after a pass of either side.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn estimate(
        base: &dyn Evaluator,
        position: &Position,
        seed: u64,
    ) -> Result<Self, EvalError> {
        let to_move = position.to_move();
        let evaluate = |position: &Position| {
            let request = Request {
                ownership: true,
                ..Request::new(position)
            };
            let evaluation = evaluate_average(base, request);
            evaluation.map(|Evaluation { ownership, .. }| ownership)
        };
        let ownership = if position.past_move(0).is_some() {
            evaluate(position)?
        } else {
            // Evaluators have seen few positions without earlier moves and misjudge many groups in them.
            let mut ownership = evaluate(&after_pass_of(position, to_move.opposite()))?;
            let other = evaluate(&after_pass_of(position, to_move))?;
            for (owner, other_owner) in ownership.iter_mut().zip(other) {
                // The other evaluation is from the opponent's perspective.
                *owner = (*owner - other_owner) / 2.0;
            }
            ownership
        };
        Ok(Self::combine_with_playouts(
            position, to_move, &ownership, seed,
        ))
    }

    /// Estimates the ownership in `position` with [`COMMON_SEED`] as the playout seed, so that engines with the same
    /// evaluator obtain the same result.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub(super) fn estimate_with_common_seed(
        base: &dyn Evaluator,
        position: &Position,
    ) -> Result<Self, EvalError> {
        Self::estimate(base, position, COMMON_SEED)
    }

    /// Creates the ownership from the report of a search of `position`. Returns `None` if the search did not collect
    /// ownership.
    pub(super) fn from_report(position: &Position, report: &Report) -> Option<Self> {
        if report.stats.ownership.is_empty() {
            return None;
        }
        let evaluated = &report.stats.ownership;
        Some(Self::combine_with_playouts(
            position,
            report.to_move,
            evaluated,
            COMMON_SEED,
        ))
    }

    /// Combines the evaluator's ownership `evaluated` with random playouts by adding log-odds, so that the more certain
    /// estimate dominates. Points that Benson's algorithm assigns to a side are certain to belong to it. `evaluated` is
    /// in row-major order from the perspective of `color`, or empty if the evaluator does not predict ownership.
    fn combine_with_playouts(
        position: &Position,
        color: Color,
        evaluated: &[f32],
        seed: u64,
    ) -> Self {
        let log_odds = |owner: f32| owner.clamp(-MAX_CERTAINTY, MAX_CERTAINTY).atanh();
        let mut black = playout_ownership(position, seed);
        let mut mean = black.clone();
        for ((owner, mean), evaluated) in black.iter_mut().zip(&mut mean).zip(evaluated) {
            *mean = color.to_perspective(*evaluated);
            *owner = (PLAYOUT_WEIGHT * log_odds(*owner) + log_odds(*mean)).tanh();
        }
        let size = position.size();
        for color in Color::BOTH {
            for point in pass_alive(position.board(), color, position.rules().suicide).area() {
                let index = size.index(point);
                black[index] = color.to_perspective(1.0);
                mean[index] = black[index];
            }
        }
        Self {
            black,
            mean,
            is_corrected: false,
        }
    }

    /// Sets the ownership of a chain that provably lives. Its liberties that are also liberties of the opponent then
    /// have no expected owner.
    pub(super) fn prove_life(&mut self, position: &Position, chain: &Chain) {
        self.is_corrected = true;
        let (size, board) = (position.size(), position.board());
        let opponents = *board.stones(chain.color.opposite());
        let shared = chain.liberties & opponents.neighbours(board.all_points());
        for (points, owner) in [
            (chain.stones, chain.color.to_perspective(1.0)),
            (shared, 0.0),
        ] {
            for point in points {
                self.black[size.index(point)] = owner;
                self.mean[size.index(point)] = owner;
            }
        }
    }

    /// Returns true if a proof contradicted the estimate. The values of the same evaluator are then wrong as well.
    pub(super) const fn is_corrected(&self) -> bool {
        self.is_corrected
    }

    /// Returns the ownership of the point with row-major index `index`, from Black's perspective.
    pub fn black(&self, index: usize) -> f32 {
        self.black[index]
    }

    /// Returns the mean owner of the point with row-major index `index` over all outcomes, from Black's perspective.
    pub(super) fn mean(&self, index: usize) -> f32 {
        self.mean[index]
    }

    /// Returns the ownership of all points in row-major order, from Black's perspective.
    pub fn as_slice(&self) -> &[f32] {
        &self.black
    }
}

/// Returns `position` after a pass of `color`, regardless of the side to move.
fn after_pass_of(position: &Position, color: Color) -> Position {
    let mut after_pass = position.clone();
    after_pass.set_to_move(color);
    after_pass.play_unchecked(color, Move::Pass);
    after_pass
}

/// Returns the ownership of each point in row-major order, averaged over random playouts, from Black's perspective.
fn playout_ownership(position: &Position, seed: u64) -> Vec<f32> {
    let size = position.size();
    let mut playout = RandomPlayout::default();
    let mut rng = Rng::stream(seed, position.board().hash());
    let mut sums = vec![0.0; size.area()];
    for _ in 0..NUM_PLAYOUTS {
        playout.run(position, &mut rng);
        let owned = ByColor::from_fn(|color| playout.owned_points(color));
        for color in Color::BOTH {
            for point in owned[color] {
                sums[size.index(point)] += color.to_perspective(1.0 / NUM_PLAYOUTS as f32);
            }
        }
    }
    sums
}
