//! What a proof on a piece of the board takes for sure, looked at on the whole board by exact reading.
//!
//! Stones that go on beyond the piece are taken to live there, and walls of the attacker's and its stones beside open
//! ground to stand. Where one of them that the answer may rest on can be taken, nothing is known. Nor does a chain live
//! that can be captured, or one die that may run where nobody looked.

use std::time::{Duration, Instant};

use super::locale::{Locale, Set};
use super::{Goal, Outcome, Problem, Solution};
use crate::game::board::{Board, Chain};
use crate::game::point::{Move, Point};
use crate::tactics::patch::word::Word;
use crate::tactics::reading::{self, Reader};

/// Chains with more liberties are not doubted.
const MOST_LIBERTIES: usize = 4;
/// Plies and positions for each: a few milliseconds.
const PLIES: usize = 9;
const NODES: u64 = 2_000;

/// The solution of a problem about this chain, as far as it stands up to the look, for which there is so much time. A
/// chain that cannot be killed as far as the piece shows, but can be captured, is killed by that.
pub(super) fn checked(
    problem: &Problem<'_>,
    chain: &Chain,
    goal: Goal,
    solution: Solution,
    time: Option<Duration>,
) -> Solution {
    let Some(mut doubt) = Doubt::of(problem, goal, &solution, time) else {
        return solution;
    };
    let taking = if doubt.lives {
        doubt.taking(chain)
    } else {
        Taking::No
    };
    match (goal, taking) {
        (Goal::Kill, Taking::By(mv)) => told(Outcome::Success, Some(mv), doubt.nodes),
        (_, Taking::By(_) | Taking::Maybe) => told(Outcome::Unknown, None, doubt.nodes),
        (_, Taking::No) if doubt.strays() || doubt.shakes() => {
            told(Outcome::Unknown, None, doubt.nodes)
        }
        (_, Taking::No) => Solution {
            nodes: doubt.nodes,
            ..solution
        },
    }
}

/// The solution of a problem, as far as the stones that it rests on unseen stand up to the look. A move that was shown
/// only because of them is left to try.
pub(super) fn grounded(
    problem: &Problem<'_>,
    goal: Goal,
    solution: Solution,
    time: Option<Duration>,
) -> Solution {
    let Some(mut doubt) = Doubt::of(problem, goal, &solution, time) else {
        return solution;
    };
    if doubt.shakes() {
        return Solution {
            tries: solution.best.into_iter().collect(),
            ..told(Outcome::Unknown, solution.best, doubt.nodes)
        };
    }
    Solution {
        nodes: doubt.nodes,
        ..solution
    }
}

/// Another answer, which no tree proves.
fn told(outcome: Outcome, best: Option<Move>, nodes: u64) -> Solution {
    Solution {
        outcome,
        best,
        tries: Vec::new(),
        seki: None,
        tree: Vec::new(),
        nodes,
    }
}

/// What was found of the capture of a chain.
enum Taking {
    /// Nothing.
    No,
    /// A ko decides it, where what was told was to hold whoever wins the kos.
    Maybe,
    /// This move does it.
    By(Move),
}

/// A board on which the side is to move that did not bring about what was told.
struct Doubt {
    reader: Reader,
    /// The piece, before that move.
    locale: Locale,
    board: Board,
    ko: Option<Point>,
    /// Whether the stones in question were told to live.
    lives: bool,
    /// Whether what was told depends on kos anyhow.
    by_ko: bool,
    due: Option<Instant>,
    nodes: u64,
}

