//! Tile multiplication on Intel AMX, which has eight tile registers of 16 rows by 64 bytes.
//!
//! Stable Rust has no intrinsics for AMX yet, so the module uses inline assembly. The gain justifies the `unsafe` code:
//! AMX has fifteen times the multiply-add throughput of the vector units of the same core.

#![expect(unsafe_code, reason = "the unit can only be reached in assembly")]

use std::arch::asm;
use std::cell::Cell;
use std::marker::PhantomData;

use raw_cpuid::CpuId;

use super::block::{Rows, STEP_WEIGHTS, Sums, TILE_SIDE};

/// Proof that the processor has AMX and that the operating system allows this process to use it.
#[derive(Clone, Copy, Debug)]
pub struct Amx {
    _private: PhantomData<()>,
}

/// Operand of `ldtilecfg`: the shapes of the tile registers.
#[repr(C, align(64))]
struct TileConfig([u64; 8]);

/// All eight tile registers have 16 rows of 64 bytes: byte 0 is the palette, the 16-bit numbers from byte 16 are the
/// bytes per row, and the bytes from byte 48 are the numbers of rows. The numbers for further registers are zero.
static FULL_TILES: TileConfig = {
    let row_bytes = 0x0040_0040_0040_0040;
    TileConfig([1, 0, row_bytes, row_bytes, 0, 0, 0x1010_1010_1010_1010, 0])
};

thread_local! {
    /// True while the thread has a [`Session`].
    static HAS_SESSION: Cell<bool> = const { Cell::new(false) };
}

impl Amx {
    /// Requests the use of AMX. Returns `None` if the processor lacks AMX, its bfloat16 instructions or AVX-512, or if
    /// the operating system denies the request.
    pub fn try_new() -> Option<Self> {
        let features = CpuId::new().get_extended_feature_info();
        let has = features.is_some_and(|has| has.has_amx_tile() && has.has_amx_bf16());
        // The other operations of these kernels use AVX-512.
        let vectors = pulp::x86::V4::try_new().is_some();
        (has && vectors && request_permission()).then_some(Self {
            _private: PhantomData,
        })
    }

    /// Starts a session on the current thread. Configures all eight tile registers with 16 rows of 64 bytes.
    ///
    /// # Panics
    /// Panics if the thread already has a session.
    pub fn session(self) -> Session {
        let is_only = !HAS_SESSION.replace(true);
        assert!(is_only, "a thread has one session at a time");
        // SAFETY: an `Amx` proves that the processor and the operating system support AMX. The instruction reads the 64
        // bytes of `FULL_TILES`, which is a valid configuration. Only sessions use the tile registers, and the thread has
        // no other session.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const FULL_TILES, options(readonly, nostack, preserves_flags));
        }
        Session {
            _of_thread: PhantomData,
        }
    }
}

/// Session of tile multiplications on the current thread. Holds the tile registers, as configured by [`Amx::session`].
/// Not `Send`.
///
/// Dropping the session releases the registers, because tile data in the registers slows down every context switch.
#[derive(Debug)]
pub struct Session {
    _of_thread: PhantomData<*const ()>,
}

