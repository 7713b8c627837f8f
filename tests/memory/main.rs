//! Memory limits, measured with a counting allocator.

mod eval_memory;
mod net_memory;

use parking_lot::{Mutex, MutexGuard};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Locks the allocator, which counts for the whole process, for one measurement.
fn measuring() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    MEASURING.lock()
}
