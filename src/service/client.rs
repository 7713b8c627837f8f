//! A client as operators and workers see it: a way out for answers, and what it still waits for.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, watch};

use super::limits;
use crate::traffic::Log;

/// Somebody connected.
#[derive(Debug)]
pub struct Client {
    /// Tells it from all others, earlier ones included.
    pub number: u64,
    answers: mpsc::Sender<Answer>,
    /// Bytes that may still be left unread.
    room: Arc<Semaphore>,
    /// Rung when some of them have come free.
    freed: Arc<Notify>,
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
    _room: Share,
}

/// Some of the bytes that may be left unread. The fields are dropped in this order, so that whoever hears the ring finds
/// them free.
#[derive(Debug)]
struct Share {
    _bytes: OwnedSemaphorePermit,
    _ring: Ring,
}

/// Rings when it is dropped.
#[derive(Debug)]
struct Ring(Arc<Notify>);

impl Drop for Ring {
    fn drop(&mut self) {
        self.0.notify_waiters();
    }
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
            freed: Arc::default(),
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
        let _room = self.share_in_time(bytes(&text)).await;
        if self.answers.send(Answer { text, _room }).await.is_err() {
            self.leave();
        }
    }

    /// Sends an answer from a thread that cannot wait. A client that has let too many pile up is given up.
    pub fn push(&self, text: String) {
        self.note(&text);
        let room = self.share(bytes(&text));
        let sent = room.is_some_and(|_room| self.answers.try_send(Answer { text, _room }).is_ok());
        if !sent {
            self.leave();
        }
    }

    /// So much of the room, if it is free.
    fn share(&self, bytes: u32) -> Option<Share> {
        let room = Arc::clone(&self.room).try_acquire_many_owned(bytes);
        room.ok().map(|_bytes| Share {
            _bytes,
            _ring: Ring(Arc::clone(&self.freed)),
        })
    }

    /// So much of the room as soon as it is free. Nothing of it is held before: a place in the semaphore's queue would be
    /// given every byte that comes free, and others, who cannot wait, would find none.
    async fn share_in_time(&self, bytes: u32) -> Share {
        loop {
            let mut rung = pin!(self.freed.notified());
            // Before looking, so that no ring is missed.
            rung.as_mut().enable();
            if let Some(share) = self.share(bytes) {
                return share;
            }
            rung.await;
        }
    }

    /// Notes an answer in the log, but for a stranger's: it may echo what was asked, and would fill the disk as that
    /// would.
    fn note(&self, answer: &str) {
        if !self.is_trusted() {
            return;
        }
        self.log.record(format_args!("{} >", self.number), answer);
    }

    /// Whether there is room for answers that could as well be left out.
    #[must_use]
    pub fn reads(&self) -> bool {
        !self.has_left()
            && self.answers.capacity() > limits::UNREAD / 2
            && self.room.available_permits() >= limits::UNREAD_BYTES / 4
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;
    use tokio::task::yield_now;

    fn client() -> (Arc<Client>, Answers) {
        let seat = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let (client, answers) = Client::new(0, true, seat, Arc::new(Log::none()));
        (Arc::new(client), answers)
    }

    #[test]
    fn an_answer_that_waits_for_room_keeps_none_of_it_from_others() {
        let long = || "x".repeat(limits::UNREAD_BYTES / 5 * 2);
        // It has one thread: whoever yields it lets all others get as far as they can.
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (client, mut answers) = client();
            client.send(long()).await;
            assert!(client.reads());
            client.send(long()).await;
            let sending = Arc::clone(&client);
            let waiting = tokio::spawn(async move { sending.send(long()).await });
            yield_now().await;
            client.push("short".to_owned());
            assert!(!client.has_left() && !waiting.is_finished());
            // Not for what could as well be left out.
            assert!(!client.reads());
            drop(answers.next().await);
            yield_now().await;
            assert!(waiting.is_finished());
            let mut lengths = Vec::new();
            for _ in 0..3 {
                lengths.extend(answers.next().await.map(|answer| answer.text.len()));
            }
            assert_eq!(lengths, [long().len(), "short".len(), long().len()]);
            assert!(client.reads());
        });
    }
}
