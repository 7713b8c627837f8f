//! Products of pairs by the vectors of x86-64.
//!
//! Products are said as assembly. Of the instructions that add to the sum (VNNI) the compiler takes its own names as
//! leave to write the two that they replace, which take twice the time. Where there are only these two it adds products
//! to each other before it adds them to the sum, and keeps so many under way that sums are pushed out of the registers.
//! Nor is the assembly called pure: it stays in the order in which it is written, in which all sums fit the registers.
//!
//! So this module is `unsafe` where it says them: each type that says them can only be had where the processor has them.

use std::arch::x86_64::{__m256i, __m512i};
use std::arch::{asm, is_x86_feature_detected};

use pulp::x86::{V3, V4};
use pulp::{NullaryFnOnce, cast, f32x8, f32x16, i32x8, i32x16, u32x8, u32x16};

use super::{Dot, Spoken, WithDot};

impl Dot for V3 {
    type Simd = Self;
    const TEMPORARIES: usize = 1;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "the compiler's order takes more registers")]
    fn dot(self, sums: i32x8, inputs: u32x8, weights: u32x8) -> i32x8 {
        let [sums, inputs, weights]: [__m256i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: there is a `V3` only where the processor has AVX2.
        cast(unsafe { add_products_256(sums, inputs, weights) })
    }

    #[inline(always)]
    fn floats(self, sums: i32x8) -> f32x8 {
        self.convert_i32x8_to_f32x8(sums)
    }

    fn run<W: WithDot>(self, work: W) -> W::Output {
        self.vectorize(Spoken { dot: self, work })
    }
}

impl Dot for V4 {
    type Simd = Self;
    const TEMPORARIES: usize = 1;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "the compiler's order takes more registers")]
    fn dot(self, sums: i32x16, inputs: u32x16, weights: u32x16) -> i32x16 {
        let [sums, inputs, weights]: [__m512i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: there is a `V4` only where the processor has AVX-512.
        cast(unsafe { add_products_512(sums, inputs, weights) })
    }

    #[inline(always)]
    fn floats(self, sums: i32x16) -> f32x16 {
        self.convert_i32x16_to_f32x16(sums)
    }

    fn run<W: WithDot>(self, work: W) -> W::Output {
        self.vectorize(Spoken { dot: self, work })
    }
}

