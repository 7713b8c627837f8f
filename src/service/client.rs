//! A client as operators and workers see it: a way out for answers, and what it still waits for.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, watch};

use super::limits;
use crate::io::protocol_log::ProtocolLog;

/// Somebody connected.
#[derive(Debug)]
pub struct Client {
    /// Tells it from all others, earlier ones included.
    pub id: u64,
    outgoing: mpsc::Sender<OutgoingMessage>,
    /// Bytes that may still be left unread.
    unread_budget: Arc<Semaphore>,
    /// Rung when some of them have come free.
    budget_freed: Arc<Notify>,
    state: watch::Sender<ClientState>,
    authenticated: AtomicBool,
    log: Arc<ProtocolLog>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ClientState {
    /// Requests that are answered later.
    pending: usize,
    /// It has gone, or is to go.
    is_disconnected: bool,
}

/// An answer on its way to a client.
#[derive(Debug)]
pub struct OutgoingMessage {
    /// The answer.
    pub text: String,
    /// Its share of what may be left unread, until it has been sent.
    _permit: UnreadPermit,
}

/// Some of the bytes that may be left unread. The fields are dropped in this order, so that whoever hears the ring finds
/// them free.
#[derive(Debug)]
struct UnreadPermit {
    _permit: OwnedSemaphorePermit,
    _notify: NotifyOnDrop,
}

/// Rings when it is dropped.
#[derive(Debug)]
struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_waiters();
    }
}

/// The answers for a client, each one JSON object in one line, as long as any can still come.
#[derive(Debug)]
pub struct OutgoingMessages {
    receiver: mpsc::Receiver<OutgoingMessage>,
    /// Whoever has not been told everything is still here.
    _slot: OwnedSemaphorePermit,
}

impl OutgoingMessages {
    /// The next answer; `None` when no more can come.
    pub async fn next(&mut self) -> Option<OutgoingMessage> {
        self.receiver.recv().await
    }
}

impl Client {
    /// A client on that seat, and the way its answers take.
    pub fn new(
        id: u64,
        authenticated: bool,
        slot: OwnedSemaphorePermit,
        log: Arc<ProtocolLog>,
    ) -> (Self, OutgoingMessages) {
        let (outgoing, receiver) = mpsc::channel(limits::MAX_UNREAD_MESSAGES);
        let client = Self {
            id,
            outgoing,
            unread_budget: Arc::new(Semaphore::new(limits::MAX_UNREAD_BYTES)),
            budget_freed: Arc::default(),
            state: watch::Sender::default(),
            authenticated: AtomicBool::new(authenticated),
            log,
        };
        let messages = OutgoingMessages {
            receiver,
            _slot: slot,
        };
        (client, messages)
    }

    /// Sends an answer, waiting while too many are unread.
    pub async fn send(&self, text: String) {
        self.log_outgoing(&text);
        let _permit = self.reserve(unread_bytes(&text)).await;
        if self
            .outgoing
            .send(OutgoingMessage { text, _permit })
            .await
            .is_err()
        {
            self.disconnect();
        }
    }

    /// Sends an answer from a thread that cannot wait. A client that has let too many pile up is given up.
    pub fn send_or_disconnect(&self, text: String) {
        self.log_outgoing(&text);
        let permit = self.try_reserve(unread_bytes(&text));
        let sent = permit.is_some_and(|_permit| {
            self.outgoing
                .try_send(OutgoingMessage { text, _permit })
                .is_ok()
        });
        if !sent {
            self.disconnect();
        }
    }

    /// So much of the room, if it is free.
    fn try_reserve(&self, bytes: u32) -> Option<UnreadPermit> {
        let permit = Arc::clone(&self.unread_budget).try_acquire_many_owned(bytes);
        permit.ok().map(|_permit| UnreadPermit {
            _permit,
            _notify: NotifyOnDrop(Arc::clone(&self.budget_freed)),
        })
    }

