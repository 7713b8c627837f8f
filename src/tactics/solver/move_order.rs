//! Move generation and ordering.

use std::cmp::Reverse;

use super::board::SolverBoard;
use super::node::{Node, Set};
use super::table::SolverEntry;
use crate::tactics::bitboard::BoardGeometry;
use crate::tactics::bitboard::word::Word;
use crate::tactics::killers::Killers;

/// A move and the position after it.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Index of the point, or `None` for a pass.
    point: Option<u32>,
    pub node: Node,
    /// Captured stones.
    pub captured: Set,
    rank: u32,
}

impl Child {
    /// Returns all legal moves in no particular order, except that a pass comes last. If the prover is to move, omits
    /// the moves on `settled` points: the proved bounds remain valid if the prover tries fewer moves.
    pub fn generate(board: &SolverBoard, node: &Node, settled: Set) -> Vec<Self> {
        let mut points = board.geometry().empty_points(&node.stones);
        if node.prover_to_move {
            points &= !settled;
        }
        let mut all = Vec::with_capacity(points.count() as usize + 1);
        for index in points.indices() {
            if let Some((node, captured)) = board.after_move(node, index) {
                all.push(Self {
                    point: Some(index),
                    node,
                    captured,
                    rank: 0,
                });
            }
        }
        all.push(Self {
            point: None,
            node: board.after_pass(node),
            captured: Set::EMPTY,
            rank: 0,
        });
        all
    }

    /// Returns true for a pass.
    pub const fn is_pass(&self) -> bool {
        self.point.is_none()
    }

    /// Returns the code under which the table stores the move.
    pub fn move_code(&self) -> u8 {
        self.point.map_or(SolverEntry::PASS, |index| index as u8)
    }
}

// Ranks of the moves that are searched before the moves ordered by history, in descending order.
const TABLE_MOVE_RANK: u32 = u32::MAX;
const WINNING_PASS_RANK: u32 = u32::MAX - 1;
const CAPTURE_RANK: u32 = u32::MAX - 2;
const KILLER_RANK: u32 = u32::MAX - 3;

/// History counts and killer moves of a search.
#[derive(Debug)]
pub struct MoveOrder {
    /// History counts, indexed by side to move and point: the number of cutoffs, weighted by the remaining depth.
    history: [Vec<u32>; 2],
    /// Killer moves, indexed by remaining depth.
    killers: Killers<u32>,
}

impl MoveOrder {
    /// Creates a move order without history counts or killer moves, for point indices below `num_points`.
    pub fn new(num_points: u32) -> Self {
        Self {
            history: [vec![0; num_points as usize], vec![0; num_points as usize]],
            killers: Killers::default(),
        }
    }

    /// Halves all history counts before a new search.
    pub fn halve_history(&mut self) {
        for count in self.history.iter_mut().flatten() {
            *count /= 2;
        }
    }

    /// Records that the move to `child` caused a cutoff in `node`, at a remaining depth of `depth`. Ignores passes.
    pub fn record_cutoff(&mut self, child: &Child, node: &Node, depth: u32) {
        let Some(index) = child.point else {
            return;
        };
        let count = &mut self.history[usize::from(node.prover_to_move)][index as usize];
        *count = (*count + depth * depth).min(1 << 24);
        self.killers.add(depth as usize, index);
    }

    /// Sorts the moves: the table move first, then a winning pass, captures, killer moves, the remaining moves by
    /// history and distance from the edge, and finally any other pass. A pass is winning if `pass_wins` is true.
    pub fn sort(
        &self,
        geometry: &BoardGeometry<Set>,
        children: &mut [Child],
        node: &Node,
        depth: u32,
        table_move: Option<u8>,
        pass_wins: bool,
    ) {
        let history = &self.history[usize::from(node.prover_to_move)];
        let killers = self.killers.at(depth as usize);
        for child in children.iter_mut() {
            child.rank = match child.point {
                _ if table_move == Some(child.move_code()) => TABLE_MOVE_RANK,
                None if pass_wins => WINNING_PASS_RANK,
                None => 0,
                Some(_) if !child.captured.is_empty() => CAPTURE_RANK,
                Some(_) if killers.contains(&child.point) => KILLER_RANK,
                Some(point) => 1 + history[point as usize] * 64 + centrality(geometry, point),
            };
        }
        children.sort_by_key(|child| Reverse(child.rank));
    }
}

/// Returns a score from 0 at the corners to at most 63 in the centre.
fn centrality(geometry: &BoardGeometry<Set>, point: u32) -> u32 {
    let (column, row) = geometry.coordinates(point);
    let edge_distance = |coordinate: u32, length: u32| coordinate.min(length - 1 - coordinate);
    let (x, y) = (
        edge_distance(column, geometry.width()),
        edge_distance(row, geometry.height()),
    );
    (4 * x.min(y) + x.max(y)).min(63)
}
