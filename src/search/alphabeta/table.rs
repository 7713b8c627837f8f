//! Transposition table of the alpha-beta search.
//!
//! The key of an entry covers everything that affects the value of a position except its history: stones, side to move,
//! passes, button, prisoners under territory scoring, and the points at which ko or superko currently forbids a move.
//! Rules, komi and handicap do not change while a table is in use.
//!
//! **Repetitions.** Two lines can lead to the same board with different histories. A move deeper in the tree may then
//! be legal after one history and forbidden by superko after the other, or it may end the game without a result. The
//! search ignores this difference, as most programs do, because the moves that are forbidden in the position itself are
//! part of the key and repetitions further below are rare. A search without heuristics instead includes the positions
//! since the root in the key, so that its results are exact.

use std::sync::Arc;

use super::value::Window;
use crate::game::color::Color;
use crate::game::point::{Move, POINT_TABLE_LEN, Point};
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::io::stderr;
use crate::random::splitmix64;
use crate::tactics::transposition_table::{TableEntry, TranspositionTable};

/// Relation of a stored value to the value of the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Lower = 1,
    Upper = 2,
    Exact = 3,
}

/// Result of searching a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Value for the side to move, in evaluation units.
    pub value: i32,
    pub bound: Bound,
    /// Search depth in plies.
    pub depth: u32,
    /// Best move, if known.
    pub best_move: Option<Move>,
}

const VALUE_BITS: u32 = 24;
const DEPTH_BITS: u32 = 8;
const BOUND_BITS: u32 = 2;
const VALUE_OFFSET: i32 = 1 << (VALUE_BITS - 1);
/// Code of a pass. The code of a point is its number.
const PASS: u64 = POINT_TABLE_LEN as u64;
/// Code for the absence of a move.
const NO_MOVE: u64 = PASS + 1;

impl TableEntry for Entry {
    fn pack(self) -> u64 {
        let best_move = match self.best_move {
            None => NO_MOVE,
            Some(Move::Pass) => PASS,
            Some(Move::Play(point)) => point.number() as u64,
        };
        // A bound is never 0, so the entry is not 0.
        let packed = best_move << BOUND_BITS | self.bound as u64;
        let packed = packed << DEPTH_BITS | u64::from(self.depth);
        packed << VALUE_BITS | (self.value + VALUE_OFFSET) as u64
    }

    fn unpack(bits: u64) -> Self {
        let field = |shift: u32, width: u32| (bits >> shift) & ((1 << width) - 1);
        let best_move = bits >> (VALUE_BITS + DEPTH_BITS + BOUND_BITS);
        Self {
            value: field(0, VALUE_BITS) as i32 - VALUE_OFFSET,
            depth: field(VALUE_BITS, DEPTH_BITS) as u32,
            bound: match field(VALUE_BITS + DEPTH_BITS, BOUND_BITS) {
                1 => Bound::Lower,
                2 => Bound::Upper,
                _ => Bound::Exact,
            },
            best_move: match best_move {
                PASS => Some(Move::Pass),
                NO_MOVE.. => None,
                number => Some(Move::Play(Point::from_number(number as usize))),
            },
        }
    }

    fn keep_priority(self) -> u32 {
        self.depth
    }
}

impl Entry {
    /// Returns the stored value if it suffices for a search with `window`: it is exact, or it is a bound outside the
    /// window.
    pub fn cutoff(&self, window: Window) -> Option<i32> {
        let is_sufficient = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= window.beta,
            Bound::Upper => self.value <= window.alpha,
        };
        is_sufficient.then_some(self.value)
    }
}

/// Returns the key of a position, which does not depend on its history; see the module documentation.
pub fn position_key(position: &Position) -> u64 {
    let prisoners = match position.rules().scoring {
        Scoring::Area => 0,
        Scoring::Territory => position
            .lost_stones(Color::Black)
            .wrapping_sub(position.lost_stones(Color::White)),
    };
    let button = position.button_owner().map_or(0, |owner| 1 + owner as u64);
    let passes = u64::from(position.passes().min(2));
    let state = u64::from(prisoners) << 5 | button << 3 | passes << 1 | position.to_move() as u64;
    let key = splitmix64(position.board().hash() ^ splitmix64(state));
    let ko_points = position.ko_points();
    ko_points
        .iter()
        .fold(key, |key, point| splitmix64(key ^ point.number() as u64))
}

/// A table shared by the threads of a search, or `None` if there is not enough memory for one.
pub type SharedTable = Option<Arc<TranspositionTable<Entry>>>;

/// The transposition table of a [`Search`](crate::search::Search), allocated when it is first used.
pub struct LazyTable {
    /// Size of the table in MiB.
    mib: usize,
    table: SharedTable,
}

impl LazyTable {
    /// Reserves nothing yet. The table will have at most `bytes` bytes, but at least 1 MiB.
    pub const fn new(bytes: usize) -> Self {
        let mib = bytes >> 20;
        Self {
            mib: if mib == 0 { 1 } else { mib },
            table: None,
        }
    }

    /// Discards the entries.
    pub fn clear(&mut self) {
        self.table = None;
    }

    /// Returns the table and starts a new generation. If the memory cannot be allocated, reduces the size of the table
    /// until it can, and reports the new size once.
    pub fn start_search(&mut self) -> SharedTable {
        if self.table.is_none() && self.mib > 0 {
            let requested = self.mib;
            self.table = self.allocate();
            if self.mib < requested {
                let allocated = self.mib;
                stderr::eprint_line(format_args!(
                    "honinbo: not enough memory for a transposition table of {requested} MiB; using {allocated} MiB"
                ));
            }
        }
        if let Some(table) = &self.table {
            table.new_generation();
        }
        self.table.clone()
    }

    fn allocate(&mut self) -> SharedTable {
        while self.mib > 0 {
            if let Ok(table) = TranspositionTable::new(self.mib) {
                return Some(Arc::new(table));
            }
            self.mib /= 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    #[test]
    fn entries_survive_packing() {
        let corner = Move::Play(Point::at(18, 18));
        for best_move in [
            None,
            Some(Move::Pass),
            Some(Move::Play(Point::at(0, 0))),
            Some(corner),
        ] {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                for (value, depth) in [(0, 0), (-123_456, 60), (654_321, 7)] {
                    let entry = Entry {
                        value,
                        bound,
                        depth,
                        best_move,
                    };
                    let packed = entry.pack();
                    assert!(packed > 0 && packed < 1 << 58);
                    assert_eq!(Entry::unpack(packed), entry);
                }
            }
        }
    }

    #[test]
    fn key_covers_ko_and_passes() {
        let board = diagram::parse_board(
            ". X O .
             X O . O
             . X O .",
        )
        .unwrap();
        let mut position = Position::from_board(board, Color::Black, Rules::default());
        position
            .play(Color::Black, Move::Play(Point::at(2, 1)))
            .unwrap();
        let without_ko = position.without_history(Color::White);
        assert_ne!(position_key(&position), position_key(&without_ko));
        position.play(Color::White, Move::Pass).unwrap();
        let before_pass = position.without_history(Color::Black);
        assert_ne!(position_key(&position), position_key(&before_pass));
    }

    #[test]
    fn table_that_does_not_fit_is_reduced() {
        let mut memory = LazyTable::new(usize::MAX);
        assert!(memory.start_search().is_some());
        assert!(memory.mib < usize::MAX >> 20 && memory.mib > 0);
    }
}
