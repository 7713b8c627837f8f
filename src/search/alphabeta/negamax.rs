//! Fail-soft alpha-beta in negamax form (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).

use super::move_ordering::MoveOrdering;
use super::static_eval::static_eval;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::search::restriction::{self, Constraint};

/// Upper bound on any evaluation, in 1/16 points.
pub const INFINITY: i32 = i32::MAX / 2;
/// Number of nodes between two calls of `should_stop`.
const STOP_CHECK_INTERVAL: u64 = 256;

/// Alpha-beta search of one root position.
pub struct Negamax<'a> {
    /// Positions of the current line, indexed by ply. The first one is the root.
    positions: Vec<Position>,
    /// Best line found from each ply on, indexed by ply.
    pvs: Vec<Vec<Move>>,
    ordering: MoveOrdering,
    /// Constraints on moves below the root.
    constraints: &'a [Constraint],
    nodes: u64,
    /// Whether the search may stop before it is complete. Set to false for the first depth, which must always be
    /// completed.
    pub can_stop: bool,
    should_stop: &'a dyn Fn(u64) -> bool,
}

/// Search window. A value below `alpha` is irrelevant because the side to move has a better option elsewhere. A value
/// above `beta` is irrelevant because the opponent has one.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl<'a> Negamax<'a> {
    /// Creates a search of `root` that respects `constraints` on the moves below the root. The search regularly calls
    /// `should_stop` with the number of nodes searched so far, and stops once this function returns true.
    pub fn new(
        root: &Position,
        constraints: &'a [Constraint],
        should_stop: &'a dyn Fn(u64) -> bool,
    ) -> Self {
        Self {
            positions: vec![root.clone()],
            pvs: vec![Vec::new()],
            ordering: MoveOrdering::new(root.size().area()),
            constraints,
            nodes: 0,
            can_stop: true,
            should_stop,
        }
    }

    /// Returns the number of nodes searched.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the legal moves at `ply` of the current line, most promising first. Below the root, moves that a
    /// constraint forbids are excluded.
    pub fn moves(&self, ply: usize) -> Vec<Move> {
        let position = &self.positions[ply];
        let mut moves = self.ordering.moves(position, ply);
        if ply > 0 && !self.constraints.is_empty() {
            let color = position.to_move();
            moves.retain(|&mv| restriction::is_allowed(self.constraints, color, mv, ply as u32));
        }
        moves
    }

    /// Searches `mv` to `depth` plies, including the move, and returns its value for the side to move at the root. The
    /// value is exact if it is above `lower_bound`, and otherwise an upper bound. Returns `None` if the search was
    /// stopped.
    pub fn value_of_move(&mut self, mv: Move, depth: u32, lower_bound: i32) -> Option<i32> {
        self.make_move(0, mv);
        let window = Window {
            alpha: -INFINITY,
            beta: -lower_bound,
        };
        self.search(1, depth - 1, window).map(|value| -value)
    }

    /// Returns the principal variation of the root move `mv`, including that move. `mv` must be the move that was last
    /// passed to [`value_of_move`](Self::value_of_move).
    pub fn pv(&self, mv: Move) -> Vec<Move> {
        [&[mv], self.pvs[1].as_slice()].concat()
    }

    /// Searches the position at `ply` to `depth` further plies, and returns its value for the side to move there. The
    /// value is exact if it is inside the window, and otherwise a bound. Returns `None` if the search was stopped.
    fn search(&mut self, ply: usize, depth: u32, window: Window) -> Option<i32> {
        self.nodes += 1;
        if self.can_stop
            && self.nodes.is_multiple_of(STOP_CHECK_INTERVAL)
            && (self.should_stop)(self.nodes)
        {
            return None;
        }
        self.pvs[ply].clear();
        let position = &self.positions[ply];
        let moves = match depth {
            0 => Vec::new(),
            _ if position.ended() => Vec::new(),
            _ => self.moves(ply),
        };
        if moves.is_empty() {
            return Some(position.to_move().to_perspective(static_eval(position)));
        }
        let mut best = -INFINITY;
        for mv in moves {
            self.make_move(ply, mv);
            let child_window = Window {
                alpha: -window.beta,
                beta: -window.alpha.max(best),
            };
            let value = -self.search(ply + 1, depth - 1, child_window)?;
            if value <= best {
                continue;
            }
            best = value;
            let child_pv = std::mem::take(&mut self.pvs[ply + 1]);
            self.pvs[ply].clear();
            self.pvs[ply].push(mv);
            self.pvs[ply].extend(&child_pv);
            self.pvs[ply + 1] = child_pv;
            if best >= window.beta {
                self.ordering
                    .record_cutoff(&self.positions[ply], ply, depth, mv);
                break;
            }
        }
        Some(best)
    }

    /// Plays a legal move in the position at `ply` and stores the result as the next position of the line.
    fn make_move(&mut self, ply: usize, mv: Move) {
        if self.positions.len() == ply + 1 {
            self.positions.push(self.positions[ply].clone());
            self.pvs.push(Vec::new());
        }
        let (before, after) = self.positions.split_at_mut(ply + 1);
        after[0].clone_from(&before[ply]);
        let color = after[0].to_move();
        after[0].play_unchecked(color, mv);
    }
}
