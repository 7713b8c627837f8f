//! The search: PUCT with a network, UCT with playouts, parallel over threads on one shared tree; or alpha-beta.
//!
//! [`Search`] knows no protocol and no clock. Its user sets a root, starts it with [`Limits`], looks at [`Report`]s
//! whenever it likes, and stops it or waits.

pub mod alphabeta;
mod arena;
pub mod census;
mod failure;
pub mod forced;
mod job;
pub mod limits;
pub mod node;
pub mod params;
pub mod patience;
pub mod playout;
pub mod report;
pub mod restriction;
pub mod root;
pub mod select;
mod sync;
pub mod tree;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::eval::{EvalError, Evaluator};
use crate::game::point::Move;
use crate::game::position::{Position, REMEMBERED};
use alphabeta::Reading;
pub use failure::{SearchError, ThreadError};
use job::Job;
use limits::Limits;
use node::State;
use params::{Algorithm, SearchParams};
use report::Report;
use restriction::Constraint;
use restriction::Restriction;
use root::Candidate;
use tree::Tree;
use worker::Task;

/// How a search is set up; fixed for its life.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Threads, at least one.
    pub threads: usize,
    /// Bytes that the tree may take.
    pub tree_bytes: usize,
    /// Seed of everything random.
    pub seed: u64,
}

/// A search from one root at a time.
pub struct Search {
    evaluator: Arc<dyn Evaluator>,
    setup: Setup,
    pool: ThreadPool,
    /// Parameters of the next start. What the tree holds was found under the earlier ones; [`clear`](Self::clear)
    /// forgets it.
    pub params: SearchParams,
    root: Position,
    tree: Arc<Tree>,
    /// What was barred below the root while that tree grew.
    constraints: Vec<Constraint>,
    /// Starts so far, and those since the last [`begin_game`](Self::begin_game), which tell draws apart.
    started: u64,
    started_in_game: u64,
    running: Option<Running>,
    last: Option<Job>,
}

struct Running {
    job: Job,
    /// Disconnected once every thread is done.
    done: Receiver<()>,
}

/// What the threads hold; dropped from top to bottom, so the job is let go before the search is seen to be done.
struct Held {
    job: Job,
    _alive: Sender<()>,
}

