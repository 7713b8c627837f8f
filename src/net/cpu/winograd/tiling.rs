//! Division of boards into Winograd tiles, and the row of each tile in the matrices of transformed inputs and
//! products.
//!
//! The products at the interpolation point infinity contribute only to the last row or column of a tile's results. A
//! *clipped* tile does not store that row or column and has no rows in the matrices of these products. Along a side of
//! the board, a full tile of 4x4 points needs six products, and a clipped tile five.
//!
//! Each side is cut into the minimum number of tiles, with the maximum number of clipped ones. 9 points are cut into
//! three tiles of three points (15 products, instead of 17 for tiles of four, four and one). 19 points are cut into
//! four tiles of four points and one tile of three (29 products instead of 30).

use crate::net::cpu::layout::BoardLayout;

/// Number of kinds of matrices. A matrix has an interpolation point down the board and one across the board, each of
/// which is either finite or infinity.
pub const NUM_INTERPOLATION_KINDS: usize = 4;

/// Returns the kind of a matrix. `down` and `across` are true if the matrix's interpolation point in that direction is
/// infinity.
pub const fn interpolation_kind(down: bool, across: bool) -> usize {
    2 * down as usize + across as usize
}

/// The first `count` boards of a layout, cut into tiles.
#[derive(Clone, Copy)]
pub struct Tiling<'a> {
    pub layout: &'a BoardLayout,
    pub count: usize,
    /// Number of rows of a full tile, and also its number of columns.
    pub side: usize,
    /// All tiles, ordered by board, row and column.
    pub tiles: &'a [Tile],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub board: usize,
    /// Board row of the first point.
    pub row: usize,
    /// Board column of the first point.
    pub column: usize,
    /// Number of rows and columns that the tile stores.
    pub points: (usize, usize),
    /// Row of the tile in the matrices of each kind. If a clipped tile has no row in a kind, this is a dummy row:
    /// inputs written there are overwritten by the next tile or never read, and products read there do not affect the
    /// stored results.
    pub rows: [usize; NUM_INTERPOLATION_KINDS],
}

/// Input of a convolution, and the tiles of its output.
#[derive(Clone, Copy)]
pub struct TiledInput<'a> {
    pub tiling: Tiling<'a>,
    /// Distance from the centre of the kernel to its outermost points, in points.
    pub reach: usize,
    /// Input, `[cells, channels]`.
    pub from: &'a [f32],
    /// Number of channels, padded to whole vectors.
    pub stride: usize,
}

impl TiledInput<'_> {
    /// Returns the cell of the first point that a tile reads.
    #[inline(always)]
    pub fn first_cell(&self, tile: &Tile) -> usize {
        let layout = self.tiling.layout;
        layout.cell(tile.board, tile.row, tile.column) - self.reach * (layout.row_stride + 1)
    }

    /// Returns the distance between rows of a board, in elements.
    #[inline(always)]
    pub fn row_stride(&self) -> usize {
        self.tiling.layout.row_stride * self.stride
    }
}

/// Tiles along one side of a board: full tiles first, then clipped tiles. The last tile may extend over the edge.
#[derive(Clone, Copy)]
struct SideTiles {
    /// Number of points on the side of the board.
    points: usize,
    /// Number of points on the side of a full tile.
    side: usize,
    /// Number of full tiles.
    whole: usize,
    clipped: usize,
}

impl SideTiles {
    /// Divides a side of `points` points into tiles of at most `side` points.
    #[inline(always)]
    const fn new(points: usize, side: usize) -> Self {
        let tiles = points.div_ceil(side);
        let whole = points.saturating_sub(tiles * (side - 1));
        Self {
            points,
            side,
            whole,
            clipped: tiles - whole,
        }
    }

    /// Returns the number of matrix rows along this side. `at_infinity` is true for the matrices of the interpolation
    /// point infinity along this side.
    #[inline(always)]
    const fn rows(self, at_infinity: bool) -> usize {
        match at_infinity {
            true => self.whole,
            false => self.whole + self.clipped,
        }
    }

    /// Returns the first point of a tile, the number of points that the tile stores, and true if the tile is clipped.
    #[inline(always)]
    fn piece(self, index: usize) -> (usize, usize, bool) {
        let clipped = index >= self.whole;
        let first = index * self.side - index.saturating_sub(self.whole);
        let max_points = self.side - usize::from(clipped);
        (first, max_points.min(self.points - first), clipped)
    }
}

