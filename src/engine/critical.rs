//! Groups whose life depends on who moves first, by proof: before a player passes, it sees to them.
//!
//! An evaluator that believes a group alive because its owner would answer, or dead because the other side moves next,
//! does not tell what a pass costs, and with few visits the search does not find it out.

use super::dead::{Judged, judge};
use super::ownership::Ownership;
use crate::game::board::Chain;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::tactics::life::{Goal, Limits, Outcome, near};
use std::time::Instant;

/// Chains of which the owner is surer than this are not read.
const SURE: f32 = 0.99;
/// Positions for each proof ...
const NODES: u64 = 5_000;
/// ... and for all of them.
const NODES_OF_ALL: u64 = 60_000;
/// Memory for each.
const TABLE_MIB: usize = 2;

/// The move that saves a group of the side to move, or kills one of its opponent's, where the opponent to move would kill
/// or save it. Only chains in doubt are read, the largest first, until `due` if that is given.
pub(super) fn critical_move(
    position: &Position,
    ownership: &Ownership,
    due: Option<Instant>,
) -> Option<Move> {
    let mut doubted = judge(position, ownership);
    doubted.retain(|judged| judged.owns.abs() < SURE);
    doubted.sort_by_key(|Judged { chain, .. }| std::cmp::Reverse(chain.stones.len()));
    let mut reader = Reader {
        position,
        due,
        left: NODES_OF_ALL,
    };
    (doubted.iter()).find_map(|judged| reader.vital_move(&judged.chain))
}

/// What is read, and what may still be spent on it.
struct Reader<'a> {
    position: &'a Position,
    due: Option<Instant>,
    left: u64,
}

impl Reader<'_> {
    /// The move of the side to move that decides the life of the chain, if its opponent could decide it otherwise.
    fn vital_move(&mut self, chain: &Chain) -> Option<Move> {
        let (ours, theirs) = if chain.color == self.position.to_move() {
            (Goal::Live, Goal::Kill)
        } else {
            (Goal::Kill, Goal::Live)
        };
        self.reached(chain, theirs)?;
        let vital = self.reached(chain, ours)?;
        let point = vital.point()?;
        self.position.legal(point).is_ok().then_some(vital)
    }

    /// The first move of the side with that goal, if it reaches it without the help of kos.
    fn reached(&mut self, chain: &Chain, goal: Goal) -> Option<Move> {
        let time = (self.due).map(|due| due.saturating_duration_since(Instant::now()));
        if self.left == 0 || time.is_some_and(|time| time.is_zero()) {
            return None;
        }
        let limits = Limits {
            nodes: NODES.min(self.left),
            time,
            table_mib: TABLE_MIB,
            ..Limits::default()
        };
        let solution = near::solve(self.position, chain, &chain.stones, goal, limits).ok()?;
        self.left = self.left.saturating_sub(solution.nodes);
        (solution.outcome == Outcome::Success)
            .then_some(solution.best)
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    /// Black's corner has three points in a row for its eyes; below, a group of White's has two eyes.
    const CORNER: &str = "
        . . . X O . . O .
        X X X X O O O O O
        O O O O O X X X X
        O . O X X X . . .
        O O O X . X X X X
        O . O X X X . X .
        O O O O O X X X X
        . O . O . O X . X
        O O O O O O X X .";

    /// The move found with `color` to play, where the chains at these vertices are in doubt.
    fn found(picture: &str, color: Color, in_doubt: &[&str]) -> Option<String> {
        let board = diagram::parse(picture).unwrap();
        let size = board.size();
        let mut black = vec![0.0; size.area()];
        for chain in board.chains() {
            let is_named =
                |vertex: &&str| chain.stones.contains(size.parse_vertex(vertex).unwrap());
            let owns = if in_doubt.iter().any(is_named) {
                0.6
            } else {
                1.0
            };
            for point in chain.stones {
                black[size.index(point)] = chain.color.from_black(owns);
            }
        }
        let position = Position::from_board(board, color, Rules::default());
        let found = critical_move(&position, &Ownership::of(black), None);
        found.map(|mv| size.move_text(mv))
    }

    #[test]
    fn the_point_between_two_eyes_is_played_by_either_side() {
        for color in Color::BOTH {
            let found = found(CORNER, color, &["A8", "A1", "F7"]);
            assert_eq!(found.as_deref(), Some("B9"), "{color}");
        }
    }

    #[test]
    fn what_lives_or_is_dead_anyway_needs_no_move() {
        // Two eyes already; and two points, which are one eye.
        let decided = CORNER.replace(". . . X O . . O .", ". X . X O . . O .");
        let lost = CORNER.replace(". . . X O . . O .", ". . X X O . . O .");
        for color in Color::BOTH {
            assert_eq!(found(&decided, color, &["A8", "A1"]), None, "{color}");
            assert_eq!(found(&lost, color, &["A8", "A1"]), None, "{color}");
        }
    }

    #[test]
    fn what_nobody_doubts_is_not_read() {
        assert_eq!(found(CORNER, Color::Black, &["A1", "F7"]), None);
    }
}
