//! Run-time selection of the SIMD instruction set. Every kernel is written once and compiled for each instruction set.
//!
//! Terms: a vocabulary is an instruction set. Pairs are 16-bit integer kernels; a multiplier is their implementation.
//! Tiles are bfloat16 kernels (AMX); a unit is their implementation. Halves are bfloat16 numbers.

use std::env;

use pulp::{Arch, NullaryFnOnce, Scalar, Simd, WithSimd};

use super::pairs::multiplier::Multiplier;
use super::tiles::half::Halves;
use super::tiles::unit::Unit;
use crate::net::error::NetError;

/// Environment variable that forces an instruction set.
pub const VARIABLE: &str = "HONINBO_CPU";

/// An instruction set that this processor supports.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    name: &'static str,
    arch: Arch,
    /// Implementation of the bfloat16 tile kernels.
    unit: Unit,
    /// Implementation of the 16-bit integer kernels; `None` if they are not faster than 32-bit floats.
    pairs: Option<Multiplier>,
}

/// Name of an instruction set, and a function that detects it.
type Entry = (&'static str, fn() -> Option<Words>);

/// Components of an instruction set.
type Words = (Arch, Unit, Option<Multiplier>);

/// All instruction sets, from worst to best.
const ALL: [Entry; 7] = [
    ("scalar", || plain(Some(Multiplier::Scalar))),
    ("neon", || Some((neon()?, Unit::Plain, None))),
    ("avx2", || plain(Multiplier::avx2())),
    ("avxvnni", || plain(Multiplier::avx_vnni())),
    ("avx512", || plain(Multiplier::avx512())),
    ("avx512vnni", || plain(Multiplier::avx512_vnni())),
    ("amx", amx),
];

fn plain(pairs: Option<Multiplier>) -> Option<Words> {
    Some((pairs?.arch(), Unit::Plain, pairs))
}

fn amx() -> Option<Words> {
    let (arch, _, pairs) = plain(Multiplier::avx512_vnni())?;
    Some((arch, Unit::of_machine()?, pairs))
}

#[cfg(target_arch = "aarch64")]
fn neon() -> Option<Arch> {
    pulp::aarch64::Neon::try_new().map(Arch::Neon)
}

#[cfg(not(target_arch = "aarch64"))]
fn neon() -> Option<Arch> {
    None
}

impl Vocabulary {
    /// Returns the instruction sets that this processor supports, from worst to best.
    pub fn available() -> impl Iterator<Item = Self> {
        let entry = |(name, find): Entry| {
            let (arch, unit, pairs) = find()?;
            Some(Self {
                name,
                arch,
                unit,
                pairs,
            })
        };
        ALL.into_iter().filter_map(entry)
    }

    /// Returns the instruction set `name`.
    ///
    /// # Errors
    /// Returns [`NetError::Vocabulary`] if the name is unknown or this processor does not support the instruction set.
    pub fn named(name: &str) -> Result<Self, NetError> {
        let mut available = Self::available();
        available
            .find(|vocabulary| vocabulary.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = Self::available().map(Self::name).collect();
                NetError::Vocabulary {
                    expected: names.join(", "),
                    found: name.to_owned(),
                }
            })
    }

    /// Returns the instruction set named by the environment variable [`VARIABLE`]; if it is unset or empty, the best
    /// one.
    ///
    /// # Errors
    /// Returns the errors of [`named`](Self::named).
    pub fn chosen() -> Result<Self, NetError> {
        match env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
            Some(name) => Self::named(&name.to_string_lossy()),
            None => Ok(Self::best()),
        }
    }

    /// Returns the best instruction set that this processor supports.
    #[must_use]
    pub fn best() -> Self {
        let best = Self::available().last();
        best.expect("every processor speaks the scalar vocabulary")
    }

    /// Returns the name, as used in the environment variable.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Runs `work` compiled for this instruction set.
    pub(super) fn run<W: WithSimd>(self, work: W) -> W::Output {
        self.arch.dispatch(work)
    }

    /// Runs `work` on bfloat16 numbers with AVX-512 vectors if the instruction set has them, and in scalar code
    /// otherwise.
    pub(super) fn run_halves<W: WithHalves>(self, work: W) {
        match self.arch {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(simd) => simd.vectorize(InHalves { simd, work }),
            _ => InHalves { simd: Scalar, work }.call(),
        }
    }

    /// Returns true if the processor has a matrix unit for bfloat16 tiles (AMX).
    #[must_use]
    pub fn has_tiles(self) -> bool {
        !matches!(self.unit, Unit::Plain)
    }

    /// Returns the implementation of the bfloat16 tile kernels.
    pub(super) fn unit(self) -> Unit {
        self.unit
    }

    /// Returns true if 16-bit integer kernels are available and faster than 32-bit floats.
    #[must_use]
    pub fn has_pairs(self) -> bool {
        self.pairs.is_some()
    }

    /// Returns the implementation of the 16-bit integer kernels, if they are faster than 32-bit floats.
    pub(super) fn pairs(self) -> Option<Multiplier> {
        self.pairs
    }

    /// Returns the number of 32-bit floats per vector.
    pub(super) fn lanes(self) -> usize {
        self.run(Lanes)
    }
}

/// A computation with bfloat16 numbers, generic over the vector type.
pub(super) trait WithHalves {
    /// Runs the computation.
    fn with_halves<S: Halves>(self, simd: S);
}

struct InHalves<S, W> {
    simd: S,
    work: W,
}

impl<S: Halves, W: WithHalves> NullaryFnOnce for InHalves<S, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.with_halves(self.simd);
    }
}

struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_processor() {
        assert_eq!(Vocabulary::named("scalar").unwrap().lanes(), 1);
        for vocabulary in Vocabulary::available() {
            let named = Vocabulary::named(vocabulary.name()).unwrap();
            assert_eq!(named.lanes(), vocabulary.lanes());
        }
        for name in ["", "AVX2", "sse", "avx512 "] {
            let text = Vocabulary::named(name).unwrap_err().to_string();
            let (start, end) = ("HONINBO_CPU: expected one of scalar", format!("{name:?}"));
            assert!(text.starts_with(start) && text.ends_with(&end), "{text}");
        }
        let foreign = if cfg!(target_arch = "x86_64") {
            "neon"
        } else {
            "avx2"
        };
        assert!(Vocabulary::named(foreign).is_err());
    }
}
