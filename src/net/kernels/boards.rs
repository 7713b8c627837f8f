//! Memory layout of the boards of a run: row by row, with a border of zeros around each board.
//!
//! A place is the index of a cell in this layout, border included.

/// Multiple of the sides of all Winograd tiles.
const TILE: usize = 4;

/// Layout of boards of the same size.
#[derive(Debug, Default)]
pub struct Boards {
    /// Maximum number of boards per run.
    pub most: usize,
    pub height: usize,
    pub width: usize,
    /// Number of zeros before the first row and before the first column.
    pub border: usize,
    /// Distance between rows in places, border included.
    pub line: usize,
    /// Distance between boards in places, border included.
    pub places: usize,
    /// Total number of places.
    pub total: usize,
    /// Place of every point, board by board.
    points: Vec<usize>,
    /// Board of every point.
    owners: Vec<usize>,
    /// Indices of all boards.
    boards: Vec<usize>,
}

/// Rows of a matrix that represent points or whole boards.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Index of each row in the matrix.
    pub places: &'a [usize],
    /// Board to which each row belongs.
    pub owners: &'a [usize],
}

impl<'a> Rows<'a> {
    /// Splits the rows into chunks of at most `most` rows.
    pub fn chunks(self, most: usize) -> impl Iterator<Item = Self> {
        let owners = self.owners.chunks(most);
        let chunks = self.places.chunks(most).zip(owners);
        chunks.map(|(places, owners)| Self { places, owners })
    }
}

impl Boards {
    /// Creates a layout for `most` boards, each with a separate border on all sides, as needed by kernels that reach
    /// `border` points from their centre. Winograd tiles may extend over the edge of a board.
    pub fn new(most: usize, height: usize, width: usize, border: usize) -> Self {
        // The last tile can extend over the edge, and it reads `border` further points.
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

    /// Creates a packed layout for `most` boards: consecutive rows share a border, and so do consecutive boards. The
    /// places are padded so that they can be processed in whole blocks of `block` places.
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
            // The border above the first board, the boards, the border below the last, and the excess that the last
            // block reads.
            total: (most * places + 2 * border * (line + 1)).next_multiple_of(block) + block,
            ..Self::default()
        };
        blank.numbered()
    }

    /// Fills the tables of points and boards.
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

    /// Returns the number of points of a board.
    pub fn area(&self) -> usize {
        self.height * self.width
    }

    /// Returns the place of a point.
    pub fn place(&self, board: usize, row: usize, column: usize) -> usize {
        board * self.places + (self.border + row) * self.line + self.border + column
    }

    /// Returns the points of the first `count` boards as rows.
    pub fn points(&self, count: usize) -> Rows<'_> {
        let points = count * self.area();
        Rows {
            places: &self.points[..points],
            owners: &self.owners[..points],
        }
    }

    /// Returns the first `count` boards as rows, one row per board.
    pub fn whole(&self, count: usize) -> Rows<'_> {
        Rows {
            places: &self.boards[..count],
            owners: &self.boards[..count],
        }
    }

    /// Returns the number of rows and columns of tiles that cover a board; a tile has `side` by `side` points.
    pub fn tiles(&self, side: usize) -> (usize, usize) {
        (self.height.div_ceil(side), self.width.div_ceil(side))
    }
}
