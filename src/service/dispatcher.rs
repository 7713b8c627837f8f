//! Where messages are taken in: each is found its operator, and everything that is asked is answered exactly once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;
use tokio::sync::OwnedSemaphorePermit;

use super::client::Client;
use super::failure::{Code, Failure};
use super::limits;
use super::store::Store;
use super::table::{self, Queue};
use super::work::{Task, Work};
use crate::engine::level::Level;
use crate::game::rules::Rules;
use crate::job_queue::{JobQueue, Refused};
use crate::json::fields::{Fault, Fields, object, read_object};
use crate::traffic::Log;

/// Who the service says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The network's name.
    pub model: String,
}

/// What requests leave unsaid.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// The rules, komi included.
    pub rules: Rules,
    /// How strong the engine plays.
    pub level: &'static Level,
    /// Visits of a move that the engine makes.
    pub visits: Option<u64>,
    /// Time of such a move; none for the engine's usual.
    pub time: Option<Duration>,
}

/// The fields of an answer.
pub type Reply = Map<String, Value>;

/// How a request was taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// It is answered with these fields.
    Answered(Reply),
    /// It waits for a search, and will be answered.
    Later,
}

/// What comes of a request.
pub type Outcome = Result<Taken, Failure>;

/// All that requests are answered with.
pub struct Dispatcher {
    /// Who answers.
    pub identity: Identity,
    /// Where requests wait for a search.
    pub queue: JobQueue<Arc<Task>>,
    /// The games kept.
    pub store: Store,
    /// What requests leave unsaid.
    pub defaults: Defaults,
    /// What clients have to show.
    pub token: Option<String>,
    /// All traffic, but for tokens, and but for strangers where a token is asked for.
    pub log: Arc<Log>,
    clients: AtomicU64,
}

/// A request that an operator is asked to answer.
pub struct Call<'a> {
    /// What it may use.
    pub dispatcher: &'a Dispatcher,
    /// Who asks.
    pub client: &'a Arc<Client>,
    /// The name that answers bear.
    pub id: Option<Value>,
    /// What is left of the request.
    pub fields: Fields,
    place: Option<Place>,
}

/// A place in one of the queues, of which there are so many.
pub type Place = OwnedSemaphorePermit;

impl Dispatcher {
    /// A dispatcher that nobody has asked anything yet, with so many searches at the same time behind it.
    #[must_use]
    pub fn new(
        identity: Identity,
        store: Store,
        defaults: Defaults,
        token: Option<String>,
        log: Log,
        searches: usize,
    ) -> Self {
        Self {
            identity,
            queue: JobQueue::shared(limits::WAITING, searches / limits::SHARES),
            store,
            defaults,
            token,
            log: Arc::new(log),
            clients: AtomicU64::new(0),
        }
    }

    /// A number for a new client.
    pub fn client_number(&self) -> u64 {
        self.clients.fetch_add(1, Ordering::Relaxed)
    }

    /// Where a message is to wait for its turn.
    #[must_use]
    pub fn queue(message: &[u8]) -> Queue {
        let named = || {
            let values = read_object(message).ok()?;
            table::queue(values.get("operator")?.as_str()?)
        };
        let short = message.len() <= limits::SHORT;
        short.then(named).flatten().unwrap_or(Queue::Compute)
    }

    /// Answers a message in that place of its queue, or sees to it that it will be answered: `None` then.
    pub fn take(
        &self,
        client: &Arc<Client>,
        message: &[u8],
        place: Option<Place>,
    ) -> Option<String> {
        let values = match read_object(message) {
            Ok(values) => values,
            Err(error) => {
                let told = format!("expected a JSON object, found {error}");
                return Some(failed(None, &Failure::new(Code::Message, told)));
            }
        };
        let told = self.log.is_kept().then(|| values.clone());
        let mut fields = Fields::new(values);
        let admitted = self.admit(client, &mut fields);
        // What strangers ask is not kept, nor what they are answered, else they could fill the disk.
        if let (Ok(()), Some(told)) = (&admitted, told) {
            self.note(client, told);
        }
        const ID: &str = "a text or number";
        let id = match fields.optional::<Value>("id", ID) {
            Ok(id @ (None | Some(Value::String(_) | Value::Number(_)))) => id,
            Ok(Some(found)) => {
                return Some(failed(None, &Fault::unexpected("id", ID, &found).into()));
            }
            Err(fault) => return Some(failed(None, &fault.into())),
        };
        let call = Call {
            dispatcher: self,
            client,
            id: id.clone(),
            fields,
            place,
        };
        match admitted.and_then(|()| ask(call)) {
            Ok(Taken::Answered(reply)) => Some(answer(id.as_ref(), reply)),
            Ok(Taken::Later) => None,
            Err(failure) => Some(failed(id.as_ref(), &failure)),
        }
    }

