//! Priority queue of jobs for worker threads, with fair scheduling between clients.
//!
//! Jobs are ordered by priority, then by round, then by arrival. A client has at most one job per round, so a client
//! that submits many jobs does not delay other clients. The number of jobs that run at the same time can also be
//! limited, for one client and for one address, because a few long jobs could otherwise occupy all threads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

/// Expected duration of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Somebody is waiting for the result. Short jobs have a higher priority, and long ones do not count towards their
    /// limit.
    Short,
    Long,
}

/// Client that submitted a job, and expected length of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOrigin {
    pub client: u64,
    /// Address of the client, if the jobs of an address are limited.
    pub address: Option<IpAddr>,
    pub length: Length,
}

impl JobOrigin {
    /// Returns the priority of jobs that are submitted without one.
    const fn default_priority(&self) -> i64 {
        match self.length {
            Length::Short => 1,
            Length::Long => 0,
        }
    }
}

/// Maximum numbers of jobs that run at the same time.
#[derive(Clone, Copy, Debug)]
pub struct RunningLimits {
    /// For each client, separately for short and long jobs.
    pub per_client: usize,
    /// For the long jobs from one address.
    pub long_per_address: usize,
    /// For all long jobs together, so that short ones do not have to wait for them.
    pub long: usize,
}

impl RunningLimits {
    const NONE: Self = Self {
        per_client: usize::MAX,
        long_per_address: usize::MAX,
        long: usize::MAX,
    };
}

/// A queued or running job.
#[derive(Clone, Debug)]
pub struct Job<T> {
    pub task: T,
    origin: JobOrigin,
    stop: Arc<AtomicBool>,
}

impl<T> Job<T> {
    /// Returns the flag that is set when the job should stop as soon as possible.
    pub const fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Returns true if the job should stop as soon as possible.
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Reason for rejecting a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitError {
    /// The queue is full.
    Full,
    /// The queue has been closed or aborted.
    Closed,
}

/// Queue of jobs, shared by clients and worker threads.
#[derive(Debug)]
pub struct JobQueue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
    /// Number of waiting jobs at which the queue is full. It can be exceeded by submitting several jobs at once or by
    /// requeuing a job.
    capacity: usize,
    running_limits: RunningLimits,
}

/// Sort key of a waiting job: priority (highest first), round, arrival number.
type QueueKey = (Reverse<i64>, u64, u64);

#[derive(Debug)]
struct QueueState<T> {
    waiting: BTreeMap<QueueKey, Job<T>>,
    running: Vec<Job<T>>,
    next_arrival: u64,
    /// Current round: the highest round of any job taken so far.
    round: u64,
    /// Round of the most recently added job of each client. Contains no rounds before the current one.
    last_rounds: HashMap<u64, u64>,
    /// True if `try_submit` and `requeue` reject jobs. Waiting jobs still run.
    closed: bool,
    /// True if all jobs have been cancelled.
    aborted: bool,
}

impl<T> QueueState<T> {
    /// Returns true if the queue is neither closed nor aborted.
    const fn is_open(&self) -> bool {
        !self.closed && !self.aborted
    }

    fn push(&mut self, origin: JobOrigin, priority: i64, task: T) {
        let round = self
            .last_rounds
            .get(&origin.client)
            .map_or(self.round, |last| last + 1);
        self.last_rounds.insert(origin.client, round);
        let job = Job {
            task,
            origin,
            stop: Arc::default(),
        };
        let key = (Reverse(priority), round, self.next_arrival);
        self.waiting.insert(key, job);
        self.next_arrival += 1;
    }

    /// Recomputes `last_rounds` after waiting jobs have been removed, so that a removed job does not delay the next job
    /// of its client.
    fn recompute_last_rounds(&mut self) {
        let now = self.round;
        (self.last_rounds.values_mut()).for_each(|last| *last = now.min(*last));
        for ((_, round, _), job) in &self.waiting {
            let last = self.last_rounds.entry(job.origin.client).or_insert(*round);
            *last = (*last).max(*round);
        }
    }

    fn remove_running(&mut self, job: &Job<T>) {
        (self.running).retain(|running| !Arc::ptr_eq(&running.stop, &job.stop));
    }

