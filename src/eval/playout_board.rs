//! A board for random playouts. It supports only the operations that playouts need, so that checking or playing a move
//! takes only a few nanoseconds.
//!
//! The implementation is independent of [`Board`]; a test compares the two. The stones of a chain form a ring. Each
//! chain counts its pseudo-liberties: pairs of a stone of the chain and an empty point adjacent to this stone. The
//! count is 0 if and only if the chain has no liberties, and it can be updated without visiting the other stones of
//! the chain.

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, POINT_TABLE_LEN, Point, STRIDE};
use crate::game::pointset::PointSet;

/// Number of cells in the tables, which contain the points and a border on all sides. A power of two, so that
/// `& CELL_MASK` replaces bounds checks.
const NUM_CELLS: usize = 512;
const CELL_MASK: usize = NUM_CELLS - 1;
/// Cell of the first point. All its neighbours, including the diagonal ones, are within the tables.
const FIRST_CELL: usize = STRIDE + 1;
const _: () = assert!(FIRST_CELL + POINT_TABLE_LEN + STRIDE < NUM_CELLS);

/// Content of an empty cell. A cell with a stone contains the index of its colour (0 or 1).
const EMPTY: u8 = 2;
const OFF_BOARD: u8 = 3;

/// Amount by which each empty neighbour of a cell increases the packed neighbour counts of the cell.
///
/// The lower bits count the neighbours of colour `c`, in the four bits from `4 * c`. A cell off the board counts for
/// both colours, so that a count of four means that all neighbours on the board have that colour.
const EMPTY_COUNT_UNIT: u16 = 1 << 8;

const fn color_count_unit(color: usize) -> u16 {
    1 << (4 * color)
}

/// Index of a cell. The points of the board start at [`FIRST_CELL`], in the order of their numbers.
pub(super) type CellIndex = u16;

/// A table with one entry per cell.
#[derive(Clone, Copy, Debug)]
struct CellTable<T>([T; NUM_CELLS]);

impl<T: Copy> CellTable<T> {
    #[inline]
    fn at(&self, cell: CellIndex) -> T {
        self.0[usize::from(cell) & CELL_MASK]
    }

    #[inline]
    fn at_mut(&mut self, cell: CellIndex) -> &mut T {
        &mut self.0[usize::from(cell) & CELL_MASK]
    }
}

/// Board with a list of its empty points in arbitrary order.
#[derive(Clone, Debug)]
pub(super) struct PlayoutBoard {
    size: BoardSize,
    content: CellTable<u8>,
    /// For each cell, the packed numbers of empty neighbours and of neighbours of each colour; see
    /// [`EMPTY_COUNT_UNIT`].
    neighbour_counts: CellTable<u16>,
    /// For each stone, the representative stone of its chain.
    representative: CellTable<CellIndex>,
    /// For each stone, the next stone in the ring of its chain.
    next: CellTable<CellIndex>,
    /// Number of pseudo-liberties of each chain, stored at the representative stone.
    pseudo_liberties: CellTable<u16>,
    /// Number of stones of each chain, stored at the representative stone.
    stones: CellTable<u16>,
    /// The empty points, in the first `empty_count` entries.
    empty: CellTable<CellIndex>,
    empty_count: usize,
}

#[inline]
fn neighbour_cells(cell: CellIndex) -> [CellIndex; 4] {
    const DOWN: CellIndex = STRIDE as CellIndex;
    [cell - DOWN, cell - 1, cell + 1, cell + DOWN]
}

#[inline]
fn diagonal_cells(cell: CellIndex) -> [CellIndex; 4] {
    const DOWN: CellIndex = STRIDE as CellIndex;
    [
        cell - DOWN - 1,
        cell - DOWN + 1,
        cell + DOWN - 1,
        cell + DOWN + 1,
    ]
}

pub(super) fn cell_of(point: Point) -> CellIndex {
    (point.number() + FIRST_CELL) as CellIndex
}

impl PlayoutBoard {
    /// Creates an empty board.
    pub(super) fn new(size: BoardSize) -> Self {
        let mut board = Self {
            size,
            content: CellTable([OFF_BOARD; NUM_CELLS]),
            neighbour_counts: CellTable([0; NUM_CELLS]),
            representative: CellTable([0; NUM_CELLS]),
            next: CellTable([0; NUM_CELLS]),
            pseudo_liberties: CellTable([0; NUM_CELLS]),
            stones: CellTable([0; NUM_CELLS]),
            empty: CellTable([0; NUM_CELLS]),
            empty_count: 0,
        };
        for point in size.points() {
            *board.content.at_mut(cell_of(point)) = EMPTY;
        }
        for point in size.points() {
            let counts = neighbour_cells(cell_of(point)).map(|cell| match board.content.at(cell) {
                EMPTY => EMPTY_COUNT_UNIT,
                _ => color_count_unit(0) + color_count_unit(1),
            });
            *board.neighbour_counts.at_mut(cell_of(point)) = counts.iter().sum();
            board.add_empty(cell_of(point));
        }
        board
    }

