//! Which vector instructions the kernels are spoken in: chosen when the program runs, all from one source.

use std::env;

use pulp::{Arch, NullaryFnOnce, Scalar, Simd, WithSimd};

use super::pairs::multiplier::Multiplier;
use super::tiles::half::Halves;
use super::tiles::unit::Unit;
use crate::net::error::NetError;

/// The environment variable that forces a vocabulary.
pub const VARIABLE: &str = "HONINBO_CPU";

/// The vector instructions of a processor.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    name: &'static str,
    arch: Arch,
    /// Who multiplies tiles of 16-bit floats.
    unit: Unit,
    /// Who multiplies pairs of 16-bit integers, where that gains.
    pairs: Option<Multiplier>,
}

/// A name and the vocabulary, if this processor has it.
type Entry = (&'static str, fn() -> Option<Words>);

/// What a vocabulary has.
type Words = (Arch, Unit, Option<Multiplier>);

/// The best last.
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
    /// All that this processor has, the best last.
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

    /// The one of this name.
    ///
    /// # Errors
    /// [`NetError::Vocabulary`] when there is none, or not on this processor.
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

    /// The one that the environment names, or else the best.
    ///
    /// # Errors
    /// As [`named`](Self::named).
    pub fn chosen() -> Result<Self, NetError> {
        match env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
            Some(name) => Self::named(&name.to_string_lossy()),
            None => Ok(Self::best()),
        }
    }

    /// The best of this processor.
    #[must_use]
    pub fn best() -> Self {
        let best = Self::available().last();
        best.expect("every processor speaks the scalar vocabulary")
    }

    /// As the environment variable has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Runs `work` in this vocabulary.
    pub(super) fn run<W: WithSimd>(self, work: W) -> W::Output {
        self.arch.dispatch(work)
    }

    /// Runs work with 16-bit floats in this vocabulary, or in plain Rust where it has none.
    pub(super) fn run_halves<W: WithHalves>(self, work: W) {
        match self.arch {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(simd) => simd.vectorize(InHalves { simd, work }),
            _ => InHalves { simd: Scalar, work }.call(),
        }
    }

    /// Whether a matrix unit multiplies tiles.
    #[must_use]
    pub fn has_tiles(self) -> bool {
        !matches!(self.unit, Unit::Plain)
    }

    /// Who multiplies tiles.
    pub(super) fn unit(self) -> Unit {
        self.unit
    }

    /// Whether pairs of 16-bit integers gain over floats.
    #[must_use]
    pub fn has_pairs(self) -> bool {
        self.pairs.is_some()
    }

    /// Who multiplies pairs of 16-bit integers, if that gains over floats.
    pub(super) fn pairs(self) -> Option<Multiplier> {
        self.pairs
    }

    /// Numbers in a vector.
    pub(super) fn lanes(self) -> usize {
        self.run(Lanes)
    }
}

/// Work with 16-bit floats, for whatever vectors.
pub(super) trait WithHalves {
    /// Does it.
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