    /// So much of the room as soon as it is free. Nothing of it is held before: a place in the semaphore's queue would be
    /// given every byte that comes free, and others, who cannot wait, would find none.
    async fn reserve(&self, bytes: u32) -> UnreadPermit {
        loop {
            let mut freed = pin!(self.budget_freed.notified());
            // Before looking, so that no ring is missed.
            freed.as_mut().enable();
            if let Some(permit) = self.try_reserve(bytes) {
                return permit;
            }
            freed.await;
        }
    }

    /// Notes an answer in the log, but for a stranger's: it may echo what was asked, and would fill the disk as that
    /// would.
    fn log_outgoing(&self, text: &str) {
        if !self.is_authenticated() {
            return;
        }
        self.log.write_line(format_args!("{} >", self.id), text);
    }

    /// Whether there is room for answers that could as well be left out.
    pub fn has_spare_capacity(&self) -> bool {
        !self.is_disconnected()
            && self.outgoing.capacity() > limits::MAX_UNREAD_MESSAGES / 2
            && self.unread_budget.available_permits() >= limits::MAX_UNREAD_BYTES / 4
    }

    /// Counts a request that is answered later; false when there are too many.
    pub fn try_start_request(&self) -> bool {
        self.state.send_if_modified(|state| {
            let fits = state.pending < limits::MAX_PENDING_PER_CLIENT;
            state.pending += usize::from(fits);
            fits
        })
    }

    /// A request that was to be answered later has been.
    pub fn finish_request(&self) {
        self.state.send_modify(|state| state.pending -= 1);
    }

    /// Whether anything is still to be answered.
    pub fn has_pending(&self) -> bool {
        self.state.borrow().pending > 0
    }

    /// Waits until everything is answered.
    pub async fn wait_for_pending(&self) {
        self.wait_for_state(|state| state.pending == 0).await;
    }

    /// Whether it has shown the token, or need not.
    pub fn is_authenticated(&self) -> bool {
        self.authenticated.load(Ordering::Relaxed)
    }

    /// It has shown the token.
    pub fn set_authenticated(&self) {
        self.authenticated.store(true, Ordering::Relaxed);
    }

    /// It has gone, or is to be disconnected.
    pub fn disconnect(&self) {
        self.state.send_modify(|state| state.is_disconnected = true);
    }

    /// Whether it has been given up.
    pub fn is_disconnected(&self) -> bool {
        self.state.borrow().is_disconnected
    }

    /// Waits until it is given up.
    pub async fn wait_disconnected(&self) {
        self.wait_for_state(|state| state.is_disconnected).await;
    }

    async fn wait_for_state(&self, condition: impl Fn(&ClientState) -> bool) {
        let mut states = self.state.subscribe();
        // It cannot fail: the sender lives as long as this client.
        drop(states.wait_for(condition).await);
    }
}

/// What an answer takes of the bytes that may be left unread: all of them if it is longer.
fn unread_bytes(text: &str) -> u32 {
    text.len().min(limits::MAX_UNREAD_BYTES) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;
    use tokio::task::yield_now;

    fn client() -> (Arc<Client>, OutgoingMessages) {
        let slot = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let (client, outgoing) = Client::new(0, true, slot, Arc::new(ProtocolLog::disabled()));
        (Arc::new(client), outgoing)
    }

    #[test]
    fn blocked_send_reserves_no_budget() {
        let long = || "x".repeat(limits::MAX_UNREAD_BYTES / 5 * 2);
        // It has one thread: whoever yields it lets all others get as far as they can.
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (client, mut outgoing) = client();
            client.send(long()).await;
            assert!(client.has_spare_capacity());
            client.send(long()).await;
            let sender = Arc::clone(&client);
            let send_task = tokio::spawn(async move { sender.send(long()).await });
            yield_now().await;
            client.send_or_disconnect("short".to_owned());
            assert!(!client.is_disconnected() && !send_task.is_finished());
            // Not for what could as well be left out.
            assert!(!client.has_spare_capacity());
            drop(outgoing.next().await);
            yield_now().await;
            assert!(send_task.is_finished());
            let mut lengths = Vec::new();
            for _ in 0..3 {
                lengths.extend(outgoing.next().await.map(|message| message.text.len()));
            }
            assert_eq!(lengths, [long().len(), "short".len(), long().len()]);
            assert!(client.has_spare_capacity());
        });
    }
}
