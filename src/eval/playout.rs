//! Random playouts: both sides play random legal moves, filling no own eye, until neither can move.

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::rng::Rng;
use crate::tactics::eyes::is_eye;

/// Room for one playout at a time; keeps its allocations between them.
#[derive(Debug)]
pub struct Playout {
    board: Board,
    empty: Vec<Point>,
    moves: Vec<(Color, Point)>,
}

impl Default for Playout {
    fn default() -> Self {
        Self {
            board: Board::new(BoardSize::STANDARD),
            empty: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl Playout {
    /// Plays from `position` to the end and returns the points that are Black's there: stones and eyes. All other
    /// points are White's, but for the few that neither owns (see [`owned`](Self::owned)).
    ///
    /// Suicide is never played, only the basic ko is respected, and a playout stops after three moves a point.
    pub fn run(&mut self, position: &Position, rng: &mut Rng) -> PointSet {
        self.board.clone_from(position.board());
        self.empty.clear();
        self.empty.extend(self.board.empty());
        self.moves.clear();
        let mut to_move = position.to_move();
        let mut ko = position
            .ko()
            .filter(|(color, _)| *color == to_move)
            .map(|(_, point)| point);
        let mut passes = u8::from(matches!(position.last_move(0), Some((_, Move::Pass))));
        for _ in 0..3 * self.board.size().area() {
            match self.choose(to_move, ko, rng) {
                Some(index) => {
                    let point = self.empty.swap_remove(index);
                    let placed = self.board.place(to_move, point);
                    self.empty.extend(placed.captured);
                    self.moves.push((to_move, point));
                    ko = placed.ko;
                    passes = 0;
                }
                None => {
                    ko = None;
                    passes += 1;
                    if passes >= 2 {
                        break;
                    }
                }
            }
            to_move = to_move.opposite();
        }
        self.owned(Color::Black)
    }

    /// The points of `color` at the end of the last playout: its stones and the empty points beside none but them.
    #[must_use]
    pub fn owned(&self, color: Color) -> PointSet {
        let empty = self.board.empty();
        let beside_other = self.board.stones(color.opposite()).neighbours(&empty);
        *self.board.stones(color) | (self.board.stones(color).neighbours(&empty) - beside_other)
    }

    /// The moves of the last playout, in order.
    #[must_use]
    pub fn moves(&self) -> &[(Color, Point)] {
        &self.moves
    }

    /// The place in `empty` of a move drawn at random, scanning on from it while moves are unplayable.
    fn choose(&self, color: Color, ko: Option<Point>, rng: &mut Rng) -> Option<usize> {
        let count = self.empty.len();
        if count == 0 {
            return None;
        }
        let start = rng.below(count);
        (start..count).chain(0..start).find(|&index| {
            let point = self.empty[index];
            ko != Some(point)
                && !is_eye(&self.board, color, point)
                && !self.board.is_suicide(color, point)
        })
    }
}
