//! The maker moves.
//!
//! Beyond the depth a goal is chased with moves that must be answered: of a chain with two liberties the attacker takes
//! one after the other, and the defender extends or takes something. A goal reached so is reached like any other; that
//! none is proves nothing.

use super::budget::OutOfBudget;
use super::goal::ReadingGoal;
use super::node::ReadingNode;
use super::search::{MAX_DEPTH, MoveResult, ReadingSearch};
use super::table::NodeResult;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

impl<G: ReadingGoal> ReadingSearch<G> {
    /// Whether the maker, to move, reaches the goal.
    pub(super) fn search_maker(&mut self, node: ReadingNode) -> Result<NodeResult, OutOfBudget> {
        self.budget.count_node()?;
        let board = self.boards.at(node.depth);
        if let Some(zone) = self.goal.unreachable_zone(board) {
            return Ok(NodeResult::unreachable(zone));
        }
        if let Some(reaching_move) = self.reaching_move(node) {
            return Ok(NodeResult {
                zone: self.goal.reaching_zone(board, reaching_move),
                best_move: Some(reaching_move),
                moves: 1,
                reached: true,
                depends_on_ko: node.ko == Some(reaching_move),
            });
        }
        let too_few = self.goal.prove_too_few_moves(board, node.moves_left);
        let forcing_moves = self.goal.forcing_moves(board);
        if let Some(too_few) = too_few
            && (forcing_moves.is_empty() || node.depth >= MAX_DEPTH)
        {
            return Ok(too_few);
        }
        let key = self.key(node);
        if let Some(cached) = self.table.get_for_moves(key, node.moves_left) {
            return Ok(cached);
        }
        let result = if let Some(too_few) = too_few {
            // So that a repetition is no success.
            self.table.store(key, too_few);
            self.search_forcing_moves(node, forcing_moves)?
                .unwrap_or(too_few)
        } else {
            self.search_maker_moves(node)?
        };
        self.table.store(key, result);
        Ok(result)
    }

    /// A legal move that reaches the goal at once, without ko if there is one.
    fn reaching_move(&self, node: ReadingNode) -> Option<Point> {
        let board = self.boards.at(node.depth);
        let moves = self.goal.reaching_moves(board).iter();
        moves
            .filter(|&mv| self.is_legal(node, mv))
            .min_by_key(|&mv| node.ko == Some(mv))
    }

    /// Tries the moves of a chase one after the other.
    fn search_forcing_moves(
        &mut self,
        node: ReadingNode,
        mut remaining: PointSet,
    ) -> Result<Option<NodeResult>, OutOfBudget> {
        let color = self.color(node.side);
        while let Some(mv) = self
            .move_order
            .pick(&remaining, node.depth, color, &remaining)
        {
            remaining.remove(mv);
            if self.is_legal(node, mv)
                && let MoveResult::Success(result) = self.try_move(node, mv)?
            {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// There may be moves enough: every move may matter.
    fn search_maker_moves(&mut self, node: ReadingNode) -> Result<NodeResult, OutOfBudget> {
        let moves_left = node.moves_left - 1;
        let with_fewer_moves = self.search_maker(ReadingNode { moves_left, ..node })?;
        if with_fewer_moves.reached {
            return Ok(with_fewer_moves);
        }
        // With no ko to wait for, the breaker answers a pass by a pass.
        let after_pass = match node.ko {
            None => with_fewer_moves,
            Some(_) => self.search_breaker(node.after_pass())?,
        };
        if after_pass.reached {
            return Ok(NodeResult {
                best_move: None,
                moves: after_pass.moves + 1,
                ..after_pass
            });
        }
        let failure = NodeResult {
            moves: node.moves_left as u16,
            ..after_pass
        };
        let board = self.boards.at(node.depth);
        let (empty, near) = (board.empty(), self.goal.preferred_moves(board));
        self.try_all(node, failure, &empty, &near)
    }
}
