//! Memory limits, measured with a counting allocator.

mod eval_memory;
mod game_memory;
mod net_memory;

use parking_lot::{Mutex, MutexGuard};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Locks the counters for one measurement. The allocator counts the memory of the whole process.
fn measuring() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    MEASURING.lock()
}
