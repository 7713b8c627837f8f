//! Manages the clients of all transports: connection limits, timeouts and shutdown.

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::call::{RequestPermit, response_text};
use super::client::{Client, OutgoingMessages};
use super::client_slots::ClientSlots;
use super::dispatcher::Dispatcher;
use super::error::{CloseReason, ErrorCode, ServiceError};
use super::limits;
use super::operators::PermitPool;

/// Receiving end of a connection, implemented by each transport.
pub trait MessageReader {
    /// Waits until input arrives. No input is lost if the future is dropped.
    ///
    /// # Errors
    /// Returns an error if no more input will arrive.
    fn wait_for_input(&mut self) -> impl Future<Output = Result<(), EndOfInput>> + Send;

    /// Receives the input that has started to arrive.
    ///
    /// # Errors
    /// Returns an error if no more messages can be received.
    fn receive(&mut self) -> impl Future<Output = Result<ReceivedInput, EndOfInput>> + Send;
}

/// Input received from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceivedInput {
    Message(Vec<u8>),
    /// A message that is longer than [`limits::MAX_MESSAGE_BYTES`].
    TooLong,
    /// Input that contains no message, such as an empty line. It shows that the client is not idle.
    Nothing,
}

impl ReceivedInput {
    /// Returns the message `bytes`, or [`TooLong`](Self::TooLong) if it exceeds the maximum length.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        if bytes.len() > limits::MAX_MESSAGE_BYTES {
            Self::TooLong
        } else {
            Self::Message(bytes.to_vec())
        }
    }
}

/// Reason why no more messages are received from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndOfInput {
    /// The client has closed only its sending direction and still expects the pending responses.
    HalfClosed,
    /// The client has closed the connection.
    Closed,
    /// The service must close the connection, for this reason.
    Rejected(CloseReason),
}

