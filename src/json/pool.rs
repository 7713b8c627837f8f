//! The queue of positions and the threads that work on it: the highest priority first, then first come, first served.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::outbox::lock;
use super::query::Query;

/// Positions that may wait; beyond that the client has to.
const MOST_WAITING: usize = 100_000;

/// A turn of a query to be analysed.
#[derive(Clone, Debug)]
pub struct Job {
    /// The query.
    pub query: Arc<Query>,
    /// The turn.
    pub turn: usize,
    stop: Arc<AtomicBool>,
}

impl Job {
    /// Whether it is to end as soon as possible.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The queue.
#[derive(Debug, Default)]
pub struct Pool {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// By priority, the highest first, then by arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    running: Vec<Job>,
    arrived: u64,
    /// No more will come.
    closed: bool,
    /// Nothing is wanted any more.
    aborted: bool,
}

impl Pool {
    /// Adds all turns of a query, none of which is begun before all are there. Waits while too many are waiting.
    pub fn submit(&self, query: Query) {
        let query = Arc::new(query);
        let mut state = lock(&self.state);
        while state.waiting.len() >= MOST_WAITING && !state.aborted {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.aborted {
            return;
        }
        for &(turn, priority) in &query.turns {
            let job = Job {
                query: Arc::clone(&query),
                turn,
                stop: Arc::default(),
            };
            let place = (Reverse(priority), state.arrived);
            state.waiting.insert(place, job);
            state.arrived += 1;
        }
        self.changed.notify_all();
    }

    /// The next turn to analyse, waiting for it; `None` when there will be no more. Whoever takes it says when it is
    /// [`done`](Self::done).
    pub fn next(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        loop {
            if state.aborted {
                return None;
            }
            if let Some((_, job)) = state.waiting.pop_first() {
                state.running.push(job.clone());
                self.changed.notify_all();
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A turn has been answered.
    pub fn done(&self, job: &Job) {
        let mut state = lock(&self.state);
        state
            .running
            .retain(|running| !Arc::ptr_eq(&running.stop, &job.stop));
    }

    /// Ends the turns that `meant` says yes to, told query and turn. Those not begun are given back, to be answered by the
    /// caller; the others end soon with what they have.
    #[must_use]
    pub fn terminate(&self, meant: impl Fn(&Query, usize) -> bool) -> Vec<Job> {
        let mut state = lock(&self.state);
        for job in state
            .running
            .iter()
            .filter(|job| meant(&job.query, job.turn))
        {
            job.stop.store(true, Ordering::Relaxed);
        }
        let mut ended = Vec::new();
        state.waiting.retain(|_, job| {
            let ends = meant(&job.query, job.turn);
            if ends {
                ended.push(job.clone());
            }
            !ends
        });
        self.changed.notify_all();
        ended
    }

    /// No more will come; what waits is still worked on.
    pub fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
    }

    /// Ends everything.
    pub fn abort(&self) {
        let mut state = lock(&self.state);
        state.aborted = true;
        state.waiting.clear();
        for job in &state.running {
            job.stop.store(true, Ordering::Relaxed);
        }
        self.changed.notify_all();
    }
}

/// Starts a thread of this module's protocol.
///
/// # Errors
/// When the system gives none.
pub fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name).spawn(run)
}
