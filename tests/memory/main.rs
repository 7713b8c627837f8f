//! Memory limits, measured by an allocator of this program's own.

mod eval_memory;
mod net_memory;

use parking_lot::{Mutex, MutexGuard};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Held by the test that is measuring: the allocator counts for the whole program.
fn measuring() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    MEASURING.lock()
}