    /// Replaces the board with a copy of `board`.
    pub(super) fn load(&mut self, board: &Board) {
        *self = Self::new(board.size());
        for chain in board.chains() {
            let color = chain.color as usize;
            for stone in chain.stones {
                self.place_stone(color, cell_of(stone));
            }
        }
        self.empty_count = 0;
        for point in board.empty_points() {
            self.add_empty(cell_of(point));
        }
    }

    fn add_empty(&mut self, cell: CellIndex) {
        *self.empty.at_mut(self.empty_count as CellIndex) = cell;
        self.empty_count += 1;
    }

    /// Returns the number of empty points.
    #[inline]
    pub(super) fn empty_count(&self) -> usize {
        self.empty_count
    }

    /// Returns true if a playout may play `color` on the point at `index` in the list of empty points. The move must
    /// not fill an eye of `color`, must not be suicide, and must not be at `ko`.
    ///
    /// An eye has only friendly stones as neighbours and at most one diagonal neighbour of the opponent, or none at the
    /// edge of the board ([`is_eye_like`](crate::tactics::eye::is_eye_like)).
    #[inline]
    pub(super) fn is_playable(
        &mut self,
        color: Color,
        index: usize,
        ko: Option<CellIndex>,
    ) -> bool {
        let cell = self.empty.at(index as CellIndex);
        let counts = self.neighbour_counts.at(cell);
        if counts >= EMPTY_COUNT_UNIT {
            return true;
        }
        let color = color as usize;
        if counts >> (4 * color) & 15 == 4 && self.is_eye_like(color, cell) {
            return false;
        }
        ko != Some(cell) && self.has_liberty_after(color, cell)
    }

    fn is_eye_like(&self, color: usize, cell: CellIndex) -> bool {
        let (mut opponents, mut off_board) = (0, 0);
        for diagonal in diagonal_cells(cell) {
            let content = self.content.at(diagonal);
            opponents += u8::from(content == 1 - color as u8);
            off_board |= u8::from(content == OFF_BOARD);
        }
        opponents + off_board <= 1
    }

    /// Returns true if a stone of `color`, played on a point without empty neighbours, would have a liberty, possibly
    /// by capturing.
    fn has_liberty_after(&mut self, color: usize, cell: CellIndex) -> bool {
        let adjacent = neighbour_cells(cell);
        // Each chain loses one pseudo-liberty per stone adjacent to the point. Cells off the board have the
        // representative 0, which is not a stone; its counter is meaningless.
        for neighbour in adjacent {
            let count = self
                .pseudo_liberties
                .at_mut(self.representative.at(neighbour));
            *count = count.wrapping_sub(1);
        }
        let mut has_liberty = false;
        for neighbour in adjacent {
            let is_captured = self.pseudo_liberties.at(self.representative.at(neighbour)) == 0;
            let content = usize::from(self.content.at(neighbour));
            has_liberty |=
                (content == color && !is_captured) || (content == 1 - color && is_captured);
        }
        for neighbour in adjacent {
            let count = self
                .pseudo_liberties
                .at_mut(self.representative.at(neighbour));
            *count = count.wrapping_add(1);
        }
        has_liberty
    }

    /// Plays a playable move on the point at `index` in the list of empty points. If the move starts a basic ko,
    /// returns the point at which the opponent may not retake immediately.
    #[inline]
    pub(super) fn play(&mut self, color: Color, index: usize) -> Option<CellIndex> {
        let cell = self.empty.at(index as CellIndex);
        self.empty_count -= 1;
        *self.empty.at_mut(index as CellIndex) = self.empty.at(self.empty_count as CellIndex);
        let (color, other) = (color as usize, 1 - color as usize);
        let surrounded = self.neighbour_counts.at(cell) >> (4 * other) & 15 == 4;
        self.place_stone(color, cell);
        let empty_before = self.empty_count;
        for neighbour in neighbour_cells(cell) {
            if usize::from(self.content.at(neighbour)) == other
                && self.pseudo_liberties.at(self.representative.at(neighbour)) == 0
            {
                self.remove_chain(other, self.representative.at(neighbour));
            }
        }
        let is_ko = surrounded && self.empty_count == empty_before + 1;
        is_ko.then(|| self.empty.at(empty_before as CellIndex))
    }