/// The sums plus the products, by the two instructions of AVX2.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "assembly is")]
fn add_products_256(mut sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    let _products: __m256i;
    // SAFETY: instructions of AVX2, which change two registers and nothing else.
    unsafe {
        asm!(
            "vpmaddwd {products}, {}, {}",
            "vpaddd {sums}, {sums}, {products}",
            in(ymm_reg) inputs,
            in(ymm_reg) weights,
            sums = inout(ymm_reg) sums,
            products = lateout(ymm_reg) _products,
            options(nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// The sums plus the products, by the two instructions of AVX-512.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
#[expect(unsafe_code, reason = "assembly is")]
fn add_products_512(mut sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    let _products: __m512i;
    // SAFETY: instructions of AVX-512, which change two registers and nothing else.
    unsafe {
        asm!(
            "vpmaddwd {products}, {}, {}",
            "vpaddd {sums}, {sums}, {products}",
            in(zmm_reg) inputs,
            in(zmm_reg) weights,
            sums = inout(zmm_reg) sums,
            products = lateout(zmm_reg) _products,
            options(nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// Vectors of 256 bits with AVX-VNNI.
#[derive(Clone, Copy, Debug)]
pub struct AvxVnni(V3);

impl AvxVnni {
    /// If this processor has both.
    pub fn try_new() -> Option<Self> {
        let simd = V3::try_new()?;
        is_x86_feature_detected!("avxvnni").then_some(Self(simd))
    }

    /// Does the work with these instructions at hand.
    #[expect(
        unsafe_code,
        reason = "functions with more instructions than the program's are"
    )]
    pub fn vectorize<F: NullaryFnOnce>(self, work: F) -> F::Output {
        #[target_feature(enable = "sse,sse2,fxsr,sse3,ssse3,sse4.1,sse4.2,popcnt")]
        #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,avxvnni")]
        fn spoken<F: NullaryFnOnce>(work: F) -> F::Output {
            work.call()
        }
        // SAFETY: `V3` says that the processor has all of the first two lines, and `try_new` has asked for the rest.
        unsafe { spoken(work) }
    }
}

impl Dot for AvxVnni {
    type Simd = V3;
    const TEMPORARIES: usize = 0;

    #[inline(always)]
    fn simd(self) -> V3 {
        self.0
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "there is no safe name for this instruction")]
    fn dot(self, sums: i32x8, inputs: u32x8, weights: u32x8) -> i32x8 {
        let [sums, inputs, weights]: [__m256i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: `try_new`, the only way to one of these, has asked for AVX-VNNI.
        cast(unsafe { dot_256(sums, inputs, weights) })
    }

    #[inline(always)]
    fn floats(self, sums: i32x8) -> f32x8 {
        self.0.convert_i32x8_to_f32x8(sums)
    }

    fn run<W: WithDot>(self, work: W) -> W::Output {
        self.vectorize(Spoken { dot: self, work })
    }
}

/// The sums plus the products.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
#[expect(unsafe_code, reason = "assembly is")]
fn dot_256(mut sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    // SAFETY: an instruction of AVX-VNNI, which changes one register and nothing else.
    unsafe {
        asm!(
            "{{vex}} vpdpwssd {}, {}, {}",
            inout(ymm_reg) sums,
            in(ymm_reg) inputs,
            in(ymm_reg) weights,
            options(nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// Vectors of 512 bits with AVX-512 VNNI.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Vnni(V4);

impl Avx512Vnni {
    /// If this processor has both.
    pub fn try_new() -> Option<Self> {
        let simd = V4::try_new()?;
        is_x86_feature_detected!("avx512vnni").then_some(Self(simd))
    }

    /// Does the work with these instructions at hand.
    #[expect(
        unsafe_code,
        reason = "functions with more instructions than the program's are"
    )]
    pub fn vectorize<F: NullaryFnOnce>(self, work: F) -> F::Output {
        #[target_feature(enable = "sse,sse2,fxsr,sse3,ssse3,sse4.1,sse4.2,popcnt")]
        #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt")]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni")]
        fn spoken<F: NullaryFnOnce>(work: F) -> F::Output {
            work.call()
        }
        // SAFETY: `V4` says that the processor has all but the last, for which `try_new` has asked.
        unsafe { spoken(work) }
    }
}

impl Dot for Avx512Vnni {
    type Simd = V4;
    const TEMPORARIES: usize = 0;

    #[inline(always)]
    fn simd(self) -> V4 {
        self.0
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "there is no safe name for this instruction")]
    fn dot(self, sums: i32x16, inputs: u32x16, weights: u32x16) -> i32x16 {
        let [sums, inputs, weights]: [__m512i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: `try_new`, the only way to one of these, has asked for AVX-512 VNNI.
        cast(unsafe { dot_512(sums, inputs, weights) })
    }

    #[inline(always)]
    fn floats(self, sums: i32x16) -> f32x16 {
        self.0.convert_i32x16_to_f32x16(sums)
    }

    fn run<W: WithDot>(self, work: W) -> W::Output {
        self.vectorize(Spoken { dot: self, work })
    }
}

/// The sums plus the products.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
#[expect(unsafe_code, reason = "assembly is")]
fn dot_512(mut sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    // SAFETY: an instruction of AVX-512 VNNI, which changes one register and nothing else.
    unsafe {
        asm!(
            "vpdpwssd {}, {}, {}",
            inout(zmm_reg) sums,
            in(zmm_reg) inputs,
            in(zmm_reg) weights,
            options(nomem, nostack, preserves_flags),
        );
    }
    sums
}
