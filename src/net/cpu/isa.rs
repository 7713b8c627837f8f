//! Run-time selection of the SIMD instruction set. Every kernel is written once and compiled for each instruction set.

use std::cell::RefCell;
use std::env;

#[cfg(target_arch = "aarch64")]
use pulp::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V2, V3, V4};
use pulp::{Scalar, Simd};

use super::bf16::kernel::Bf16Kernel;
use super::bf16::matrix_unit::MatrixUnit;
use super::gemm::f32::F32Kernel;
use super::gemm::i16::{I16Kernel, PairProduct};
#[cfg(target_arch = "x86_64")]
use super::gemm::i16_x86::Vnni;
use super::gemm::kernel::{Kernel, WithKernel};
use super::vectors::{WithVectors, vectorize};
use crate::net::dtype::DType;
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
    AvxVnni(Vnni<V3>),
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512(V4),
    /// 512-bit vectors with a fused multiply-add of pairs.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Vnni<V4>),
    /// Like `Avx512Vnni`, with a unit for bfloat16 tile multiplications.
    #[cfg(target_arch = "x86_64")]
    Amx(Vnni<V4>, MatrixUnit),
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

/// Returns the token of an instruction set if this processor supports it.
type Detect = fn() -> Option<Token>;

/// All instruction sets of this architecture, from slowest to fastest.
const ALL: &[(&str, Detect)] = &[
    ("scalar", || Some(Token::Scalar(Scalar))),
    #[cfg(target_arch = "x86_64")]
    ("sse42", || V2::try_new().map(Token::Sse42)),
    #[cfg(target_arch = "x86_64")]
    ("avx2", || V3::try_new().map(Token::Avx2)),
    #[cfg(target_arch = "x86_64")]
    ("avxvnni", || Vnni::<V3>::try_new().map(Token::AvxVnni)),
    #[cfg(target_arch = "x86_64")]
    ("avx512", || V4::try_new().map(Token::Avx512)),
    #[cfg(target_arch = "x86_64")]
    ("avx512vnni", || {
        Vnni::<V4>::try_new().map(Token::Avx512Vnni)
    }),
    #[cfg(target_arch = "x86_64")]
    ("amx", || {
        let unit = MatrixUnit::detected()?;
        Some(Token::Amx(Vnni::<V4>::try_new()?, unit))
    }),
    #[cfg(target_arch = "aarch64")]
    ("neon", || Neon::try_new().map(Token::Neon)),
];

impl Isa {
    /// Returns the instruction sets that this processor supports, from slowest to fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        ALL.iter().filter_map(|(name, detect)| {
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

    /// Runs `work` with the kernel for a number format, which must be [`DType::I16`] only if this instruction set has a
    /// kernel for it ([`has_i16`](Self::has_i16)).
    pub(super) fn run_kernel<W: WithKernel>(self, dtype: DType, work: W) -> W::Output {
        match dtype {
            DType::F32 | DType::F16 => {
                with_token!(self.token, token => F32Kernel(token.simd()).run(work), simd => F32Kernel(simd).run(work))
            }
            DType::I16 => {
                with_token!(self.token, token => I16Kernel(token).run(work), _simd => unreachable!("no integer kernel"))
            }
            DType::Bf16 => {
                let (session, steps) =
                    (self.matrix_unit_or_portable().session(), RefCell::default());
                let (session, steps) = (&session, &steps);
                with_token!(
                    self.token,
                    token => Bf16Kernel { simd: token.simd(), session, steps }.run(work),
                    simd => Bf16Kernel { simd, session, steps }.run(work)
                )
            }
        }
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
