//! How the boards of a run lie in memory: reading order, with a border of zeros around each.

/// A multiple of the sides of all tiles that boards are cut into.
const TILE: usize = 4;

/// Boards of one size.
#[derive(Debug, Default)]
pub struct Boards {
    /// Most boards of a run.
    pub most: usize,
    /// Rows of a board.
    pub height: usize,
    /// Columns of a board.
    pub width: usize,
    /// Zeros before the first row and before the first column.
    pub border: usize,
    /// Places of a row, border included.
    pub line: usize,
    /// Places of a board, border included.
    pub places: usize,
    /// The place of every point, board after board.
    points: Vec<usize>,
    /// The board of every point.
    owners: Vec<usize>,
    /// The number of every board.
    boards: Vec<usize>,
}

/// The rows of a matrix whose rows are points of boards, or boards.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Where each row lies, in rows.
    pub places: &'a [usize],
    /// The board that it belongs to.
    pub owners: &'a [usize],
}

impl Boards {
    /// `most` boards; kernels reach `border` points beyond a point.
    pub fn new(most: usize, height: usize, width: usize, border: usize) -> Self {
        // A last tile can reach beyond the board, and looks as far as the kernel.
        let far = |side: usize| match border {
            0 => side,
            _ => border + side.next_multiple_of(TILE) + border,
        };
        let (line, lines) = (far(width), far(height));
        let mut boards = Self {
            most,
            height,
            width,
            border,
            line,
            places: lines * line,
            boards: (0..most).collect(),
            ..Self::default()
        };
        for board in 0..most {
            for row in 0..height {
                for column in 0..width {
                    let place = boards.place(board, row, column);
                    boards.points.push(place);
                    boards.owners.push(board);
                }
            }
        }
        boards
    }

    /// Points of a board.
    pub fn area(&self) -> usize {
        self.height * self.width
    }

    /// Where a point lies.
    pub fn place(&self, board: usize, row: usize, column: usize) -> usize {
        board * self.places + (self.border + row) * self.line + self.border + column
    }

    /// The points of the first `count` boards.
    pub fn points(&self, count: usize) -> Rows<'_> {
        let points = count * self.area();
        Rows {
            places: &self.points[..points],
            owners: &self.owners[..points],
        }
    }

    /// The first `count` boards themselves.
    pub fn whole(&self, count: usize) -> Rows<'_> {
        Rows {
            places: &self.boards[..count],
            owners: &self.boards[..count],
        }
    }

    /// Tiles of a board that are `side` points high and wide: rows and columns.
    pub fn tiles(&self, side: usize) -> (usize, usize) {
        (self.height.div_ceil(side), self.width.div_ceil(side))
    }
}
