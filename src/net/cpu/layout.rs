//! Memory layout of the boards of a run: row by row, with a border of zeros around each board.
//!
//! A cell is a point of a board or of its border; cells are numbered in memory order. The neighbours of a point lie at
//! fixed distances, so convolutions need no test for the edge.

/// Common multiple of the sides of all Winograd tiles.
const TILE_SIDE_MULTIPLE: usize = 4;

/// Layout of boards of the same size.
#[derive(Debug, Default)]
pub struct BoardLayout {
    /// Maximum number of boards per run.
    pub capacity: usize,
    pub height: usize,
    pub width: usize,
    /// Width of the border above and to the left of the board, in cells.
    pub border: usize,
    /// Distance between rows in cells, border included.
    pub row_stride: usize,
    /// Distance between boards in cells, border included.
    pub board_stride: usize,
    /// Total number of cells, borders and padding included.
    pub cells: usize,
    /// Cell of every point, board by board in row-major order.
    point_cells: Vec<usize>,
    /// Board of every point, in the same order.
    point_boards: Vec<usize>,
    boards: Vec<usize>,
}

/// Rows of a matrix that represent points or whole boards.
#[derive(Clone, Copy, Debug)]
pub struct LayoutRows<'a> {
    /// Index of each row in the matrix.
    pub cells: &'a [usize],
    /// Board to which each row belongs.
    pub boards: &'a [usize],
}

impl<'a> LayoutRows<'a> {
    /// Splits the rows into chunks of at most `max_rows` rows.
    pub fn chunks(self, max_rows: usize) -> impl Iterator<Item = Self> {
        let (cells, boards) = (self.cells.chunks(max_rows), self.boards.chunks(max_rows));
        let chunks = cells.zip(boards);
        chunks.map(|(cells, boards)| Self { cells, boards })
    }
}

impl BoardLayout {
    /// Creates a layout for `capacity` boards, each with a separate border on all sides. Kernels may reach up to
    /// `border` points from their centre, and Winograd tiles may extend over the edge of a board.
    pub fn new(capacity: usize, height: usize, width: usize, border: usize) -> Self {
        // The last tile can extend over the edge, and it reads `border` further points.
        let padded = |side: usize| match border {
            0 => side,
            _ => border + side.next_multiple_of(TILE_SIDE_MULTIPLE) + border,
        };
        let (row_stride, rows) = (padded(width), padded(height));
        let strides = (row_stride, rows * row_stride);
        let cells = capacity * rows * row_stride;
        Self::with_strides(capacity, (height, width), border, strides, cells)
    }

    /// Creates a packed layout for `capacity` boards, in which consecutive rows share a border, and so do consecutive
    /// boards. Padding follows the last board, so that blocks of `block` consecutive cells can begin at any point.
    pub fn with_shared_borders(
        capacity: usize,
        height: usize,
        width: usize,
        border: usize,
        block: usize,
    ) -> Self {
        let row_stride = width + border;
        let strides = (row_stride, (height + border) * row_stride);
        // The border above the first board, the boards, the border below the last board, and the additional cells that
        // the last block reads.
        let cells = capacity * strides.1 + 2 * border * (row_stride + 1) + block;
        Self::with_strides(capacity, (height, width), border, strides, cells)
    }

    fn with_strides(
        capacity: usize,
        (height, width): (usize, usize),
        border: usize,
        (row_stride, board_stride): (usize, usize),
        cells: usize,
    ) -> Self {
        let mut layout = Self {
            capacity,
            height,
            width,
            border,
            row_stride,
            board_stride,
            cells,
            boards: (0..capacity).collect(),
            ..Self::default()
        };
        for board in 0..capacity {
            for row in 0..height {
                for column in 0..width {
                    layout.point_cells.push(layout.cell(board, row, column));
                    layout.point_boards.push(board);
                }
            }
        }
        layout
    }

    /// Returns the number of points of a board.
    pub fn area(&self) -> usize {
        self.height * self.width
    }

    pub fn cell(&self, board: usize, row: usize, column: usize) -> usize {
        board * self.board_stride + (self.border + row) * self.row_stride + self.border + column
    }

    /// Returns the points of the first `count` boards as rows.
    pub fn points_as_rows(&self, count: usize) -> LayoutRows<'_> {
        let points = count * self.area();
        LayoutRows {
            cells: &self.point_cells[..points],
            boards: &self.point_boards[..points],
        }
    }

    /// Returns the first `count` boards as rows, one row per board.
    pub fn boards_as_rows(&self, count: usize) -> LayoutRows<'_> {
        LayoutRows {
            cells: &self.boards[..count],
            boards: &self.boards[..count],
        }
    }

    /// Returns how many rows and columns of tiles are needed to cover a board. Each tile consists of `side` x `side`
    /// points.
    pub fn tile_counts(&self, side: usize) -> (usize, usize) {
        (self.height.div_ceil(side), self.width.div_ceil(side))
    }
}
