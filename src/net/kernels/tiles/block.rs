//! The sizes, rows and sums of a product of tiles.

/// Rows of a tile, and its columns of sums.
pub const SIDE: usize = 16;
/// Inputs that a product takes at once.
pub const DEPTH: usize = 32;
/// Sums of a tile.
pub const SUMS: usize = SIDE * SIDE;
/// Weights of a step: those of 32 inputs for 16 outputs.
pub const WEIGHTS: usize = DEPTH * SIDE;
/// Tiles of rows in a block.
pub const ROW_TILES: usize = 2;
/// Most tiles of columns in a block.
pub const COLUMN_TILES: usize = 2;

/// The sums of a block: for each tile of columns and each of rows, `[16, 16]`.
#[derive(Debug)]
#[repr(align(64))]
pub struct Sums(pub [[[f32; SUMS]; ROW_TILES]; COLUMN_TILES]);

impl Sums {
    /// Nothing summed up.
    pub const ZERO: Self = Self([[[0.0; SUMS]; ROW_TILES]; COLUMN_TILES]);
}

/// The rows of a block: row r of step s is the 32 numbers from `first + r * stride + steps[s]` on.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Where they lie.
    pub numbers: &'a [u16],
    /// Where the first row starts.
    pub first: usize,
    /// From row to row.
    pub stride: usize,
    /// Where the inputs of each step begin, from the start of the row.
    pub steps: &'a [usize],
}

impl Rows<'_> {
    /// Where the last row's last step ends; `None` where that is beyond all numbers.
    pub fn end(&self) -> Option<usize> {
        let of_row = match self.steps.iter().max() {
            Some(step) => step.checked_add(DEPTH)?,
            None => 0,
        };
        let last = self.stride.checked_mul(ROW_TILES * SIDE - 1)?;
        self.first.checked_add(last)?.checked_add(of_row)
    }
}
