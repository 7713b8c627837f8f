//! Boards: stones, chains, liberties and the Zobrist hash.
//!
//! A [`Board`] does not store the side to move, ko or result; see [`Position`](super::position::Position) for these.
//! Every chain stores its stones and liberties as point sets. The board updates these sets and the hash incrementally
//! with every stone; the tests compare the results with a recomputation from scratch.

use super::color::{ByColor, Color};
use super::point::{BoardSize, POINT_TABLE_LEN, Point, STRIDE};
use super::pointset::PointSet;
use super::zobrist;

mod place;

pub use place::Placement;

/// Number of cells, the entries of the lookup table [`Board::cells`]. There is one cell per point number, plus one row
/// of border cells above and below, so that index arithmetic reaches the four neighbours of any point.
const NUM_CELLS: usize = POINT_TABLE_LEN + 2 * STRIDE;
/// Value of the cell of an empty point.
const EMPTY: u16 = u16::MAX;
/// Value of a cell outside the board.
const OFF_BOARD: u16 = u16::MAX - 1;
/// Offsets of the four neighbouring cells, to be added with wrap-around.
const NEIGHBOUR_OFFSETS: [usize; 4] = [STRIDE.wrapping_neg(), usize::MAX, 1, STRIDE];

/// A maximal set of connected stones of the same colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    pub color: Color,
    pub stones: PointSet,
    /// Empty points adjacent to the chain.
    pub liberties: PointSet,
}

/// Error for set-up stones in which a chain has no liberties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {color} chain at {} has no liberties; remove it or leave an adjacent point empty", first_vertex(*size, stones))]
pub struct NoLibertiesError {
    pub size: BoardSize,
    /// Colour of the chain.
    pub color: Color,
    /// The chain's stones.
    pub stones: PointSet,
}

fn first_vertex(size: BoardSize, stones: &PointSet) -> String {
    stones
        .first()
        .map_or_else(String::new, |point| size.vertex(point))
}

/// A Go board with its stones, chains and Zobrist hash.
#[derive(Debug)]
pub struct Board {
    size: BoardSize,
    area: PointSet,
    stones: ByColor<PointSet>,
    hash: u64,
    /// Index in `chains` of the chain in each cell. [`EMPTY`] for empty points, [`OFF_BOARD`] outside the board.
    cells: [u16; NUM_CELLS],
    /// Chains by index. The slots listed in `free_slots` are unused and have no stones.
    chains: Vec<Chain>,
    free_slots: Vec<u16>,
}

impl Clone for Board {
    fn clone(&self) -> Self {
        Self {
            size: self.size,
            area: self.area,
            stones: self.stones,
            hash: self.hash,
            cells: self.cells,
            chains: self.chains.clone(),
            free_slots: self.free_slots.clone(),
        }
    }

    /// Copies `other`, reusing the allocations of `self`. The search and the tactical readers copy millions of boards.
    fn clone_from(&mut self, other: &Self) {
        self.size = other.size;
        self.area = other.area;
        self.stones = other.stones;
        self.hash = other.hash;
        self.cells = other.cells;
        self.chains.clone_from(&other.chains);
        self.free_slots.clone_from(&other.free_slots);
    }
}

/// Boards are equal if they have the same size and the same stones.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.stones == other.stones
    }
}

impl Eq for Board {}

const fn cell_of(point: Point) -> usize {
    point.number() + STRIDE
}

fn point_of(cell: usize) -> Point {
    Point::from_number(cell - STRIDE)
}

fn neighbour_cells(point: Point) -> [usize; 4] {
    NEIGHBOUR_OFFSETS.map(|step| cell_of(point).wrapping_add(step))
}

impl Board {
    /// Creates an empty board.
    pub fn new(size: BoardSize) -> Self {
        let mut cells = [OFF_BOARD; NUM_CELLS];
        for point in size.points() {
            cells[cell_of(point)] = EMPTY;
        }
        Self {
            size,
            area: PointSet::board(size),
            stones: ByColor::default(),
            hash: 0,
            cells,
            chains: Vec::new(),
            free_slots: Vec::new(),
        }
    }

    /// Creates a board with the given stones. No stones are captured.
    ///
    /// # Errors
    /// Returns an error if a chain has no liberties.
    ///
    /// # Panics
    /// Panics if a point is off the board or in both sets.
    pub fn from_stones(
        size: BoardSize,
        black: PointSet,
        white: PointSet,
    ) -> Result<Self, NoLibertiesError> {
        let mut board = Self::new(size);
        assert!(
            (black | white).is_subset(&board.area) && !black.intersects(&white),
            "every stone must be on the board and in only one set"
        );
        for (color, set) in [(Color::Black, black), (Color::White, white)] {
            for stones in set.components() {
                let liberties = stones.neighbours(&board.area) - black - white;
                if liberties.is_empty() {
                    return Err(NoLibertiesError {
                        size,
                        color,
                        stones,
                    });
                }
                let id = board.store_chain(Chain {
                    color,
                    stones,
                    liberties,
                });
                for point in stones {
                    board.cells[cell_of(point)] = id;
                    board.hash ^= zobrist::stone_key(color, point);
                }
            }
            board.stones[color] = set;
        }
        Ok(board)
    }

    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns all points of the board.
    pub const fn all_points(&self) -> &PointSet {
        &self.area
    }