impl Search {
    /// A search with its threads waiting.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(
        evaluator: Arc<dyn Evaluator>,
        root: Position,
        params: SearchParams,
        setup: Setup,
    ) -> Result<Self, ThreadError> {
        let threads = setup.threads.max(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("search-{index}"))
            // The panic hook has told of it; without a handler rayon would end the program.
            .panic_handler(|_| ())
            .build()
            .map_err(|error| ThreadError::new(threads, &error))?;
        let tree = Arc::new(Tree::new(setup.tree_bytes));
        Ok(Self {
            evaluator,
            setup,
            pool,
            params,
            root,
            tree,
            constraints: Vec::new(),
            started: 0,
            started_in_game: 0,
            running: None,
            last: None,
        })
    }

    /// What judges the positions.
    #[must_use]
    pub fn evaluator(&self) -> &Arc<dyn Evaluator> {
        &self.evaluator
    }

    /// The tree as it stands.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The root's position.
    #[must_use]
    pub const fn root(&self) -> &Position {
        &self.root
    }

    /// Makes `position` the root. What the tree already knows of it is kept where its last moves lead there from the
    /// old root; else the tree starts anew. A running search is stopped first.
    pub fn set_root(&mut self, position: &Position) {
        self.stop();
        self.last = None;
        match self.moves_to(position).as_deref() {
            Some([]) => return,
            Some(moves) => self.advance_root(moves),
            None => self.clear(),
        }
        if !self.constraints.is_empty() {
            // They were counted from the old root.
            self.clear();
        }
        self.root.clone_from(position);
    }

    /// Forgets the tree. A running search is stopped first.
    pub fn clear(&mut self) {
        self.stop();
        self.last = None;
        self.tree = Arc::new(Tree::new(self.setup.tree_bytes));
    }

    /// Forgets the tree and draws from here on as a new search does, so that a game can be the same again.
    pub fn begin_game(&mut self) {
        self.clear();
        self.started_in_game = 0;
    }

    /// Makes the node that these moves lead to the root, if it is there and worth keeping.
    fn advance_root(&mut self, moves: &[Move]) {
        let known = self
            .tree
            .descendant(moves)
            .filter(|&id| self.tree.node(id).state() == State::Expanded);
        // No search is running, so nobody else holds the tree.
        match (known, Arc::get_mut(&mut self.tree)) {
            (Some(id), Some(tree)) => tree.reroot(id),
            _ => self.clear(),
        }
    }

    /// The moves from the root to `position`, if they are few and were made by the sides in turn.
    fn moves_to(&self, position: &Position) -> Option<Vec<Move>> {
        let count = position
            .move_number()
            .checked_sub(self.root.move_number())? as usize;
        if count > REMEMBERED {
            return None;
        }
        let mut replayed = self.root.clone();
        let mut moves = Vec::with_capacity(count);
        for back in (0..count).rev() {
            let (color, mv) = position.last_move(back)?;
            if color != replayed.to_move() {
                return None;
            }
            replayed.play(color, mv).ok()?;
            moves.push(mv);
        }
        // The past counts too: superko forbids other moves after another one.
        (replayed == *position).then_some(moves)
    }

    /// Starts searching and returns at once. A search under way is stopped first. The tree is kept, whatever the
    /// restriction was before: visits to moves that are now left out still count in the root's visits and values. Only
    /// other constraints below the root begin a new one.
    pub fn start(&mut self, limits: Limits, restriction: Restriction) {
        if restriction.below() != self.constraints {
            self.clear();
            self.constraints = restriction.below().to_vec();
        }
        self.stop();
        self.started += 1;
        self.started_in_game += 1;
        let job = self.job(limits, restriction);
        let (alive, done): (Sender<()>, Receiver<()>) = channel();
        let held = Held {
            job: job.clone(),
            _alive: alive,
        };
        self.last = Some(job.clone());
        self.running = Some(Running { job, done });
        if matches!(held.job, Job::Reading(_)) {
            return self.pool.spawn(move || {
                // All of it, not the job alone.
                let held = held;
                held.job.work();
            });
        }
        // Broadcast rather than spawned: a thread that waits for a part of an evaluation might take up a spawned job,
        // and then wait below its own evaluation for that evaluation's end.
        self.pool.spawn_broadcast(move |_| {
            let held = &held;
            held.job.work();
        });
    }

    /// What the next start has to do.
    fn job(&self, limits: Limits, restriction: Restriction) -> Job {
        let root = self.root.clone();
        let started = Instant::now();
        let stop = AtomicBool::new(false);
        let seed = self.setup.seed ^ self.started_in_game.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.params.algorithm {
            Algorithm::AlphaBeta { depth } => Job::Reading(Arc::new(Reading {
                root,
                restriction,
                depth,
                limits,
                started,
                seed,
                stop,
                found: Mutex::default(),
                error: Mutex::default(),
            })),
            Algorithm::Tree => Job::Growth(Arc::new(Task {
                evaluator: Arc::clone(&self.evaluator),
                tree: Arc::clone(&self.tree),
                root,
                params: self.fitting_params(),
                centered: OnceLock::new(),
                restriction,
                choice: OnceLock::new(),
                limits,
                started,
                seed,
                stop,
                issued: AtomicU64::new(u64::from(self.tree.root().visits())),
                before: self.tree.root().visits(),
                is_first: self.started == 1,
                slowest: AtomicU64::new(0),
                next_look: AtomicU64::new(0),
                collisions: AtomicU64::new(0),
                counts: Mutex::default(),
                error: Mutex::new(None),
            })),
        }
    }

    /// The parameters, without the parts of the score where the evaluator cannot tell it: a lead of 0 is no opinion.
    fn fitting_params(&self) -> SearchParams {
        let mut params = self.params.clone();
        if !self.evaluator.tells_lead() {
            params.score_weight = 0.0;
            params.lead_weight = 0.0;
        }
        params
    }

    /// Waits at most that long for the search to end by itself; true when it has (or none was under way).
    pub fn wait_for(&mut self, time: Duration) -> bool {
        let Some(running) = &self.running else {
            return true;
        };
        match running.done.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => false,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                self.running = None;
                self.forget_what_broke();
                true
            }
        }
    }

    /// A thread that panicked may have left nodes in the tree for which all others would wait.
    fn forget_what_broke(&mut self) {
        if matches!(self.failure(), Some(EvalError::Stopped)) {
            self.tree = Arc::new(Tree::new(self.setup.tree_bytes));
        }
    }

    /// Waits until the search ends by itself.
    ///
    /// # Errors
    /// The failure of an evaluation, if one ended it.
    pub fn wait(&mut self) -> Result<(), EvalError> {
        if let Some(running) = self.running.take() {
            // An error only says that all senders are gone.
            let _ = running.done.recv();
            self.forget_what_broke();
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// Ends the search; nothing is in flight afterwards.
    pub fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.job.stop();
        }
        // A failure stays to be asked for.
        let _ = self.wait();
    }

    /// Searches until a limit is reached.
    ///
    /// # Errors
    /// The failure of an evaluation, if one ended the search.
    pub fn run(&mut self, limits: Limits, restriction: Restriction) -> Result<Report, EvalError> {
        self.start(limits, restriction);
        self.wait()?;
        Ok(self.report())
    }

    /// The failure that ended the last search.
    #[must_use]
    pub fn failure(&self) -> Option<EvalError> {
        self.last.as_ref().and_then(Job::failure)
    }

    /// The moves of the root with their visits, the highest prior first, without those that were
    /// [forced](SearchParams::forced_playouts); none before the search has expanded its root.
    #[must_use]
    pub fn unforced_visits(&self) -> Vec<(Move, u32)> {
        let Some(Job::Growth(task)) = &self.last else {
            return Vec::new();
        };
        task.choice.get().map_or_else(Vec::new, |choice| {
            forced::unforced(&task.params, &self.tree, choice, self.root.to_move())
        })
    }

    /// What has been found so far; may be asked for at any time.
    #[must_use]
    pub fn report(&self) -> Report {
        match &self.last {
            Some(job) => job.report(),
            None => {
                let to_move = self.root.to_move();
                report::report(&self.params, &self.tree, to_move, &Restriction::none())
            }
        }
    }

    /// The moves of the root that the last search has found, the best first, of those that `restriction` allows.
    #[must_use]
    pub fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        match &self.last {
            Some(Job::Reading(reading)) => reading.candidates(restriction),
            _ => root::candidates(&self.params, &self.tree, self.root.to_move(), restriction),
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}
