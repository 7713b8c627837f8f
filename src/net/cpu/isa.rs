//! Run-time selection of the SIMD instruction set. Every kernel is written once and compiled for each instruction set.

use std::env;

#[cfg(target_arch = "aarch64")]
use pulp::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V2, V3, V4};
use pulp::{Scalar, Simd};

use super::bf16::matrix_unit::MatrixUnit;
use super::gemm::f32::F32Kernel;
use super::gemm::i16::I16Kernel;
#[cfg(target_arch = "x86_64")]
use super::gemm::i16_x86::{Avx512Vnni, AvxVnni};
use super::gemm::pair_product::PairProduct;
use super::gemm::{Kernel, WithKernel};
use super::vectors::{WithVectors, vectorize};
use crate::net::error::NetError;

/// Name of the environment variable that selects the instruction set; see [`Isa::from_env_or_best`].
pub const ENV_VARIABLE: &str = "HONINBO_CPU";

/// An instruction set that this processor supports.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    name: &'static str,
    token: Token,
}

/// Proof that the processor supports an instruction set. Every token except that of NEON has kernels for 16-bit integers
/// ([`PairProduct`]).
#[derive(Clone, Copy, Debug)]
enum Token {
    Scalar(Scalar),
    /// 128-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Sse42(V2),
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2(V3),
    /// 256-bit vectors with a fused multiply-add of pairs.
    #[cfg(target_arch = "x86_64")]
    AvxVnni(AvxVnni),
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512(V4),
    /// 512-bit vectors with a fused multiply-add of pairs.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512Vnni),
    /// Like `Avx512Vnni`, with a unit for bfloat16 tile multiplications.
    #[cfg(target_arch = "x86_64")]
    Amx(Avx512Vnni, MatrixUnit),
    /// 128-bit vectors. Integer kernels would not be faster than 32-bit floats.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

/// Evaluates an expression that is generic over the instruction set of a token: the first expression for a
/// [`PairProduct`], and the second one for vectors without integer kernels.
macro_rules! with_token {
    ($token:expr, $pairs:ident => $with_pairs:expr, $simd:ident => $without:expr) => {
        match $token {
            Token::Scalar($pairs) => $with_pairs,
            #[cfg(target_arch = "x86_64")]
            Token::Sse42($pairs) => $with_pairs,
            #[cfg(target_arch = "x86_64")]
            Token::Avx2($pairs) => $with_pairs,
            #[cfg(target_arch = "x86_64")]
            Token::AvxVnni($pairs) => $with_pairs,
            #[cfg(target_arch = "x86_64")]
            Token::Avx512($pairs) => $with_pairs,
            #[cfg(target_arch = "x86_64")]
            Token::Avx512Vnni($pairs) | Token::Amx($pairs, _) => $with_pairs,
            #[cfg(target_arch = "aarch64")]
            Token::Neon($simd) => $without,
        }
    };
}

/// Name of an instruction set, and a function that detects it.
type NamedDetector = (&'static str, fn() -> Option<Token>);

/// All instruction sets of this architecture, from slowest to fastest.
#[cfg(target_arch = "x86_64")]
const ALL: [NamedDetector; 7] = [
    ("scalar", || Some(Token::Scalar(Scalar))),
    ("sse42", || V2::try_new().map(Token::Sse42)),
    ("avx2", || V3::try_new().map(Token::Avx2)),
    ("avxvnni", || AvxVnni::try_new().map(Token::AvxVnni)),
    ("avx512", || V4::try_new().map(Token::Avx512)),
    ("avx512vnni", || {
        Avx512Vnni::try_new().map(Token::Avx512Vnni)
    }),
    ("amx", || {
        let unit = MatrixUnit::detected()?;
        Some(Token::Amx(Avx512Vnni::try_new()?, unit))
    }),
];

/// All instruction sets of this architecture, from slowest to fastest.
#[cfg(target_arch = "aarch64")]
const ALL: [NamedDetector; 2] = [
    ("scalar", || Some(Token::Scalar(Scalar))),
    ("neon", || Neon::try_new().map(Token::Neon)),
];

/// All instruction sets of this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ALL: [NamedDetector; 1] = [("scalar", || Some(Token::Scalar(Scalar)))];

impl Isa {
    /// Returns the instruction sets that this processor supports, from slowest to fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        ALL.into_iter().filter_map(|(name, detect)| {
            let token = detect()?;
            Some(Self { name, token })
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

    /// Runs `work` compiled for this instruction set.
    pub(super) fn run<W: WithVectors>(self, work: W) -> W::Output {
        with_token!(self.token, token => vectorize(token.simd(), work), simd => vectorize(simd, work))
    }

    /// Runs `work` with the kernel for 32-bit floats.
    pub(super) fn run_f32<W: WithKernel<f32>>(self, work: W) -> W::Output {
        with_token!(self.token, token => F32Kernel(token.simd()).run(work), simd => F32Kernel(simd).run(work))
    }

    /// Runs `work` with the kernel for 16-bit integers. Returns the default value if the instruction set has no such
    /// kernel.
    pub(super) fn run_i16_or_default<W: WithKernel<u32, Output: Default>>(
        self,
        work: W,
    ) -> W::Output {
        with_token!(self.token, token => I16Kernel(token).run(work), _simd => W::Output::default())
    }

    /// Returns true if this instruction set includes a matrix unit for bfloat16 (AMX).
    #[must_use]
    pub fn has_matrix_unit(self) -> bool {
        !matches!(self.matrix_unit_or_portable(), MatrixUnit::Portable)
    }

    /// Returns the implementation of bfloat16 tile multiplications.
    pub(super) fn matrix_unit_or_portable(self) -> MatrixUnit {
        match self.token {
            #[cfg(target_arch = "x86_64")]
            Token::Amx(_, unit) => unit,
            _ => MatrixUnit::Portable,
        }
    }

    /// Returns true if 16-bit integer kernels are available and faster than 32-bit floats.
    #[must_use]
    pub fn has_i16(self) -> bool {
        with_token!(self.token, _token => true, _simd => false)
    }

    /// Returns the number of 32-bit floats per vector.
    pub(super) fn lanes(self) -> usize {
        with_token!(self.token, token => lanes(token.simd()), simd => lanes(simd))
    }
}

fn lanes<S: Simd>(_: S) -> usize {
    S::F32_LANES
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
