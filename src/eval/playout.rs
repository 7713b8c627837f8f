//! Random playouts: both sides play random legal moves, filling no own eye, until neither can move.

use super::playout_board::{Cell, PlayoutBoard, cell_of};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::random::Rng;

/// Plays positions to the end; keeps its room between them.
#[derive(Debug)]
pub struct Playout {
    start: PlayoutBoard,
    start_state: TurnState,
    area: PointSet,
    board: PlayoutBoard,
}

/// What the stones do not tell.
#[derive(Clone, Copy, Debug)]
struct TurnState {
    to_move: Color,
    /// Where the side to move may not retake.
    ko: Option<Cell>,
    /// Passes in a row.
    passes: u8,
}

impl Default for Playout {
    fn default() -> Self {
        let board = PlayoutBoard::new(BoardSize::STANDARD);
        Self {
            start: board.clone(),
            start_state: TurnState {
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
        self.set_start(position);
        self.run_from_start(rng);
        self.owned(Color::Black)
    }

    /// Takes the position that [`run_from_start`](Self::run_from_start) starts from.
    pub fn set_start(&mut self, position: &Position) {
        let to_move = position.to_move();
        self.start.load(position.board());
        self.area = *position.board().area();
        self.start_state = TurnState {
            to_move,
            ko: position.ko_for(to_move).map(cell_of),
            passes: position.passes().min(1),
        };
    }

    /// Plays from the position prepared last, as [`run`](Self::run) does.
    pub fn run_from_start(&mut self, rng: &mut Rng) {
        self.board.clone_from(&self.start);
        let TurnState {
            mut to_move,
            mut ko,
            mut passes,
        } = self.start_state;
        for _ in 0..3 * self.area.len() {
            match self.choose_move(to_move, ko, rng) {
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
    fn choose_move(&mut self, color: Color, ko: Option<Cell>, rng: &mut Rng) -> Option<usize> {
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
