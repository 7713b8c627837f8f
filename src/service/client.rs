//! A client as operators and workers see it: a way out for answers, and what it still waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use super::limits;
use crate::json::log::Log;

/// Somebody connected.
#[derive(Debug)]
pub struct Client {
    /// Tells it from all others, earlier ones included.
    pub number: u64,
    answers: mpsc::Sender<Answer>,
    /// Bytes that may still be left unread.
    room: Arc<Semaphore>,
    state: watch::Sender<State>,
    trusted: AtomicBool,
    log: Arc<Log>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Requests that are answered later.
    pending: usize,
    /// It has gone, or is to go.
    gone: bool,
}

/// An answer on its way to a client.
#[derive(Debug)]
pub struct Answer {
    /// The answer.
    pub text: String,
    /// Its share of what may be left unread, until it has been sent.
    _room: OwnedSemaphorePermit,
}

/// The answers for a client, each one JSON object in one line, as long as any can still come.
#[derive(Debug)]
pub struct Answers {
    receiver: mpsc::Receiver<Answer>,
    /// Whoever has not been told everything is still here.
    _seat: OwnedSemaphorePermit,
}

impl Answers {
    /// The next answer; `None` when no more can come.
    pub async fn next(&mut self) -> Option<Answer> {
        self.receiver.recv().await
    }
}

impl Client {
    /// A client on that seat, and the way its answers take.
    #[must_use]
    pub fn new(
        number: u64,
        trusted: bool,
        seat: OwnedSemaphorePermit,
        log: Arc<Log>,
    ) -> (Self, Answers) {
        let (answers, receiver) = mpsc::channel(limits::UNREAD);
        let client = Self {
            number,
            answers,
            room: Arc::new(Semaphore::new(limits::UNREAD_BYTES)),
            state: watch::Sender::default(),
            trusted: AtomicBool::new(trusted),
            log,
        };
        let answers = Answers {
            receiver,
            _seat: seat,
        };
        (client, answers)
    }

    /// Sends an answer, waiting while too many are unread.
    pub async fn send(&self, text: String) {
        self.note(&text);
        let room = Arc::clone(&self.room).acquire_many_owned(bytes(&text));
        // It cannot fail: nobody closes the semaphore.
        if let Ok(_room) = room.await
            && self.answers.send(Answer { text, _room }).await.is_err()
        {
            self.leave();
        }
    }

    /// Sends an answer from a thread that cannot wait. A client that has let too many pile up is given up.
    pub fn push(&self, text: String) {
        self.note(&text);
        let room = Arc::clone(&self.room).try_acquire_many_owned(bytes(&text));
        let sent = room.is_ok_and(|_room| self.answers.try_send(Answer { text, _room }).is_ok());
        if !sent {
            self.leave();
        }
    }

    fn note(&self, answer: &str) {
        self.log.record(format_args!("{} >", self.number), answer);
    }

    /// Whether there is room for answers that could as well be left out.
    #[must_use]
    pub fn reads(&self) -> bool {
        !self.has_left() && self.answers.capacity() > limits::UNREAD / 2
    }

    /// Counts a request that is answered later; false when there are too many.
    #[must_use]
    pub fn begin(&self) -> bool {
        self.state.send_if_modified(|state| {
            let fits = state.pending < limits::PENDING;
            state.pending += usize::from(fits);
            fits
        })
    }

    /// A request that was to be answered later has been.
    pub fn end(&self) {
        self.state.send_modify(|state| state.pending -= 1);
    }

    /// Whether anything is still to be answered.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.state.borrow().pending > 0
    }

    /// Waits until everything is answered.
    pub async fn answered(&self) {
        self.reached(|state| state.pending == 0).await;
    }

    /// Whether it has shown the token, or need not.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.trusted.load(Ordering::Relaxed)
    }

    /// It has shown the token.
    pub fn trust(&self) {
        self.trusted.store(true, Ordering::Relaxed);
    }

    /// It has gone, or is to be disconnected.
    pub fn leave(&self) {
        self.state.send_modify(|state| state.gone = true);
    }

    /// Whether it has been given up.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.state.borrow().gone
    }

    /// Waits until it is given up.
    pub async fn gone(&self) {
        self.reached(|state| state.gone).await;
    }

    async fn reached(&self, condition: impl Fn(&State) -> bool) {
        let mut states = self.state.subscribe();
        // It cannot fail: the sender lives as long as this client.
        drop(states.wait_for(condition).await);
    }
}

/// What an answer takes of the bytes that may be left unread: all of them if it is longer.
fn bytes(text: &str) -> u32 {
    text.len().min(limits::UNREAD_BYTES) as u32
}
