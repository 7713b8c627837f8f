//! The life of a chain on a whole board: only the points near it are looked at; what stands further out is taken for
//! settled, unless the exact reading of chains finds that it is not.

use std::time::Instant;

use super::problem::{LifeError, LifeGoal, LifeLimits, LifeProblem, Solution};
use crate::game::board::Chain;
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Steps around the stones that are looked at, as many of them as there is room for.
const REGION_MARGINS: [usize; 3] = [4, 3, 2];

/// What comes of the chain, seen with what is near these stones, if the side with that goal moves first.
///
/// # Errors
/// When the stones are too far apart, or the chain goes on beyond the points that there is room for.
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
