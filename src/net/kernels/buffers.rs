//! The shapes of the buffers between the steps of a plan.

/// A buffer's number.
pub type Buffer = usize;

/// What the rows of a buffer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Points of boards, border included.
    Point,
    /// Whole boards.
    Board,
}

/// What a buffer's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// 32-bit floats.
    Full,
    /// 16-bit floats, as layers in tiles read them.
    Half,
}

/// The shape of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What its rows are.
    pub per: Per,
    /// What its numbers are.
    pub form: Form,
    /// Numbers of a row, filled up to whole vectors.
    pub stride: usize,
}