impl Session {
    /// Implements [`super::matrix_unit::Session::multiply`].
    ///
    /// # Panics
    /// Panics under the same conditions as [`Rows::check_against_columns`].
    #[inline(always)]
    pub fn multiply<const C: usize>(&self, rows: Rows<'_>, columns: [&[u16]; C], sums: &mut Sums) {
        rows.check_against_columns(&columns);
        if rows.steps.is_empty() {
            return;
        }
        // SAFETY: this session has configured the tile registers of the thread and is the thread's only session.
        // `check` has passed, and there is at least one step.
        unsafe {
            match columns.as_slice() {
                [one] => multiply_one_column(rows, one, sums),
                [one, two] => multiply_two_columns(rows, one, two, sums),
                _ => unreachable!("a block has one tile of columns or two"),
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the session was created from an `Amx`, which proves that the processor has the instruction. It
        // changes only the tile registers, which no other session of this thread uses.
        unsafe {
            asm!("tilerelease", options(nomem, nostack, preserves_flags));
        }
        HAS_SESSION.set(false);
    }
}

/// Requests permission from Linux to use the tile registers, and returns true if it is granted. Without permission, the
/// first use of a tile register would terminate the process.
fn request_permission() -> bool {
    const REQUEST_PERMISSION: libc::c_int = 0x1023;
    const TILE_DATA: libc::c_ulong = 18;
    // SAFETY: the call takes two integers and changes only the permissions of this process. Versions of Linux that do
    // not know this request return an error.
    unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0 }
}

/// Multiplies two tiles of rows by two tiles of columns and stores the results in `sums`.
///
/// # Safety
/// The current thread must have a [`Session`], `rows` must have at least one step, and [`Rows::check_against_columns`]
/// must pass for both columns.
unsafe fn multiply_two_columns(rows: Rows<'_>, one: &[u16], two: &[u16], sums: &mut Sums) {
    let stride = size_of::<u16>() * rows.stride;
    // SAFETY: the session has configured the registers. All 32 rows at this stride lie within the data at every step,
    // and both columns have 1,024 bytes for each step. The loop reads the steps up to their end, which it reaches
    // because there is at least one. `sums` has room for four tiles of 1,024 bytes.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "mov {row}, [{step}]",
            "lea {row}, [{first} + 2*{row}]",
            "tileloadd tmm6, [{one} + {line}*1]",
            "tileloadd tmm4, [{row} + {stride}*1]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "add {row}, {tile}",
            "tileloadd tmm5, [{row} + {stride}*1]",
            "tdpbf16ps tmm1, tmm5, tmm6",
            "tileloadd tmm7, [{two} + {line}*1]",
            "tdpbf16ps tmm2, tmm4, tmm7",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {one}, 1024",
            "add {two}, 1024",
            "add {step}, 8",
            "cmp {step}, {end}",
            "jne 2b",
            "tilestored [{sums} + {line}*1], tmm0",
            "tilestored [{sums} + {line}*1 + 1024], tmm1",
            "tilestored [{sums} + {line}*1 + 2048], tmm2",
            "tilestored [{sums} + {line}*1 + 3072], tmm3",
            row = out(reg) _,
            first = in(reg) rows.data.as_ptr().add(rows.first),
            stride = in(reg) stride,
            tile = in(reg) TILE_SIDE * stride,
            one = inout(reg) one.as_ptr() => _,
            two = inout(reg) two.as_ptr() => _,
            line = in(reg) 64_usize,
            step = inout(reg) rows.steps.as_ptr() => _,
            end = in(reg) rows.steps.as_ptr_range().end,
            sums = in(reg) sums,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// Multiplies two tiles of rows by a single tile of columns and stores the results in `sums`.
///
/// # Safety
/// The same conditions apply as for [`multiply_two_columns`], with a single tile of columns.
unsafe fn multiply_one_column(rows: Rows<'_>, one: &[u16], sums: &mut Sums) {
    let stride = size_of::<u16>() * rows.stride;
    // SAFETY: as in `multiply_two_columns`, with one tile of columns and two tiles of sums.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "2:",
            "mov {row}, [{step}]",
            "lea {row}, [{first} + 2*{row}]",
            "tileloadd tmm6, [{one} + {line}*1]",
            "tileloadd tmm4, [{row} + {stride}*1]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "add {row}, {tile}",
            "tileloadd tmm5, [{row} + {stride}*1]",
            "tdpbf16ps tmm1, tmm5, tmm6",
            "add {one}, 1024",
            "add {step}, 8",
            "cmp {step}, {end}",
            "jne 2b",
            "tilestored [{sums} + {line}*1], tmm0",
            "tilestored [{sums} + {line}*1 + 1024], tmm1",
            row = out(reg) _,
            first = in(reg) rows.data.as_ptr().add(rows.first),
            stride = in(reg) stride,
            tile = in(reg) TILE_SIDE * stride,
            one = inout(reg) one.as_ptr() => _,
            line = in(reg) 64_usize,
            step = inout(reg) rows.steps.as_ptr() => _,
            end = in(reg) rows.steps.as_ptr_range().end,
            sums = in(reg) sums,
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm5") _, out("tmm6") _,
            options(nostack),
        );
    }
}

const _: () = assert!(STEP_WEIGHTS * size_of::<u16>() == 1024 && TILE_SIDE == 16);