    /// Returns true if a job from `origin` may start.
    fn may_start(&self, origin: &JobOrigin, limits: &RunningLimits) -> bool {
        let same_length: Vec<_> = (self.running.iter().map(|job| &job.origin))
            .filter(|running| running.length == origin.length)
            .collect();
        let count = |predicate: &dyn Fn(&JobOrigin) -> bool| {
            same_length
                .iter()
                .filter(|running| predicate(running))
                .count()
        };
        if count(&|running| running.client == origin.client) >= limits.per_client {
            return false;
        }
        if origin.length == Length::Short {
            return true;
        }
        let of_address = count(&|running| running.address == origin.address);
        same_length.len() < limits.long
            && (origin.address.is_none() || of_address < limits.long_per_address)
    }

    /// Removes and returns the first waiting job that may start.
    fn pop(&mut self, limits: &RunningLimits) -> Option<Job<T>> {
        let mut waiting = self.waiting.iter();
        let (&key, _) = waiting.find(|(_, job)| self.may_start(&job.origin, limits))?;
        let job = self.waiting.remove(&key)?;
        let (_, round, _) = key;
        self.round = self.round.max(round);
        let now = self.round;
        self.last_rounds.retain(|_, last| *last >= now);
        Some(job)
    }
}

impl<T: Clone> JobQueue<T> {
    /// Creates a queue that counts as full once `capacity` jobs are waiting. The number of running jobs is not limited.
    pub fn new(capacity: usize) -> Self {
        Self::with_running_limits(capacity, RunningLimits::NONE)
    }

    /// Creates a queue that counts as full once `capacity` jobs are waiting. A limit of 0 counts as 1.
    pub fn with_running_limits(capacity: usize, limits: RunningLimits) -> Self {
        Self {
            state: Mutex::new(QueueState {
                waiting: BTreeMap::new(),
                running: Vec::new(),
                next_arrival: 0,
                round: 0,
                last_rounds: HashMap::new(),
                closed: false,
                aborted: false,
            }),
            changed: Condvar::new(),
            capacity,
            running_limits: RunningLimits {
                per_client: limits.per_client.max(1),
                long_per_address: limits.long_per_address.max(1),
                long: limits.long.max(1),
            },
        }
    }

    /// Adds the tasks of a client, each paired with its priority. Blocks while the queue is full. If the queue has been
    /// aborted, the tasks are dropped.
    ///
    /// The tasks are added together, even if they exceed the capacity: workers cannot take a task before all tasks have
    /// been added. Unlike [`try_submit`](Self::try_submit), also adds the tasks if the queue is closed.
    pub fn submit_all(&self, client: u64, tasks: impl IntoIterator<Item = (i64, T)>) {
        let mut state = self.state.lock();
        while state.waiting.len() >= self.capacity && !state.aborted {
            self.changed.wait(&mut state);
        }
        if state.aborted {
            return;
        }
        let origin = JobOrigin {
            client,
            address: None,
            length: Length::Long,
        };
        for (priority, task) in tasks {
            state.push(origin, priority, task);
        }
        self.changed.notify_all();
    }

    /// Adds a task without blocking, with priority 1 if it is short and 0 if it is long.
    ///
    /// # Errors
    /// Returns an error if the queue is full, closed or aborted.
    pub fn try_submit(&self, origin: JobOrigin, task: T) -> Result<(), SubmitError> {
        let mut state = self.state.lock();
        let is_full = state.waiting.len() >= self.capacity;
        if is_full && state.is_open() {
            return Err(SubmitError::Full);
        }
        self.push_if_open(&mut state, origin, task)
    }

    fn push_if_open(
        &self,
        state: &mut QueueState<T>,
        origin: JobOrigin,
        task: T,
    ) -> Result<(), SubmitError> {
        if !state.is_open() {
            return Err(SubmitError::Closed);
        }
        state.push(origin, origin.default_priority(), task);
        self.changed.notify_all();
        Ok(())
    }

