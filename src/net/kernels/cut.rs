//! How the boards of a run are cut into tiles, and which rows of Winograd's matrices are a tile's.
//!
//! The products at infinity count for the last row or column of a tile's results alone. Tiles that reach beyond the board
//! do not store these, so that the matrices of infinity have no rows for them: on 19x19 with tiles of 4x4 a fifteenth of
//! all products.

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
pub struct Cut<'a> {
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
    /// Its row in the matrices of each kind. Where it has none this is that of the next tile that has one, or after the
    /// last: what is written there is overwritten or never read.
    pub rows: [usize; KINDS],
}

/// What a convolution reads.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The tiles of its results.
    pub cut: Cut<'a>,
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
        let boards = self.cut.boards;
        boards.place(tile.board, tile.row, tile.column) - self.reach * (boards.line + 1)
    }

    /// Numbers from row to row of a board.
    #[inline(always)]
    pub fn line(&self) -> usize {
        self.cut.boards.line * self.stride
    }
}

impl Cut<'_> {
    /// Tiles in all, and rows of the matrices that are finite.
    #[inline(always)]
    pub fn tiles(self) -> usize {
        self.rows(kind(false, false))
    }

    /// Rows of the matrices of a kind.
    #[inline(always)]
    pub fn rows(self, of: usize) -> usize {
        let (rows, columns) = self.boards.tiles(self.side);
        let down = rows - usize::from(of & kind(true, false) != 0 && self.clipped().0);
        let across = columns - usize::from(of & kind(false, true) != 0 && self.clipped().1);
        self.count * down * across
    }

    /// Whether the last tiles reach beyond the board: those below, and those to the right.
    #[inline(always)]
    fn clipped(self) -> (bool, bool) {
        let beyond = |points: usize| !points.is_multiple_of(self.side);
        (beyond(self.boards.height), beyond(self.boards.width))
    }

    /// All tiles, board after board and row after row.
    #[inline(always)]
    pub fn each(self) -> impl Iterator<Item = Tile> {
        let (rows, columns) = self.boards.tiles(self.side);
        let clipped = self.clipped();
        let mut next = [0; KINDS];
        (0..self.tiles()).map(move |index| {
            let (row, column) = (index / columns % rows, index % columns);
            let tile = Tile {
                board: index / (rows * columns),
                row: self.side * row,
                column: self.side * column,
                rows: next,
            };
            let below = clipped.0 && row + 1 == rows;
            let right = clipped.1 && column + 1 == columns;
            for (of, next) in next.iter_mut().enumerate() {
                let down = of & kind(true, false) != 0;
                let across = of & kind(false, true) != 0;
                *next += usize::from(!(down && below || across && right));
            }
            tile
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_tiles_have_a_row_of_every_matrix() {
        for (height, width, side) in [(19, 19, 4), (19, 16, 4), (9, 5, 4), (3, 2, 4), (7, 8, 2)] {
            let boards = Boards::new(3, height, width, 2);
            let cut = Cut {
                boards: &boards,
                count: 3,
                side,
            };
            let tiles: Vec<Tile> = cut.each().collect();
            assert_eq!(tiles.len(), cut.tiles());
            let mut rows = [0; KINDS];
            for tile in tiles {
                let (below, right) = (tile.row + side > height, tile.column + side > width);
                for (down, across) in [(false, false), (false, true), (true, false), (true, true)] {
                    let of = kind(down, across);
                    assert_eq!(tile.rows[of], rows[of]);
                    assert!(tile.rows[of] < cut.tiles(), "there is room");
                    rows[of] += usize::from(!(down && below || across && right));
                }
            }
            assert_eq!(
                rows,
                [0, 1, 2, 3].map(|of| cut.rows(of)),
                "{height}x{width}"
            );
        }
    }
}
