//! Fail-soft alpha-beta in negamax form (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).

use super::estimate::estimate;
use super::order::Order;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::search::restriction::{self, Constraint};

/// More than any position is worth, in sixteenths of a point.
pub const INFINITE: i32 = i32::MAX / 2;
/// How many positions may pass between two questions whether to halt.
const STRIDE: u64 = 256;

/// Reads below one position.
pub struct Reader<'a> {
    /// The position after each move of the line being read, the root first.
    line: Vec<Position>,
    /// The best continuation found at each ply.
    best: Vec<Vec<Move>>,
    order: Order,
    /// What may not be played below the root.
    constraints: &'a [Constraint],
    nodes: u64,
    /// Whether it may be halted now.
    pub stoppable: bool,
    halted: &'a dyn Fn(u64) -> bool,
}

/// What a value may lie between to matter: below, the side to move has better elsewhere; above, its opponent has.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl<'a> Reader<'a> {
    /// A reader of that position, which keeps to the constraints below it and asks `halted` now and then whether to give
    /// up after so many positions.
    pub fn new(
        root: &Position,
        constraints: &'a [Constraint],
        halted: &'a dyn Fn(u64) -> bool,
    ) -> Self {
        Self {
            line: vec![root.clone()],
            best: vec![Vec::new()],
            order: Order::new(root.size().area()),
            constraints,
            nodes: 0,
            stoppable: true,
            halted,
        }
    }

    /// Positions looked at.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The legal moves at that ply of the line, the most promising first, below the root without those that are banned.
    pub fn moves(&self, ply: usize) -> Vec<Move> {
        let position = &self.line[ply];
        let mut moves = self.order.moves(position, ply);
        if ply > 0 && !self.constraints.is_empty() {
            let color = position.to_move();
            moves.retain(|&mv| restriction::allow(self.constraints, color, mv, ply as u32));
        }
        moves
    }

    /// What the side to move at the root gets by `mv` when read that deep, the move itself counted: exact above `floor`,
    /// else no less than it truly gets. `None` when halted.
    pub fn value_after(&mut self, mv: Move, depth: u32, floor: i32) -> Option<i32> {
        self.make(0, mv);
        let window = Window {
            alpha: -INFINITE,
            beta: -floor,
        };
        self.value(1, depth - 1, window).map(|value| -value)
    }

    /// The line expected after the move at the root whose value was asked last, that move first.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        [&[mv], self.best[1].as_slice()].concat()
    }

    /// What the side to move at that ply gets: exact within the window, else a bound.
    fn value(&mut self, ply: usize, depth: u32, window: Window) -> Option<i32> {
        self.nodes += 1;
        if self.stoppable && self.nodes.is_multiple_of(STRIDE) && (self.halted)(self.nodes) {
            return None;
        }
        self.best[ply].clear();
        let position = &self.line[ply];
        let moves = match depth {
            0 => Vec::new(),
            _ if position.ended() => Vec::new(),
            _ => self.moves(ply),
        };
        if moves.is_empty() {
            return Some(position.to_move().from_black(estimate(position)));
        }
        let mut best = -INFINITE;
        for mv in moves {
            self.make(ply, mv);
            let below = Window {
                alpha: -window.beta,
                beta: -window.alpha.max(best),
            };
            let value = -self.value(ply + 1, depth - 1, below)?;
            if value <= best {
                continue;
            }
            best = value;
            let continued = std::mem::take(&mut self.best[ply + 1]);
            self.best[ply].clear();
            self.best[ply].push(mv);
            self.best[ply].extend(&continued);
            self.best[ply + 1] = continued;
            if best >= window.beta {
                self.order.refuted(&self.line[ply], ply, depth, mv);
                break;
            }
        }
        Some(best)
    }

    /// Puts the position after a legal move at that ply behind it in the line.
    fn make(&mut self, ply: usize, mv: Move) {
        if self.line.len() == ply + 1 {
            self.line.push(self.line[ply].clone());
            self.best.push(Vec::new());
        }
        let (before, after) = self.line.split_at_mut(ply + 1);
        after[0].clone_from(&before[ply]);
        let color = after[0].to_move();
        after[0].play_legal(color, mv);
    }
}
