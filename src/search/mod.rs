//! The search: PUCT with a network, UCT with playouts, parallel over threads on one shared tree; or alpha-beta.
//!
//! [`Search`] knows no protocol and no clock. Its user sets a root, starts it with [`Limits`], looks at [`Report`]s
//! whenever it likes, and stops it or waits.

pub mod alphabeta;
mod arena;
pub mod early_stop;
mod error;
pub mod forced_playouts;
pub mod limits;
pub mod node;
pub mod ownership_stats;
pub mod params;
pub mod playout;
pub mod report;
pub mod restriction;
pub mod root;
pub mod select;
mod sync;
mod task;
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
use crate::game::position::{HISTORY_LEN, Position};
use alphabeta::AlphaBetaTask;
pub use error::{SearchError, ThreadPoolError};
use limits::SearchLimits;
use node::State;
use params::{Algorithm, SearchParams};
use report::Report;
use restriction::Constraint;
use restriction::Restriction;
use root::Candidate;
use tree::Tree;
use task::SearchTask;
use worker::MctsTask;

/// How a search is set up; fixed for its life.
#[derive(Clone, Debug)]
pub struct SearchConfig {
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
    config: SearchConfig,
    pool: ThreadPool,
    /// Parameters of the next start. What the tree holds was found under the earlier ones; [`clear`](Self::clear)
    /// forgets it.
    pub params: SearchParams,
    root: Position,
    tree: Arc<Tree>,
    /// What was barred below the root while that tree grew.
    tree_constraints: Vec<Constraint>,
    /// Starts so far, and those since the last [`begin_game`](Self::begin_game), which tell draws apart.
    num_starts: u64,
    starts_in_game: u64,
    running: Option<Running>,
    last_task: Option<Arc<dyn SearchTask>>,
}

struct Running {
    task: Arc<dyn SearchTask>,
    /// Disconnected once every thread is done.
    done: Receiver<()>,
}

