//! Limits on the number of connections: in total, and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots for connections.
#[derive(Clone, Debug)]
pub struct ClientSlots {
    all: Arc<Semaphore>,
    max: u32,
    /// Number of connections from each address with at least one connection.
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max_per_address: usize,
}

/// Slot of a connection, released when dropped.
#[derive(Debug)]
pub struct ClientSlot {
    _permit: OwnedSemaphorePermit,
    address: IpAddr,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl ClientSlots {
    /// Creates `max` slots, of which each address can use `max_per_address`.
    pub fn new(max: u32, max_per_address: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(max as usize)),
            max,
            by_address: Arc::default(),
            max_per_address,
        }
    }

    /// Returns a slot for a connection from `address`, or `None` if all its slots are in use.
    pub fn try_acquire(&self, address: IpAddr) -> Option<ClientSlot> {
        let permit = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let mut by_address = self.by_address.lock();
        let count = by_address.get(&address).copied().unwrap_or(0);
        (count < self.max_per_address).then(|| {
            by_address.insert(address, count + 1);
            ClientSlot {
                _permit: permit,
                address,
                by_address: Arc::clone(&self.by_address),
            }
        })
    }

    /// Waits until there are no connections.
    pub async fn wait_until_free(&self) {
        // Cannot fail: the semaphore is never closed.
        drop(self.all.acquire_many(self.max).await);
    }
}

impl ClientSlot {
    /// Returns the address of the connection.
    pub const fn address(&self) -> IpAddr {
        self.address
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock();
        match by_address.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(by_address.remove(&self.address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn slots_are_limited_in_total_and_by_address() {
        let slots = ClientSlots::new(3, 2);
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)));
        let first = slots.try_acquire(one);
        let second = slots.try_acquire(one);
        assert!(first.is_some() && second.is_some() && slots.try_acquire(one).is_none());
        let third = slots.try_acquire(other);
        assert!(third.is_some() && slots.try_acquire(other).is_none());
        drop(first);
        assert!(slots.try_acquire(one).is_some());
        drop((second, third));
        assert!(slots.by_address.lock().is_empty());
    }
}
