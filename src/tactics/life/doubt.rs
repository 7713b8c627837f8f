//! What a proof on a piece of the board takes for sure, looked at on the whole board by exact reading.
//!
//! Stones that go on beyond the piece are taken to live there, and those of the attacker beside open ground to stand. Where
//! one of them that the answer may rest on can be taken, nothing is known. Nor does a chain live that can be captured.

use super::locale::{Locale, Set};
use super::{Goal, Outcome, Problem, Solution};
use crate::game::board::{Board, Chain};
use crate::game::point::{Move, Point};
use crate::tactics::patch::word::Word;
use crate::tactics::reading::{self, Reader};

/// Chains with more liberties are not doubted.
const MOST_LIBERTIES: usize = 4;
/// A few milliseconds for each.
const LIMITS: reading::Limits = reading::Limits {
    plies: 9,
    nodes: 2_000,
    time: None,
};

/// The solution of a problem about this chain, as far as it stands up to the look. A chain that cannot be killed as far as
/// the piece shows, but can be captured, is killed by that.
pub(super) fn checked(
    problem: &Problem<'_>,
    chain: &Chain,
    goal: Goal,
    solution: Solution,
) -> Solution {
    let mut after = problem.board.clone();
    let mut ko = problem.ko;
    if let (Outcome::Success, Some(mv)) = (solution.outcome, solution.best) {
        ko = None;
        if let Move::Play(point) = mv {
            after.place(problem.to_play, point);
        }
    }
    let mut doubt = Doubt {
        reader: Reader::new(),
        board: &after,
        ko,
    };
    let lives = match (goal, solution.outcome) {
        (Goal::Live, Outcome::Success) | (Goal::Kill, Outcome::Failure) => true,
        (Goal::Live, Outcome::Failure) | (Goal::Kill, Outcome::Success) => false,
        _ => return solution,
    };
    let is_gone = |stone: Point| after.color_at(stone) != Some(chain.color);
    if !lives && chain.stones.first().is_some_and(is_gone) {
        return solution;
    }
    let captured = lives.then(|| doubt.capture(chain)).flatten();
    match (goal, captured) {
        (Goal::Kill, Some(mv)) => told(Outcome::Success, Some(mv), solution),
        (Goal::Live, Some(_)) => told(Outcome::Unknown, None, solution),
        (_, None) if doubt.shakes(problem, chain, lives) => told(Outcome::Unknown, None, solution),
        (_, None) => solution,
    }
}

/// Another answer, which the tree does not prove.
fn told(outcome: Outcome, best: Option<Move>, solution: Solution) -> Solution {
    Solution {
        outcome,
        best,
        seki: None,
        tree: Vec::new(),
        nodes: solution.nodes,
    }
}

/// A board on which the side is to move that did not bring about what was told.
struct Doubt<'a> {
    reader: Reader,
    board: &'a Board,
    ko: Option<Point>,
}

impl Doubt<'_> {
    /// The move that captures a chain whose opponent is to move, if one is found.
    fn capture(&mut self, chain: &Chain) -> Option<Move> {
        let here = chain.stones.first()?;
        // The move before may have joined it to others.
        let chain = self.board.chain_at(here)?;
        if chain.liberties.len() > MOST_LIBERTIES {
            return None;
        }
        let read = self.reader.attack(self.board, here, self.ko, LIMITS).ok()?;
        let is_reached = matches!(read.outcome, reading::Outcome::Reached { .. });
        read.best.filter(|_| is_reached)
    }

    /// Whether something can be captured that the life, or the death, of the chain was taken to rest on.
    fn shakes(&mut self, problem: &Problem<'_>, chain: &Chain, lives: bool) -> bool {
        let Ok(locale) = Locale::new(problem, chain.color) else {
            return false;
        };
        let mut trusted = locale.trusted(lives);
        while !trusted.is_empty() {
            let Some(stones) = (self.board).chain_at(locale.point(trusted.lowest())) else {
                // Taken by the move.
                trusted &= !Set::point(trusted.lowest());
                continue;
            };
            if self.capture(stones).is_some() {
                return true;
            }
            let numbers = (stones.stones.iter()).filter_map(|point| locale.number(point));
            trusted &= !numbers.fold(Set::point(trusted.lowest()), |all, number| {
                all | Set::point(number)
            });
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
