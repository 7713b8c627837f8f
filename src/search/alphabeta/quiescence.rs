//! Quiescence search: resolves captures at the horizon of the main search.
//!
//! The side to move may always stop and accept the [static evaluation](super::static_eval) ("stand pat"). Otherwise it
//! tries to capture, to escape from atari, or to put a chain into atari that cannot escape. Every quiescence search has
//! the same depth limit and depends only on the position, so that searches with and without pruning agree.

use std::cmp::Reverse;

use super::line::Line;
use super::static_eval::StaticEval;
use super::value::Window;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Maximum number of alternatives for each move of a line. The length is the maximum length of a line.
const MAX_MOVES: [usize; 8] = [8, 8, 4, 4, 2, 2, 1, 1];
/// Number of moves of a line after which only captures are searched.
const ATARI_DEPTH: usize = 4;

/// Quiescence search with a node counter.
pub struct Quiescence<'a> {
    eval: &'a StaticEval,
    /// Number of positions searched, not counting those at the horizon of the main search.
    pub nodes: u64,
}

impl<'a> Quiescence<'a> {
    pub const fn new(eval: &'a StaticEval) -> Self {
        Self { eval, nodes: 0 }
    }

    /// Returns the value of the position at `ply` for the side to move. The value is exact if it is inside the window,
    /// and otherwise a bound. Overwrites the following positions of the line.
    pub fn search(&mut self, line: &mut Line, ply: usize, window: Window) -> i32 {
        self.search_from(line, ply, 0, window)
    }

    /// Implements [`search`](Self::search) after `depth` moves of the quiescence search.
    fn search_from(&mut self, line: &mut Line, ply: usize, depth: usize, window: Window) -> i32 {
        self.nodes += u64::from(depth > 0);
        let position = line.position(ply);
        let mut best = position
            .to_move()
            .to_perspective(self.eval.evaluate(position));
        if best >= window.beta || depth == MAX_MOVES.len() || position.ended() {
            return best;
        }
        let moves = tactical_moves(position, depth < ATARI_DEPTH);
        for point in moves.into_iter().take(MAX_MOVES[depth]) {
            line.play(ply, Move::Play(point));
            let child_window = window.raise_alpha(best).flipped();
            best = best.max(-self.search_from(line, ply + 1, depth + 1, child_window));
            if best >= window.beta {
                break;
            }
        }
        best
    }
}

/// Returns the legal moves that capture, those concerning the most stones first. If `with_ataris` is true, includes
/// moves that escape from atari and [decisive ataris](is_decisive_atari).
fn tactical_moves(position: &Position, with_ataris: bool) -> Vec<Point> {
    let (board, color) = (position.board(), position.to_move());
    let mut moves: Vec<(Reverse<usize>, Point)> = Vec::new();
    for chain in board.chains() {
        // Captures come before escapes and ataris of chains of the same size.
        let mut add = |point, bonus| moves.push((Reverse(2 * chain.stones.len() + bonus), point));
        match (chain.color == color, chain.liberties.len()) {
            (false, 1) => chain.liberties.iter().for_each(|liberty| add(liberty, 1)),
            (true, 1) if with_ataris => {
                let escapes = |point: &Point| board.liberties_after(color, *point).len() > 1;
                let liberties = chain.liberties.iter();
                liberties
                    .filter(escapes)
                    .for_each(|liberty| add(liberty, 0));
            }
            (false, 2) if with_ataris => {
                let is_decisive = |point: &Point| is_decisive_atari(board, color, chain, *point);
                let liberties = chain.liberties.iter();
                liberties
                    .filter(is_decisive)
                    .for_each(|liberty| add(liberty, 0));
            }
            _ => {}
        }
    }
    moves.sort_unstable();
    let mut seen = PointSet::EMPTY;
    let points = moves.into_iter().map(|(_, point)| point).filter(|&point| {
        let is_new = !seen.contains(point);
        seen.insert(point);
        is_new && position.check_legal(point).is_ok()
    });
    points.collect()
}

/// Returns true if a stone of `color` at `point`, one of the two liberties of `chain`, leaves the chain at most one
/// liberty even after it extends, and is not in atari itself. The chain may still escape by a capture.
fn is_decisive_atari(board: &Board, color: Color, chain: &Chain, point: Point) -> bool {
    let mut others = chain.liberties;
    others.remove(point);
    let extension = others.only().map(|other| {
        let mut liberties = board.liberties_after(chain.color, other);
        liberties.remove(point);
        liberties.len()
    });
    extension.is_some_and(|liberties| liberties <= 1)
        && board.liberties_after(color, point).len() > 1
}
