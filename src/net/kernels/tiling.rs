//! How the boards of a run are cut into tiles, and which rows of Winograd's matrices are a tile's.
//!
//! The products at infinity count for the last row or column of a tile's results alone. Tiles that are *clipped* do not
//! store these, and the matrices of infinity have no rows for them. So a 4x4 tile takes six products along a side, a
//! clipped one five, and boards are cut into as few tiles as there can be, as many of them clipped as leave no point out:
//! 9 points into three of three (15 products along the side; 17 as four, four and one), 19 into four of four and one of
//! three (29, not 30).

use super::aligned::Aligned;
use super::boards::Boards;

/// Kinds of matrices: finite, at infinity across, down, and both ways.
pub const KINDS: usize = 4;

/// The kind of the matrix that is, or is not, at infinity down and across.
pub const fn kind(down: bool, across: bool) -> usize {
    2 * down as usize + across as usize
}

/// Boards cut into tiles.
#[derive(Clone, Copy)]
pub struct Tiling<'a> {
    /// The boards.
    pub boards: &'a Boards,
    /// How many of them.
    pub count: usize,
    /// Rows and columns of a tile.
    pub side: usize,
}

/// One tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Its board.
    pub board: usize,
    /// Of its first point.
    pub row: usize,
    /// Of its first point.
    pub column: usize,
    /// Rows and columns that it stores.
    pub points: (usize, usize),
    /// Its row in the matrices of each kind. Where it has none this is that of the next tile that has one, or after the
    /// last: what is written there is overwritten or never read.
    pub rows: [usize; KINDS],
}

/// What a convolution reads.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The tiles of its results.
    pub tiling: Tiling<'a>,
    /// How far the kernel reaches.
    pub reach: usize,
    /// `[places, channels]`
    pub from: &'a Aligned,
    /// Channels, filled up.
    pub stride: usize,
}

impl Source<'_> {
    /// The place of the first point that a tile's results depend on.
    #[inline(always)]
    pub fn corner(&self, tile: Tile) -> usize {
        let boards = self.tiling.boards;
        boards.place(tile.board, tile.row, tile.column) - self.reach * (boards.line + 1)
    }

    /// Numbers from row to row of a board.
    #[inline(always)]
    pub fn line(&self) -> usize {
        self.tiling.boards.line * self.stride
    }
}

/// The tiles along one side of a board: whole ones first, then clipped ones, the last of which may reach beyond it.
#[derive(Clone, Copy)]
struct Pieces {
    points: usize,
    side: usize,
    whole: usize,
    clipped: usize,
}

impl Pieces {
    /// Of so many points, by tiles of `side` points.
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

    /// Rows of a matrix that is, or is not, at infinity.
    #[inline(always)]
    const fn rows(self, at_infinity: bool) -> usize {
        match at_infinity {
            true => self.whole,
            false => self.whole + self.clipped,
        }
    }

    /// The first point of a tile, how many it stores, and whether it is clipped.
    #[inline(always)]
    fn piece(self, index: usize) -> (usize, usize, bool) {
        let clipped = index >= self.whole;
        let first = index * self.side - index.saturating_sub(self.whole);
        let most = self.side - usize::from(clipped);
        (first, most.min(self.points - first), clipped)
    }
}

impl Tiling<'_> {
    /// Tiles in all, and rows of the matrices that are finite.
    #[inline(always)]
    pub fn tiles(self) -> usize {
        self.rows(kind(false, false))
    }

    /// Rows of the matrices of a kind.
    #[inline(always)]
    pub fn rows(self, of: usize) -> usize {
        let (down, across) = self.pieces();
        let down = down.rows(of & kind(true, false) != 0);
        let across = across.rows(of & kind(false, true) != 0);
        self.count * down * across
    }

    /// The tiles down and across a board.
    #[inline(always)]
    const fn pieces(self) -> (Pieces, Pieces) {
        let Boards { height, width, .. } = *self.boards;
        (
            Pieces::new(height, self.side),
            Pieces::new(width, self.side),
        )
    }

    /// All tiles, board after board and row after row.
    #[inline(always)]
    pub fn each(self) -> impl Iterator<Item = Tile> {
        let (rows, columns) = self.boards.tiles(self.side);
        let (down, across) = self.pieces();
        let mut next = [0; KINDS];
        (0..self.tiles()).map(move |index| {
            let (row, height, clipped_below) = down.piece(index / columns % rows);
            let (column, width, clipped_right) = across.piece(index % columns);
            let tile = Tile {
                board: index / (rows * columns),
                row,
                column,
                points: (height, width),
                rows: next,
            };
            for (of, next) in next.iter_mut().enumerate() {
                let down = of & kind(true, false) != 0;
                let across = of & kind(false, true) != 0;
                *next += usize::from(!(down && clipped_below || across && clipped_right));
            }
            tile
        })
    }
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
            let boards = Boards::new(3, height, width, 2);
            let tiling = Tiling {
                boards: &boards,
                count: 3,
                side,
            };
            let tiles: Vec<Tile> = tiling.each().collect();
            assert_eq!(tiles.len(), tiling.tiles());
            assert_eq!(
                tiles.len(),
                3 * height.div_ceil(side) * width.div_ceil(side)
            );
            let mut rows = [0; KINDS];
            let mut stored = vec![0; 3 * height * width];
            for tile in tiles {
                let (tall, wide) = tile.points;
                for row in tile.row..tile.row + tall {
                    for column in tile.column..tile.column + wide {
                        stored[(tile.board * height + row) * width + column] += 1;
                    }
                }
                for (down, across) in [(false, false), (false, true), (true, false), (true, true)] {
                    let of = kind(down, across);
                    assert_eq!(tile.rows[of], rows[of]);
                    assert!(tile.rows[of] < tiling.tiles(), "there is room");
                    rows[of] += usize::from(!(down && tall < side || across && wide < side));
                }
            }
            assert!(stored.iter().all(|times| *times == 1), "{height}x{width}");
            assert_eq!(
                rows,
                [0, 1, 2, 3].map(|of| tiling.rows(of)),
                "{height}x{width}"
            );
        }
    }

    #[test]
    fn no_tile_is_larger_than_need_be() {
        let products = |points: usize| {
            let pieces = Pieces::new(points, 4);
            5 * pieces.rows(false) + pieces.rows(true)
        };
        assert_eq!([9, 13, 19].map(products), [15, 21, 29]);
        for points in 6..=19 {
            // Each tile looks at two points beside those that it stores.
            assert_eq!(products(points), points + 2 * points.div_ceil(4));
        }
    }
}