    fn note(&self, client: &Client, mut told: Reply) {
        told.remove("token");
        let sign = format_args!("{} <", client.number);
        self.log.record(sign, Value::Object(told));
    }

    /// Lets a client in that has shown the token, now or earlier.
    fn admit(&self, client: &Client, fields: &mut Fields) -> Result<(), Failure> {
        let shown: Option<String> = fields.optional("token", "a text")?;
        let (Some(token), false) = (&self.token, client.is_trusted()) else {
            return Ok(());
        };
        let shown = shown.unwrap_or_default();
        if bool::from(shown.as_bytes().ct_eq(token.as_bytes())) {
            client.trust();
            return Ok(());
        }
        let told = "token: expected the service's token, found none or another";
        Err(Failure::new(Code::Token, told))
    }

    /// The client has gone: what it asked for is not wanted any more.
    pub fn forget(&self, client: &Client) {
        // Nobody is there to be answered.
        drop(self.end(|task| task.client.number == client.number));
        self.queue.forget(client.number);
        client.leave();
    }

    /// Ends the tasks that are meant. Those that have not begun are given back.
    pub fn end(&self, meant: impl Fn(&Task) -> bool) -> Vec<Arc<Task>> {
        let ended = self.queue.terminate(|task| meant(task)).into_iter();
        ended.map(|job| job.task).collect()
    }
}

impl Call<'_> {
    /// Checks that every field has been taken. To be called before anything is done.
    ///
    /// # Errors
    /// When some have not.
    pub fn end(&mut self) -> Result<(), Failure> {
        let left = std::mem::take(&mut self.fields).left();
        if left.is_empty() {
            return Ok(());
        }
        let told = format!(
            "expected fields of this operator, found {}",
            left.join(", ").chars().take(200).collect::<String>()
        );
        Err(Failure::new(Code::Field, told))
    }

    /// Lets somebody else have the place of this request. To be called before what may have to wait for others who write:
    /// that takes neither the processor nor much memory.
    pub fn step_aside(&mut self) {
        self.place = None;
    }

    /// Has the work done when its turn comes.
    ///
    /// # Errors
    /// When too much waits already.
    pub fn enqueue(&self, work: impl Work + 'static) -> Outcome {
        let busy = |who: &str, most: usize| {
            let told = format!("expected at most {most} requests of {who} waiting, found as many");
            Failure::new(Code::Busy, told)
        };
        if !self.client.begin() {
            return Err(busy("one client", limits::PENDING));
        }
        let task = Task {
            client: Arc::clone(self.client),
            id: self.id.clone(),
            work: Box::new(work),
        };
        let offered = self
            .dispatcher
            .queue
            .offer(self.client.number, Arc::new(task));
        offered.map(|()| Taken::Later).map_err(|refused| {
            self.client.end();
            match refused {
                Refused::Full => busy("all clients", limits::WAITING),
                Refused::Closed => Failure::new(Code::Closing, "the service is ending"),
            }
        })
    }
}

fn ask(mut call: Call<'_>) -> Outcome {
    let expected = "the name of an operator";
    let name: String = call.fields.required("operator", expected)?;
    (table::find(&name)?.run)(&mut call)
}

/// The answer to a request as text.
#[must_use]
pub fn answer(id: Option<&Value>, reply: Reply) -> String {
    let mut all = Reply::new();
    all.extend(id.map(|id| ("id".to_owned(), id.clone())));
    all.extend(reply);
    Value::Object(all).to_string()
}

/// The answer to a request that failed, as text.
#[must_use]
pub fn failed(id: Option<&Value>, failure: &Failure) -> String {
    answer(id, object([("error", failure.json())]))
}
