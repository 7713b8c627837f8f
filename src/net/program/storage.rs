//! Rules that an executor sets for the buffers of a program.

/// Rules by which an executor stores activations.
#[derive(Clone, Copy, Debug)]
pub struct StorageRules {
    /// Rows of 32-bit floats are padded with zeros to a multiple of this number of channels.
    pub channel_multiple: usize,
    /// `Some` if layers that are applied to every point read bfloat16 copies of their inputs.
    pub bf16: Option<Bf16Rules>,
}

/// Additional rules for layers that read bfloat16.
#[derive(Clone, Copy, Debug)]
pub struct Bf16Rules {
    /// Rows of bfloat16 and the heads of queries and keys are padded to a multiple of this number of channels.
    pub input_multiple: usize,
    /// Heads of values are padded to a multiple of this number of channels.
    pub value_multiple: usize,
}