    /// Takes the next job, blocking until one is available. Returns `None` once the queue has been aborted, or has been
    /// closed and has no waiting jobs.
    ///
    /// The caller must report the end of the job with [`finish`](Self::finish) or [`requeue`](Self::requeue).
    pub fn next(&self) -> Option<Job<T>> {
        let mut state = self.state.lock();
        loop {
            if state.aborted {
                return None;
            }
            if let Some(job) = state.pop(&self.running_limits) {
                state.running.push(job.clone());
                self.changed.notify_all();
                return Some(job);
            }
            if state.closed && state.waiting.is_empty() {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Marks a job as finished. The job then no longer counts towards the limit of running jobs of its client.
    pub fn finish(&self, job: &Job<T>) {
        self.state.lock().remove_running(job);
        // The client may now be below its limit of running jobs.
        self.changed.notify_all();
    }

    /// Returns the number of running jobs.
    pub fn running_count(&self) -> usize {
        self.state.lock().running.len()
    }

    /// Returns true if a short job waits only because all threads are busy.
    pub fn has_waiting_short_job(&self) -> bool {
        let state = self.state.lock();
        let mut short = (state.waiting.values())
            .map(|job| &job.origin)
            .filter(|origin| origin.length == Length::Short);
        short.any(|origin| state.may_start(origin, &self.running_limits))
    }

    /// Ends the current turn of a job and adds the job to the queue for another turn, with the priority of its length.
    /// The job is added even if the queue is full. Returns true.
    ///
    /// If the job has been terminated or the queue has been closed or aborted, only marks the job as finished and
    /// returns false.
    #[must_use]
    pub fn requeue(&self, job: &Job<T>) -> bool {
        let mut state = self.state.lock();
        state.remove_running(job);
        self.changed.notify_all();
        let mut push = || self.push_if_open(&mut state, job.origin, job.task.clone());
        !job.should_stop() && push().is_ok()
    }

    /// Cancels all jobs with a task that satisfies `predicate`.
    ///
    /// Removes and returns the waiting jobs. Requests the running jobs to stop (see [`Job::should_stop`]); the workers
    /// must still report the end of these jobs.
    #[must_use]
    pub fn cancel_matching(&self, predicate: impl Fn(&T) -> bool) -> Vec<Job<T>> {
        let mut state = self.state.lock();
        for job in state.running.iter().filter(|job| predicate(&job.task)) {
            job.stop.store(true, Ordering::Relaxed);
        }
        let mut cancelled = Vec::new();
        state.waiting.retain(|_, job| {
            let is_match = predicate(&job.task);
            if is_match {
                cancelled.push(job.clone());
            }
            !is_match
        });
        state.recompute_last_rounds();
        self.changed.notify_all();
        cancelled
    }

    /// Removes the scheduling state of a client that has disconnected.
    pub fn forget_client(&self, client: u64) {
        self.state.lock().last_rounds.remove(&client);
    }

    /// Closes the queue: [`try_submit`](Self::try_submit) and [`requeue`](Self::requeue) reject jobs from now on.
    /// Waiting jobs still run.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }

    /// Aborts the queue: discards waiting jobs, requests running jobs to stop and rejects new jobs.
    pub fn abort(&self) {
        let mut state = self.state.lock();
        state.aborted = true;
        state.waiting.clear();
        for job in &state.running {
            job.stop.store(true, Ordering::Relaxed);
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(client: u64) -> JobOrigin {
        JobOrigin {
            client,
            address: None,
            length: Length::Long,
        }
    }

    fn drain(queue: &JobQueue<&'static str>) -> Vec<&'static str> {
        queue.close();
        std::iter::from_fn(|| queue.next())
            .map(|job| job.task)
            .collect()
    }

    #[test]
    fn orders_by_priority_then_arrival() {
        let queue = JobQueue::new(9);
        queue.submit_all(0, [(0, "a"), (5, "b"), (0, "c"), (5, "d")]);
        assert_eq!(drain(&queue), ["b", "d", "a", "c"]);
    }

    #[test]
    fn clients_take_turns_by_round() {
        let queue = JobQueue::new(9);
        queue.submit_all(1, [(0, "a"), (0, "b"), (0, "c"), (0, "d")]);
        assert_eq!(queue.next().map(|job| job.task), Some("a"));
        assert_eq!(queue.next().map(|job| job.task), Some("b"));
        // The first job of a new client joins the current round. It runs after the earlier jobs of this round and
        // before the jobs of later rounds.
        assert_eq!(queue.try_submit(long(2), "x"), Ok(()));
        assert_eq!(queue.try_submit(long(2), "y"), Ok(()));
        assert_eq!(drain(&queue), ["x", "c", "y", "d"]);
    }

    #[test]
    fn limits_running_jobs_per_client() {
        let limits = RunningLimits {
            per_client: 2,
            ..RunningLimits::NONE
        };
        let queue = JobQueue::with_running_limits(9, limits);
        queue.submit_all(1, [(0, "a"), (0, "b"), (0, "c"), (0, "d")]);
        let first = queue.next().unwrap();
        assert_eq!((first.task, queue.next().unwrap().task), ("a", "b"));
        // A third thread would have to wait for a job of another client.
        queue.submit_all(2, [(0, "x")]);
        let third = queue.next().unwrap();
        assert_eq!(third.task, "x");
        queue.finish(&third);
        queue.finish(&first);
        let next = queue.next().unwrap();
        assert_eq!(next.task, "c");
        queue.finish(&next);
        assert_eq!(drain(&queue), ["d"]);
    }

    #[test]
    fn short_jobs_precede_long_ones() {
        let limits = RunningLimits {
            per_client: 1,
            long_per_address: 2,
            long: 3,
        };
        let queue = JobQueue::with_running_limits(9, limits);
        let job = |client, address: u8, length| JobOrigin {
            client,
            address: Some(IpAddr::from([10, 0, 0, address])),
            length,
        };
        let submit = |origin, task| queue.try_submit(origin, task).unwrap();
        submit(job(1, 1, Length::Long), "stream");
        submit(job(2, 1, Length::Long), "review");
        submit(job(3, 1, Length::Long), "same address");
        submit(job(4, 2, Length::Long), "other address");
        submit(job(5, 2, Length::Long), "fourth long job");
        submit(job(1, 1, Length::Long), "same client");
        let take = || queue.next().map(|job| job.task).unwrap();
        assert_eq!([take(), take()], ["stream", "review"]);
        assert!(!queue.has_waiting_short_job());
        submit(job(1, 1, Length::Short), "move");
        submit(job(1, 1, Length::Short), "next move");
        assert!(queue.has_waiting_short_job());
        assert_eq!([take(), take()], ["move", "other address"]);
        // The second short job waits for the first one, not for a thread.
        assert!(!queue.has_waiting_short_job());
        assert_eq!(queue.running_count(), 4);
    }

    #[test]
    fn rejects_jobs_when_full_or_closed() {
        let queue = JobQueue::new(1);
        assert_eq!(queue.try_submit(long(0), "a"), Ok(()));
        assert_eq!(queue.try_submit(long(1), "b"), Err(SubmitError::Full));
        queue.close();
        assert_eq!(queue.try_submit(long(0), "c"), Err(SubmitError::Closed));
        let cancelled = queue.cancel_matching(|task| *task == "a");
        assert_eq!(cancelled.len(), 1);
        assert!(queue.next().is_none());
    }

    #[test]
    fn terminated_jobs_do_not_use_rounds() {
        let queue = JobQueue::new(9);
        queue.submit_all(1, [(0, "a"), (0, "b"), (0, "c")]);
        queue.submit_all(2, [(0, "v"), (0, "w"), (0, "x"), (0, "y")]);
        assert_eq!(queue.cancel_matching(|task| "abc".contains(task)).len(), 3);
        queue.try_submit(long(1), "d").unwrap();
        assert_eq!(drain(&queue), ["v", "w", "d", "x", "y"]);
    }

    #[test]
    fn requeued_jobs_can_be_terminated() {
        let queue = JobQueue::new(4);
        queue.try_submit(long(1), "long").unwrap();
        let job = queue.next().unwrap();
        assert!(queue.requeue(&job));
        let job = queue.next().unwrap();
        assert!(
            queue.cancel_matching(|_| true).is_empty(),
            "it is worked on"
        );
        assert!(!queue.requeue(&job));
        // Requeuing works even if the queue is full.
        queue.try_submit(long(1), "half done").unwrap();
        let job = queue.next().unwrap();
        queue.submit_all(2, [(0, "a"), (0, "b"), (0, "c"), (0, "d")]);
        assert_eq!(queue.try_submit(long(1), "new"), Err(SubmitError::Full));
        assert!(queue.requeue(&job));
        assert_eq!(queue.cancel_matching(|_| true).len(), 5);
        queue.try_submit(long(1), "last").unwrap();
        let job = queue.next().unwrap();
        queue.close();
        assert_eq!((job.task, queue.requeue(&job)), ("last", false));
        assert!(queue.next().is_none());
    }
}
