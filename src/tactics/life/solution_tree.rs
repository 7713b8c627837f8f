//! Converts a proof stored in the table into a tree of moves for display.

use super::dfpn::ProofSearch;
use super::node::{Child, LifeNode};
use super::problem::Branch;
use super::region::Region;
use crate::game::point::Move;

/// Maximum number of moves shown for the unsuccessful side at its first turn. Halved at each further turn.
pub(super) const MAX_WIDTH: usize = 8;
/// Maximum length of a line in moves.
pub(super) const MAX_LENGTH: usize = 24;

/// Returns the moves and replies that prove the result of a proved position. The tree has at most `max_width` moves of
/// the unsuccessful side at its next turn, and lines of at most `max_length` moves.
pub(super) fn build(
    proof_search: &ProofSearch<'_>,
    region: &Region,
    node: &LifeNode,
    prover_to_move: bool,
    [max_width, max_length]: [usize; 2],
) -> Vec<Branch> {
    if max_length == 0 {
        return Vec::new();
    }
    let proved_child = |child: Child| {
        let numbers = proof_search
            .lookup(&child.node)
            .filter(|numbers| numbers.proof == 0);
        numbers.map(|numbers| (numbers.log_nodes, child))
    };
    let mut children: Vec<(u32, Child)> = (proof_search.children(node).into_iter())
        .filter_map(proved_child)
        .collect();
    let (width, next_width) = if prover_to_move {
        (1, max_width)
    } else {
        children.sort_by_key(|(log_nodes, _)| std::cmp::Reverse(*log_nodes));
        (max_width, (max_width / 2).max(1))
    };
    let branch = |(_, child): (u32, Child)| Branch {
        mv: child
            .point
            .map_or(Move::Pass, |stone| Move::Play(region.point(stone))),
        replies: build(
            proof_search,
            region,
            &child.node,
            !prover_to_move,
            [next_width, max_length - 1],
        ),
    };
    children.into_iter().take(width).map(branch).collect()
}
