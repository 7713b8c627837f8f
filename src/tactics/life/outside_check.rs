//! Verifies a solution on the whole board by exact capture reading.
//!
//! A proof assumes that stones connected to the outside live, and that the attacker's walls and the attacker's stones
//! in or next to the escape area are safe. If one of these stones can be captured, the outcome becomes unknown. The
//! same applies if a chain reported as alive can be captured, or if a chain reported as dead may escape through points
//! outside the region.

use std::time::{Duration, Instant};

use super::problem::{LifeGoal, LifeOutcome, LifeProblem, Solution};
use super::region::Region;
use super::set::Set;
use crate::game::board::{Board, Chain};
use crate::game::point::{Move, Point};
use crate::tactics::bitboard::word::Word;
use crate::tactics::reading::{CaptureReader, ReadingLimits, ReadingOutcome, ReadingSide};

/// Maximum number of liberties of the chains to check. Chains with more liberties are assumed to be safe.
const MAX_LIBERTIES: usize = 4;
/// Maximum number of plies of a capture search.
const READING_PLIES: usize = 9;
/// Maximum number of positions of a capture search. With both limits, a search takes a few milliseconds.
const READING_NODES: u64 = 2_000;

/// Result of capture reading for a chain.
enum CaptureThreat {
    /// No capture was found.
    None,
    /// The capture depends on a ko although the solution does not.
    ByKo,
    /// The move captures the chain.
    By(Move),
}

/// Check of a solution on the board after its best move.
pub(super) struct OutsideCheck {
    reader: CaptureReader,
    /// Region before the best move.
    region: Region,
    board: Board,
    ko: Option<Point>,
    /// True if the group lives according to the solution.
    lives: bool,
    /// True if the outcome depends on a ko.
    depends_on_ko: bool,
    deadline: Option<Instant>,
    nodes: u64,
}

impl OutsideCheck {
    /// Prepares the check. Returns `None` if the outcome is unknown, or if the best move has already captured the
    /// group.
    pub(super) fn new(
        problem: &LifeProblem<'_>,
        region: Region,
        goal: LifeGoal,
        solution: &Solution,
        time: Option<Duration>,
    ) -> Option<Self> {
        if solution.outcome == LifeOutcome::Unknown {
            return None;
        }
        let depends_on_ko = matches!(solution.outcome, LifeOutcome::Ko { .. });
        let is_success = depends_on_ko || solution.outcome == LifeOutcome::Success;
        let mut board = problem.board.clone();
        if let Some(Move::Play(point)) = solution.best_move.filter(|_| is_success) {
            board.place(problem.to_move, point);
        }
        let defender = problem.defender(goal);
        let is_uncaptured = |index| board.color_at(region.point(index)) == Some(defender);
        region.target.indices().any(is_uncaptured).then(|| Self {
            reader: CaptureReader::default(),
            region,
            board,
            ko: problem.ko.filter(|_| !is_success),
            lives: is_success == (goal == LifeGoal::Live),
            depends_on_ko,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            nodes: solution.nodes,
        })
    }

    /// Verifies a solution about `chain`. If the chain lives according to the solution but can be captured on the whole
    /// board, the outcome for [`LifeGoal::Kill`] becomes a success with this capture, and the outcome for
    /// [`LifeGoal::Live`] becomes unknown. The outcome also becomes unknown if the capture depends on a ko, if the
    /// group may escape from the region, or if an assumption of the proof fails.
    pub(super) fn verify_chain(
        mut self,
        chain: &Chain,
        goal: LifeGoal,
        solution: Solution,
    ) -> Solution {
        let threat = if self.lives {
            self.capture_threat(chain)
        } else {
            CaptureThreat::None
        };
        match (goal, threat) {
            (LifeGoal::Kill, CaptureThreat::By(mv)) => {
                Solution::without_tree(LifeOutcome::Success, Some(mv), self.nodes)
            }
            (_, CaptureThreat::By(_) | CaptureThreat::ByKo) => {
                Solution::without_tree(LifeOutcome::Unknown, None, self.nodes)
            }
            (_, CaptureThreat::None) if self.may_escape_region() || self.assumptions_fail() => {
                Solution::without_tree(LifeOutcome::Unknown, None, self.nodes)
            }
            (_, CaptureThreat::None) => Solution {
                nodes: self.nodes,
                ..solution
            },
        }
    }

