//! Shapes of the buffers between the steps of a plan.

/// Index of a buffer.
pub type Buffer = usize;

/// Kind of rows in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// One row per point, border included.
    Point,
    /// One row per board.
    Board,
}

/// Number format of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// 32-bit floats.
    Full,
    /// bfloat16, the input format of the bfloat16 kernels.
    Half,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub per: Per,
    pub form: Form,
    /// Elements per row, padded to whole vectors.
    pub stride: usize,
}
