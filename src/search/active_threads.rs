//! Limit on the number of threads that work on a search, so that several searches can share the processor cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex};

/// Number of threads that may work. It can be changed while they do.
#[derive(Debug)]
pub(super) struct ActiveThreads {
    count: AtomicUsize,
    /// Locked while a thread decides to wait, so that no call to [`wake`](Self::wake) is missed.
    lock: Mutex<()>,
    changed: Condvar,
}

impl Default for ActiveThreads {
    /// Lets all threads work.
    fn default() -> Self {
        Self {
            count: AtomicUsize::new(usize::MAX),
            lock: Mutex::default(),
            changed: Condvar::default(),
        }
    }
}

impl ActiveThreads {
    pub fn set(&self, count: usize) {
        if self.count.swap(count, Ordering::Relaxed) < count {
            self.wake();
        }
    }

    /// Lets all waiting threads check again whether they may work or the search is over.
    pub fn wake(&self) {
        drop(self.lock.lock());
        self.changed.notify_all();
    }

    /// Waits until the thread with this index may work, and returns true. Returns false if `is_over` is true before
    /// that. After `is_over` has become true, [`wake`](Self::wake) must be called.
    pub fn wait_until_active(&self, index: usize, is_over: impl Fn() -> bool) -> bool {
        let is_active = || index < self.count.load(Ordering::Relaxed);
        if is_active() {
            return true;
        }
        let mut guard = self.lock.lock();
        while !is_active() {
            if is_over() {
                return false;
            }
            self.changed.wait(&mut guard);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_within_the_limit_do_not_wait() {
        let threads = ActiveThreads::default();
        assert!(threads.wait_until_active(99, || true));
        threads.set(2);
        assert!(threads.wait_until_active(1, || true));
        assert!(!threads.wait_until_active(2, || true));
    }
}
