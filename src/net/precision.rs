//! Numeric precision of a network: the user's choice and the resulting number format on this processor.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::cpu::isa::Isa;
pub use super::dtype::DType;

/// Precision of the CPU kernels requested by the user. On a GPU, the device determines the number format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Precision {
    /// Fastest format on this processor, the same as for [`Fast`](Self::Fast). Callers may use 32-bit floats where
    /// exact outputs matter.
    #[default]
    Auto,
    /// 32-bit floats, the reference format.
    F32,
    /// 16-bit numbers with 32-bit accumulation if they are faster on this processor, otherwise 32-bit floats.
    Fast,
}

/// Error for an unknown precision name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found:?}", Precision::ALL.map(Precision::name).join(", "))]
pub struct UnknownPrecision {
    pub found: String,
}

impl Precision {
    pub const ALL: [Self; 3] = [Self::Auto, Self::F32, Self::Fast];

    /// Returns the name used in options and configuration files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::Fast => "fast",
        }
    }

    /// Returns a description for help texts.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Auto => "Fastest format on this processor",
            Self::F32 => "32-bit floating point",
            Self::Fast => "16-bit numbers if they are faster on this processor, otherwise f32",
        }
    }

    /// Returns the number format in which a network with this precision runs on the instruction set `isa`.
    #[must_use]
    pub fn dtype(self, isa: Isa) -> DType {
        match self {
            Self::F32 => DType::F32,
            Self::Auto | Self::Fast if isa.has_matrix_unit() => DType::Bf16,
            Self::Auto | Self::Fast if isa.has_i16() => DType::I16,
            Self::Auto | Self::Fast => DType::F32,
        }
    }
}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(name: &str) -> Result<Self, UnknownPrecision> {
        let found = Self::ALL
            .into_iter()
            .find(|precision| precision.name() == name);
        found.ok_or_else(|| UnknownPrecision {
            found: name.to_owned(),
        })
    }
}

impl TryFrom<String> for Precision {
    type Error = UnknownPrecision;

    fn try_from(name: String) -> Result<Self, UnknownPrecision> {
        name.parse()
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
