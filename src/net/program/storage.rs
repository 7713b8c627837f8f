//! Rules that an executor sets for the buffers of a program.

/// Rules by which an executor stores activations.
#[derive(Clone, Copy, Debug)]
pub struct StorageRules {
    /// Channel alignment of rows of 32-bit floats, which are padded with zeros to a multiple of this number.
    pub channel_multiple: usize,
    /// Additional rules if layers that are applied to every point read their inputs in bfloat16. `None` if all layers
    /// read 32-bit floats.
    pub bf16: Option<Bf16Rules>,
}

/// Padding of activations stored in bfloat16, for layers that read their inputs in this format.
#[derive(Clone, Copy, Debug)]
pub struct Bf16Rules {
    /// Channel alignment of bfloat16 rows and of the heads of queries and keys. Both are padded to a multiple of this
    /// number.
    pub input_multiple: usize,
    /// Channel alignment of the heads of values, which are padded to a multiple of this number.
    pub value_multiple: usize,
}
