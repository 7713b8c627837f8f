//! Games: begun, set up, and taken up from elsewhere.

use std::time::Duration;

use super::Engine;
use crate::eval::Unplayable;
use crate::game::board::NoLiberties;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::{HandicapError, Record};

impl Engine {
    /// A new game on an empty board of that size; komi and rules stay.
    ///
    /// # Errors
    /// When the evaluator cannot judge positions there; nothing has changed then.
    pub fn resize(&mut self, size: BoardSize) -> Result<(), Unplayable> {
        Unplayable::unless_judged(&**self.search.evaluator(), size)?;
        self.record.resize(size);
        self.begin_game();
        Ok(())
    }

    /// A new game on an empty board of the same size; komi and rules stay.
    pub fn clear_board(&mut self) {
        self.record.clear();
        self.begin_game();
    }

    /// Continues with another game.
    ///
    /// # Errors
    /// When the evaluator cannot judge positions on its board; nothing has changed then.
    pub fn set_record(&mut self, record: Record) -> Result<(), Unplayable> {
        Unplayable::unless_judged(&**self.search.evaluator(), record.size())?;
        self.record = record;
        self.begin_game();
        Ok(())
    }

    fn begin_game(&mut self) {
        self.halt();
        self.rests = false;
        self.halted = Duration::ZERO;
        self.clock.restart();
        self.seen = None;
        self.expected = ByColor::default();
        self.games += 1;
        self.search.clear();
        self.search.set_root(self.record.position());
    }

    /// Starts a new game from these stones.
    ///
    /// # Errors
    /// When a chain would have no liberty; nothing has changed then.
    pub fn set_up(&mut self, stones: ByColor<PointSet>, to_move: Color) -> Result<(), NoLiberties> {
        self.halt();
        self.record.set_up(stones, to_move)?;
        self.begin_game();
        Ok(())
    }

    /// Starts a new game from the same stones with `color` to move first.
    pub fn set_first_player(&mut self, color: Color) {
        let initial = self.record.initial();
        let mut first = Position::from_board(initial.board().clone(), color, *initial.rules());
        first.set_handicap(initial.handicap());
        self.record = Record::starting_from(first);
        self.begin_game();
    }

    /// Places Black's handicap stones on an empty board.
    ///
    /// # Errors
    /// When the game has begun, or the points cannot take the stones; nothing has changed then.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.halt();
        self.record.place_handicap(points)?;
        self.begin_game();
        Ok(())
    }
}
