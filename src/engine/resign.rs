//! When to resign: after several consecutive turns in a lost position, but not in the opening. A position is *lost* if
//! the win rate is below the resignation threshold.

use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::Record;

/// Number of consecutive turns in a lost position after which the engine resigns.
const RESIGN_TURNS: u32 = 3;

/// Returns true if `color` should resign after being in a lost position on `lost_turns` consecutive turns.
pub fn should_resign(position: &Position, color: Color, lost_turns: u32) -> bool {
    lost_turns >= RESIGN_TURNS && !is_too_early(position, color)
}

/// Returns true if it is too early for `color` to resign. In handicap games White is in a lost position from the start
/// and must play on for longer.
fn is_too_early(position: &Position, color: Color) -> bool {
    let area = position.size().area() as u32;
    let gives_handicap = position.handicap() > 0 && color == Color::White;
    let min_moves = if gives_handicap { area / 2 } else { area / 8 };
    position.move_number() < min_moves
}

/// Counter of each side's consecutive turns in a lost position.
///
/// The counts belong to one game. They remain valid for every game that starts with the same moves, because some
/// clients set up the whole game again before each move.
#[derive(Debug, Default)]
pub struct LostTurnCounter {
    counts: ByColor<LostTurnCount>,
    /// Board size and hash of the initial position.
    initial_position_key: Option<(BoardSize, u64)>,
    moves: Vec<(Color, Move)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LostTurnCount {
    turns: u32,
    /// Number of moves in the game at the last counted turn, or `None` if a client set the count.
    counted_at: Option<usize>,
}

impl LostTurnCounter {
    /// Returns the number of consecutive turns, up to and including the last counted one, on which `color` was in a
    /// lost position. Returns 0 if the counts belong to a different game.
    pub fn lost_turns(&self, record: &Record, color: Color) -> u32 {
        self.count(record, color).turns
    }

    /// Updates the count for the current turn of `color` and returns it: one more than before if `is_lost` is true,
    /// otherwise 0. A turn is counted only once, even if its move is requested again.
    pub fn count_turn(&mut self, record: &Record, color: Color, is_lost: bool) -> u32 {
        let count = self.count(record, color);
        let current = Some(record.moves().len());
        let previous = count
            .turns
            .saturating_sub(u32::from(count.counted_at == current));
        let turns = match is_lost {
            true => previous.saturating_add(1),
            false => 0,
        };
        self.store_count(
            record,
            color,
            LostTurnCount {
                turns,
                counted_at: current,
            },
        );
        turns
    }

    /// Sets the number of consecutive turns before the current one on which `color` was in a lost position.
    pub fn set_lost_turns(&mut self, record: &Record, color: Color, turns: u32) {
        self.store_count(
            record,
            color,
            LostTurnCount {
                turns,
                counted_at: None,
            },
        );
    }

    fn count(&self, record: &Record, color: Color) -> LostTurnCount {
        if self.is_for(record) {
            self.counts[color]
        } else {
            LostTurnCount::default()
        }
    }

    fn store_count(&mut self, record: &Record, color: Color, count: LostTurnCount) {
        if !self.is_for(record) {
            self.counts = ByColor::default();
            self.initial_position_key = Some(initial_position_key(record));
        }
        self.moves = record.moves().to_vec();
        self.counts[color] = count;
    }

    fn is_for(&self, record: &Record) -> bool {
        self.initial_position_key == Some(initial_position_key(record))
            && record.moves().starts_with(&self.moves)
    }
}

fn initial_position_key(record: &Record) -> (BoardSize, u64) {
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
    fn counts_apply_to_games_with_common_prefix() {
        let mut counter = LostTurnCounter::default();
        counter.set_lost_turns(&game(&[1, 2]), Color::Black, 2);
        assert_eq!(counter.lost_turns(&game(&[1, 2, 3, 4]), Color::Black), 2);
        assert_eq!(counter.lost_turns(&game(&[1, 2, 3, 4]), Color::White), 0);
        for other in [&[][..], &[1], &[1, 3, 2]] {
            assert_eq!(
                counter.lost_turns(&game(other), Color::Black),
                0,
                "{other:?}"
            );
        }
        counter.set_lost_turns(&game(&[1, 2, 3]), Color::White, 1);
        assert_eq!(counter.lost_turns(&game(&[1, 2, 3]), Color::Black), 2);
        counter.set_lost_turns(&game(&[5]), Color::White, 1);
        assert_eq!(counter.lost_turns(&game(&[5]), Color::Black), 0);
    }

    #[test]
    fn turn_counts_once_and_recovery_resets() {
        let mut counter = LostTurnCounter::default();
        let mut update =
            |columns: &[usize], is_lost| counter.count_turn(&game(columns), Color::Black, is_lost);
        assert_eq!([update(&[], true), update(&[], true)], [1, 1]);
        assert_eq!(update(&[1, 2], true), 2);
        assert_eq!(update(&[1, 2, 3, 4], true), 3);
        assert_eq!(update(&[1, 2, 3, 4], true), 3);
        assert_eq!(update(&[1, 2, 3, 4], false), 0);
        assert_eq!(update(&[1, 2, 3, 4, 5, 6], true), 1);
        // A count set by a client does not include the current turn.
        counter.set_lost_turns(&game(&[]), Color::Black, 2);
        assert_eq!(counter.count_turn(&game(&[]), Color::Black, true), 3);
    }
}
