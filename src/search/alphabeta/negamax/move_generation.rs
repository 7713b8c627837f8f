//! The moves to search in a node.

use super::super::move_ordering::{ScoredMove, sort_moves};
use super::super::options::Pruning;
use super::Negamax;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::search::restriction;
use crate::tactics::eye::is_eye_like;

/// Number of moves of a node that are sorted by the static evaluation after them.
const MAX_MOVES_SORTED_BY_VALUE: usize = 6;

impl Negamax<'_> {
    pub(super) fn is_legal(&self, ply: usize, mv: Move) -> bool {
        let position = self.line.position(ply);
        mv.point()
            .is_none_or(|point| position.check_legal(point).is_ok())
            && self.is_allowed(ply, mv)
    }

    fn is_allowed(&self, ply: usize, mv: Move) -> bool {
        let color = self.line.position(ply).to_move();
        restriction::is_allowed(self.context.constraints, color, mv, ply as u32)
    }

    /// Returns the moves to search at `ply` except for `table_move`, most promising first.
    pub(super) fn moves(&mut self, ply: usize, table_move: Option<Move>) -> Vec<ScoredMove> {
        let position = self.line.position(ply);
        let board = position.board();
        let is_heuristic = self.context.pruning == Pruning::Heuristic;
        let scope = self.context.eval.scope();
        let mut points = board.empty_points() - self.excluded;
        if let Some(scope) = scope {
            points = points & scope.playable(board);
        }
        if is_heuristic {
            let color = position.to_move();
            let eyes = points
                .iter()
                .filter(|&point| is_eye_like(board, color, point));
            points -= eyes.collect();
        }
        if let Some(Move::Play(point)) = table_move {
            points.remove(point);
        }
        let vital = match self.context.pruning {
            Pruning::Exact => PointSet::EMPTY,
            Pruning::Heuristic => self.context.eval.assess(position).vital,
        };
        let mut moves = self.ordering.plays(position, ply, &points, &vital);
        let is_early = 2 * board.occupied_points().len() < board.size().area()
            && !position.last_move_was_pass();
        let skips_pass = is_heuristic && is_early && !moves.is_empty() && scope.is_none();
        if table_move != Some(Move::Pass) && !skips_pass {
            self.ordering.insert_pass(position, ply, &mut moves);
        }
        if !self.context.constraints.is_empty() {
            moves.retain(|scored_move| self.is_allowed(ply, scored_move.mv));
        }
        if is_heuristic {
            self.sort_by_value(ply, &mut moves);
        }
        moves
    }

    /// Sorts the most promising moves by the static evaluation after each of them.
    fn sort_by_value(&mut self, ply: usize, moves: &mut [ScoredMove]) {
        let count = moves.len().min(MAX_MOVES_SORTED_BY_VALUE);
        let evaluated = &mut moves[..count];
        for scored_move in evaluated.iter_mut() {
            self.line.play(ply, scored_move.mv);
            scored_move.set_value(-self.static_value(ply + 1));
        }
        self.counts.main += count as u64;
        sort_moves(evaluated);
    }
}
