//! How long a position has been lost, which decides when to resign.

use crate::game::color::{ByColor, Color};
use crate::game::point::Move;
use crate::game::record::Record;

/// Own turns in a row with a lost position, in the game where they were counted: one that begins with the same moves. Some
/// clients set the whole game up again before each move.
#[derive(Debug, Default)]
pub struct LostTurns {
    counts: ByColor<u32>,
    /// The board at the beginning of the game, and the moves up to the last turn counted.
    start: u64,
    moves: Vec<(Color, Move)>,
}

impl LostTurns {
    /// Those of `color` in that game, its last turn included.
    #[must_use]
    pub fn of(&self, record: &Record, color: Color) -> u32 {
        if self.is_of(record) {
            self.counts[color]
        } else {
            0
        }
    }

    /// Says how many there are now.
    pub fn set(&mut self, record: &Record, color: Color, turns: u32) {
        if !self.is_of(record) {
            self.counts = ByColor::default();
            self.start = record.initial().board().hash();
        }
        self.moves = record.moves().to_vec();
        self.counts[color] = turns;
    }

    fn is_of(&self, record: &Record) -> bool {
        record.initial().board().hash() == self.start && record.moves().starts_with(&self.moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::{BoardSize, Point};
    use crate::game::rules::Rules;

    #[test]
    fn turns_are_of_games_that_begin_alike() {
        let game = |columns: &[usize]| {
            let size = BoardSize::new(9, 9).unwrap();
            let mut record = Record::new(size, Rules::default());
            for &column in columns {
                let color = record.position().to_move();
                record
                    .play(color, Move::Play(Point::at(column, 0)))
                    .unwrap();
            }
            record
        };
        let mut lost = LostTurns::default();
        lost.set(&game(&[1, 2]), Color::Black, 2);
        assert_eq!(lost.of(&game(&[1, 2, 3, 4]), Color::Black), 2);
        assert_eq!(lost.of(&game(&[1, 2, 3, 4]), Color::White), 0);
        for other in [&[][..], &[1], &[1, 3, 2]] {
            assert_eq!(lost.of(&game(other), Color::Black), 0, "{other:?}");
        }
        lost.set(&game(&[1, 2, 3]), Color::White, 1);
        assert_eq!(lost.of(&game(&[1, 2, 3]), Color::Black), 2);
        lost.set(&game(&[5]), Color::White, 1);
        assert_eq!(lost.of(&game(&[5]), Color::Black), 0);
    }
}
