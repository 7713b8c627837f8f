//! Verifies a solution on the whole board by exact capture reading.
//!
//! A proof assumes that stones connected to the outside live, and that the attacker's walls and the attacker's stones
//! in or next to the escape area are safe. If one of these stones can be captured after the best move, the outcome
//! becomes unknown. The same applies at the end of a line of the solution tree if the group is only dead because of
//! such a stone, or if a group that lives according to the proof can be captured there.

use std::time::{Duration, Instant};

use super::problem::{Branch, LifeGoal, LifeOutcome, LifeProblem, Solution};
use super::region::Region;
use super::set::Set;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::tactics::bitboard::word::Word;
use crate::tactics::reading::{CaptureReader, ReadingLimits, ReadingOutcome, ReadingSide};

/// Maximum number of liberties of the chains to check. Chains with more liberties are assumed to be safe.
const MAX_LIBERTIES: usize = 4;
/// Maximum number of plies of a capture search.
const READING_PLIES: usize = 9;
/// Maximum number of positions of a capture search. With both limits, a search takes a few milliseconds.
const READING_NODES: u64 = 2_000;

/// Maximum number of lines of the solution tree to check.
const MAX_LINES: usize = 100;
/// Maximum number of positions of all capture searches at the ends of lines.
const LINE_NODES: u64 = 30_000;

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
    defender: Color,
    /// Side to move after the best move.
    to_move: Color,
    /// True if the group lives according to the solution.
    lives: bool,
    /// True if the outcome depends on a ko.
    depends_on_ko: bool,
    deadline: Option<Instant>,
    nodes: u64,
    /// Value of `nodes` at which no more lines are checked.
    line_nodes_end: u64,
}