/// What the threads hold; dropped from top to bottom, so the job is let go before the search is seen to be done.
struct TaskGuard {
    task: Arc<dyn SearchTask>,
    _done_sender: Sender<()>,
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
        config: SearchConfig,
    ) -> Result<Self, ThreadPoolError> {
        let threads = config.threads.max(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("search-{index}"))
            // The panic hook has told of it; without a handler rayon would end the program.
            .panic_handler(|_| ())
            .build()
            .map_err(|error| ThreadPoolError::new(threads, &error))?;
        let tree = Arc::new(Tree::new(config.tree_bytes));
        Ok(Self {
            evaluator,
            config,
            pool,
            params,
            root,
            tree,
            tree_constraints: Vec::new(),
            num_starts: 0,
            starts_in_game: 0,
            running: None,
            last_task: None,
        })
    }

    /// What judges the positions.
    pub fn evaluator(&self) -> &Arc<dyn Evaluator> {
        &self.evaluator
    }

    /// The tree as it stands.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The root's position.
    pub const fn root(&self) -> &Position {
        &self.root
    }

    /// Makes `position` the root. What the tree already knows of it is kept where its last moves lead there from the
    /// old root; else the tree starts anew. A running search is stopped first.
    pub fn set_root(&mut self, position: &Position) {
        self.stop();
        self.last_task = None;
        match self.moves_from_root(position).as_deref() {
            Some([]) => return,
            Some(moves) => self.advance_root(moves),
            None => self.clear(),
        }
        if !self.tree_constraints.is_empty() {
            // They were counted from the old root.
            self.clear();
        }
        self.root.clone_from(position);
    }

    /// Forgets the tree. A running search is stopped first.
    pub fn clear(&mut self) {
        self.stop();
        self.last_task = None;
        self.tree = Arc::new(Tree::new(self.config.tree_bytes));
    }

    /// Forgets the tree and draws from here on as a new search does, so that a game can be the same again.
    pub fn begin_game(&mut self) {
        self.clear();
        self.starts_in_game = 0;
    }

    /// Makes the node that these moves lead to the root, if it is there and worth keeping.
    fn advance_root(&mut self, moves: &[Move]) {
        let id = self
            .tree
            .descendant(moves)
            .filter(|&id| self.tree.node(id).state() == State::Expanded);
        // No search is running, so nobody else holds the tree.
        match (id, Arc::get_mut(&mut self.tree)) {
            (Some(id), Some(tree)) => tree.reroot(id),
            _ => self.clear(),
        }
    }

    /// The moves from the root to `position`, if they are few and were made by the sides in turn.
    fn moves_from_root(&self, position: &Position) -> Option<Vec<Move>> {
        let count = position
            .move_number()
            .checked_sub(self.root.move_number())? as usize;
        if count > HISTORY_LEN {
            return None;
        }
        let mut replayed = self.root.clone();
        let mut moves = Vec::with_capacity(count);
        for moves_ago in (0..count).rev() {
            let (color, mv) = position.last_move(moves_ago)?;
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
    pub fn start(&mut self, limits: SearchLimits, restriction: Restriction) {
        if restriction.constraints() != self.tree_constraints {
            self.clear();
            self.tree_constraints = restriction.constraints().to_vec();
        }
        self.stop();
        self.num_starts += 1;
        self.starts_in_game += 1;
        let task = self.new_task(limits, restriction);
        let (done_sender, done): (Sender<()>, Receiver<()>) = channel();
        let guard = TaskGuard {
            task: Arc::clone(&task),
            _done_sender: done_sender,
        };
        self.last_task = Some(Arc::clone(&task));
        self.running = Some(Running { task, done });
        if !guard.task.is_parallel() {
            return self.pool.spawn(move || {
                // All of it, not the job alone.
                let guard = guard;
                guard.task.run();
            });
        }
        // Broadcast rather than spawned: a thread that waits for a part of an evaluation might take up a spawned job,
        // and then wait below its own evaluation for that evaluation's end.
        self.pool.spawn_broadcast(move |_| {
            let guard = &guard;
            guard.task.run();
        });
    }

    /// What the next start has to do.
    fn new_task(&self, limits: SearchLimits, restriction: Restriction) -> Arc<dyn SearchTask> {
        let root = self.root.clone();
        let started = Instant::now();
        let stop = AtomicBool::new(false);
        let seed = self.config.seed ^ self.starts_in_game.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.params.algorithm {
            Algorithm::AlphaBeta { depth } => Arc::new(AlphaBetaTask {
                root,
                restriction,
                depth,
                limits,
                started,
                seed,
                stop,
                result: Mutex::default(),
                error: Mutex::default(),
            }),
            Algorithm::Tree => Arc::new(MctsTask {
                evaluator: Arc::clone(&self.evaluator),
                tree: Arc::clone(&self.tree),
                root,
                params: self.effective_params(),
                centered_params: OnceLock::new(),
                restriction,
                root_policy: OnceLock::new(),
                limits,
                started,
                seed,
                stop,
                started_playouts: AtomicU64::new(u64::from(self.tree.root().visits())),
                initial_visits: self.tree.root().visits(),
                is_first_search: self.num_starts == 1,
                slowest_evaluation_us: AtomicU64::new(0),
                next_stop_check_us: AtomicU64::new(0),
                collisions: AtomicU64::new(0),
                stats: Mutex::default(),
                error: Mutex::new(None),
            }),
        }
    }

    /// The parameters, without the parts of the score where the evaluator cannot tell it: a lead of 0 is no opinion.
    fn effective_params(&self) -> SearchParams {
        let mut params = self.params.clone();
        if !self.evaluator.predicts_lead() {
            params.score_weight = 0.0;
            params.lead_weight = 0.0;
        }
        params
    }

    /// Waits at most that long for the search to end by itself; true when it has (or none was under way).
    pub fn wait_for(&mut self, timeout: Duration) -> bool {
        let Some(running) = &self.running else {
            return true;
        };
        match running.done.recv_timeout(timeout) {
            Err(RecvTimeoutError::Timeout) => false,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                self.running = None;
                self.discard_broken_tree();
                true
            }
        }
    }

    /// A thread that panicked may have left nodes in the tree for which all others would wait.
    fn discard_broken_tree(&mut self) {
        if matches!(self.error(), Some(EvalError::Panicked)) {
            self.tree = Arc::new(Tree::new(self.config.tree_bytes));
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
            self.discard_broken_tree();
        }
        self.error().map_or(Ok(()), Err)
    }

    /// Ends the search; nothing is in flight afterwards.
    pub fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.task.stop();
        }
        // A failure stays to be asked for.
        let _ = self.wait();
    }

    /// Searches until a limit is reached.
    ///
    /// # Errors
    /// The failure of an evaluation, if one ended the search.
    pub fn run(
        &mut self,
        limits: SearchLimits,
        restriction: Restriction,
    ) -> Result<Report, EvalError> {
        self.start(limits, restriction);
        self.wait()?;
        Ok(self.report())
    }

    /// The failure that ended the last search.
    pub fn error(&self) -> Option<EvalError> {
        (self.last_task.as_ref()).and_then(|task| task.error())
    }

    /// The moves of the root with their visits, the highest prior first, without those that were
    /// [forced](SearchParams::forced_playouts); none before the search has expanded its root.
    pub fn unforced_visits(&self) -> Vec<(Move, u32)> {
        (self.last_task.as_ref()).map_or_else(Vec::new, |task| task.unforced_visits())
    }

    /// What has been found so far; may be asked for at any time.
    pub fn report(&self) -> Report {
        match &self.last_task {
            Some(task) => task.report(),
            None => {
                let to_move = self.root.to_move();
                report::report(&self.params, &self.tree, to_move, &Restriction::none())
            }
        }
    }

    /// The moves of the root that the last search has found, the best first, of those that `restriction` allows.
    pub fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        match &self.last_task {
            Some(task) => task.candidates(restriction),
            None => root::candidates(&self.params, &self.tree, self.root.to_move(), restriction),
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}
