//! The ladders of the present board and of those one and two moves ago.
//!
//! What was read for a board is kept: a search has mostly asked about the earlier boards when they were present ones.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::turns::moves_in_turn;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::ladder::{LadderReader, Ladders};

/// Boards kept; a new one takes the place of another with the same remainder of its hash.
const KEPT: usize = 1024;

/// Reads ladders against both colours, and remembers which stones they capture.
#[derive(Debug, Default)]
pub struct LadderBook {
    reader: LadderReader,
    kept: Vec<Option<Entry>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    board: Key,
    captured: PointSet,
}

/// All that ladders depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    size: BoardSize,
    stones: ByColor<PointSet>,
    /// Where taking straight back is forbidden.
    ko: Option<Point>,
}

impl LadderBook {
    /// A book without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The ladders of `board`; `ko` is where neither side may take at once.
    pub fn present(&mut self, board: &Board, ko: Option<Point>) -> ByColor<Ladders> {
        let ladders = self.read(board, ko);
        let stones = *board.stones_by_color();
        let size = board.size();
        self.keep(Key { size, stones, ko }, captured(&ladders));
        ladders
    }

    /// The stones of both colours that ladders captured on the board of `back` moves ago, which must be remembered.
    pub fn captured_before(&mut self, position: &Position, back: usize) -> PointSet {
        let key = Key {
            size: position.size(),
            stones: ByColor::of(|color| position.stones_before(back, color)),
            ko: ko_before(position, back),
        };
        if let Some(entry) = self.kept.get(key.slot()).copied().flatten()
            && entry.board == key
        {
            return entry.captured;
        }
        let board =
            Board::with_stones(key.size, key.stones[Color::Black], key.stones[Color::White])
                .expect("the stones stood in play, every chain with a liberty");
        let captured = captured(&self.read(&board, key.ko));
        self.keep(key, captured);
        captured
    }

    fn read(&mut self, board: &Board, ko: Option<Point>) -> ByColor<Ladders> {
        ByColor::of(|color| self.reader.ladders(board, color, ko))
    }

    fn keep(&mut self, board: Key, captured: PointSet) {
        self.kept.resize(KEPT, None);
        self.kept[board.slot()] = Some(Entry { board, captured });
    }
}

impl Key {
    fn slot(&self) -> usize {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        (hasher.finish() % KEPT as u64) as usize
    }
}

/// The stones of both colours that the ladders capture.
#[must_use]
pub fn captured(ladders: &ByColor<Ladders>) -> PointSet {
    ladders[Color::Black].captured | ladders[Color::White].captured
}

/// Where taking straight back was forbidden on the board of `back` moves ago.
fn ko_before(position: &Position, back: usize) -> Option<Point> {
    if back >= moves_in_turn(position) {
        return None;
    }
    let (color, Move::Play(point)) = position.last_move(back)? else {
        return None;
    };
    let (own, other) = (
        position.stones_before(back, color),
        position.stones_before(back, color.opposite()),
    );
    let taken = position.stones_before(back + 1, color.opposite()) - other;
    let beside = PointSet::single(point).neighbours(position.board().area());
    let lone_in_atari = !beside.intersects(&own) && beside - other == taken;
    taken.only().filter(|_| lone_in_atari)
}
