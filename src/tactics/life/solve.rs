//! Entry points: choosing the goal of a problem, solving a problem, and determining the status of a chain on a whole
//! board.

use std::time::Instant;

use super::life_search::LifeSearch;
use super::outside_check::OutsideCheck;
use super::problem::{
    LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, regions_around,
};
use super::region::Region;
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
        let own_region = Region::new(self, self.to_move);
        let opponent_region = Region::new(self, self.to_move.opposite());
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

    /// Solves the problem. If surrounding stones on which the proof depends can be captured, the outcome is unknown,
    /// and the move found by the proof becomes the only candidate.
    ///
    /// # Errors
    /// Returns an error if the region has no points, is too large or contains no group of the defender, or if the table
    /// cannot be created.
    pub fn solve(&self, goal: LifeGoal, limits: LifeLimits) -> Result<Solution, LifeError> {
        self.solve_verified(None, goal, limits, Instant::now())
    }

    /// Searches the region and verifies the solution on the whole board. If `chain` is given, the solution is verified
    /// for that chain. A claim that the group dies needs a second proof with fewer assumptions about the surroundings;
    /// without it, the outcome is unknown. The time limit counts from `started`.
    fn solve_verified(
        &self,
        chain: Option<&Chain>,
        goal: LifeGoal,
        limits: LifeLimits,
        started: Instant,
    ) -> Result<Solution, LifeError> {
        let defender = self.defender(goal);
        let solve = |region| self.search_and_verify(region, chain, goal, limits, started);
        let (unverified, first) = solve(Region::new(self, defender)?)?;
        if !claims_death(unverified, goal) || first.outcome == LifeOutcome::Unknown {
            return Ok(first);
        }
        let (_, second) = solve(Region::wary(self, defender)?)?;
        let nodes = first.nodes + second.nodes;
        if claims_death(second.outcome, goal) {
            // The wary region favours the defender, so it does not show that a better outcome is impossible.
            let outcome = match (second.outcome, unverified) {
                (LifeOutcome::Ko { needs_threat, .. }, LifeOutcome::Success) => LifeOutcome::Ko {
                    needs_threat,
                    is_confirmed: false,
                },
                (outcome, _) => outcome,
            };
            return Ok(Solution {
                outcome,
                nodes,
                ..second
            });
        }
        let best_guess = first.best_move.filter(|_| chain.is_none());
        Ok(Solution {
            candidates: best_guess.into_iter().collect(),
            ..Solution::without_tree(LifeOutcome::Unknown, best_guess, nodes)
        })
    }

    /// Searches `region` and verifies the solution. Returns the outcome of the search and the verified solution.
    fn search_and_verify(
        &self,
        region: Region,
        chain: Option<&Chain>,
        goal: LifeGoal,
        limits: LifeLimits,
        started: Instant,
    ) -> Result<(LifeOutcome, Solution), LifeError> {
        let time_left = || {
            limits
                .time
                .map(|time| time.saturating_sub(started.elapsed()))
        };
        let limits = LifeLimits {
            time: time_left(),
            ..limits
        };
        let search = LifeSearch::in_region(region, self, self.defender(goal), limits)?;
        let solution = search.solve(goal);
        let unverified = solution.outcome;
        let check = OutsideCheck::new(self, search.region, goal, &solution, time_left());
        let verified = match (check, chain) {
            (None, _) => solution,
            (Some(check), Some(chain)) => check.verify_chain(chain, goal, solution),
            (Some(check), None) => check.verify_assumptions(solution),
        };
        Ok((unverified, verified))
    }
}

/// Returns true if the outcome means that the group dies, at least if its attacker wins all kos.
const fn claims_death(outcome: LifeOutcome, goal: LifeGoal) -> bool {
    match goal {
        LifeGoal::Live => matches!(outcome, LifeOutcome::Failure),
        LifeGoal::Kill => matches!(outcome, LifeOutcome::Success | LifeOutcome::Ko { .. }),
    }
}

/// Margins, in points, around the stones of a chain problem, largest first. The search uses the first margin with which
/// the region is not too large.
const REGION_MARGINS: [usize; 3] = [4, 3, 2];

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
    for region in regions_around(stones, board, REGION_MARGINS.into_iter()) {
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
