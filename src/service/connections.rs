//! Manages the clients of all transports: connection limits, timeouts and shutdown.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::call::{RequestPermit, response_text};
use super::client::{Client, OutgoingMessages};
use super::dispatcher::Dispatcher;
use super::error::{ErrorCode, ServiceError};
use super::limits;
use super::operators::Queue;

/// Registers clients, enforces the limits on connections and requests, and passes messages to the dispatcher.
#[derive(Clone)]
pub struct ConnectionManager {
    dispatcher: Arc<Dispatcher>,
    idle_timeout: Duration,
    client_slots: Arc<Semaphore>,
    /// Permits for [`Queue::Compute`].
    compute_permits: Arc<Semaphore>,
    /// Permits for [`Queue::Store`].
    store_permits: Arc<Semaphore>,
    shutdown: watch::Sender<bool>,
}

impl ConnectionManager {
    /// Creates a manager without clients. A client that has no pending requests and sends no messages is disconnected
    /// after `idle_timeout`.
    pub fn new(dispatcher: Arc<Dispatcher>, idle_timeout: Duration) -> Self {
        Self {
            dispatcher,
            idle_timeout,
            client_slots: Arc::new(Semaphore::new(limits::MAX_CLIENTS)),
            compute_permits: Arc::new(Semaphore::new(limits::MAX_CONCURRENT_REQUESTS)),
            store_permits: Arc::new(Semaphore::new(limits::MAX_CONCURRENT_REQUESTS)),
            shutdown: watch::Sender::new(false),
        }
    }

    pub const fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }

    /// Time limit for transferring one message.
    pub fn transfer_timeout(&self) -> Duration {
        limits::TRANSFER_TIMEOUT.min(self.idle_timeout)
    }

    /// Registers a client.
    ///
    /// # Errors
    /// Returns the error response to send if too many clients are connected.
    pub fn register_client(&self) -> Result<(Arc<Client>, OutgoingMessages), String> {
        let Ok(slot) = Arc::clone(&self.client_slots).try_acquire_owned() else {
            let limit = limits::MAX_CLIENTS;
            let message = format!("too many clients are connected (limit {limit})");
            let error = ServiceError::new(ErrorCode::Busy, message);
            return Err(response_text(None, Err(error)));
        };
        let authenticated = self.dispatcher.token.is_none();
        let (client, outgoing) = Client::new(
            self.dispatcher.next_client_id(),
            authenticated,
            slot,
            Arc::clone(&self.dispatcher.log),
        );
        Ok((Arc::new(client), outgoing))
    }

    /// Executes a request. Sends the response if it is available immediately; otherwise, a worker sends it later.
    pub async fn handle_message(&self, client: &Arc<Client>, message: Vec<u8>) {
        if message.len() > limits::MAX_MESSAGE_BYTES {
            return Self::reject_long_message(client).await;
        }
        let (dispatcher, sender) = (Arc::clone(&self.dispatcher), Arc::clone(client));
        let permit = self.acquire_permit(Dispatcher::queue_for(&message)).await;
        // The request runs on a separate thread because it may wait for the disk. The number of these threads is
        // bounded because each client executes one request at a time.
        let handling = spawn_blocking(move || dispatcher.handle(&sender, &message, permit));
        let result = handling.await;
        let response = result.unwrap_or_else(|_| {
            let error = ServiceError::new(ErrorCode::Search, "the request failed unexpectedly");
            Some(response_text(None, Err(error)))
        });
        if let Some(response) = response {
            client.send(response).await;
        }
    }

    /// Waits for a permit to execute a request from `queue`. Returns `None` if the queue needs no permit.
    async fn acquire_permit(&self, queue: Queue) -> Option<RequestPermit> {
        let semaphore = match queue {
            Queue::None => return None,
            Queue::Compute => &self.compute_permits,
            Queue::Store => &self.store_permits,
        };
        // Cannot fail: the semaphores are never closed.
        Arc::clone(semaphore).acquire_owned().await.ok()
    }

    /// Sends the error response to a message that is longer than [`limits::MAX_MESSAGE_BYTES`].
    pub async fn reject_long_message(client: &Client) {
        let limit = limits::MAX_MESSAGE_BYTES;
        let message = format!("the message is longer than {limit} bytes");
        let error = ServiceError::new(ErrorCode::Message, message);
        client.send(response_text(None, Err(error))).await;
    }

    /// Serves a client until `read_loop` ends, the client disconnects, or the service shuts down.
    ///
    /// If `read_loop` returns a reason for closing the connection, the reason is sent to the client.
    pub async fn serve(
        &self,
        client: Arc<Client>,
        read_loop: impl Future<Output = Option<&'static str>>,
    ) {
        let reason = tokio::select! {
            reason = read_loop => reason,
            () = client.wait_disconnected() => None,
            () = self.authentication_timeout(&client) => Some("no token was received in time"),
            () = self.wait_for_shutdown() => Some("the service is shutting down"),
        };
        if let Some(reason) = reason {
            let error = ServiceError::new(ErrorCode::Closing, reason);
            client.send_or_disconnect(response_text(None, Err(error)));
        }
        self.dispatcher.remove_client(&client);
    }

    /// Completes if the client has not authenticated within the idle timeout; otherwise never completes. Messages
    /// without the token do not extend the timeout, so that an unauthenticated client cannot occupy a slot
    /// indefinitely.
    async fn authentication_timeout(&self, client: &Client) {
        sleep(self.idle_timeout).await;
        if client.is_authenticated() {
            pending::<()>().await;
        }
    }

    async fn wait_for_shutdown(&self) {
        let mut shutdown = self.shutdown.subscribe();
        // Cannot fail: the sender lives as long as the manager.
        drop(shutdown.wait_for(|closing| *closing).await);
    }

    /// Disconnects all clients and waits up to [`limits::SHUTDOWN_TIMEOUT`] until their responses have been sent.
    pub async fn shut_down(&self) {
        self.shutdown.send_replace(true);
        let all_slots = self.client_slots.acquire_many(limits::MAX_CLIENTS as u32);
        drop(timeout(limits::SHUTDOWN_TIMEOUT, all_slots).await);
    }
}
