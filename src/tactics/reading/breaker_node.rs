//! The breaker moves.

use super::budget::OutOfBudget;
use super::goal::ReadingGoal;
use super::node::ReadingNode;
use super::search::{MoveResult, ReadingSearch};
use super::table::NodeResult;
use crate::game::point::Point;

impl<G: ReadingGoal> ReadingSearch<G> {
    /// Whether the goal is reached with the breaker to move.
    pub(super) fn search_breaker(&mut self, node: ReadingNode) -> Result<NodeResult, OutOfBudget> {
        self.budget.count_node()?;
        let board = self.boards.at(node.depth);
        let too_few = self.goal.prove_too_few_moves(board, node.moves_left);
        if let Some(too_few) = too_few
            // With no moves left the maker can still chase.
            && self.goal.forcing_moves(board).only().is_none()
        {
            return Ok(too_few);
        }
        let key = self.key(node);
        if let Some(cached) = self.table.get_for_moves(key, node.moves_left) {
            return Ok(cached);
        }
        let previous_best = self.table.get(key).and_then(|result| result.best_move);
        if let Some(too_few) = too_few {
            // So that a repetition is no success.
            self.table.store(key, too_few);
        }
        let mut result = self.search_breaker_moves(node, previous_best)?;
        if let Some(too_few) = too_few
            && !result.reached
        {
            let best_move = result.best_move;
            result = NodeResult {
                best_move,
                ..too_few
            };
        }
        self.table.store(key, result);
        Ok(result)
    }

    /// Tries what looks best, then to pass, then every move that may undo what comes of passing.
    fn search_breaker_moves(
        &mut self,
        node: ReadingNode,
        previous_best: Option<Point>,
    ) -> Result<NodeResult, OutOfBudget> {
        let breaker_moves = self
            .goal
            .breaker_moves(self.boards.at(node.depth), node.moves_left);
        if let Some(mv) = breaker_moves.first.or(previous_best)
            && self.is_legal(node, mv)
            && let MoveResult::Success(result) = self.try_move(node, mv)?
        {
            return Ok(result);
        }
        let after_pass = self.search_maker(node.after_pass())?;
        if !after_pass.reached {
            return Ok(NodeResult {
                best_move: None,
                ..after_pass
            });
        }
        self.try_all(
            node,
            after_pass,
            &breaker_moves.candidates,
            &breaker_moves.preferred,
        )
    }
}
