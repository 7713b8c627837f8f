//! Run-time selection of the SIMD instruction set. Every kernel is written once and compiled for each instruction set.

use std::env;

use pulp::{Arch, NullaryFnOnce, Scalar, Simd, WithSimd};

use super::bf16::simd::Bf16Simd;
use super::bf16::unit::MatrixUnit;
use super::gemm::WithKernel;
use super::gemm::f32::InF32;
use super::gemm::i16::I16Isa;
#[cfg(target_arch = "x86_64")]
use super::gemm::i16_x86::{Avx512Vnni, AvxVnni};
use super::vectors::Vectors;
use crate::net::error::NetError;

/// Name of the environment variable that selects the instruction set; see [`Isa::from_env_or_best`].
pub const ENV_VARIABLE: &str = "HONINBO_CPU";

/// An instruction set that this processor supports.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    name: &'static str,
    vectors: Vectors,
    /// Implementation of bfloat16 tile multiplications.
    matrix_unit: MatrixUnit,
    /// Implementation of the 16-bit integer kernels, or `None` if they are not faster than 32-bit floats.
    i16: Option<I16Isa>,
}

/// Name of an instruction set, and a function that returns its components, or `None` if this processor does not support
/// the instruction set.
type Entry = (&'static str, fn() -> Option<Components>);

/// Components of an [`Isa`]: its vectors, matrix unit and 16-bit integer kernels.
type Components = (Vectors, MatrixUnit, Option<I16Isa>);

/// All instruction sets of this architecture, from slowest to fastest.
#[cfg(target_arch = "x86_64")]
const ALL: [Entry; 7] = [
    ("scalar", || without_matrix_unit(I16Isa::Scalar)),
    ("sse42", || {
        without_matrix_unit(I16Isa::Sse42(pulp::x86::V2::try_new()?))
    }),
    ("avx2", || {
        without_matrix_unit(I16Isa::Avx2(pulp::x86::V3::try_new()?))
    }),
    ("avxvnni", || {
        without_matrix_unit(I16Isa::AvxVnni(AvxVnni::try_new()?))
    }),
    ("avx512", || {
        without_matrix_unit(I16Isa::Avx512(pulp::x86::V4::try_new()?))
    }),
    ("avx512vnni", || {
        without_matrix_unit(I16Isa::Avx512Vnni(Avx512Vnni::try_new()?))
    }),
    ("amx", || {
        let (vectors, _, i16) = without_matrix_unit(I16Isa::Avx512Vnni(Avx512Vnni::try_new()?))?;
        Some((vectors, MatrixUnit::detected()?, i16))
    }),
];

/// All instruction sets of this architecture, from slowest to fastest.
#[cfg(target_arch = "aarch64")]
const ALL: [Entry; 2] = [
    ("scalar", || without_matrix_unit(I16Isa::Scalar)),
    ("neon", || {
        let vectors = Vectors::Pulp(Arch::Neon(pulp::aarch64::Neon::try_new()?));
        Some((vectors, MatrixUnit::Portable, None))
    }),
];

/// All instruction sets of this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ALL: [Entry; 1] = [("scalar", || without_matrix_unit(I16Isa::Scalar))];

/// Returns the [`Components`] of an instruction set that has the integer kernels `i16` and no matrix unit. The result
/// is never `None`.
fn without_matrix_unit(i16: I16Isa) -> Option<Components> {
    Some((i16.vectors(), MatrixUnit::Portable, Some(i16)))
}

impl Isa {
    /// Returns the instruction sets that this processor supports, from slowest to fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        ALL.into_iter().filter_map(|(name, detect)| {
            let (vectors, matrix_unit, i16) = detect()?;
            Some(Self {
                name,
                vectors,
                matrix_unit,
                i16,
            })
        })
    }

    /// Returns the instruction set with this name.
    ///
    /// # Errors
    /// Returns [`NetError::Isa`] if the name is unknown or this processor does not support the instruction set.
    pub fn named(name: &str) -> Result<Self, NetError> {
        let found = Self::available().find(|isa| isa.name == name);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::available().map(Self::name).collect();
            NetError::Isa {
                expected: names.join(", "),
                found: name.to_owned(),
            }
        })
    }

    /// Returns the instruction set named by the environment variable [`ENV_VARIABLE`], or the fastest supported one if
    /// the variable is unset or empty.
    ///
    /// # Errors
    /// Returns [`NetError::Isa`] under the same conditions as [`named`](Self::named).
    pub fn from_env_or_best() -> Result<Self, NetError> {
        match env::var_os(ENV_VARIABLE).filter(|name| !name.is_empty()) {
            Some(name) => Self::named(&name.to_string_lossy()),
            None => Ok(Self::best()),
        }
    }

    /// Returns the fastest instruction set that this processor supports.
    #[must_use]
    pub fn best() -> Self {
        let best = Self::available().last();
        best.expect("every processor supports the scalar instructions")
    }

    /// Returns the name, as used in the environment variable [`ENV_VARIABLE`].
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Runs `work` in code that is compiled for this instruction set.
    pub(super) fn run<W: WithSimd>(self, work: W) -> W::Output {
        self.vectors.dispatch(work)
    }

    /// Runs `work` with the kernel for 32-bit floats.
    pub(super) fn run_f32<W: WithKernel<f32>>(self, work: W) -> W::Output {
        self.vectors.dispatch(InF32(work))
    }

    /// Runs `work` with the kernel for 16-bit integers. Does nothing if the instruction set has no such kernel.
    pub(super) fn run_i16<W: WithKernel<u32, Output = ()>>(self, work: W) {
        if let Some(i16) = self.i16 {
            i16.run(work);
        }
    }

    /// Runs `work` with AVX-512 vectors if the instruction set has them, and in scalar code otherwise.
    pub(super) fn run_bf16<W: WithBf16>(self, work: W) {
        match self.vectors {
            #[cfg(target_arch = "x86_64")]
            Vectors::Pulp(Arch::V4(simd)) => simd.vectorize(InBf16 { simd, work }),
            _ => InBf16 { simd: Scalar, work }.call(),
        }
    }

    /// Returns true if this instruction set includes a matrix unit for bfloat16 (AMX).
    #[must_use]
    pub fn has_matrix_unit(self) -> bool {
        !matches!(self.matrix_unit, MatrixUnit::Portable)
    }

    /// Returns the implementation of bfloat16 tile multiplications.
    pub(super) fn matrix_unit(self) -> MatrixUnit {
        self.matrix_unit
    }

    /// Returns true if 16-bit integer kernels are available and faster than 32-bit floats.
    #[must_use]
    pub fn has_i16(self) -> bool {
        self.i16.is_some()
    }

    /// Returns the implementation of the 16-bit integer kernels, or `None` if they are not faster than 32-bit floats.
    pub(super) fn i16(self) -> Option<I16Isa> {
        self.i16
    }

    /// Returns the number of 32-bit floats per vector.
    pub(super) fn lanes(self) -> usize {
        self.run(Lanes)
    }
}

/// A computation with bfloat16 numbers, generic over the vector type.
pub(super) trait WithBf16 {
    fn with_bf16<S: Bf16Simd>(self, simd: S);
}

struct InBf16<S, W> {
    simd: S,
    work: W,
}

impl<S: Bf16Simd, W: WithBf16> NullaryFnOnce for InBf16<S, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.with_bf16(self.simd);
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
        assert_eq!(Isa::named("scalar").unwrap().lanes(), 1);
        for isa in Isa::available() {
            let named = Isa::named(isa.name()).unwrap();
            assert_eq!(named.lanes(), isa.lanes());
            assert_eq!(named.lanes() == 4, ["sse42", "neon"].contains(&isa.name()));
        }
        for name in ["", "AVX2", "sse", "avx512 "] {
            let text = Isa::named(name).unwrap_err().to_string();
            let (start, end) = ("HONINBO_CPU: expected one of scalar", format!("{name:?}"));
            assert!(text.starts_with(start) && text.ends_with(&end), "{text}");
        }
        let foreign = if cfg!(target_arch = "x86_64") {
            "neon"
        } else {
            "avx2"
        };
        assert!(Isa::named(foreign).is_err());
    }
}
