//! Solves the life or death of a chain on a whole board. Only the surroundings of the chain are searched. The remaining
//! board is assumed to be settled unless capture reading refutes this.

use std::time::Instant;

use super::problem::{LifeError, LifeGoal, LifeLimits, LifeProblem, Solution};
use crate::game::board::Chain;
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Margins around the stones that are tried, largest first. The search uses the largest margin that fits.
const REGION_MARGINS: [usize; 3] = [4, 3, 2];

/// Solves a problem about `chain` by searching the surroundings of `stones`. The side to move is the one that has
/// `goal`.
///
/// # Errors
/// Returns an error if the stones are too far apart, or if the chain extends too far from them.
pub fn solve(
    position: &Position,
    chain: &Chain,
    stones: &PointSet,
    goal: LifeGoal,
    limits: LifeLimits,
) -> Result<Solution, LifeError> {
    let board = position.board();
    let to_move = match goal {
        LifeGoal::Live => chain.color,
        LifeGoal::Kill => chain.color.opposite(),
    };
    let started = Instant::now();
    let mut result = Err(LifeError::NoRegion);
    for margin in REGION_MARGINS {
        let region = (0..margin).fold(*stones, |region, _| region.grown(board.area()));
        let problem = LifeProblem {
            board,
            region: &region,
            target: chain.stones.first(),
            to_move,
            ko: position.ko_for(to_move),
        };
        result = problem.solve_verified(Some(chain), goal, limits, started);
        if !matches!(result, Err(LifeError::TooLarge { .. })) {
            break;
        }
    }
    result
}
