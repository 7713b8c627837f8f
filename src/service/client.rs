//! A connected client: its outgoing messages and its pending requests.
//!
//! The response to a request is sent as soon as the request has been executed or, if the request needs a search, later
//! by a worker. In the second case, the request is *pending* until the worker has finished it.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::sync::{mpsc, watch};

use super::client_slots::ClientSlot;
use super::limits;
use crate::io::protocol_log::ProtocolLog;

/// A connected client.
#[derive(Debug)]
pub struct Client {
    /// Unique id, never reused.
    pub id: u64,
    pub address: IpAddr,
    outgoing: mpsc::Sender<OutgoingMessage>,
    state: watch::Sender<ClientState>,
    authenticated: AtomicBool,
    wrong_tokens: AtomicU32,
    log: Arc<ProtocolLog>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ClientState {
    /// Number of pending requests.
    pending: usize,
    /// Total size in bytes of the messages that are queued or being sent.
    unread_bytes: usize,
    /// True if the client has disconnected or its connection is to be closed.
    is_disconnected: bool,
}

impl ClientState {
    /// Returns true if the queue of outgoing messages has space for `bytes` more bytes.
    const fn fits(&self, bytes: usize) -> bool {
        self.unread_bytes + bytes <= limits::MAX_UNREAD_BYTES
    }
}

/// A message to a client.
#[derive(Debug)]
pub struct OutgoingMessage {
    pub text: String,
    /// Released after the message has been sent.
    _reserved: ReservedBytes,
}

/// Reserved bytes in the queue of outgoing messages, released when dropped.
#[derive(Debug)]
struct ReservedBytes {
    bytes: usize,
    state: watch::Sender<ClientState>,
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        self.state
            .send_modify(|state| state.unread_bytes -= self.bytes);
    }
}

/// Receiving end of a client's queue of outgoing messages. Each message is a JSON object on one line.
#[derive(Debug)]
pub struct OutgoingMessages {
    receiver: mpsc::Receiver<OutgoingMessage>,
    /// Permit that counts the client towards the limits on connections. Released when all messages have been sent.
    _slot: ClientSlot,
}

impl OutgoingMessages {
    /// Waits for the next message. Returns `None` once the [`Client`] has been dropped and all messages have been
    /// received.
    pub async fn next(&mut self) -> Option<OutgoingMessage> {
        self.receiver.recv().await
    }
}

impl Client {
    /// Creates a client and the queue of its outgoing messages.
    pub fn new(
        id: u64,
        authenticated: bool,
        slot: ClientSlot,
        log: Arc<ProtocolLog>,
    ) -> (Self, OutgoingMessages) {
        let (outgoing, receiver) = mpsc::channel(limits::MAX_UNREAD_MESSAGES);
        let client = Self {
            id,
            address: slot.address(),
            outgoing,
            state: watch::Sender::default(),
            authenticated: AtomicBool::new(authenticated),
            wrong_tokens: AtomicU32::new(0),
            log,
        };
        let messages = OutgoingMessages {
            receiver,
            _slot: slot,
        };
        (client, messages)
    }

    /// Queues a message, waiting until there is enough space in the queue.
    pub async fn send(&self, text: String) {
        self.log_outgoing(&text);
        let _reserved = self.reserve(queue_bytes_for(&text)).await;
        let message = OutgoingMessage { text, _reserved };
        if self.outgoing.send(message).await.is_err() {
            self.disconnect();
        }
    }

    /// Queues a message without waiting. Disconnects the client if there is not enough space in the queue.
    pub fn send_or_disconnect(&self, text: String) {
        self.log_outgoing(&text);
        let reserved = self.try_reserve(queue_bytes_for(&text));
        let sent = reserved.is_some_and(|_reserved| {
            let message = OutgoingMessage { text, _reserved };
            self.outgoing.try_send(message).is_ok()
        });
        if !sent {
            self.disconnect();
        }
    }

    /// Reserves `bytes` bytes in the queue of outgoing messages. Returns `None`, without reserving any, if the queue
    /// has too little space.
    fn try_reserve(&self, bytes: usize) -> Option<ReservedBytes> {
        let is_reserved = self.state.send_if_modified(|state| {
            let fits = state.fits(bytes);
            state.unread_bytes += if fits { bytes } else { 0 };
            fits
        });
        let state = self.state.clone();
        is_reserved.then(|| ReservedBytes { bytes, state })
    }

    /// Reserves `bytes` bytes in the queue of outgoing messages, waiting until there is enough space.
    ///
    /// While a message waits, released bytes remain available to other messages. If they were set aside for the waiting
    /// message, [`send_or_disconnect`](Self::send_or_disconnect) could find too little space and disconnect the client.
    async fn reserve(&self, bytes: usize) -> ReservedBytes {
        loop {
            if let Some(reserved) = self.try_reserve(bytes) {
                return reserved;
            }
            self.wait_for_state(|state| state.fits(bytes)).await;
        }
    }

