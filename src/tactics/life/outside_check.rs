//! What a proof on a piece of the board takes for sure, looked at on the whole board by exact reading.
//!
//! Stones that go on beyond the piece are taken to live there, and walls of the attacker's and its stones beside open
//! ground to stand. Where one of them that the answer may rest on can be taken, nothing is known. Nor does a chain live
//! that can be captured, or one die that may run where nobody looked.

use std::time::{Duration, Instant};

use super::problem::{LifeGoal, LifeOutcome, LifeProblem, Solution};
use super::region::Region;
use super::set::Set;
use crate::game::board::{Board, Chain};
use crate::game::point::{Move, Point};
use crate::tactics::bitboard::word::Word;
use crate::tactics::reading::{self, CaptureReader};

/// Chains with more liberties are not doubted.
const MAX_LIBERTIES: usize = 4;
/// Plies and positions for each: a few milliseconds.
const READING_PLIES: usize = 9;
const READING_NODES: u64 = 2_000;

/// Another answer, which no tree proves.
fn unproved(outcome: LifeOutcome, best_move: Option<Move>, nodes: u64) -> Solution {
    Solution {
        outcome,
        best_move,
        candidates: Vec::new(),
        seki: None,
        tree: Vec::new(),
        nodes,
    }
}

/// What was found of the capture of a chain.
enum CaptureThreat {
    /// Nothing.
    None,
    /// A ko decides it, where what was told was to hold whoever wins the kos.
    ByKo,
    /// This move does it.
    By(Move),
}

/// A board on which the side is to move that did not bring about what was told.
pub(super) struct OutsideCheck {
    reader: CaptureReader,
    /// The piece, before that move.
    region: Region,
    board: Board,
    ko: Option<Point>,
    /// Whether the stones in question were told to live.
    lives: bool,
    /// Whether what was told depends on kos anyhow.
    depends_on_ko: bool,
    deadline: Option<Instant>,
    nodes: u64,
}

impl OutsideCheck {
    /// After the move of a solution, with so much time; none where nothing is told, or the stones in question are taken.
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
            reader: CaptureReader::new(),
            region,
            board,
            ko: problem.ko.filter(|_| !is_success),
            lives: is_success == (goal == LifeGoal::Live),
            depends_on_ko,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            nodes: solution.nodes,
        })
    }

    /// The solution of a problem about this chain, as far as it stands up to the look, for which there is so much time. A
    /// chain that cannot be killed as far as the piece shows, but can be captured, is killed by that.
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
                unproved(LifeOutcome::Success, Some(mv), self.nodes)
            }
            (_, CaptureThreat::By(_) | CaptureThreat::ByKo) => {
                unproved(LifeOutcome::Unknown, None, self.nodes)
            }
            (_, CaptureThreat::None) if self.has_unread_escape() || self.assumptions_fail() => {
                unproved(LifeOutcome::Unknown, None, self.nodes)
            }
            (_, CaptureThreat::None) => Solution {
                nodes: self.nodes,
                ..solution
            },
        }
    }

    /// The solution of a problem, as far as the stones that it rests on unseen stand up to the look. A move that was shown
    /// only because of them is left to try.
    pub(super) fn verify_region(mut self, solution: Solution) -> Solution {
        if self.assumptions_fail() {
            return Solution {
                candidates: solution.best_move.into_iter().collect(),
                ..unproved(LifeOutcome::Unknown, solution.best_move, self.nodes)
            };
        }
        Solution {
            nodes: self.nodes,
            ..solution
        }
    }

    /// What comes of the capture of a chain whose opponent is to move.
    fn capture_threat(&mut self, chain: &Chain) -> CaptureThreat {
        let stone = chain.stones.first();
        // The move before may have joined it to others.
        let target = stone.and_then(|here| Some((here, self.board.chain_at(here)?)));
        let Some((stone, chain)) = target else {
            return CaptureThreat::None;
        };
        if chain.liberties.len() > MAX_LIBERTIES {
            return CaptureThreat::None;
        }
        let limits = reading::ReadingLimits {
            plies: READING_PLIES,
            nodes: READING_NODES,
            time: (self.deadline)
                .map(|deadline| deadline.saturating_duration_since(Instant::now())),
        };
        let Ok(result) = self.reader.attack(&self.board, stone, self.ko, limits) else {
            return CaptureThreat::None;
        };
        self.nodes += result.nodes;
        match (result.outcome, result.best_move) {
            (reading::ReadingOutcome::Reached { .. }, Some(mv)) => CaptureThreat::By(mv),
            (reading::ReadingOutcome::Ko { .. }, _) if !self.depends_on_ko => CaptureThreat::ByKo,
            _ => CaptureThreat::None,
        }
    }

    /// Whether a way out of the stones, told to die, was not looked at.
    fn has_unread_escape(&self) -> bool {
        !self.lives && self.region.may_run_out()
    }

    /// Whether something can be captured that the life, or the death, of the stones was taken to rest on.
    fn assumptions_fail(&mut self) -> bool {
        let mut assumed_safe = self.region.assumed_safe(self.lives);
        while !assumed_safe.is_empty() {
            let index = assumed_safe.lowest_index();
            assumed_safe &= !Set::single(index);
            let stone = self.region.point(index);
            let Some(chain) = self.board.chain_at(stone).copied() else {
                // Taken by the move.
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
    use super::super::whole_board;
    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::position::Position;
    use crate::game::rules::Rules;

    /// What is told of the chain at the vertex, and the move.
    fn solve(diagram_text: &str, vertex: &str, goal: LifeGoal) -> (LifeOutcome, Option<String>) {
        let board = diagram::parse(diagram_text).unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::Black, Rules::default());
        let chain = position
            .board()
            .chain_at(size.parse_vertex(vertex).unwrap());
        let chain = chain.unwrap();
        let solution =
            whole_board::solve(&position, chain, &chain.stones, goal, LifeLimits::default())
                .unwrap();
        (
            solution.outcome,
            solution.best_move.map(|mv| size.format_move(mv)),
        )
    }

    /// Black saves the corner by taking C5, whose last liberty is C4, and so White's two stones above it.
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

    /// White captures at C11, whatever the stones beyond the piece do.
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
