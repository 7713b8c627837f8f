//! How exactly a network computes: what may be asked for, and what it then multiplies on this processor.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::kernels::vocabulary::Vocabulary;

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Precision {
    /// Fast wherever that is faster than 32-bit floats.
    #[default]
    Auto,
    /// 32-bit floats: the reference.
    F32,
    /// Numbers of 16 bits, summed up in 32, where the processor gains by them.
    Fast,
}

/// A name that stands for no precision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found:?}", Precision::ALL.map(Precision::name).join(", "))]
pub struct UnknownPrecision {
    /// The name.
    pub found: String,
}

/// The numbers that most of a network is multiplied in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// 32-bit floats.
    F32,
    /// Layers of points in tiles of 16-bit floats.
    Tiles,
    /// Layers of points in pairs of 16-bit integers; for square convolutions the ranges of the network's numbers have to
    /// be known.
    Pairs,
}

impl Precision {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Auto, Self::F32, Self::Fast];

    /// As it is asked for.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::Fast => "fast",
        }
    }

    /// What it means, for users.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Auto => "What is fastest on this processor",
            Self::F32 => "32-bit floating point",
            Self::Fast => "16-bit numbers where the processor gains by them, else f32",
        }
    }

    /// How a network of this precision runs in a vocabulary.
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
    /// How many there are.
    pub const COUNT: usize = 3;

    /// The name of the numbers, for users.
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
