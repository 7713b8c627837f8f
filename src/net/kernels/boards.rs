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
    /// Places from board to board, border included.
    pub places: usize,
    /// Places in all.
    pub total: usize,
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

impl<'a> Rows<'a> {
    /// So many at a time.
    pub fn chunks(self, most: usize) -> impl Iterator<Item = Self> {
        let owners = self.owners.chunks(most);
        let chunks = self.places.chunks(most).zip(owners);
        chunks.map(|(places, owners)| Self { places, owners })
    }
}

impl Boards {
    /// `most` boards, each with a border of its own on all sides and room for tiles that reach beyond; kernels reach
    /// `border` points beyond a point.
    pub fn new(most: usize, height: usize, width: usize, border: usize) -> Self {
        // A last tile can reach beyond the board, and looks as far as the kernel.
        let far = |side: usize| match border {
            0 => side,
            _ => border + side.next_multiple_of(TILE) + border,
        };
        let (line, lines) = (far(width), far(height));
        let blank = Self {
            most,
            height,
            width,
            border,
            line,
            places: lines * line,
            total: most * lines * line,
            ..Self::default()
        };
        blank.numbered()
    }

    /// `most` boards, packed: the border after a row is the one before the next, and so from board to board. There is
    /// room for runs of places in whole blocks of so many.
    pub fn packed(most: usize, height: usize, width: usize, border: usize, block: usize) -> Self {
        let line = width + border;
        let places = (height + border) * line;
        let blank = Self {
            most,
            height,
            width,
            border,
            line,
            places,
            // Above the first board, the boards, below the last, and what the last block reads beyond.
            total: (most * places + 2 * border * (line + 1)).next_multiple_of(block) + block,
            ..Self::default()
        };
        blank.numbered()
    }

    /// With the points' tables.
    fn numbered(mut self) -> Self {
        self.boards = (0..self.most).collect();
        for board in 0..self.most {
            for row in 0..self.height {
                for column in 0..self.width {
                    let place = self.place(board, row, column);
                    self.points.push(place);
                    self.owners.push(board);
                }
            }
        }
        self
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
