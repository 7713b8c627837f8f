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
    let by_ko = matches!(solution.outcome, Outcome::Ko { .. });
    let succeeds = by_ko || solution.outcome == Outcome::Success;
    if solution.outcome == Outcome::Unknown {
        return solution;
    }
    let lives = succeeds == (goal == Goal::Live);
    let mut after = problem.board.clone();
    if let Some(Move::Play(point)) = solution.best.filter(|_| succeeds) {
        after.place(problem.to_play, point);
    }
    let is_gone = |stone: Point| after.color_at(stone) != Some(chain.color);
    if !lives && chain.stones.first().is_some_and(is_gone) {
        return solution;
    }
    let mut doubt = Doubt {
        reader: Reader::new(),
        board: &after,
        ko: problem.ko.filter(|_| !succeeds),
        by_ko,
        due: time.map(|time| Instant::now() + time),
        nodes: solution.nodes,
    };
    let taking = if lives {
        doubt.taking(chain)
    } else {
        Taking::No
    };
    match (goal, taking) {
        (Goal::Kill, Taking::By(mv)) => told(Outcome::Success, Some(mv), doubt.nodes),
        (_, Taking::By(_) | Taking::Maybe) => told(Outcome::Unknown, None, doubt.nodes),
        (_, Taking::No) if doubt.shakes(problem, chain, lives) => {
            told(Outcome::Unknown, None, doubt.nodes)
        }
        (_, Taking::No) => Solution {
            nodes: doubt.nodes,
            ..solution
        },
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
struct Doubt<'a> {
    reader: Reader,
    board: &'a Board,
    ko: Option<Point>,
    /// Whether what was told depends on kos anyhow.
    by_ko: bool,
    due: Option<Instant>,
    nodes: u64,
}

impl Doubt<'_> {
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
        let Ok(read) = self.reader.attack(self.board, here, self.ko, limits) else {
            return Taking::No;
        };
        self.nodes += read.nodes;
        match (read.outcome, read.best) {
            (reading::Outcome::Reached { .. }, Some(mv)) => Taking::By(mv),
            (reading::Outcome::Ko { .. }, _) if !self.by_ko => Taking::Maybe,
            _ => Taking::No,
        }
    }

    /// Whether something can be captured that the life, or the death, of the chain was taken to rest on, or its way out
    /// was not looked at.
    fn shakes(&mut self, problem: &Problem<'_>, chain: &Chain, lives: bool) -> bool {
        let Ok(locale) = Locale::new(problem, chain.color) else {
            return false;
        };
        if !lives && locale.is_ajar() {
            return true;
        }
        let mut trusted = locale.trusted(lives);
        while !trusted.is_empty() {
            let number = trusted.lowest();
            trusted &= !Set::point(number);
            let Some(stones) = self.board.chain_at(locale.point(number)) else {
                // Taken by the move.
                continue;
            };
            if !matches!(self.taking(stones), Taking::No) {
                return true;
            }
            let numbers = (stones.stones.iter()).filter_map(|point| locale.number(point));
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
