//! Prefetching of cache lines.

/// Size of a cache line in bytes; also the size of the longest SIMD vector.
pub const CACHE_LINE_BYTES: usize = 64;

/// Prefetches the cache line of `data[index]`. The index may be out of bounds, because nothing is read.
///
/// Prefetching is worth the `unsafe` code: Winograd-transformed weights are used for only a few rows each time they are
/// loaded. Without prefetching, waiting for the weights took a quarter of the time.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "there is no safe name for this instruction")]
pub fn prefetch<T>(data: &[T], index: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let address = data.as_ptr().wrapping_add(index).cast();
    // SAFETY: a prefetch reads nothing and never faults, whatever the address, and every x86-64 processor supports it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

/// Does nothing, because prefetching is implemented only for x86-64.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub fn prefetch<T>(_: &[T], _: usize) {}
