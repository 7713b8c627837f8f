//! How long a position has been lost, which decides when to resign.

use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::record::Record;

/// Own turns in a row with a lost position, in the game where they were counted: one that begins with the same moves.
/// Some clients set the whole game up again before each move.
#[derive(Debug, Default)]
pub struct LostTurns {
    counts: ByColor<Count>,
    /// The board at the beginning of the game, and the moves up to the last turn counted.
    start: Option<(BoardSize, u64)>,
    moves: Vec<(Color, Move)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    turns: u32,
    /// How many moves there were at the last of these turns, if it was counted here.
    at: Option<usize>,
}

impl LostTurns {
    /// Those of `color` in that game, its last turn included.
    #[must_use]
    pub fn of(&self, record: &Record, color: Color) -> u32 {
        self.count(record, color).turns
    }

    /// Counts a turn of `color`, once however often it is asked for a move there; says how many there are.
    pub fn note(&mut self, record: &Record, color: Color, is_lost: bool) -> u32 {
        let count = self.count(record, color);
        let here = Some(record.moves().len());
        let before = count.turns.saturating_sub(u32::from(count.at == here));
        let turns = match is_lost {
            true => before.saturating_add(1),
            false => 0,
        };
        self.put(record, color, Count { turns, at: here });
        turns
    }

    /// Says how many there were before this turn.
    pub fn set(&mut self, record: &Record, color: Color, turns: u32) {
        self.put(record, color, Count { turns, at: None });
    }

    fn count(&self, record: &Record, color: Color) -> Count {
        if self.is_of(record) {
            self.counts[color]
        } else {
            Count::default()
        }
    }

    fn put(&mut self, record: &Record, color: Color, count: Count) {
        if !self.is_of(record) {
            self.counts = ByColor::default();
            self.start = Some(start(record));
        }
        self.moves = record.moves().to_vec();
        self.counts[color] = count;
    }

    fn is_of(&self, record: &Record) -> bool {
        self.start == Some(start(record)) && record.moves().starts_with(&self.moves)
    }
}

fn start(record: &Record) -> (BoardSize, u64) {
    (record.size(), record.initial().board().hash())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use crate::game::rules::Rules;

    fn game(columns: &[usize]) -> Record {
        let size = BoardSize::new(9, 9).unwrap();
        let mut record = Record::new(size, Rules::default());
        for &column in columns {
            let color = record.position().to_move();
            let mv = Move::Play(Point::at(column, 0));
            record.play(color, mv).unwrap();
        }
        record
    }

    #[test]
    fn turns_are_of_games_that_begin_alike() {
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

    #[test]
    fn a_turn_counts_once_and_a_better_one_ends_the_count() {
        let mut lost = LostTurns::default();
        let mut note =
            |columns: &[usize], is_lost| lost.note(&game(columns), Color::Black, is_lost);
        assert_eq!([note(&[], true), note(&[], true)], [1, 1]);
        assert_eq!(note(&[1, 2], true), 2);
        assert_eq!(note(&[1, 2, 3, 4], true), 3);
        assert_eq!(note(&[1, 2, 3, 4], true), 3);
        assert_eq!(note(&[1, 2, 3, 4], false), 0);
        assert_eq!(note(&[1, 2, 3, 4, 5, 6], true), 1);
        // What a client says of the turns before is of none that was counted here.
        lost.set(&game(&[]), Color::Black, 2);
        assert_eq!(lost.note(&game(&[]), Color::Black, true), 3);
    }
}
