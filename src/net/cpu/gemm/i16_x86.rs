//! Products of pairs with the vector instructions of x86-64.
//!
//! The multiply-adds are inline assembly rather than intrinsics. LLVM may replace the VNNI intrinsics, which add to the
//! sum, with the two older instructions (`vpmaddwd` and `vpaddd`), which take twice the time. If the code uses the
//! intrinsics of these two instructions, LLVM adds products to one another before it adds them to the sum. It then
//! keeps so many products in registers that sums are spilled to memory. The assembly is not marked `pure`, so it stays
//! in source order, in which all sums fit into the registers. The assembler knows all instructions, so the functions
//! need only the target features of their registers.
//!
//! The module needs `unsafe` to run this assembly. The types that run it can be constructed only if the processor has
//! the instructions.

use std::arch::x86_64::{__m128i, __m256i, __m512i};
use std::arch::{asm, is_x86_feature_detected};

use pulp::x86::{V2, V3, V4};
use pulp::{cast, i32x4, i32x8, i32x16, u32x4, u32x8, u32x16};

use super::pair_product::PairProduct;

impl PairProduct for V2 {
    type Simd = Self;
    const TEMPORARIES: usize = 1;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "inline assembly")]
    fn multiply_add(self, sums: i32x4, inputs: u32x4, weights: u32x4) -> i32x4 {
        let [mut sums, inputs, weights]: [__m128i; 3] = [cast(sums), cast(inputs), cast(weights)];
        let _products: __m128i;
        // SAFETY: the instructions belong to SSE2, which every x86-64 processor has, and change only the two output
        // registers.
        unsafe {
            asm!(
                "movdqa {products}, {}",
                "pmaddwd {products}, {}",
                "paddd {sums}, {products}",
                in(xmm_reg) inputs,
                in(xmm_reg) weights,
                sums = inout(xmm_reg) sums,
                products = out(xmm_reg) _products,
                options(nomem, nostack, preserves_flags),
            );
        }
        cast(sums)
    }
}

impl PairProduct for V3 {
    type Simd = Self;
    const TEMPORARIES: usize = 1;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "the compiler's order takes more registers")]
    fn multiply_add(self, sums: i32x8, inputs: u32x8, weights: u32x8) -> i32x8 {
        let [sums, inputs, weights]: [__m256i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: a `V3` exists only if the processor has AVX2.
        cast(unsafe { add_products_256(sums, inputs, weights) })
    }
}

impl PairProduct for V4 {
    type Simd = Self;
    const TEMPORARIES: usize = 1;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "the compiler's order takes more registers")]
    fn multiply_add(self, sums: i32x16, inputs: u32x16, weights: u32x16) -> i32x16 {
        let [sums, inputs, weights]: [__m512i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: a `V4` exists only if the processor has AVX-512 F and AVX-512 BW.
        cast(unsafe { add_products_512(sums, inputs, weights) })
    }
}

/// Adds the products of `inputs` and `weights` to `sums` with two AVX2 instructions.
///
/// # Safety
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "inline assembly")]
unsafe fn add_products_256(mut sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    let _products: __m256i;
    // SAFETY: the caller guarantees AVX2, and the instructions change only the two output registers.
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

/// Adds the products of `inputs` and `weights` to `sums` with two AVX-512 instructions.
///
/// # Safety
/// The processor must have AVX-512 F and AVX-512 BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
#[expect(unsafe_code, reason = "inline assembly")]
unsafe fn add_products_512(mut sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    let _products: __m512i;
    // SAFETY: the caller guarantees AVX-512, and the instructions change only the two output registers.
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

/// Token for 256-bit vectors with AVX-VNNI.
#[derive(Clone, Copy, Debug)]
pub struct AvxVnni(V3);

impl AvxVnni {
    /// Returns the token, or `None` if the processor lacks AVX-VNNI or a feature that [`V3`] requires.
    pub fn try_new() -> Option<Self> {
        let simd = V3::try_new()?;
        is_x86_feature_detected!("avxvnni").then_some(Self(simd))
    }
}

impl PairProduct for AvxVnni {
    type Simd = V3;
    const TEMPORARIES: usize = 0;

    #[inline(always)]
    fn simd(self) -> V3 {
        self.0
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "inline assembly")]
    fn multiply_add(self, sums: i32x8, inputs: u32x8, weights: u32x8) -> i32x8 {
        let [sums, inputs, weights]: [__m256i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: `try_new`, the only constructor, has checked AVX-VNNI, and a `V3` exists only with AVX2.
        cast(unsafe { add_products_vnni_256(sums, inputs, weights) })
    }
}

/// Adds the products of `inputs` and `weights` to `sums` with a single AVX-VNNI instruction.
///
/// # Safety
/// The processor must have AVX2 and AVX-VNNI.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "inline assembly")]
unsafe fn add_products_vnni_256(mut sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX-VNNI, and the instruction changes only the output register.
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

/// Token for 512-bit vectors with AVX-512 VNNI.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Vnni(V4);

impl Avx512Vnni {
    /// Returns the token, or `None` if the processor lacks AVX-512 VNNI or a feature that [`V4`] requires.
    pub fn try_new() -> Option<Self> {
        let simd = V4::try_new()?;
        is_x86_feature_detected!("avx512vnni").then_some(Self(simd))
    }
}

impl PairProduct for Avx512Vnni {
    type Simd = V4;
    const TEMPORARIES: usize = 0;

    #[inline(always)]
    fn simd(self) -> V4 {
        self.0
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "inline assembly")]
    fn multiply_add(self, sums: i32x16, inputs: u32x16, weights: u32x16) -> i32x16 {
        let [sums, inputs, weights]: [__m512i; 3] = [cast(sums), cast(inputs), cast(weights)];
        // SAFETY: `try_new`, the only constructor, has checked AVX-512 VNNI, and a `V4` exists only with AVX-512 F.
        cast(unsafe { add_products_vnni_512(sums, inputs, weights) })
    }
}

/// Adds the products of `inputs` and `weights` to `sums` with a single AVX-512 VNNI instruction.
///
/// # Safety
/// The processor must have AVX-512 F and AVX-512 VNNI.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "inline assembly")]
unsafe fn add_products_vnni_512(mut sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    // SAFETY: the caller guarantees AVX-512 VNNI, and the instruction changes only the output register.
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
