//! Sizes, inputs and sums of a tile multiplication.

/// Number of rows in every tile, and also the number of columns in a tile of sums.
pub const TILE_SIDE: usize = 16;
pub const STEP_INPUTS: usize = 32;
/// Number of sums in a tile of sums.
pub const TILE_SUMS: usize = TILE_SIDE * TILE_SIDE;
/// Number of weights that a step reads for a tile of columns: 32 inputs times 16 outputs.
pub const STEP_WEIGHTS: usize = STEP_INPUTS * TILE_SIDE;
/// Number of tiles of rows in a block.
pub const ROW_TILES_PER_BLOCK: usize = 2;
pub const BLOCK_ROWS: usize = ROW_TILES_PER_BLOCK * TILE_SIDE;
/// Maximum number of tiles of columns in a block.
pub const COLUMN_TILES_PER_BLOCK: usize = 2;

/// Sums of a block, `[tiles of columns, tiles of rows, 16, 16]`.
#[derive(Debug)]
#[repr(align(64))]
pub struct Sums(pub [[[f32; TILE_SUMS]; ROW_TILES_PER_BLOCK]; COLUMN_TILES_PER_BLOCK]);

impl Sums {
    pub const ZERO: Self = Self([[[0.0; TILE_SUMS]; ROW_TILES_PER_BLOCK]; COLUMN_TILES_PER_BLOCK]);
}

/// Input rows of a block. Row `r` of step `s` is the 32 elements that start at `first + r * stride + steps[s]`.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub data: &'a [u16],
    pub first: usize,
    pub stride: usize,
    /// Start of the inputs of each step, relative to the start of the row.
    pub steps: &'a [usize],
}

impl Rows<'_> {
    /// Returns the end of the range of `data` that the rows cover, or `None` if it overflows `usize`.
    pub fn end(&self) -> Option<usize> {
        let of_row = match self.steps.iter().max() {
            Some(step) => step.checked_add(STEP_INPUTS)?,
            None => 0,
        };
        let last = self
            .stride
            .checked_mul(ROW_TILES_PER_BLOCK * TILE_SIDE - 1)?;
        self.first.checked_add(last)?.checked_add(of_row)
    }

    /// Checks that these rows can be multiplied by tiles of columns.
    ///
    /// # Panics
    /// Panics if a row extends past the end of the data, or if the number of weights of a tile does not match the
    /// number of steps.
    #[inline(always)]
    pub fn check_against_columns(&self, columns: &[&[u16]]) {
        let is_within = self.end().is_some_and(|end| end <= self.data.len());
        assert!(is_within, "the rows end within the data");
        for weights in columns {
            let expected = self.steps.len() * STEP_WEIGHTS;
            assert_eq!(weights.len(), expected, "weights for every step");
        }
    }
}
