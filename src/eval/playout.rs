//! Random playouts: both sides play random legal moves, filling no own eye, until neither can move.

use super::quick::{Cell, QuickBoard, cell_of};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::rng::Rng;

/// Plays positions to the end; keeps its room between them.
#[derive(Debug)]
pub struct Playout {
    start: QuickBoard,
    start_turn: Turn,
    area: PointSet,
    board: QuickBoard,
}

/// What the stones do not tell.
#[derive(Clone, Copy, Debug)]
struct Turn {
    to_move: Color,
    /// Where the side to move may not retake.
    ko: Option<Cell>,
    /// Passes in a row.
    passes: u8,
}

impl Default for Playout {
    fn default() -> Self {
        let board = QuickBoard::new(BoardSize::STANDARD);
        Self {
            start: board.clone(),
            start_turn: Turn {
                to_move: Color::Black,
                ko: None,
                passes: 0,
            },
            area: PointSet::board(BoardSize::STANDARD),
            board,
        }
    }
}

impl Playout {
    /// Plays from `position` to the end and returns the points that are Black's there: stones and eyes. All other
    /// points are White's, but for the few that neither owns (see [`owned`](Self::owned)).
    ///
    /// Suicide is never played, only the basic ko is respected, and a playout stops after three moves a point.
    pub fn run(&mut self, position: &Position, rng: &mut Rng) -> PointSet {
        self.prepare(position);
        self.again(rng);
        self.owned(Color::Black)
    }

    /// Takes the position that [`again`](Self::again) starts from.
    pub fn prepare(&mut self, position: &Position) {
        let to_move = position.to_move();
        self.start.load(position.board());
        self.area = *position.board().area();
        self.start_turn = Turn {
            to_move,
            ko: position.ko_for(to_move).map(cell_of),
            passes: position.passes().min(1),
        };
    }

    /// Plays from the position prepared last, as [`run`](Self::run) does.
    pub fn again(&mut self, rng: &mut Rng) {
        self.board.clone_from(&self.start);
        let Turn {
            mut to_move,
            mut ko,
            mut passes,
        } = self.start_turn;
        for _ in 0..3 * self.area.len() {
            match self.choose(to_move, ko, rng) {
                Some(index) => {
                    ko = self.board.play(to_move, index);
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
    }

    /// The points of `color` at the end of the last playout: its stones and the empty points beside none but them.
    #[must_use]
    pub fn owned(&self, color: Color) -> PointSet {
        let own = self.board.stones(color);
        let other = self.board.stones(color.opposite());
        let empty = self.area - own - other;
        own | (own.neighbours(&empty) - other.neighbours(&empty))
    }

    /// The place among the empty points of a move drawn at random, scanning on from it while moves are unplayable.
    #[inline]
    fn choose(&mut self, color: Color, ko: Option<Cell>, rng: &mut Rng) -> Option<usize> {
        let count = self.board.empty_count();
        if count == 0 {
            return None;
        }
        let start = rng.below(count);
        let mut playable = |index: &usize| self.board.is_playable(color, *index, ko);
        (start..count)
            .find(&mut playable)
            .or_else(|| (0..start).find(playable))
    }
}