    /// Verifies the assumptions behind `solution` and returns it. If they do not hold, returns a solution with an unknown
    /// outcome, whose only candidate move is the best move of `solution`.
    pub(super) fn verify_assumptions(mut self, solution: Solution) -> Solution {
        if self.assumptions_fail() {
            return Solution {
                candidates: solution.best_move.into_iter().collect(),
                ..Solution::without_tree(LifeOutcome::Unknown, solution.best_move, self.nodes)
            };
        }
        Solution {
            nodes: self.nodes,
            ..solution
        }
    }

    /// Determines by tactical reading whether a chain can be captured if its opponent moves first.
    fn capture_threat(&mut self, chain: &Chain) -> CaptureThreat {
        let stone = chain.stones.first();
        // The best move may have connected the chain to other chains.
        let target = stone.and_then(|here| Some((here, self.board.chain_at(here)?)));
        let Some((stone, chain)) = target else {
            return CaptureThreat::None;
        };
        if chain.liberties.len() > MAX_LIBERTIES {
            return CaptureThreat::None;
        }
        let limits = ReadingLimits {
            plies: READING_PLIES,
            nodes: READING_NODES,
            time: (self.deadline)
                .map(|deadline| deadline.saturating_duration_since(Instant::now())),
        };
        let reading = (self.reader).read(&self.board, stone, ReadingSide::Maker, self.ko, limits);
        let Ok(result) = reading else {
            return CaptureThreat::None;
        };
        self.nodes += result.nodes;
        match (result.outcome, result.best_move) {
            (ReadingOutcome::Reached { .. }, Some(mv)) => CaptureThreat::By(mv),
            (ReadingOutcome::Ko { .. }, _) if !self.depends_on_ko => CaptureThreat::ByKo,
            _ => CaptureThreat::None,
        }
    }

    /// Returns true if a group that is reported as dead may escape through points outside the region.
    fn may_escape_region(&self) -> bool {
        !self.lives && self.region.may_leave_undetected()
    }

    /// Returns true if a stone that the proof assumes to be safe can be captured.
    fn assumptions_fail(&mut self) -> bool {
        let mut assumed_safe = self.region.assumed_safe(self.lives);
        while !assumed_safe.is_empty() {
            let index = assumed_safe.lowest_index();
            assumed_safe &= !Set::single(index);
            let stone = self.region.point(index);
            let Some(chain) = self.board.chain_at(stone).copied() else {
                // The best move captured this stone.
                continue;
            };
            if !matches!(self.capture_threat(&chain), CaptureThreat::None) {
                return true;
            }
            let indices = (chain.stones.iter()).filter_map(|point| self.region.index(point));
            assumed_safe &= !indices.fold(Set::EMPTY, |all, index| all | Set::single(index));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::LifeLimits;
    use super::super::solve::solve_chain;
    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::position::Position;
    use crate::game::rules::Rules;

    /// Returns the outcome for the chain at `vertex`, and the best move.
    fn solve(diagram_text: &str, vertex: &str, goal: LifeGoal) -> (LifeOutcome, Option<String>) {
        let board = diagram::parse_board(diagram_text).unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::Black, Rules::default());
        let chain = position
            .board()
            .chain_at(size.parse_vertex(vertex).unwrap());
        let chain = chain.unwrap();
        let solution =
            solve_chain(&position, chain, &chain.stones, goal, LifeLimits::default()).unwrap();
        (
            solution.outcome,
            solution.best_move.map(|mv| size.format_move(mv)),
        )
    }

    /// Black saves the corner by playing at C4, the last liberty of C5. This captures C5 and rescues the two black
    /// stones above it.
    #[test]
    fn wall_in_atari_proves_nothing() {
        let diagram_text = "
            . X O O . . . . .
            X X . O . . . . .
            O . X O . . . . .
            O O X O . . . . .
            O X O X . . . . .
            O . . . . X . . .
            O . X . . . . . .
            . . X X . . . . .
            . . . . . . . . .";
        for goal in [LifeGoal::Kill, LifeGoal::Live] {
            assert_eq!(
                solve(diagram_text, "A8", goal),
                (LifeOutcome::Unknown, None)
            );
        }
    }

    /// White captures at C11, regardless of the stones outside the region.
    #[test]
    fn capturable_chain_is_killed() {
        let diagram_text = "
            . O O O O O O O O . . . .
            X X . X X X X X O . . . .
            X X . X X X X X . . . . .
            O O O O O O O O O . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .
            . . . . . . . . . . . . .";
        let killed = (LifeOutcome::Success, Some("C11".to_owned()));
        assert_eq!(solve(diagram_text, "A12", LifeGoal::Kill), killed);
    }
}
