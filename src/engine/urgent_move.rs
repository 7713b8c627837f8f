//! Life-and-death moves that must be played before a pass, found by proof search.
//!
//! Whether a group lives may depend on the side that moves next. An evaluator often assumes either that the owner
//! defends the group in time or that the attacker kills it. Such an estimate does not show the cost of a pass, and a
//! search with few visits does not find this cost either.

use super::dead_stones::{ChainOwnership, chain_ownerships};
use super::ownership::Ownership;
use crate::game::board::Chain;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::tactics::life::{LifeGoal, LifeLimits, LifeOutcome, solve_chain};
use std::time::Instant;

/// Absolute mean ownership (0 to 1) from which the status of a chain counts as certain. Such chains are not searched.
const CERTAIN_OWNERSHIP: f32 = 0.99;
/// Maximum number of nodes per proof search.
const MAX_NODES: u64 = 5_000;
/// Maximum number of nodes in all proof searches for one move.
const MAX_TOTAL_NODES: u64 = 60_000;
/// Size of the transposition table of each proof search, in MiB.
const TABLE_MIB: usize = 2;

/// Returns a move that saves a group of the side to move or kills a group of the opponent, where the opponent, moving
/// first, could achieve the opposite. Returns `None` if no such move is found.
///
/// Searches only chains with uncertain ownership, largest first, and stops at `deadline` if one is given.
pub(super) fn urgent_move(
    position: &Position,
    ownership: &Ownership,
    deadline: Option<Instant>,
) -> Option<Move> {
    let mut uncertain = chain_ownerships(position, ownership);
    uncertain.retain(|chain_ownership| chain_ownership.mean_ownership.abs() < CERTAIN_OWNERSHIP);
    uncertain.sort_by_key(|ChainOwnership { chain, .. }| std::cmp::Reverse(chain.stones.len()));
    let mut solver = UrgencySolver {
        position,
        deadline,
        remaining_nodes: MAX_TOTAL_NODES,
    };
    (uncertain.iter()).find_map(|chain_ownership| solver.decisive_move(&chain_ownership.chain))
}

/// Proof search with a node budget shared by all chains of a position.
struct UrgencySolver<'a> {
    position: &'a Position,
    deadline: Option<Instant>,
    remaining_nodes: u64,
}

impl UrgencySolver<'_> {
    /// Returns a move with which the side to move saves or kills `chain`. Returns `None` if no such move is found, or
    /// if none is needed because the search does not prove that the opponent, moving first, achieves the opposite.
    fn decisive_move(&mut self, chain: &Chain) -> Option<Move> {
        let (own_goal, opponent_goal) = if chain.color == self.position.to_move() {
            (LifeGoal::Live, LifeGoal::Kill)
        } else {
            (LifeGoal::Kill, LifeGoal::Live)
        };
        self.solve(chain, opponent_goal)?;
        let mv = self.solve(chain, own_goal)?;
        let point = mv.point()?;
        self.position.check_legal(point).is_ok().then_some(mv)
    }

    /// Returns the first move of a line that achieves `goal` without having to win a ko. The side that pursues the goal
    /// moves first. Returns `None` if no such line is found within the limits.
    fn solve(&mut self, chain: &Chain, goal: LifeGoal) -> Option<Move> {
        let time =
            (self.deadline).map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if self.remaining_nodes == 0 || time.is_some_and(|time| time.is_zero()) {
            return None;
        }
        let limits = LifeLimits {
            nodes_per_proof: MAX_NODES.min(self.remaining_nodes),
            time,
            table_mib: TABLE_MIB,
            ..LifeLimits::default()
        };
        let solution = solve_chain(self.position, chain, &chain.stones, goal, limits).ok()?;
        self.remaining_nodes = self.remaining_nodes.saturating_sub(solution.nodes);
        (solution.outcome == LifeOutcome::Success)
            .then_some(solution.best_move)
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    /// Black's group in the upper left corner has a three-point eye space. The white group below it has two eyes.
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

    /// Returns the urgent move of `color` if the chains at the vertices in `uncertain` have uncertain ownership.
    fn urgent_move_text(text: &str, color: Color, uncertain: &[&str]) -> Option<String> {
        let board = diagram::parse_board(text).unwrap();
        let size = board.size();
        let mut black = vec![0.0; size.area()];
        for chain in board.chains() {
            let is_named =
                |vertex: &&str| chain.stones.contains(size.parse_vertex(vertex).unwrap());
            let mean_ownership = if uncertain.iter().any(is_named) {
                0.6
            } else {
                1.0
            };
            for point in chain.stones {
                black[size.index(point)] = chain.color.to_perspective(mean_ownership);
            }
        }
        let position = Position::from_board(board, color, Rules::default());
        let mv = urgent_move(&position, &Ownership::from_black(black), None);
        mv.map(|mv| size.format_move(mv))
    }

    #[test]
    fn both_sides_play_the_vital_point() {
        for color in Color::BOTH {
            let mv = urgent_move_text(CORNER, color, &["A8", "A1", "F7"]);
            assert_eq!(mv.as_deref(), Some("B9"), "{color}");
        }
    }

    #[test]
    fn settled_groups_need_no_move() {
        // In `alive`, Black's group already has two eyes. In `dead`, its eye space has only two points and makes one
        // eye.
        let alive = CORNER.replace(". . . X O . . O .", ". X . X O . . O .");
        let dead = CORNER.replace(". . . X O . . O .", ". . X X O . . O .");
        for color in Color::BOTH {
            assert_eq!(
                urgent_move_text(&alive, color, &["A8", "A1"]),
                None,
                "{color}"
            );
            assert_eq!(
                urgent_move_text(&dead, color, &["A8", "A1"]),
                None,
                "{color}"
            );
        }
    }

    #[test]
    fn certain_chains_are_not_read() {
        assert_eq!(urgent_move_text(CORNER, Color::Black, &["A1", "F7"]), None);
    }
}
