//! Where clients come in, whatever the transport: so many at a time, each served until it goes or the service ends.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::client::{Answers, Client};
use super::dispatcher::{Dispatcher, Place, failed};
use super::failure::{Code, Failure};
use super::limits;
use super::table::Queue;

/// Lets clients in to the dispatcher.
#[derive(Clone)]
pub struct Gateway {
    dispatcher: Arc<Dispatcher>,
    silence: Duration,
    seats: Arc<Semaphore>,
    /// Places of those whose requests take the processor.
    places: Arc<Semaphore>,
    /// Places of those whose requests are about games kept.
    readers: Arc<Semaphore>,
    closing: watch::Sender<bool>,
}

impl Gateway {
    /// An empty gateway. Clients that neither ask nor wait for anything for as long as `silence` are shown out.
    #[must_use]
    pub fn new(dispatcher: Arc<Dispatcher>, silence: Duration) -> Self {
        Self {
            dispatcher,
            silence,
            seats: Arc::new(Semaphore::new(limits::CLIENTS)),
            places: Arc::new(Semaphore::new(limits::COMPUTE)),
            readers: Arc::new(Semaphore::new(limits::COMPUTE)),
            closing: watch::Sender::new(false),
        }
    }

    /// How long a client may be silent.
    #[must_use]
    pub const fn silence(&self) -> Duration {
        self.silence
    }

    /// How long a message or an answer may take on its way.
    #[must_use]
    pub fn transfer(&self) -> Duration {
        limits::TRANSFER.min(self.silence)
    }

    /// Lets a client in.
    ///
    /// # Errors
    /// With what it is to be told, when there is no seat.
    pub fn enter(&self) -> Result<(Arc<Client>, Answers), String> {
        let Ok(seat) = Arc::clone(&self.seats).try_acquire_owned() else {
            let most = limits::CLIENTS;
            let told = format!("expected at most {most} clients, found as many");
            return Err(failed(None, &Failure::new(Code::Busy, told)));
        };
        let trusted = self.dispatcher.token.is_none();
        let (client, answers) = Client::new(
            self.dispatcher.client_number(),
            trusted,
            seat,
            Arc::clone(&self.dispatcher.log),
        );
        Ok((Arc::new(client), answers))
    }

    /// Hands a message to the dispatcher if it is not too long, and sends the answer if there is one at once.
    pub async fn take(&self, client: &Arc<Client>, message: Vec<u8>) {
        if message.len() > limits::MESSAGE {
            return Self::refuse_long(client).await;
        }
        let (dispatcher, asking) = (Arc::clone(&self.dispatcher), Arc::clone(client));
        let place = self.place(Dispatcher::queue(&message)).await;
        // The disk may be slow. A client has one request here at a time, so that there are no more threads than clients.
        let answered = spawn_blocking(move || dispatcher.take(&asking, &message, place));
        let answered = answered.await;
        let answer = answered.unwrap_or_else(|_| {
            let told = "the request could not be carried out";
            Some(failed(None, &Failure::new(Code::Search, told)))
        });
        if let Some(answer) = answer {
            client.send(answer).await;
        }
    }

    /// Waits in a queue for a place.
    async fn place(&self, queue: Queue) -> Option<Place> {
        let places = match queue {
            Queue::None => return None,
            Queue::Compute => &self.places,
            Queue::Store => &self.readers,
        };
        // It cannot fail: nobody closes the semaphores.
        Arc::clone(places).acquire_owned().await.ok()
    }

    /// Tells a client that a message of its own was longer than [`limits::MESSAGE`].
    pub async fn refuse_long(client: &Client) {
        let most = limits::MESSAGE;
        let told = format!("expected a message of at most {most} bytes, found a longer one");
        client
            .send(failed(None, &Failure::new(Code::Message, told)))
            .await;
    }

    /// Serves a client while `reading`, which takes its messages in and at last may tell why the connection is to be
    /// closed.
    pub async fn serve(
        &self,
        client: Arc<Client>,
        reading: impl Future<Output = Option<&'static str>>,
    ) {
        let reason = tokio::select! {
            reason = reading => reason,
            () = client.gone() => None,
            () = self.past_silence_of_strangers(&client) => Some("no token was shown in time"),
            () = self.closed() => Some("the service is ending"),
        };
        if let Some(reason) = reason {
            client.push(failed(None, &Failure::new(Code::Closing, reason)));
        }
        self.dispatcher.forget(&client);
    }

    /// Waits until a client has not shown the token for as long as it may be silent: whatever else it says, its seat may
    /// be wanted by one that can.
    async fn past_silence_of_strangers(&self, client: &Client) {
        sleep(self.silence).await;
        if client.is_trusted() {
            pending::<()>().await;
        }
    }

    async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // It cannot fail: the sender lives as long as the gateway.
        drop(closing.wait_for(|closing| *closing).await);
    }

    /// Shows everybody out, and waits until they have been told everything, or for a while.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        let all = self.seats.acquire_many(limits::CLIENTS as u32);
        drop(timeout(limits::FAREWELL, all).await);
    }
}
