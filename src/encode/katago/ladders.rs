//! Ladders on the current board and on the boards one and two moves ago.
//!
//! Results are cached by board. A search has usually read the ladders of an earlier board when that board was the
//! current one.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::history::alternating_move_count;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::ladder::{LadderReader, Ladders};

/// Number of slots in the cache. Each slot stores the most recent result among the keys that hash to the slot.
const NUM_SLOTS: usize = 1024;

/// Ladder reader for both colours, with a cache of the stones that ladders capture on each board.
#[derive(Debug, Default)]
pub struct LadderCache {
    reader: LadderReader,
    entries: Vec<Option<LadderEntry>>,
}

#[derive(Clone, Copy, Debug)]
struct LadderEntry {
    key: LadderKey,
    captured: PointSet,
}

/// Cache key: everything that determines which stones ladders capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LadderKey {
    size: BoardSize,
    stones: ByColor<PointSet>,
    /// Point of a basic ko that may not be retaken immediately.
    ko: Option<Point>,
}

impl LadderCache {
    /// Reads the ladders on the current board and caches the stones that they capture. `ko` is the point of a basic ko,
    /// at which the attacker of a ladder may not play first.
    pub fn read_current(&mut self, board: &Board, ko: Option<Point>) -> ByColor<Ladders> {
        let ladders = self.read_ladders(board, ko);
        let stones = *board.stones_by_color();
        let size = board.size();
        self.store(LadderKey { size, stones, ko }, captured_stones(&ladders));
        ladders
    }

    /// Returns the stones of both colours that are captured by ladders on the board `moves_ago` moves ago (at most
    /// [`HISTORY_LEN`](crate::game::position::HISTORY_LEN)).
    pub fn captured_at(&mut self, position: &Position, moves_ago: usize) -> PointSet {
        let key = LadderKey {
            size: position.size(),
            stones: ByColor::from_fn(|color| position.past_stones(moves_ago, color)),
            ko: ko_at(position, moves_ago),
        };
        if let Some(entry) = self.entries.get(key.slot()).copied().flatten()
            && entry.key == key
        {
            return entry.captured;
        }
        let board =
            Board::from_stones(key.size, key.stones[Color::Black], key.stones[Color::White])
                .expect("every chain of an earlier board has a liberty");
        let captured = captured_stones(&self.read_ladders(&board, key.ko));
        self.store(key, captured);
        captured
    }

    fn read_ladders(&mut self, board: &Board, ko: Option<Point>) -> ByColor<Ladders> {
        ByColor::from_fn(|color| self.reader.ladders_against(board, color, ko))
    }

    fn store(&mut self, key: LadderKey, captured: PointSet) {
        self.entries.resize(NUM_SLOTS, None);
        self.entries[key.slot()] = Some(LadderEntry { key, captured });
    }
}

impl LadderKey {
    fn slot(&self) -> usize {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        (hasher.finish() % NUM_SLOTS as u64) as usize
    }
}

/// Returns the stones of both colours that the ladders capture.
pub fn captured_stones(ladders: &ByColor<Ladders>) -> PointSet {
    ladders[Color::Black].captured | ladders[Color::White].captured
}

/// Returns the point of the basic ko on the board `moves_ago` moves ago. Returns `None` if there was no ko or if a
/// later move was out of turn.
fn ko_at(position: &Position, moves_ago: usize) -> Option<Point> {
    if moves_ago >= alternating_move_count(position) {
        return None;
    }
    let (color, Move::Play(point)) = position.past_move(moves_ago)? else {
        return None;
    };
    let (own, opponent) = (
        position.past_stones(moves_ago, color),
        position.past_stones(moves_ago, color.opposite()),
    );
    let captured = position.past_stones(moves_ago + 1, color.opposite()) - opponent;
    let neighbours = PointSet::single(point).neighbours(position.board().all_points());
    let is_lone_in_atari = !neighbours.intersects(&own) && neighbours - opponent == captured;
    captured.only().filter(|_| is_lone_in_atari)
}