/// Registers clients, enforces the limits on connections and requests, and passes messages to the dispatcher.
#[derive(Clone)]
pub struct ConnectionManager {
    dispatcher: Arc<Dispatcher>,
    idle_timeout: Duration,
    client_slots: ClientSlots,
    /// Permits for [`PermitPool::Compute`].
    compute_permits: Arc<Semaphore>,
    /// Permits for [`PermitPool::Store`].
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
            client_slots: ClientSlots::new(limits::MAX_CLIENTS, limits::MAX_CLIENTS_PER_ADDRESS),
            compute_permits: Arc::new(Semaphore::new(limits::MAX_REQUESTS_PER_POOL)),
            store_permits: Arc::new(Semaphore::new(limits::MAX_REQUESTS_PER_POOL)),
            shutdown: watch::Sender::new(false),
        }
    }

    /// Returns the time limit for transferring one message.
    pub fn transfer_timeout(&self) -> Duration {
        limits::TRANSFER_TIMEOUT.min(self.idle_timeout)
    }

    /// Returns the time limit for the first message of a connection.
    pub fn first_message_timeout(&self) -> Duration {
        limits::FIRST_MESSAGE_TIMEOUT.min(self.idle_timeout)
    }

    /// Returns true if clients must send a token.
    pub fn requires_token(&self) -> bool {
        self.dispatcher.token.is_some()
    }

    /// Registers a client with this address.
    ///
    /// # Errors
    /// If too many clients are connected, returns the error response to send to the new client.
    pub fn register_client(
        &self,
        address: IpAddr,
    ) -> Result<(Arc<Client>, OutgoingMessages), String> {
        let Some(slot) = self.client_slots.try_acquire(address) else {
            let message = format!(
                "too many people are connected; try again in a minute (limit {}, from one address {})",
                limits::MAX_CLIENTS,
                limits::MAX_CLIENTS_PER_ADDRESS
            );
            let error = ServiceError::new(ErrorCode::TooManyClients, message)
                .with("limit", limits::MAX_CLIENTS)
                .with("limitPerAddress", limits::MAX_CLIENTS_PER_ADDRESS);
            return Err(response_text(None, Err(error)));
        };
        let authenticated = !self.requires_token();
        let (client, outgoing) = Client::new(
            self.dispatcher.next_client_id(),
            authenticated,
            slot,
            Arc::clone(&self.dispatcher.log),
        );
        Ok((Arc::new(client), outgoing))
    }

    /// Executes a request. Sends the response if it is available immediately; otherwise, a worker sends it later.
    async fn handle_message(&self, client: &Arc<Client>, message: Vec<u8>) {
        let (dispatcher, sender) = (Arc::clone(&self.dispatcher), Arc::clone(client));
        let wrong_tokens = client.wrong_token_count();
        let is_short = message.len() <= limits::MAX_EARLY_PARSED_BYTES;
        let parsed = is_short.then(|| dispatcher.parse(&message));
        let permit_pool = match &parsed {
            Some(Ok(request)) => request.permit_pool(),
            // Long and malformed messages.
            _ => PermitPool::Compute,
        };
        let permit = self.acquire_permit(permit_pool).await;
        // The request runs on a separate thread because it may wait for the disk. The number of these threads is
        // bounded because each client executes one request at a time.
        let handling = spawn_blocking(move || {
            let request = parsed.unwrap_or_else(|| dispatcher.parse(&message));
            dispatcher.handle(&sender, request, permit)
        });
        let result = handling.await;
        if client.wrong_token_count() > wrong_tokens {
            sleep(limits::WRONG_TOKEN_DELAY).await;
        }
        let response = result.unwrap_or_else(|_| {
            let error = ServiceError::new(ErrorCode::Search, "the request failed unexpectedly");
            Some(response_text(None, Err(error)))
        });
        if let Some(response) = response {
            client.send(response).await;
        }
    }

    /// Waits for a permit to execute a request. Returns `None` if `permit_pool` is [`PermitPool::None`].
    async fn acquire_permit(&self, permit_pool: PermitPool) -> Option<RequestPermit> {
        let semaphore = match permit_pool {
            PermitPool::None => return None,
            PermitPool::Compute => &self.compute_permits,
            PermitPool::Store => &self.store_permits,
        };
        // Cannot fail: the semaphores are never closed.
        Arc::clone(semaphore).acquire_owned().await.ok()
    }

    /// Sends the error response to a message that is longer than [`limits::MAX_MESSAGE_BYTES`].
    async fn reject_long_message(client: &Client) {
        let limit = limits::MAX_MESSAGE_BYTES;
        let message = format!("the message is longer than {limit} bytes");
        let error = ServiceError::new(ErrorCode::MessageTooLong, message).with("limit", limit);
        client.send(response_text(None, Err(error))).await;
    }

    /// Executes the requests that `reader` receives. Returns when the input ends, the client disconnects, or the
    /// service closes the connection. In the last case, sends the reason to the client.
    pub async fn serve(&self, client: Arc<Client>, reader: impl MessageReader) {
        let reason = tokio::select! {
            reason = self.execute_messages(&client, reader) => reason,
            () = client.wait_disconnected() => None,
            () = self.authentication_timeout(&client) => Some(CloseReason::NoToken),
            () = self.wait_for_shutdown() => Some(CloseReason::Shutdown),
        };
        if let Some(reason) = reason {
            client.send_or_disconnect(response_text(None, Err(reason.into())));
        }
        self.dispatcher.remove_client(&client);
    }

    /// Executes requests until the end of input. If the service must close the connection, returns the reason.
    async fn execute_messages(
        &self,
        client: &Arc<Client>,
        mut reader: impl MessageReader,
    ) -> Option<CloseReason> {
        let mut input_timeout = self.first_message_timeout();
        loop {
            match self.receive(client, &mut reader, input_timeout).await {
                Ok(ReceivedInput::Message(message)) => {
                    input_timeout = self.idle_timeout;
                    self.handle_message(client, message).await;
                    if client.wrong_token_count() >= limits::MAX_WRONG_TOKENS {
                        return Some(CloseReason::WrongTokens);
                    }
                }
                Ok(ReceivedInput::TooLong) => Self::reject_long_message(client).await,
                Ok(ReceivedInput::Nothing) => {}
                Err(EndOfInput::HalfClosed) => {
                    self.complete_requests(client).await;
                    return None;
                }
                Err(EndOfInput::Closed) => return None,
                Err(EndOfInput::Rejected(reason)) => return Some(reason),
            }
        }
    }

    /// Waits until the requests of a client that has stopped sending have been completed, and cancels them after a
    /// while.
    async fn complete_requests(&self, client: &Client) {
        let completion = client.wait_for_pending_requests();
        if timeout(
            limits::HALF_CLOSED_TIMEOUT.min(self.idle_timeout),
            completion,
        )
        .await
        .is_err()
        {
            self.dispatcher.cancel_requests(client);
            client.wait_for_pending_requests().await;
        }
    }

    /// Waits for input and receives it. The timeout applies until the first byte arrives, but not while the client has
    /// pending requests.
    async fn receive(
        &self,
        client: &Client,
        reader: &mut impl MessageReader,
        input_timeout: Duration,
    ) -> Result<ReceivedInput, EndOfInput> {
        loop {
            match timeout(input_timeout, reader.wait_for_input()).await {
                Ok(input) => {
                    input?;
                    return reader.receive().await;
                }
                Err(_) if client.has_pending_requests() => {}
                Err(_) => {
                    return Err(EndOfInput::Rejected(CloseReason::Idle));
                }
            }
        }
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

    /// Disconnects all clients and waits until their responses have been sent, but at most
    /// [`limits::SHUTDOWN_TIMEOUT`].
    pub async fn shut_down(&self) {
        self.shutdown.send_replace(true);
        let all_slots = self.client_slots.wait_until_free();
        drop(timeout(limits::SHUTDOWN_TIMEOUT, all_slots).await);
    }
}
