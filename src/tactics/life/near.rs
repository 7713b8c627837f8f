//! The life of a chain on a whole board: only the points near it are looked at; what stands further out is taken for
//! settled, unless the exact reading of chains finds that it is not.

use std::time::Instant;

use super::{Goal, LifeError, Limits, Problem, Solution, doubt};
use crate::game::board::Chain;
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Steps around the stones that are looked at, as many of them as there is room for.
const STEPS: [usize; 3] = [4, 3, 2];

/// What comes of the chain, seen with what is near these stones, if the side with that goal moves first.
///
/// # Errors
/// When the stones are too far apart, or the chain goes on beyond the points that there is room for.
pub fn solve(
    position: &Position,
    chain: &Chain,
    stones: &PointSet,
    goal: Goal,
    limits: Limits,
) -> Result<Solution, LifeError> {
    let board = position.board();
    let to_play = match goal {
        Goal::Live => chain.color,
        Goal::Kill => chain.color.opposite(),
    };
    let began = Instant::now();
    let mut answer = Err(LifeError::NoRegion);
    for steps in STEPS {
        let region = (0..steps).fold(*stones, |region, _| region.grown(board.area()));
        let problem = Problem {
            board,
            region: &region,
            target: chain.stones.first(),
            to_play,
            ko: position.ko_for(to_play),
        };
        answer = problem.solve_alone(goal, limits);
        match answer {
            Err(LifeError::TooLarge { .. }) => {}
            Ok(solution) => {
                let time = limits.time.map(|time| time.saturating_sub(began.elapsed()));
                return Ok(doubt::checked(&problem, chain, goal, solution, time));
            }
            Err(_) => break,
        }
    }
    answer
}
