//! Which moves to try first: those that take or save stones, then those that have refuted others.

use crate::game::color::{ByColor, Color};
use crate::game::point::{Move, Point};
use crate::game::position::Position;
use crate::tactics::killers::Killers;

/// What a stone that is taken or saved counts; history counts up to it.
const STONE_SCORE: u64 = 1 << 32;
/// What a move counts that has just refuted another at the same depth.
const KILLER_SCORE: u64 = STONE_SCORE / 2;

/// What has been learned about moves while reading.
#[derive(Debug, Default)]
pub struct MoveOrdering {
    /// How much each point has refuted, in reading order.
    history: ByColor<Vec<u64>>,
    /// For each ply the moves that lately refuted something there.
    killers: Killers<Move>,
}

impl MoveOrdering {
    /// Nothing learned yet about boards of that many points.
    pub fn new(area: usize) -> Self {
        Self {
            history: ByColor::new(vec![0; area], vec![0; area]),
            killers: Killers::default(),
        }
    }

    /// All legal moves and the pass, the most promising first.
    pub fn moves(&self, position: &Position, ply: usize) -> Vec<Move> {
        let points = position.legal_points();
        let moves = points.iter().map(Move::Play).chain([Move::Pass]);
        let mut ranked: Vec<(u64, Move)> = moves
            .map(|mv| (self.ordering_score(position, ply, mv), mv))
            .collect();
        // A stable sort keeps reading order among equals, so that a reading can be repeated.
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
        STONE_SCORE * stones_in_atari(position, color, point) + killer + history
    }

    /// Remembers that the move refuted something, read that deep.
    pub fn record_cutoff(&mut self, position: &Position, ply: usize, depth: u32, mv: Move) {
        self.killers.add(ply, mv);
        if let Move::Play(point) = mv {
            let index = position.size().index(point);
            self.history[position.to_move()][index] += u64::from(depth) * u64::from(depth);
        }
    }
}

/// Stones in atari beside the point: of the opponent's, which the move takes, and of its own.
fn stones_in_atari(position: &Position, color: Color, point: Point) -> u64 {
    let board = position.board();
    let chains = board.adjacent_chains(point);
    let in_atari = chains.filter(|chain| chain.liberties.len() == 1);
    // Stones taken count a little more than stones that may still be lost.
    let score = |own: bool, stones: usize| 2 * stones as u64 - u64::from(own);
    in_atari
        .map(|chain| score(chain.color == color, chain.stones.len()))
        .sum()
}
