//! The principal variation.

use super::goal::ReadingGoal;
use super::node::{ReadingNode, Side};
use super::search::{MAX_DEPTH, ReadingSearch};
use super::table::NodeResult;
use crate::game::point::Move;

impl<G: ReadingGoal> ReadingSearch<G> {
    /// The line of best moves from the root, where `side` moves and `result` was found: of a success of the maker to
    /// its end, or to where the memory and the budget fail; else the first move.
    pub(super) fn principal_variation(&mut self, side: Side, mut result: NodeResult) -> Vec<Move> {
        let mut node = ReadingNode {
            depth: 0,
            side,
            moves_left: 0,
            ko: None,
        };
        let mut pv = Vec::new();
        loop {
            node.moves_left = usize::from(result.moves);
            pv.push(result.best_move.map_or(Move::Pass, Move::Play));
            node = match result.best_move {
                Some(mv) => {
                    let color = self.color(node.side);
                    node.after_move(self.boards.play(node.depth, color, mv).ko)
                }
                None => node.after_pass(),
            };
            let is_over = self.goal.is_reached(self.boards.at(node.depth)) || pv.len() >= MAX_DEPTH;
            if !result.reached || is_over {
                return pv;
            }
            match self.search(node) {
                Ok(next) if next.reached => result = next,
                _ => return pv,
            }
        }
    }
}