    /// Logs an outgoing message. Messages to unauthenticated clients are not logged, because they may repeat parts of
    /// the request and could fill the disk.
    fn log_outgoing(&self, text: &str) {
        if !self.is_authenticated() {
            return;
        }
        self.log.write_line(format_args!("{} >", self.id), text);
    }

    /// Returns true if the client is connected and its queue has enough space for an intermediate result. Such results
    /// leave part of the queue free for responses.
    pub fn has_room_for_update(&self) -> bool {
        !self.is_disconnected()
            && self.outgoing.capacity() > limits::MAX_UNREAD_MESSAGES / 2
            && self.state.borrow().fits(limits::MAX_UNREAD_BYTES / 4)
    }

    /// Registers a pending request. Returns false, without registering the request, if the client already has the
    /// maximum number of pending requests.
    pub fn try_add_pending_request(&self) -> bool {
        self.state.send_if_modified(|state| {
            let fits = state.pending < limits::MAX_PENDING_PER_CLIENT;
            state.pending += usize::from(fits);
            fits
        })
    }

    /// Removes a pending request registered by [`try_add_pending_request`](Self::try_add_pending_request).
    pub fn remove_pending_request(&self) {
        self.state.send_modify(|state| state.pending -= 1);
    }

    /// Returns true if the client has pending requests.
    pub fn has_pending_requests(&self) -> bool {
        self.state.borrow().pending > 0
    }

    /// Waits until the client has no pending requests.
    pub async fn wait_for_pending_requests(&self) {
        self.wait_for_state(|state| state.pending == 0).await;
    }

    /// Returns true if the client has sent the token, or if no token is required.
    pub fn is_authenticated(&self) -> bool {
        self.authenticated.load(Ordering::Relaxed)
    }

    /// Counts a wrong token.
    pub fn add_wrong_token(&self) {
        self.wrong_tokens.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of wrong tokens that the client has sent.
    pub fn wrong_token_count(&self) -> u32 {
        self.wrong_tokens.load(Ordering::Relaxed)
    }

    pub fn set_authenticated(&self) {
        self.authenticated.store(true, Ordering::Relaxed);
    }

    /// Marks the client as disconnected, which closes its connection.
    pub fn disconnect(&self) {
        self.state.send_modify(|state| state.is_disconnected = true);
    }

    pub fn is_disconnected(&self) -> bool {
        self.state.borrow().is_disconnected
    }

    /// Waits until the client is marked as disconnected.
    pub async fn wait_disconnected(&self) {
        self.wait_for_state(|state| state.is_disconnected).await;
    }

    async fn wait_for_state(&self, condition: impl Fn(&ClientState) -> bool) {
        let mut states = self.state.subscribe();
        // Cannot fail: the sender lives as long as this client.
        drop(states.wait_for(condition).await);
    }
}

/// Returns the number of bytes to reserve for a message. A message longer than the limit reserves the complete queue.
fn queue_bytes_for(text: &str) -> usize {
    text.len().min(limits::MAX_UNREAD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::client_slots::ClientSlots;
    use std::net::Ipv4Addr;
    use tokio::runtime::Builder;
    use tokio::task::yield_now;

    fn client() -> (Arc<Client>, OutgoingMessages) {
        let slots = ClientSlots::new(1, 1);
        let slot = slots.try_acquire(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        let (client, outgoing) = Client::new(0, true, slot, Arc::new(ProtocolLog::disabled()));
        (Arc::new(client), outgoing)
    }

    #[test]
    fn blocked_send_reserves_no_budget() {
        let long = || "x".repeat(limits::MAX_UNREAD_BYTES / 5 * 2);
        // With a single thread, yielding runs all other tasks until they wait.
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (client, mut outgoing) = client();
            client.send(long()).await;
            assert!(client.has_room_for_update());
            client.send(long()).await;
            let sender = Arc::clone(&client);
            let send_task = tokio::spawn(async move { sender.send(long()).await });
            yield_now().await;
            client.send_or_disconnect("short".to_owned());
            assert!(!client.is_disconnected() && !send_task.is_finished());
            // There is no space for optional messages.
            assert!(!client.has_room_for_update());
            drop(outgoing.next().await);
            yield_now().await;
            assert!(send_task.is_finished());
            let mut lengths = Vec::new();
            for _ in 0..3 {
                lengths.extend(outgoing.next().await.map(|message| message.text.len()));
            }
            assert_eq!(lengths, [long().len(), "short".len(), long().len()]);
            assert!(client.has_room_for_update());
        });
    }
}