    /// Returns the stones of the given colour.
    #[inline]
    pub fn stones(&self, color: Color) -> &PointSet {
        &self.stones[color]
    }

    /// Returns the stones of both colours.
    #[inline]
    pub const fn stones_by_color(&self) -> &ByColor<PointSet> {
        &self.stones
    }

    /// Returns all occupied points.
    pub fn occupied_points(&self) -> PointSet {
        self.stones[Color::Black] | self.stones[Color::White]
    }

    /// Returns all empty points.
    pub fn empty_points(&self) -> PointSet {
        self.area - self.occupied_points()
    }

    /// Returns the Zobrist hash of the stones. It does not depend on the board size or the side to move.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns true if the point is on the board and empty.
    #[inline]
    pub fn is_empty_at(&self, point: Point) -> bool {
        self.cells[cell_of(point)] == EMPTY
    }

    /// Returns the colour of the stone at the point, or `None` if there is no stone.
    pub fn color_at(&self, point: Point) -> Option<Color> {
        self.chain_at(point).map(|chain| chain.color)
    }

    /// Returns the chain at the point, or `None` if there is no stone.
    #[inline]
    pub fn chain_at(&self, point: Point) -> Option<&Chain> {
        self.chain_in_cell(cell_of(point))
    }

    /// Iterates over all chains in unspecified order.
    pub fn chains(&self) -> impl Iterator<Item = &Chain> {
        self.chains.iter().filter(|chain| !chain.stones.is_empty())
    }

    /// Iterates over the chains adjacent to a point. A chain appears once for each of its stones that is adjacent to
    /// the point.
    pub fn chains_of_adjacent_stones(&self, point: Point) -> impl Iterator<Item = &Chain> {
        neighbour_cells(point)
            .into_iter()
            .filter_map(|c| self.chain_in_cell(c))
    }

    /// Returns the empty points adjacent to `point`.
    pub fn adjacent_empty_points(&self, point: Point) -> PointSet {
        neighbour_cells(point)
            .into_iter()
            .filter(|&c| self.cells[c] == EMPTY)
            .map(point_of)
            .collect()
    }

    /// Returns the opposing stones that a stone of `color` at the empty `point` would capture.
    pub fn captured_by_move(&self, color: Color, point: Point) -> PointSet {
        let mut captured = PointSet::EMPTY;
        for chain in self.chains_of_adjacent_stones(point) {
            if chain.color != color && chain.liberties.len() == 1 {
                captured |= chain.stones;
            }
        }
        captured
    }

    /// Returns true if a stone of `color` at the empty `point` would be suicide.
    pub fn is_suicide(&self, color: Color, point: Point) -> bool {
        !neighbour_cells(point).into_iter().any(|c| {
            self.cells[c] == EMPTY
                || self
                    .chain_in_cell(c)
                    .is_some_and(|chain| (chain.color == color) == (chain.liberties.len() > 1))
        })
    }

    /// Returns the liberties that the chain of a new stone of `color` at the empty `point` would have after captured
    /// stones are removed. The result is empty if the move is suicide.
    pub fn liberties_after(&self, color: Color, point: Point) -> PointSet {
        let mut liberties = PointSet::EMPTY;
        let mut stones = PointSet::single(point);
        let mut captured = PointSet::EMPTY;
        for c in neighbour_cells(point) {
            match self.chain_in_cell(c) {
                Some(chain) if chain.color == color => {
                    liberties |= chain.liberties;
                    stones |= chain.stones;
                }
                Some(chain) if chain.liberties.len() == 1 => captured |= chain.stones,
                None if self.cells[c] == EMPTY => liberties.insert(point_of(c)),
                _ => {}
            }
        }
        if !captured.is_empty() {
            liberties |= stones.neighbours(&captured);
        }
        liberties.remove(point);
        liberties
    }

    /// Returns the hash that the board would have after a stone of `color` is placed at the empty `point`. Takes
    /// captures and suicide into account.
    pub fn hash_after(&self, color: Color, point: Point) -> u64 {
        let captured = self.captured_by_move(color, point);
        let mut hash = self.hash ^ zobrist::stone_key(color, point);
        if captured.is_empty() && self.is_suicide(color, point) {
            let mut stones = PointSet::single(point);
            for chain in self
                .chains_of_adjacent_stones(point)
                .filter(|chain| chain.color == color)
            {
                stones |= chain.stones;
            }
            return stones
                .iter()
                .fold(hash, |hash, stone| hash ^ zobrist::stone_key(color, stone));
        }
        for stone in captured {
            hash ^= zobrist::stone_key(color.opposite(), stone);
        }
        hash
    }

    fn chain_in_cell(&self, cell: usize) -> Option<&Chain> {
        self.chains.get(usize::from(self.cells[cell]))
    }
}
