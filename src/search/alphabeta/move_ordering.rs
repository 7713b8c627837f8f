//! Move ordering: captures and rescues first, then moves that have caused cutoffs.

use crate::game::color::{ByColor, Color};
use crate::game::point::{Move, Point};
use crate::game::position::Position;
use crate::tactics::killers::Killers;

/// Unit of the score for captured and rescued stones. The sum of all other scores of a move is smaller.
const STONE_SCORE: u64 = 1 << 32;
/// Score of a move that recently caused a cutoff at the same ply.
const KILLER_SCORE: u64 = STONE_SCORE / 2;

/// History scores and killer moves of one search.
#[derive(Debug, Default)]
pub struct MoveOrdering {
    /// History score of each point in row-major order.
    history: ByColor<Vec<u64>>,
    /// Moves that recently caused a cutoff at each ply.
    killers: Killers<Move>,
}

impl MoveOrdering {
    /// Creates an empty ordering for boards with `area` points.
    pub fn new(area: usize) -> Self {
        Self {
            history: ByColor::new(vec![0; area], vec![0; area]),
            killers: Killers::default(),
        }
    }

    /// Returns all legal moves in `position`, including a pass, most promising first. `ply` is the number of moves from
    /// the root to `position`.
    pub fn moves(&self, position: &Position, ply: usize) -> Vec<Move> {
        let points = position.legal_points();
        let moves = points.iter().map(Move::Play).chain([Move::Pass]);
        let mut ranked: Vec<(u64, Move)> = moves
            .map(|mv| (self.ordering_score(position, ply, mv), mv))
            .collect();
        // The sort is stable, so that searches are reproducible.
        ranked.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        ranked.into_iter().map(|(_, mv)| mv).collect()
    }

    fn ordering_score(&self, position: &Position, ply: usize, mv: Move) -> u64 {
        let killer = if self.killers.at(ply).contains(&Some(mv)) {
            KILLER_SCORE
        } else {
            0
        };
        let Move::Play(point) = mv else { return killer };
        let color = position.to_move();
        let history = self.history[color][position.size().index(point)].min(KILLER_SCORE / 2);
        STONE_SCORE * atari_score(position, color, point) + killer + history
    }

    /// Records that `mv` caused a cutoff in `position`, which is `ply` moves below the root and was searched to `depth`
    /// further plies.
    pub fn record_cutoff(&mut self, position: &Position, ply: usize, depth: u32, mv: Move) {
        self.killers.add(ply, mv);
        if let Move::Play(point) = mv {
            let index = position.size().index(point);
            self.history[position.to_move()][index] += u64::from(depth) * u64::from(depth);
        }
    }
}

/// Returns a score for the chains in atari next to `point`: opposing chains, which the move captures, and friendly
/// ones, which it may rescue.
fn atari_score(position: &Position, color: Color, point: Point) -> u64 {
    let board = position.board();
    let chains = board.adjacent_chains(point);
    let in_atari = chains.filter(|chain| chain.liberties.len() == 1);
    // Captured stones score slightly more than rescued ones, which may still be lost.
    let score = |own: bool, stones: usize| 2 * stones as u64 - u64::from(own);
    in_atari
        .map(|chain| score(chain.color == color, chain.stones.len()))
        .sum()
}
