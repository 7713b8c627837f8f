//! Products of pairs with the vector instructions of x86-64.
//!
//! The multiply-adds are inline assembly rather than intrinsics. LLVM may replace the VNNI intrinsics, which add to the
//! sum, with the two older instructions (`vpmaddwd` and `vpaddd`), which take twice the time. If the code uses the
//! intrinsics of these two instructions, LLVM adds products to one another before it adds them to the sum. The products
//! then occupy registers, so that sums are spilled to memory. The assembly is not marked `pure`, so it stays in source
//! order, in which all sums fit into the registers. The assembler knows all instructions, so the functions need only
//! the target features of their registers.
//!
//! The module needs `unsafe` to run this assembly. The types that run it can be constructed only if the processor has
//! the instructions.

use std::arch::x86_64::{__m128i, __m256i, __m512i};
use std::arch::{asm, is_x86_feature_detected};

use pulp::x86::{V2, V3, V4};
use pulp::{cast, i32x4, i32x8, i32x16, u32x4, u32x8, u32x16};

use super::i16::PairProduct;

/// Token for the vectors of `S` with a fused multiply-add of pairs (VNNI).
#[derive(Clone, Copy, Debug)]
pub struct Vnni<S>(S);

impl Vnni<V3> {
    /// Returns the token, or `None` if the processor lacks AVX-VNNI or a feature that [`V3`] requires.
    pub fn try_new() -> Option<Self> {
        let simd = V3::try_new()?;
        is_x86_feature_detected!("avxvnni").then_some(Self(simd))
    }
}

impl Vnni<V4> {
    /// Returns the token, or `None` if the processor lacks AVX-512 VNNI or a feature that [`V4`] requires.
    pub fn try_new() -> Option<Self> {
        let simd = V4::try_new()?;
        is_x86_feature_detected!("avx512vnni").then_some(Self(simd))
    }
}

/// Implements [`PairProduct`] for a token: the types of integers, pairs and registers, the class of the registers, their
/// target features, and the instructions. If these use a register `products`, the last argument is the kind of operand
/// (`out` or `lateout`).
///
/// The token must prove that the processor has the target features and the instructions, which may change only the
/// registers `sums` and `products`.
macro_rules! impl_pair_product {
    ($token:ty, $simd:ty, $self:ident => $get_simd:expr,
        [$i32s:ty, $u32s:ty, $register:ty, $class:ident, $features:literal],
        $temporaries:literal, $($instruction:literal)*, $($products:ident)?) => {
        impl PairProduct for $token {
            type Simd = $simd;
            const TEMPORARIES: usize = $temporaries;

            #[inline(always)]
            fn simd($self) -> $simd {
                $get_simd
            }

            #[inline(always)]
            #[expect(unsafe_code, reason = "inline assembly")]
            fn multiply_add(self, sums: $i32s, inputs: $u32s, weights: $u32s) -> $i32s {
                #[inline]
                #[target_feature(enable = $features)]
                fn add_products(
                    mut sums: $register,
                    inputs: $register,
                    weights: $register,
                ) -> $register {
                    // With `_` instead, the register would have no type, and perhaps not the name of a vector register.
                    let _products: $register;
                    // SAFETY: the token proves that the processor has the instructions. They change only the output
                    // registers.
                    unsafe {
                        asm!(
                            $($instruction,)*
                            inputs = in($class) inputs,
                            weights = in($class) weights,
                            sums = inout($class) sums,
                            $(products = $products($class) _products,)?
                            options(nomem, nostack, preserves_flags),
                        );
                    }
                    sums
                }
                // SAFETY: the token proves that the processor has the target features.
                cast(unsafe { add_products(cast(sums), cast(inputs), cast(weights)) })
            }
        }
    };
}

impl_pair_product!(V2, V2, self => self, [i32x4, u32x4, __m128i, xmm_reg, "sse2"], 1,
    "movdqa {products}, {inputs}"
    "pmaddwd {products}, {weights}"
    "paddd {sums}, {products}", out);
impl_pair_product!(V3, V3, self => self, [i32x8, u32x8, __m256i, ymm_reg, "avx2"], 1,
    "vpmaddwd {products}, {inputs}, {weights}"
    "vpaddd {sums}, {sums}, {products}", lateout);
impl_pair_product!(V4, V4, self => self, [i32x16, u32x16, __m512i, zmm_reg, "avx512f,avx512bw"], 1,
    "vpmaddwd {products}, {inputs}, {weights}"
    "vpaddd {sums}, {sums}, {products}", lateout);
impl_pair_product!(Vnni<V3>, V3, self => self.0, [i32x8, u32x8, __m256i, ymm_reg, "avx2"], 0,
    "{{vex}} vpdpwssd {sums}, {inputs}, {weights}",);
impl_pair_product!(Vnni<V4>, V4, self => self.0, [i32x16, u32x16, __m512i, zmm_reg, "avx512f"], 0,
    "vpdpwssd {sums}, {inputs}, {weights}",);
