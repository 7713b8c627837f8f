//! Parallel tree search (PUCT with a network, UCT with playouts), and two searches without a tree.
//!
//! A [`Search`] depends neither on a protocol nor on a game clock. Its owner sets the root, starts the search with
//! [`SearchLimits`], reads [`Report`]s at any time, and stops the search or waits until it ends.
//!
//! All threads of a search share one [`tree`] of [`node`]s. Each thread repeats three steps (`mcts_task`, `leaf_batch`,
//! [`playout`]): it selects one or several leaves with the formulas in [`select`], has them evaluated, and backs up the
//! results along the paths from the root to the leaves.
//!
//! [`root`] adds noise and chooses the move, [`early_stop`] ends a search before its time limit, and [`restriction`]
//! limits the moves. [`alphabeta`] and [`minimax`] implement the same interface (`task`) without a tree.

mod active_threads;
pub mod alphabeta;
mod arena;
pub mod early_stop;
mod error;
pub mod forced_playouts;
mod leaf_batch;
pub mod limits;
mod mcts_task;
pub mod minimax;
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

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::eval::{EvalError, Evaluator};
use crate::game::point::Move;
use crate::game::position::{HISTORY_LEN, Position};
use active_threads::ActiveThreads;
use alphabeta::AlphaBetaTask;
use alphabeta::options::{AlphaBetaOptions, Pruning};
use alphabeta::table::{LazyTable, SharedTable};
pub use error::{SearchError, ThreadPoolError};
use limits::SearchLimits;
use mcts_task::MctsTask;
use minimax::MinimaxTask;
use node::ExpansionState;
use params::{Algorithm, SearchParams};
use report::Report;
use restriction::Constraint;
use restriction::Restriction;
use root::Candidate;
use task::SearchTask;
use tree::Tree;

/// Configuration that is fixed when a search is created.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Number of threads, at least one.
    pub threads: usize,
    /// Maximum number of leaves that each thread evaluates together, at least one. See [`default_batch_size`].
    pub batch_size: usize,
    /// Maximum size of the tree, or of the transposition table of an alpha-beta search, in bytes.
    pub tree_bytes: usize,
    pub seed: u64,
}

/// Returns the number of leaves that each thread should evaluate together if `threads` threads, of one or several
/// searches, share the evaluator.
///
/// A single thread evaluates one leaf at a time, so that the shape of its tree does not depend on the device.
pub fn default_batch_size(evaluator: &dyn Evaluator, threads: usize) -> usize {
    match threads {
        0 | 1 => 1,
        _ => evaluator.batch_hint(threads).max(1),
    }
}

/// A search with its own threads and its own tree. It can search any number of root positions, one at a time.
pub struct Search {
    evaluator: Arc<dyn Evaluator>,
    config: SearchConfig,
    pool: ThreadPool,
    active_threads: Arc<ActiveThreads>,
    /// Parameters of the next search. Changing them does not affect results that are already in the tree; call
    /// [`clear_tree_and_table`](Self::clear_tree_and_table) to discard those results.
    pub params: SearchParams,
    root: Position,
    tree: Arc<Tree>,
    /// Transposition table of the alpha-beta search.
    table: LazyTable,
    /// Constraints on moves below the root under which the current tree was built.
    tree_constraints: Vec<Constraint>,
    /// Number of searches started.
    num_starts: u64,
    /// Number of searches started since [`begin_game`](Self::begin_game). Varies the seed between the searches of a
    /// game.
    starts_in_game: u64,
    running: Option<RunningSearch>,
    last_task: Option<Arc<dyn SearchTask>>,
}

struct RunningSearch {
    task: Arc<dyn SearchTask>,
    /// Receiver that is disconnected once every thread has finished.
    done: Receiver<()>,
}

/// References held by the closure that the worker threads run. Fields are dropped in declaration order, so the task is
/// released before the search is reported as finished.
struct CompletionGuard {
    task: Arc<dyn SearchTask>,
    _done_sender: Sender<()>,
}

