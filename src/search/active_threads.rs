//! Limit on the number of threads that work on a search, so that several searches can share the processor cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Interval at which a waiting thread checks whether it may work or the search is over.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Number of threads that may work. It can be changed while they do.
#[derive(Debug)]
pub(super) struct ActiveThreads(AtomicUsize);

impl Default for ActiveThreads {
    /// Lets all threads work.
    fn default() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }
}

impl ActiveThreads {
    pub fn set(&self, count: usize) {
        self.0.store(count, Ordering::Relaxed);
    }

    /// Waits until the thread with this index may work, and returns true. Returns false if `is_over` becomes true
    /// before that.
    pub fn wait_until_active(&self, index: usize, is_over: impl Fn() -> bool) -> bool {
        while index >= self.0.load(Ordering::Relaxed) {
            if is_over() {
                return false;
            }
            sleep(POLL_INTERVAL);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inactive_threads_wait_for_end_or_higher_limit() {
        let threads = ActiveThreads::default();
        assert!(threads.wait_until_active(99, || true));
        threads.set(2);
        assert!(threads.wait_until_active(1, || true));
        assert!(!threads.wait_until_active(2, || true));
        // The limit rises while a thread waits.
        let raise = || {
            threads.set(3);
            false
        };
        assert!(threads.wait_until_active(2, raise));
    }
}
