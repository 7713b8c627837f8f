//! Where clients come in, whatever the transport: so many at a time, each served until it goes or the service ends.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::client::{Client, OutgoingMessages};
use super::dispatcher::{Dispatcher, RequestPermit, error_response_text};
use super::error::{ErrorCode, ServiceError};
use super::limits;
use super::table::Queue;

/// Lets clients in to the dispatcher.
#[derive(Clone)]
pub struct ConnectionManager {
    dispatcher: Arc<Dispatcher>,
    idle_timeout: Duration,
    client_slots: Arc<Semaphore>,
    /// Places of those whose requests take the processor.
    compute_permits: Arc<Semaphore>,
    /// Places of those whose requests are about games kept.
    store_permits: Arc<Semaphore>,
    shutdown: watch::Sender<bool>,
}

impl ConnectionManager {
    /// An empty gateway. Clients that neither ask nor wait for anything for as long as `idle_timeout` are shown out.
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

    /// How long a client may be silent.
    pub const fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }

    /// How long a message or an answer may take on its way.
    pub fn transfer_timeout(&self) -> Duration {
        limits::TRANSFER_TIMEOUT.min(self.idle_timeout)
    }

    /// Lets a client in.
    ///
    /// # Errors
    /// With what it is to be told, when there is no seat.
    pub fn register_client(&self) -> Result<(Arc<Client>, OutgoingMessages), String> {
        let Ok(slot) = Arc::clone(&self.client_slots).try_acquire_owned() else {
            let limit = limits::MAX_CLIENTS;
            let message = format!("expected at most {limit} clients, found as many");
            return Err(error_response_text(
                None,
                &ServiceError::new(ErrorCode::Busy, message),
            ));
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

    /// Hands a message to the dispatcher if it is not too long, and sends the answer if there is one at once.
    pub async fn handle_message(&self, client: &Arc<Client>, message: Vec<u8>) {
        if message.len() > limits::MAX_MESSAGE_BYTES {
            return Self::reject_long_message(client).await;
        }
        let (dispatcher, sender) = (Arc::clone(&self.dispatcher), Arc::clone(client));
        let permit = self.acquire_permit(Dispatcher::queue_for(&message)).await;
        // The disk may be slow. A client has one request here at a time, so that there are no more threads than clients.
        let handling = spawn_blocking(move || dispatcher.handle(&sender, &message, permit));
        let result = handling.await;
        let response = result.unwrap_or_else(|_| {
            let text = "the request could not be carried out";
            Some(error_response_text(
                None,
                &ServiceError::new(ErrorCode::Search, text),
            ))
        });
        if let Some(response) = response {
            client.send(response).await;
        }
    }

    /// Waits in a queue for a place.
    async fn acquire_permit(&self, queue: Queue) -> Option<RequestPermit> {
        let semaphore = match queue {
            Queue::None => return None,
            Queue::Compute => &self.compute_permits,
            Queue::Store => &self.store_permits,
        };
        // It cannot fail: nobody closes the semaphores.
        Arc::clone(semaphore).acquire_owned().await.ok()
    }

    /// Tells a client that a message of its own was longer than [`limits::MAX_MESSAGE_BYTES`].
    pub async fn reject_long_message(client: &Client) {
        let limit = limits::MAX_MESSAGE_BYTES;
        let message = format!("expected a message of at most {limit} bytes, found a longer one");
        client
            .send(error_response_text(
                None,
                &ServiceError::new(ErrorCode::Message, message),
            ))
            .await;
    }

    /// Serves a client while `read_loop`, which takes its messages in and at last may tell why the connection is to be
    /// closed.
    pub async fn serve(
        &self,
        client: Arc<Client>,
        read_loop: impl Future<Output = Option<&'static str>>,
    ) {
        let reason = tokio::select! {
            reason = read_loop => reason,
            () = client.wait_disconnected() => None,
            () = self.authentication_timeout(&client) => Some("no token was shown in time"),
            () = self.wait_for_shutdown() => Some("the service is ending"),
        };
        if let Some(reason) = reason {
            client.send_or_disconnect(error_response_text(
                None,
                &ServiceError::new(ErrorCode::Closing, reason),
            ));
        }
        self.dispatcher.remove_client(&client);
    }

    /// Waits until a client has not shown the token for as long as it may be silent: whatever else it says, its seat may
    /// be wanted by one that can.
    async fn authentication_timeout(&self, client: &Client) {
        sleep(self.idle_timeout).await;
        if client.is_authenticated() {
            pending::<()>().await;
        }
    }

    async fn wait_for_shutdown(&self) {
        let mut shutdown = self.shutdown.subscribe();
        // It cannot fail: the sender lives as long as the gateway.
        drop(shutdown.wait_for(|closing| *closing).await);
    }

    /// Shows everybody out, and waits until they have been told everything, or for a while.
    pub async fn shut_down(&self) {
        self.shutdown.send_replace(true);
        let all_slots = self.client_slots.acquire_many(limits::MAX_CLIENTS as u32);
        drop(timeout(limits::SHUTDOWN_TIMEOUT, all_slots).await);
    }
}
