//! Asking the memory for numbers before they are needed.

/// Bytes that the memory gives at once, a cache line; and those of the longest vector.
pub const LINE: usize = 64;

/// Asks for what stands so many places after the first. It may lie anywhere: nothing is read.
///
/// Worth its `unsafe`: transformed weights pass by once for a few rows, and waiting for them took a quarter of the time.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "there is no safe name for this instruction")]
pub fn fetch<T>(numbers: &[T], place: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let address = numbers.as_ptr().wrapping_add(place).cast();
    // SAFETY: a prefetch reads nothing and never faults, whatever the address, and every x86-64 processor has it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

/// Leaves it to the processor.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub fn fetch<T>(_: &[T], _: usize) {}
