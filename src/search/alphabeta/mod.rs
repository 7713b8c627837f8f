//! Alpha-beta search with a [static evaluation](static_eval).
//!
//! Go programs searched like this before playouts and networks were introduced. Here the search serves as a classic,
//! weaker opponent. It does not use the evaluator. Every searched node counts as a visit.
//!
//! - `deepening`: iterative deepening of a thread; `shared`: the state that all threads share
//! - `negamax`: main search, with `move_ordering`, `move_picker`, the transposition [`table`], `node_counts`, and
//!   `moves_in_progress`, which divides the work among threads
//! - [`quiescence`]: captures and ataris at the horizon
//! - [`static_eval`]: evaluation without search
//! - `scope`: the part of the board to which a local search is confined
//! - `line`, [`result`], [`value`]: positions, results and values; also used by [`minimax`](super::minimax)
//! - [`options`] contains the configuration
//!
//! **Local searches.** If the moves at the root are restricted to a small rectangle, the question is about the groups
//! there. The search then stays in the rectangle, and its values are leads in this part of the board; see `scope`.
//!
//! With [`Pruning::Exact`], the values equal the values of minimax with the same quiescence search at the leaves.

mod deepening;
pub mod line;
mod move_ordering;
mod move_picker;
mod moves_in_progress;
mod negamax;
mod node_counts;
pub mod options;
pub mod quiescence;
pub mod result;
mod scope;
mod shared;
pub mod static_eval;
pub mod table;
pub mod value;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use parking_lot::Mutex;

use super::limits::SearchLimits;
use super::report::Report;
use super::restriction::Restriction;
use super::root::Candidate;
use super::task::SearchTask;
use crate::eval::EvalError;
use crate::game::position::Position;
use deepening::Deepening;
use moves_in_progress::MovesInProgress;
use options::{AlphaBetaOptions, Pruning};
use result::DepthResult;
use scope::Scope;
use shared::{NodeCounters, SharedState};
use static_eval::StaticEval;
use table::SharedTable;

/// An alpha-beta search of a position.
pub struct AlphaBetaTask {
    shared: SharedState,
    /// Number of threads that have started to search.
    num_threads: AtomicUsize,
    /// Error that ended the search.
    error: Mutex<Option<EvalError>>,
}

impl AlphaBetaTask {
    /// Creates a search of `root`. `seed` determines the choice among equally good moves.
    pub fn new(
        root: Position,
        restriction: Restriction,
        options: AlphaBetaOptions,
        limits: SearchLimits,
        seed: u64,
        table: SharedTable,
    ) -> Self {
        let scope = match options.pruning {
            Pruning::Exact => None,
            Pruning::Heuristic => Scope::new(&root, &restriction),
        };
        let shared = SharedState {
            eval: StaticEval::with_scope(&root, scope),
            root,
            restriction,
            options,
            limits,
            started: Instant::now(),
            seed,
            table,
            in_progress: MovesInProgress::default(),
            counters: NodeCounters::default(),
            completed_depth: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            result: Mutex::new(DepthResult::default()),
        };
        Self {
            shared,
            num_threads: AtomicUsize::new(0),
            error: Mutex::new(None),
        }
    }
}

impl SearchTask for AlphaBetaTask {
    fn is_parallel(&self) -> bool {
        true
    }

    /// Deepens iteratively until a limit is reached or another thread has completed the maximum depth.
    fn search(&self) -> Result<(), EvalError> {
        let thread = self.num_threads.fetch_add(1, Relaxed);
        let add_nodes = |counts, depth| self.shared.add_nodes(counts, depth);
        Deepening::new(&self.shared, thread, &add_nodes).run();
        Ok(())
    }

    fn stop_flag(&self) -> &AtomicBool {
        &self.shared.stop
    }

    fn error_slot(&self) -> &Mutex<Option<EvalError>> {
        &self.error
    }

    fn report(&self) -> Report {
        self.shared.result.lock().report(&self.shared.root)
    }

    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        let result = self.shared.result.lock();
        result.candidates(&self.shared.root, restriction)
    }
}
