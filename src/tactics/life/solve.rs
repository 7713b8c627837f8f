//! Entry points: choosing the goal of a problem, solving a problem, and determining the status of a chain on a whole
//! board.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::life_search::LifeSearch;
use super::outside_check::OutsideCheck;
use super::problem::{
    LifeArea, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, regions_around,
};
use super::region::{Favours, Region};
use crate::game::board::Chain;
use crate::game::pointset::PointSet;
use crate::game::position::Position;

impl LifeProblem<'_> {
    /// Returns the goal suggested by the position. The side under attack tries to live, and its opponent tries to kill.
    /// If only one side has a group in the region, that side is under attack. Otherwise, the side under attack is the
    /// one with fewer stones that can be reached from outside the region through empty points. If both sides have
    /// equally many such stones, it is the side to move.
    ///
    /// # Errors
    /// Returns an error if neither side has a group in the region, or if the region is empty or too large.
    pub fn goal(&self) -> Result<LifeGoal, LifeError> {
        let own_region = Region::new(self, self.region, self.to_move, Favours::Attacker);
        let opponent_region = Region::new(
            self,
            self.region,
            self.to_move.opposite(),
            Favours::Attacker,
        );
        match (own_region, opponent_region) {
            (Ok(region), Ok(_)) => {
                let [own_stones, opponent_stones] = region.count_reachable_from_outside();
                Ok(if own_stones <= opponent_stones {
                    LifeGoal::Live
                } else {
                    LifeGoal::Kill
                })
            }
            (Ok(_), Err(_)) => Ok(LifeGoal::Live),
            (Err(_), Ok(_)) => Ok(LifeGoal::Kill),
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Returns the group whose life is in question if the side to move has the given goal, and the points near it where
    /// moves matter most.
    ///
    /// # Errors
    /// Returns an error if the region has no points, is too large or contains no group of the defender.
    pub fn area(&self, goal: LifeGoal) -> Result<LifeArea, LifeError> {
        let defender = self.defender(goal);
        let region = Region::narrow(self, self.region, defender)?;
        let playable = [true, false].map(|defends| region.points(region.playable_by(defends)));
        Ok(LifeArea {
            defender,
            group: region.points(region.target),
            points: playable[0] | playable[1],
        })
    }

    /// Solves the problem. If surrounding stones on which the proof depends can be captured, the outcome is unknown,
    /// and the move found by the proof becomes the only candidate.
    ///
    /// # Errors
    /// Returns an error if the region has no points, is too large or contains no group of the defender, or if the table
    /// cannot be created.
    pub fn solve(&self, goal: LifeGoal, limits: LifeLimits) -> Result<Solution, LifeError> {
        self.solve_until(goal, limits, &Arc::default())
    }

    /// Solves the problem like [`solve`](Self::solve), but ends soon after `stop` has been set.
    ///
    /// # Errors
    /// See [`solve`](Self::solve).
    pub fn solve_until(
        &self,
        goal: LifeGoal,
        limits: LifeLimits,
        stop: &Arc<AtomicBool>,
    ) -> Result<Solution, LifeError> {
        self.solve_verified(None, goal, limits, Instant::now(), stop)
    }

    /// Searches the region and verifies the solution on the whole board. If `chain` is given, the solution is verified
    /// for that chain. The time limit of the verification counts from `started`. The search ends soon after `stop` has
    /// been set.
    fn solve_verified(
        &self,
        chain: Option<&Chain>,
        goal: LifeGoal,
        limits: LifeLimits,
        started: Instant,
        stop: &Arc<AtomicBool>,
    ) -> Result<Solution, LifeError> {
        let mut search = LifeSearch::new(self, self.defender(goal), limits)?;
        search.stop = Arc::clone(stop);
        let solution = search.solve(goal);
        let time = limits
            .time
            .map(|time| time.saturating_sub(started.elapsed()));
        let lives = (solution.outcome == LifeOutcome::Failure) != (goal == LifeGoal::Live);
        let region = search.region(lives).clone();
        let check = OutsideCheck::new(self, region, goal, &solution, time);
        Ok(match (check, chain) {
            (None, _) => solution,
            (Some(check), Some(chain)) => check.verify_chain(chain, goal, solution),
            (Some(check), None) => check.verify_assumptions(solution),
        })
    }
}

/// Margins, in points, around the stones of a chain problem.
const REGION_MARGINS: RangeInclusive<usize> = 2..=4;

/// Searches the surroundings of `stones` to determine whether `chain` lives or dies. `goal` determines the side to
/// move: the owner of the chain for [`LifeGoal::Live`], the owner's opponent for [`LifeGoal::Kill`]. The rest of the
/// board is assumed to be settled unless capture reading refutes this.
///
/// # Errors
/// Returns an error if the stones are too far apart, if the chain extends too far from them, or if the table cannot be
/// created.
pub fn solve_chain(
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
    for region in regions_around(stones, board, REGION_MARGINS, REGION_MARGINS.rev()) {
        let problem = LifeProblem {
            board,
            region: &region,
            target: chain.stones.first(),
            to_move,
            ko: position.ko_for(to_move),
        };
        result = problem.solve_verified(Some(chain), goal, limits, started, &Arc::default());
        if !matches!(result, Err(LifeError::TooLarge { .. })) {
            break;
        }
    }
    result
}
