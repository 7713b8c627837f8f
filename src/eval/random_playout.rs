//! Random playouts: both sides play random legal moves without filling their own eyes, until neither has a move left.

use super::playout_board::{CellIndex, PlayoutBoard, cell_of};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::random::Rng;

/// Runner of random playouts. Reuses the memory of its boards.
#[derive(Debug)]
pub struct RandomPlayout {
    start: PlayoutBoard,
    start_state: TurnState,
    area: PointSet,
    board: PlayoutBoard,
}

/// State of the game other than the stones.
#[derive(Clone, Copy, Debug)]
struct TurnState {
    to_move: Color,
    /// Point that the side to move may not play because of ko, if any.
    ko: Option<CellIndex>,
    /// Number of consecutive passes.
    passes: u8,
}

impl Default for RandomPlayout {
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

impl RandomPlayout {
    /// Plays from `position` to the end and returns the stones and eyes of Black on the final board. All other points
    /// belong to White, except the few that neither side owns (see [`owned_points`](Self::owned_points)).
    ///
    /// Suicide is never played and only the basic ko rule is applied. The number of moves, including passes, is at most
    /// three times the number of points on the board.
    pub fn run(&mut self, position: &Position, rng: &mut Rng) -> PointSet {
        self.set_start(position);
        self.run_from_start(rng);
        self.owned_points(Color::Black)
    }

    /// Sets the position that [`run_from_start`](Self::run_from_start) starts from.
    pub fn set_start(&mut self, position: &Position) {
        let to_move = position.to_move();
        self.start.load(position.board());
        self.area = *position.board().all_points();
        self.start_state = TurnState {
            to_move,
            ko: position.ko_for(to_move).map(cell_of),
            passes: position.passes().min(1),
        };
    }

    /// Plays from the position set by [`set_start`](Self::set_start), like [`run`](Self::run).
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

    /// Returns the points of `color` at the end of the last playout: its stones, and the empty points that have only
    /// these stones as neighbours.
    pub fn owned_points(&self, color: Color) -> PointSet {
        let own = self.board.stones(color);
        let other = self.board.stones(color.opposite());
        let empty = self.area - own - other;
        own | (own.neighbours(&empty) - other.neighbours(&empty))
    }

    /// Chooses a playable point at random and returns its index in the list of empty points. Returns `None` if no point
    /// is playable.
    ///
    /// Picks the first playable point at or after a random index, with wrap-around.
    #[inline]
    fn choose_move(&mut self, color: Color, ko: Option<CellIndex>, rng: &mut Rng) -> Option<usize> {
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