impl Search {
    /// Creates a search. Its threads are idle until [`start`](Self::start) is called.
    ///
    /// # Errors
    /// Returns an error if the worker threads cannot be started.
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
            // The panic hook has already reported the panic. Without a handler, rayon would abort the program.
            .panic_handler(|_| ())
            .build()
            .map_err(|error| ThreadPoolError::new(threads, &error))?;
        let tree = Arc::new(Tree::new(config.tree_bytes));
        Ok(Self {
            table: LazyTable::new(config.tree_bytes),
            evaluator,
            config,
            pool,
            active_threads: Arc::default(),
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

    pub fn evaluator(&self) -> &Arc<dyn Evaluator> {
        &self.evaluator
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub const fn root(&self) -> &Position {
        &self.root
    }

    /// Makes `position` the root. Stops a running search first.
    ///
    /// Keeps the whole tree if `position` is already the root. If the last moves of `position` lead to it from the old
    /// root, keeps only the subtree of `position`, unless the tree was built under constraints on moves below the root.
    /// Otherwise, discards the tree.
    pub fn set_root(&mut self, position: &Position) {
        self.stop();
        self.last_task = None;
        match self.moves_from_root(position).as_deref() {
            Some([]) => return,
            // The depths of constraints are relative to the old root.
            Some(moves) if self.tree_constraints.is_empty() => self.advance_root(moves),
            _ => self.clear_tree_and_table(),
        }
        self.root.clone_from(position);
    }

    /// Discards the tree and the transposition table. Stops a running search first.
    pub fn clear_tree_and_table(&mut self) {
        self.stop();
        self.last_task = None;
        self.table.clear();
        self.discard_tree();
    }

    fn discard_tree(&mut self) {
        self.tree = Arc::new(Tree::new(self.config.tree_bytes));
    }

    /// Discards the tree and restarts the sequence of random seeds, so that a game can be reproduced. Stops a running
    /// search first.
    pub fn begin_game(&mut self) {
        self.clear_tree_and_table();
        self.starts_in_game = 0;
    }

    /// Makes the node after `moves` the root, or discards the tree if that node is missing or not expanded.
    fn advance_root(&mut self, moves: &[Move]) {
        let id = self
            .tree
            .descendant(moves)
            .filter(|&id| self.tree.node(id).state() == ExpansionState::Expanded);
        // No search is running, so this is the only reference to the tree.
        match (id, Arc::get_mut(&mut self.tree)) {
            (Some(id), Some(tree)) => tree.reroot(id),
            // The entries of the transposition table remain valid.
            _ => self.discard_tree(),
        }
    }

    /// Returns the last moves of `position` that lead to it from the root. The result is empty if `position` is the
    /// root. Returns `None` if `position` does not follow from the root by at most [`HISTORY_LEN`] moves of alternating
    /// sides.
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
            let (color, mv) = position.past_move(moves_ago)?;
            if color != replayed.to_move() {
                return None;
            }
            replayed.play(color, mv).ok()?;
            moves.push(mv);
        }
        // Compare the history as well, because superko may forbid different moves.
        (replayed == *position).then_some(moves)
    }

    /// Starts a search and returns immediately. Stops a running search first.
    ///
    /// The tree is reused even if the restriction at the root has changed: visits of moves that are now excluded still
    /// count towards the root's visits and values. If the constraints below the root have changed, the tree is
    /// discarded.
    pub fn start(&mut self, limits: SearchLimits, restriction: Restriction) {
        if restriction.constraints_below_root() != self.tree_constraints {
            self.clear_tree_and_table();
            self.tree_constraints = restriction.constraints_below_root().to_vec();
        }
        self.stop();
        self.num_starts += 1;
        self.starts_in_game += 1;
        let task = self.new_task(limits, restriction);
        let (done_sender, done): (Sender<()>, Receiver<()>) = channel();
        let guard = CompletionGuard {
            task: Arc::clone(&task),
            _done_sender: done_sender,
        };
        self.last_task = Some(Arc::clone(&task));
        self.running = Some(RunningSearch { task, done });
        if !guard.task.is_parallel() {
            return self.pool.spawn(move || {
                // Without this line, the closure would capture only the guard's task.
                let guard = guard;
                guard.task.run();
            });
        }
        // Broadcast instead of spawn: a thread that waits for part of an evaluation could steal a spawned task, and
        // would then wait for an evaluation that it is executing itself.
        self.pool.spawn_broadcast(move |_| {
            let guard = &guard;
            guard.task.run();
        });
    }

    /// Sets the number of threads that work on tree searches, including a running one. The other threads wait. More
    /// threads than the search has count as all threads; 0 counts as 1.
    pub fn set_active_threads(&self, count: usize) {
        self.active_threads.set(count.max(1));
    }

    /// Creates the task of the next search.
    fn new_task(&mut self, limits: SearchLimits, restriction: Restriction) -> Arc<dyn SearchTask> {
        let root = self.root.clone();
        let started = Instant::now();
        let stop = AtomicBool::new(false);
        let seed = self.config.seed ^ self.starts_in_game.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.params.algorithm {
            Algorithm::AlphaBeta(options) => {
                let table = self.table_for(options);
                let task = AlphaBetaTask::new(root, restriction, options, limits, seed, table);
                Arc::new(task)
            }
            Algorithm::Minimax { depth } => Arc::new(MinimaxTask {
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
            Algorithm::Mcts => Arc::new(MctsTask {
                evaluator: self.pinned_evaluator(),
                tree: Arc::clone(&self.tree),
                active_threads: Arc::clone(&self.active_threads),
                arrived_threads: AtomicUsize::new(0),
                is_finished: AtomicBool::new(false),
                root,
                params: self.effective_params(),
                centered_params: OnceLock::new(),
                restriction,
                root_policy: OnceLock::new(),
                limits,
                batch_size: self.config.batch_size,
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

    /// Returns the transposition table for a search with `options`, or `None` if it uses no table.
    fn table_for(&mut self, options: AlphaBetaOptions) -> SharedTable {
        if options.pruning == Pruning::Exact {
            // The keys contain the positions since the root only.
            self.table.clear();
        }
        options
            .uses_table
            .then(|| self.table.start_search())
            .flatten()
    }

    /// Returns the evaluator for all evaluations of the next search.
    fn pinned_evaluator(&self) -> Arc<dyn Evaluator> {
        let pinned = self.evaluator.pinned();
        pinned.unwrap_or_else(|| Arc::clone(&self.evaluator))
    }

    /// Returns the parameters of the next search. An evaluator that does not predict the lead always reports a lead of
    /// 0, so the weights of score and lead are then set to 0.
    fn effective_params(&self) -> SearchParams {
        let mut params = self.params.clone();
        if !self.evaluator.predicts_lead() {
            params.score_weight = 0.0;
            params.lead_weight = 0.0;
        }
        params
    }

    /// Waits at most `timeout` for the search to end. Returns true if it has ended or was not running.
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

    /// Discards the tree if a thread has panicked, because that thread may have left behind nodes for which other
    /// threads would wait forever.
    fn discard_broken_tree(&mut self) {
        if matches!(self.error(), Some(EvalError::Panicked)) {
            self.discard_tree();
        }
    }

    /// Waits until the search ends.
    ///
    /// # Errors
    /// Returns the evaluation error that ended the search, if there was one.
    pub fn wait(&mut self) -> Result<(), EvalError> {
        if let Some(running) = self.running.take() {
            // An error only means that all senders have been dropped.
            let _ = running.done.recv();
            self.discard_broken_tree();
        }
        self.error().map_or(Ok(()), Err)
    }

    /// Stops the search and waits until its threads have finished.
    pub fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.task.stop();
        }
        // The error remains available from `error`.
        let _ = self.wait();
    }

    /// Starts a search, waits until it reaches a limit, and returns its results.
    ///
    /// # Errors
    /// Returns the evaluation error that ended the search, if there was one.
    pub fn run(
        &mut self,
        limits: SearchLimits,
        restriction: Restriction,
    ) -> Result<Report, EvalError> {
        self.start(limits, restriction);
        self.wait()?;
        Ok(self.report())
    }

    /// Returns the error that ended the last search, if any.
    pub fn error(&self) -> Option<EvalError> {
        (self.last_task.as_ref()).and_then(|task| task.error())
    }

    /// Returns the root moves and their visits, excluding [forced playouts](SearchParams::forced_playouts), highest
    /// prior first. The result is empty before the root is expanded.
    pub fn unforced_visits(&self) -> Vec<(Move, u32)> {
        (self.last_task.as_ref()).map_or_else(Vec::new, |task| task.unforced_visits())
    }

    /// Returns a snapshot of the results. It can be taken while the search is running.
    pub fn report(&self) -> Report {
        match &self.last_task {
            Some(task) => task.report(),
            None => {
                let to_move = self.root.to_move();
                report::tree_report(&self.params, &self.tree, to_move, &Restriction::none())
            }
        }
    }

    /// Returns the root moves that `restriction` allows, best first; see [`root::ranked_candidates`]. After an alpha-beta
    /// search, returns only moves with the maximum value.
    pub fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        match &self.last_task {
            Some(task) => task.candidates(restriction),
            None => {
                root::ranked_candidates(&self.params, &self.tree, self.root.to_move(), restriction)
            }
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}