impl Doubt {
    /// After the move of a solution, with so much time; none where nothing is told, or the stones in question are taken.
    fn of(
        problem: &Problem<'_>,
        goal: Goal,
        solution: &Solution,
        time: Option<Duration>,
    ) -> Option<Self> {
        if solution.outcome == Outcome::Unknown {
            return None;
        }
        let by_ko = matches!(solution.outcome, Outcome::Ko { .. });
        let succeeds = by_ko || solution.outcome == Outcome::Success;
        let mut board = problem.board.clone();
        if let Some(Move::Play(point)) = solution.best.filter(|_| succeeds) {
            board.place(problem.to_play, point);
        }
        let defender = problem.defender(goal);
        let locale = Locale::new(problem, defender).ok()?;
        let remains = |number| board.color_at(locale.point(number)) == Some(defender);
        locale.target.points().any(remains).then(|| Self {
            reader: Reader::new(),
            locale,
            board,
            ko: problem.ko.filter(|_| !succeeds),
            lives: succeeds == (goal == Goal::Live),
            by_ko,
            due: time.map(|time| Instant::now() + time),
            nodes: solution.nodes,
        })
    }

    /// What comes of the capture of a chain whose opponent is to move.
    fn taking(&mut self, chain: &Chain) -> Taking {
        let here = chain.stones.first();
        // The move before may have joined it to others.
        let found = here.and_then(|here| Some((here, self.board.chain_at(here)?)));
        let Some((here, chain)) = found else {
            return Taking::No;
        };
        if chain.liberties.len() > MOST_LIBERTIES {
            return Taking::No;
        }
        let limits = reading::Limits {
            plies: PLIES,
            nodes: NODES,
            time: (self.due).map(|due| due.saturating_duration_since(Instant::now())),
        };
        let Ok(read) = self.reader.attack(&self.board, here, self.ko, limits) else {
            return Taking::No;
        };
        self.nodes += read.nodes;
        match (read.outcome, read.best) {
            (reading::Outcome::Reached { .. }, Some(mv)) => Taking::By(mv),
            (reading::Outcome::Ko { .. }, _) if !self.by_ko => Taking::Maybe,
            _ => Taking::No,
        }
    }

    /// Whether a way out of the stones, told to die, was not looked at.
    fn strays(&self) -> bool {
        !self.lives && self.locale.is_ajar()
    }

    /// Whether something can be captured that the life, or the death, of the stones was taken to rest on.
    fn shakes(&mut self) -> bool {
        let mut trusted = self.locale.trusted(self.lives);
        while !trusted.is_empty() {
            let number = trusted.lowest();
            trusted &= !Set::point(number);
            let here = self.locale.point(number);
            let Some(stones) = self.board.chain_at(here).copied() else {
                // Taken by the move.
                continue;
            };
            if !matches!(self.taking(&stones), Taking::No) {
                return true;
            }
            let numbers = (stones.stones.iter()).filter_map(|point| self.locale.number(point));
            trusted &= !numbers.fold(Set::EMPTY, |all, number| all | Set::point(number));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::near;
    use super::super::{Limits, Outcome};
    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::position::Position;
    use crate::game::rules::Rules;

    /// What is told of the chain at the vertex, and the move.
    fn solved(picture: &str, vertex: &str, goal: Goal) -> (Outcome, Option<String>) {
        let board = diagram::parse(picture).unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::Black, Rules::default());
        let chain = position
            .board()
            .chain_at(size.parse_vertex(vertex).unwrap());
        let chain = chain.unwrap();
        let found = near::solve(&position, chain, &chain.stones, goal, Limits::default()).unwrap();
        (found.outcome, found.best.map(|mv| size.move_text(mv)))
    }

    /// Black saves the corner by taking C5, whose last liberty is C4, and so White's two stones above it.
    #[test]
    fn a_wall_in_atari_kills_nobody() {
        let picture = "
            . X O O . . . . .
            X X . O . . . . .
            O . X O . . . . .
            O O X O . . . . .
            O X O X . . . . .
            O . . . . X . . .
            O . X . . . . . .
            . . X X . . . . .
            . . . . . . . . .";
        for goal in [Goal::Kill, Goal::Live] {
            assert_eq!(solved(picture, "A8", goal), (Outcome::Unknown, None));
        }
    }

    /// White captures at C11, whatever the stones beyond the piece do.
    #[test]
    fn what_can_be_captured_is_killed() {
        let picture = "
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
        let killed = (Outcome::Success, Some("C11".to_owned()));
        assert_eq!(solved(picture, "A12", Goal::Kill), killed);
    }
}