impl Tiling<'_> {
    /// Returns the number of rows in the matrices of this kind.
    #[inline(always)]
    pub fn matrix_rows(self, kind_index: usize) -> usize {
        self.count * matrix_rows_per_board(self.layout, self.side, kind_index)
    }
}

/// Returns the tiles along a column (down the board) and along a row (across the board).
#[inline(always)]
const fn side_tiles(layout: &BoardLayout, side: usize) -> (SideTiles, SideTiles) {
    let BoardLayout { height, width, .. } = *layout;
    (SideTiles::new(height, side), SideTiles::new(width, side))
}

/// Returns the number of rows for each board in the matrices of this kind, with tiles of `side` by `side` points.
#[inline(always)]
pub fn matrix_rows_per_board(layout: &BoardLayout, side: usize, kind_index: usize) -> usize {
    let (down, across) = side_tiles(layout, side);
    down.rows(kind_index & interpolation_kind(true, false) != 0)
        * across.rows(kind_index & interpolation_kind(false, true) != 0)
}

/// Cuts all boards of a layout into tiles of at most `side` by `side` points, ordered by board, row and column.
pub fn tiles(layout: &BoardLayout, side: usize) -> Vec<Tile> {
    let (rows, columns) = layout.tile_counts(side);
    let (down, across) = side_tiles(layout, side);
    let mut next = [0; NUM_INTERPOLATION_KINDS];
    let mut tiles = Vec::with_capacity(layout.capacity * rows * columns);
    for index in 0..layout.capacity * rows * columns {
        let (row, height, clipped_below) = down.piece(index / columns % rows);
        let (column, width, clipped_right) = across.piece(index % columns);
        tiles.push(Tile {
            board: index / (rows * columns),
            row,
            column,
            points: (height, width),
            rows: next,
        });
        for (index, next) in next.iter_mut().enumerate() {
            let down = index & interpolation_kind(true, false) != 0;
            let across = index & interpolation_kind(false, true) != 0;
            *next += usize::from(!(down && clipped_below || across && clipped_right));
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_stored_once_and_whole_tiles_have_a_row_of_every_matrix() {
        for (height, width, side) in [
            (19, 19, 4),
            (19, 16, 4),
            (13, 9, 4),
            (9, 5, 4),
            (3, 2, 4),
            (1, 6, 4),
            (7, 8, 2),
        ] {
            let layout = BoardLayout::new(3, height, width, 2);
            let tiles = tiles(&layout, side);
            assert_eq!(
                tiles.len(),
                3 * height.div_ceil(side) * width.div_ceil(side)
            );
            let mut rows = [0; NUM_INTERPOLATION_KINDS];
            let mut stored = vec![0; 3 * height * width];
            for tile in &tiles {
                let (tall, wide) = tile.points;
                for row in tile.row..tile.row + tall {
                    for column in tile.column..tile.column + wide {
                        stored[(tile.board * height + row) * width + column] += 1;
                    }
                }
                for (down, across) in [(false, false), (false, true), (true, false), (true, true)] {
                    let of = interpolation_kind(down, across);
                    assert_eq!(tile.rows[of], rows[of]);
                    assert!(tile.rows[of] < tiles.len(), "there is room");
                    rows[of] += usize::from(!(down && tall < side || across && wide < side));
                }
            }
            assert!(stored.iter().all(|times| *times == 1), "{height}x{width}");
            assert_eq!(
                rows,
                [0, 1, 2, 3].map(|of| 3 * matrix_rows_per_board(&layout, side, of)),
                "{height}x{width}"
            );
        }
    }

    #[test]
    fn no_tile_is_larger_than_need_be() {
        let products = |points: usize| {
            let pieces = SideTiles::new(points, 4);
            5 * pieces.rows(false) + pieces.rows(true)
        };
        assert_eq!([9, 13, 19].map(products), [15, 21, 29]);
        for points in 6..=19 {
            // Along a side, each tile reads two points more than it stores.
            assert_eq!(products(points), points + 2 * points.div_ceil(4));
        }
    }
}