    /// Places a stone and merges it with adjacent chains of its colour. Captures nothing.
    #[inline]
    fn place_stone(&mut self, color: usize, cell: CellIndex) {
        *self.content.at_mut(cell) = color as u8;
        *self.representative.at_mut(cell) = cell;
        *self.next.at_mut(cell) = cell;
        *self.pseudo_liberties.at_mut(cell) = self.neighbour_counts.at(cell) / EMPTY_COUNT_UNIT;
        *self.stones.at_mut(cell) = 1;
        for neighbour in neighbour_cells(cell) {
            let counts = self.neighbour_counts.at_mut(neighbour);
            *counts = counts
                .wrapping_add(color_count_unit(color))
                .wrapping_sub(EMPTY_COUNT_UNIT);
            let content = self.content.at(neighbour);
            if content < EMPTY {
                let representative = self.representative.at(neighbour);
                *self.pseudo_liberties.at_mut(representative) -= 1;
                if usize::from(content) == color && representative != self.representative.at(cell) {
                    self.merge_chains(representative, self.representative.at(cell));
                }
            }
        }
    }

    /// Merges two chains. The smaller one adopts the representative of the larger.
    fn merge_chains(&mut self, a: CellIndex, b: CellIndex) {
        let (from, to) = if self.stones.at(a) < self.stones.at(b) {
            (a, b)
        } else {
            (b, a)
        };
        *self.pseudo_liberties.at_mut(to) += self.pseudo_liberties.at(from);
        *self.stones.at_mut(to) += self.stones.at(from);
        let mut stone = from;
        loop {
            *self.representative.at_mut(stone) = to;
            let next = self.next.at(stone);
            if next == from {
                break;
            }
            stone = next;
        }
        // Exchanging the successors of two stones joins their rings.
        *self.next.at_mut(stone) = self.next.at(to);
        *self.next.at_mut(to) = from;
    }

    /// Removes a chain of `color` from the board.
    fn remove_chain(&mut self, color: usize, representative: CellIndex) {
        let mut stone = representative;
        loop {
            *self.content.at_mut(stone) = EMPTY;
            self.add_empty(stone);
            for neighbour in neighbour_cells(stone) {
                let counts = self.neighbour_counts.at_mut(neighbour);
                *counts = counts
                    .wrapping_sub(color_count_unit(color))
                    .wrapping_add(EMPTY_COUNT_UNIT);
                if usize::from(self.content.at(neighbour)) == 1 - color {
                    *self
                        .pseudo_liberties
                        .at_mut(self.representative.at(neighbour)) += 1;
                }
            }
            stone = self.next.at(stone);
            if stone == representative {
                return;
            }
        }
    }

    pub(super) fn stones(&self, color: Color) -> PointSet {
        let is_stone = |point: &Point| self.content.at(cell_of(*point)) == color as u8;
        self.size.points().filter(is_stone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Move;
    use crate::game::position::Position;
    use crate::game::rules::Rules;
    use crate::random::Rng;
    use crate::tactics::eye::is_eye_like;

    fn assert_same(playout_board: &mut PlayoutBoard, position: &Position, ko: Option<CellIndex>) {
        let board = position.board();
        for color in Color::BOTH {
            assert_eq!(playout_board.stones(color), *board.stones(color));
        }
        assert_eq!(playout_board.empty_count(), board.empty_points().len());
        let color = position.to_move();
        for index in 0..playout_board.empty_count() {
            let point = Point::from_number(
                usize::from(playout_board.empty.at(index as CellIndex)) - FIRST_CELL,
            );
            assert!(board.is_empty_at(point));
            let eye = is_eye_like(board, color, point);
            let expected = position.check_legal(point).is_ok() && !eye;
            assert_eq!(
                playout_board.is_playable(color, index, ko),
                expected,
                "{point:?}"
            );
        }
    }

    #[test]
    fn matches_board_in_random_games() {
        let mut rng = Rng::new(21);
        let rules = Rules::parse("chinese").expect("a known rule set");
        for (width, height, games) in [(2, 2, 20), (5, 4, 60), (9, 9, 60), (19, 19, 6)] {
            let size = BoardSize::new(width, height).unwrap();
            for _ in 0..games {
                let mut position = Position::new(size, rules);
                let mut playout_board = PlayoutBoard::new(size);
                let mut ko = None;
                for _ in 0..2 * size.area() {
                    assert_same(&mut playout_board, &position, ko);
                    if rng.chance(0.05) {
                        let board = position.board().clone();
                        playout_board.load(&board);
                        assert_same(&mut playout_board, &position, ko);
                    }
                    let color = position.to_move();
                    let playable: Vec<usize> = (0..playout_board.empty_count())
                        .filter(|&index| playout_board.is_playable(color, index, ko))
                        .collect();
                    let mv = if playable.is_empty() {
                        ko = None;
                        Move::Pass
                    } else {
                        let index = playable[rng.below(playable.len())];
                        let cell = playout_board.empty.at(index as CellIndex);
                        ko = playout_board.play(color, index);
                        Move::Play(Point::from_number(usize::from(cell) - FIRST_CELL))
                    };
                    position.play(color, mv).expect("a playable move is legal");
                    let ko_cell = position.ko_ban().map(|(_, point)| cell_of(point));
                    assert_eq!(ko, ko_cell);
                }
            }
        }
    }
}
