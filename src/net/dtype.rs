//! Number formats in which networks compute.

use std::fmt;

/// Number format of most multiplications in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DType {
    F32,
    /// IEEE half precision: 16-bit floats with five exponent bits. Used only on GPUs.
    F16,
    /// bfloat16 in layers that are applied to every point.
    Bf16,
    /// 16-bit integers in layers that are applied to every point. Networks with Winograd-transformed convolutions also
    /// need calibration ranges. Positions with values that greatly exceed these ranges are evaluated in 32-bit floats.
    I16,
}

impl DType {
    /// Number of variants.
    pub const COUNT: usize = 4;

    /// Returns the name used in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "32-bit floats",
            Self::F16 => "16-bit floats",
            Self::Bf16 => "bfloat16",
            Self::I16 => "16-bit integers",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
