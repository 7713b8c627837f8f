//! Numeric precision of a network: the user's choice and the resulting number format on this processor.
//!
//! Names: tiles are bfloat16 kernels (AMX), pairs are 16-bit integer kernels, and a vocabulary is an instruction set
//! chosen at run time.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::kernels::vocabulary::Vocabulary;

/// Precision requested by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Precision {
    /// Fastest format of this processor.
    #[default]
    Auto,
    /// 32-bit floats, the reference format.
    F32,
    /// 16-bit numbers with 32-bit accumulation if they are faster on this processor, otherwise 32-bit floats.
    Fast,
}

/// Error for a name that does not belong to a precision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found:?}", Precision::ALL.map(Precision::name).join(", "))]
pub struct UnknownPrecision {
    /// The unknown name.
    pub found: String,
}

/// Number format of most multiplications in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    F32,
    /// bfloat16 in layers that are applied to every point.
    Tiles,
    /// 16-bit integers in layers that are applied to every point. Networks with Winograd-transformed convolutions also
    /// need calibration ranges.
    Pairs,
}

impl Precision {
    /// All precisions.
    pub const ALL: [Self; 3] = [Self::Auto, Self::F32, Self::Fast];

    /// Name used in options and configuration files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::Fast => "fast",
        }
    }

    /// Description for help texts.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Auto => "What is fastest on this processor",
            Self::F32 => "32-bit floating point",
            Self::Fast => "16-bit numbers where the processor gains by them, else f32",
        }
    }

    /// Returns the number format of a network with this precision on the instruction set `vocabulary`.
    #[must_use]
    pub fn arithmetic(self, vocabulary: Vocabulary) -> Arithmetic {
        match self {
            Self::F32 => Arithmetic::F32,
            Self::Auto | Self::Fast if vocabulary.has_tiles() => Arithmetic::Tiles,
            Self::Auto | Self::Fast if vocabulary.has_pairs() => Arithmetic::Pairs,
            Self::Auto | Self::Fast => Arithmetic::F32,
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

impl Arithmetic {
    /// Number of variants.
    pub const COUNT: usize = 3;

    /// Name for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "32-bit floats",
            Self::Tiles => "tiles of 16-bit floats",
            Self::Pairs => "pairs of 16-bit integers",
        }
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arithmetic_is_that_of_the_precision_and_the_vocabulary() {
        for vocabulary in Vocabulary::available() {
            let fast = match vocabulary.name() {
                "amx" => Arithmetic::Tiles,
                "neon" => Arithmetic::F32,
                _ => Arithmetic::Pairs,
            };
            assert_eq!(Precision::F32.arithmetic(vocabulary), Arithmetic::F32);
            assert_eq!(Precision::Fast.arithmetic(vocabulary), fast);
            assert_eq!(Precision::Auto.arithmetic(vocabulary), fast);
        }
    }

    #[test]
    fn a_precision_is_asked_for_by_name() {
        for precision in Precision::ALL {
            assert_eq!(precision.name().parse(), Ok(precision));
        }
        let said = "half".parse::<Precision>().unwrap_err().to_string();
        assert_eq!(said, "expected one of auto, f32, fast, found \"half\"");
    }
}
