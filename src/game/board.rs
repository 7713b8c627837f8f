//! Stones, chains, liberties and the hash: the only code that puts a stone down or takes one away.
//!
//! A [`Board`] knows nothing of turns, ko or results ([`Position`](super::position::Position) does). Every chain keeps
//! its stones and its liberties as point sets; both and the Zobrist hash are brought up to date by each stone, and the
//! tests compare them with a recomputation from scratch.

use super::color::{ByColor, Color};
use super::point::{BoardSize, NUM_POINTS, Point, STRIDE};
use super::pointset::PointSet;
use super::zobrist;

mod place;

pub use place::Placement;

/// Cells of the lookup table: the points with one row of border above and below, so that the four neighbours of a
/// point are plain index steps.
const CELLS: usize = NUM_POINTS + 2 * STRIDE;
/// Content of a cell with no stone.
const EMPTY: u16 = u16::MAX;
/// Content of a cell that is not on the board.
const OFF_BOARD: u16 = u16::MAX - 1;
/// Steps to the four neighbours, to be added to a cell's number with wrap-around.
const STEPS: [usize; 4] = [STRIDE.wrapping_neg(), usize::MAX, 1, STRIDE];

/// Solidly connected stones of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Whose stones they are.
    pub color: Color,
    /// The stones.
    pub stones: PointSet,
    /// The empty points beside them.
    pub liberties: PointSet,
}

/// Why stones cannot be set up: a chain would have no liberty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected every chain to have a liberty, found a {color} chain without one")]
pub struct NoLibertiesError {
    /// The colour of that chain.
    pub color: Color,
    /// One of its stones.
    pub point: Point,
}

/// The stones on a board of some size.
#[derive(Debug)]
pub struct Board {
    size: BoardSize,
    area: PointSet,
    stones: ByColor<PointSet>,
    hash: u64,
    /// For each cell the number of its chain in `chains`, or [`EMPTY`], or [`OFF_BOARD`].
    cells: [u16; CELLS],
    /// Slots of chains; a free slot has no stones.
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

    /// Keeps the allocations of `self`: the search and the readers copy boards by the million.
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

/// Two boards are equal when they have the same size and stones.
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
    STEPS.map(|step| cell_of(point).wrapping_add(step))
}

impl Board {
    /// An empty board.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        let mut cells = [OFF_BOARD; CELLS];
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

    /// The board with these stones and no captures made.
    ///
    /// # Errors
    /// When a chain would have no liberty.
    ///
    /// # Panics
    /// When a point is off the board or of both colours.
    pub fn with_stones(
        size: BoardSize,
        black: PointSet,
        white: PointSet,
    ) -> Result<Self, NoLibertiesError> {
        let mut board = Self::new(size);
        assert!(
            (black | white).is_subset(&board.area) && !black.intersects(&white),
            "stones off the board or doubled"
        );
        for (color, set) in [(Color::Black, black), (Color::White, white)] {
            for stones in set.components() {
                let liberties = stones.neighbours(&board.area) - black - white;
                if liberties.is_empty() {
                    let point = stones.first().expect("a component has a point");
                    return Err(NoLibertiesError { color, point });
                }
                let id = board.new_chain(Chain {
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

    /// Its size.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// All its points.
    #[must_use]
    pub const fn area(&self) -> &PointSet {
        &self.area
    }

    /// The stones of a colour.
    #[must_use]
    #[inline]
    pub fn stones(&self, color: Color) -> &PointSet {
        &self.stones[color]
    }

    /// The stones of both colours.
    #[must_use]
    #[inline]
    pub const fn stones_by_color(&self) -> &ByColor<PointSet> {
        &self.stones
    }

    /// All stones.
    #[must_use]
    pub fn occupied(&self) -> PointSet {
        self.stones[Color::Black] | self.stones[Color::White]
    }

    /// The points without a stone.
    #[must_use]
    pub fn empty(&self) -> PointSet {
        self.area - self.occupied()
    }

    /// The hash of the stones: exclusive-or of their Zobrist keys. Neither size nor side to move is part of it.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether the point is on the board and has no stone.
    #[must_use]
    #[inline]
    pub fn is_empty_at(&self, point: Point) -> bool {
        self.cells[cell_of(point)] == EMPTY
    }

    /// The colour of the stone on the point.
    #[must_use]
    pub fn color_at(&self, point: Point) -> Option<Color> {
        self.chain_at(point).map(|chain| chain.color)
    }

    /// The chain that the point's stone belongs to.
    #[must_use]
    #[inline]
    pub fn chain_at(&self, point: Point) -> Option<&Chain> {
        self.chain_in_cell(cell_of(point))
    }

    /// All chains, in no particular order.
    pub fn chains(&self) -> impl Iterator<Item = &Chain> {
        self.chains.iter().filter(|chain| !chain.stones.is_empty())
    }

    /// The chains beside the point, each as often as it touches it.
    pub fn adjacent_chains(&self, point: Point) -> impl Iterator<Item = &Chain> {
        neighbour_cells(point)
            .into_iter()
            .filter_map(|c| self.chain_in_cell(c))
    }

    /// The empty points beside the point.
    #[must_use]
    pub fn adjacent_empty(&self, point: Point) -> PointSet {
        neighbour_cells(point)
            .into_iter()
            .filter(|&c| self.cells[c] == EMPTY)
            .map(point_of)
            .collect()
    }

    /// The opposing stones that a stone of `color` on the empty `point` would take.
    #[must_use]
    pub fn captures(&self, color: Color, point: Point) -> PointSet {
        let mut captured = PointSet::EMPTY;
        for chain in self.adjacent_chains(point) {
            if chain.color != color && chain.liberties.len() == 1 {
                captured |= chain.stones;
            }
        }
        captured
    }

    /// Whether a stone of `color` on the empty `point` would leave its own chain without a liberty.
    #[must_use]
    pub fn is_suicide(&self, color: Color, point: Point) -> bool {
        !neighbour_cells(point).into_iter().any(|c| {
            self.cells[c] == EMPTY
                || self
                    .chain_in_cell(c)
                    .is_some_and(|chain| (chain.color == color) == (chain.liberties.len() > 1))
        })
    }

    /// The liberties that the chain of a stone of `color` on the empty `point` would have; none in case of suicide.
    #[must_use]
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

    /// The hash that the board would have after a stone of `color` on the empty `point`.
    #[must_use]
    pub fn hash_after(&self, color: Color, point: Point) -> u64 {
        let captured = self.captures(color, point);
        let mut hash = self.hash ^ zobrist::stone_key(color, point);
        if captured.is_empty() && self.is_suicide(color, point) {
            let mut stones = PointSet::single(point);
            for chain in self
                .adjacent_chains(point)
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