impl OutsideCheck {
    /// Prepares the check. Returns `None` if the best move has already captured the group.
    pub(super) fn new(
        problem: &LifeProblem<'_>,
        region: Region,
        goal: LifeGoal,
        solution: &Solution,
        time: Option<Duration>,
    ) -> Option<Self> {
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
            defender,
            to_move: match is_success {
                true => problem.to_move.opposite(),
                false => problem.to_move,
            },
            lives: is_success == (goal == LifeGoal::Live),
            depends_on_ko,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            nodes: solution.nodes,
            line_nodes_end: u64::MAX,
        })
    }

    /// Verifies a solution about `chain`. If the chain can be captured on the whole board although it lives according to
    /// the solution or its status is unknown, the outcome for [`LifeGoal::Kill`] becomes a success with this capture, and
    /// the outcome for [`LifeGoal::Live`] becomes unknown. The outcome also becomes unknown if the capture depends on a
    /// ko or an assumption of the proof fails.
    pub(super) fn verify_chain(
        mut self,
        chain: &Chain,
        goal: LifeGoal,
        solution: Solution,
    ) -> Solution {
        let threat = if self.lives {
            let board = self.board.clone();
            self.capture_threat(&board, chain, ReadingSide::Maker)
        } else {
            CaptureThreat::None
        };
        match (goal, threat) {
            (LifeGoal::Kill, CaptureThreat::By(mv)) => {
                Solution::without_tree(LifeOutcome::Success, Some(mv), self.nodes)
            }
            _ if solution.outcome == LifeOutcome::Unknown => Solution {
                nodes: self.nodes,
                ..solution
            },
            (_, CaptureThreat::By(_) | CaptureThreat::ByKo) => {
                Solution::without_tree(LifeOutcome::Unknown, None, self.nodes)
            }
            (_, CaptureThreat::None) if self.assumptions_fail(&solution) => {
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
        if solution.outcome != LifeOutcome::Unknown && self.assumptions_fail(&solution) {
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

    /// Determines by tactical reading whether a chain can be captured if `first` moves first.
    fn capture_threat(
        &mut self,
        board: &Board,
        chain: &Chain,
        first: ReadingSide,
    ) -> CaptureThreat {
        let stone = chain.stones.first();
        // The best move may have connected the chain to other chains.
        let target = stone.and_then(|here| Some((here, board.chain_at(here)?)));
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
        let Ok(result) = self.reader.read(board, stone, first, self.ko, limits) else {
            return CaptureThreat::None;
        };
        self.nodes += result.nodes;
        match (result.outcome, result.best_move) {
            (ReadingOutcome::Reached { .. }, mv) => CaptureThreat::By(mv.unwrap_or(Move::Pass)),
            (ReadingOutcome::Ko { .. }, _) if !self.depends_on_ko => CaptureThreat::ByKo,
            _ => CaptureThreat::None,
        }
    }

    /// Returns true if a stone that the proof assumes to be safe can be captured after the best move, or if a line of
    /// the solution tree is refuted.
    fn assumptions_fail(&mut self, solution: &Solution) -> bool {
        let (board, to_move) = (self.board.clone(), self.to_move);
        let assumed_safe = self
            .region
            .assumed_safe(&self.region.stones, self.lives, false);
        let is_unsafe = !self
            .capturable(&board, assumed_safe, ReadingSide::Maker)
            .is_empty();
        if is_unsafe || !self.lives && self.is_link_capturable(&board) {
            return true;
        }
        let is_success = solution.outcome != LifeOutcome::Failure;
        let lines = match solution.tree.as_slice() {
            [best] if is_success => &best.replies,
            lines => lines,
        };
        let mut lines_left = MAX_LINES;
        self.line_nodes_end = self.nodes + LINE_NODES;
        self.is_line_unsafe(&board, to_move, lines, &mut lines_left)
    }

    /// Returns true if a stone outside the region can be captured to which the attacker may connect.
    fn is_link_capturable(&mut self, board: &Board) -> bool {
        let links = self.region.outside_links();
        let points = links.indices().map(|index| self.region.point(index));
        let mut chains: Vec<Chain> = Vec::new();
        for chain in points.flat_map(|point| board.chains_of_adjacent_stones(point)) {
            if chain.color != self.defender && !chains.contains(chain) {
                chains.push(*chain);
            }
        }
        chains.iter().any(|chain| {
            let threat = self.capture_threat(board, chain, ReadingSide::Maker);
            !matches!(threat, CaptureThreat::None)
        })
    }

    /// Returns true if one of the lines that continue from `board` is illegal or its result is refuted. Checks at most
    /// `lines_left` lines.
    fn is_line_unsafe(
        &mut self,
        board: &Board,
        to_move: Color,
        lines: &[Branch],
        lines_left: &mut usize,
    ) -> bool {
        if lines.is_empty() {
            *lines_left = lines_left.saturating_sub(1);
            self.ko = None;
            // The opponent of the owner of these stones captures them.
            let is_maker = (to_move == self.defender) != self.lives;
            let first = if is_maker {
                ReadingSide::Maker
            } else {
                ReadingSide::Breaker
            };
            return match self.lives {
                true => self.is_life_refuted(board, first),
                false => self.is_death_refuted(board, first),
            };
        }
        lines.iter().any(|line| {
            if *lines_left == 0 || self.nodes >= self.line_nodes_end {
                return false;
            }
            let mut after = board.clone();
            if let Move::Play(point) = line.mv {
                // The line is wrong about the liberties of stones at the boundary of the region.
                if after.color_at(point).is_some() || after.is_suicide(to_move, point) {
                    return true;
                }
                after.place(to_move, point);
            }
            self.is_line_unsafe(&after, to_move.opposite(), &line.replies, lines_left)
        })
    }

    /// Returns true if the group does not live at the end of a line, because stones connected to the outside or all
    /// chains of the group can be captured when `first` moves first.
    fn is_life_refuted(&mut self, board: &Board, first: ReadingSide) -> bool {
        let stones = self.region.stones_on(board, self.defender);
        let connected = self.region.assumed_safe(&stones, true, false);
        if !self.capturable(board, connected, first).is_empty() {
            return true;
        }
        let group = self.region.target & stones.own;
        group.is_subset(self.capturable(board, group, first))
    }

    /// Returns true if the static test finds the group dead at the end of a line, but only because of attacker stones
    /// that can be captured when `first` moves first.
    fn is_death_refuted(&mut self, board: &Board, first: ReadingSide) -> bool {
        let stones = self.region.stones_on(board, self.defender);
        let group = self.region.target & stones.own;
        let safe = (self.region).assumed_safe(&stones, false, first == ReadingSide::Maker);
        if !group.is_subset(self.region.dead_area_between(&stones, safe)) {
            return false;
        }
        let safe = safe & !self.capturable(board, safe, first);
        !group.is_subset(self.region.dead_area_between(&stones, safe))
    }

    /// Returns the given points and all others of their chains, if these can be captured when `first` moves first.
    fn capturable(&mut self, board: &Board, points: Set, first: ReadingSide) -> Set {
        let mut capturable = Set::EMPTY;
        for chain in self.chains(board, points) {
            if !matches!(
                self.capture_threat(board, &chain, first),
                CaptureThreat::None
            ) {
                let indices = chain
                    .stones
                    .iter()
                    .filter_map(|point| self.region.index(point));
                capturable = indices.fold(capturable, |all, index| all | Set::single(index));
            }
        }
        capturable
    }

    /// Returns the chains that contain the given points of the region.
    fn chains(&self, board: &Board, points: Set) -> Vec<Chain> {
        let mut chains: Vec<Chain> = Vec::new();
        for index in points.indices() {
            let point = self.region.point(index);
            if !chains.iter().any(|chain| chain.stones.contains(point)) {
                chains.extend(board.chain_at(point));
            }
        }
        chains
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
    /// stones above it. White kills by capturing at B4, which saves C5.
    #[test]
    fn wall_in_atari_is_safe_only_after_a_capture() {
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
        let killed = (LifeOutcome::Success, Some("B4".to_owned()));
        assert_eq!(solve(diagram_text, "A8", LifeGoal::Kill), killed);
        let unknown = (LifeOutcome::Unknown, None);
        assert_eq!(solve(diagram_text, "A8", LifeGoal::Live), unknown);
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
