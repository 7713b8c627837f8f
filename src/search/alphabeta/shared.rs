//! The state that the threads of an alpha-beta search share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use parking_lot::Mutex;

use super::moves_in_progress::MovesInProgress;
use super::node_counts::NodeCounts;
use super::options::AlphaBetaOptions;
use super::result::{DepthResult, MoveResult};
use super::static_eval::StaticEval;
use super::table::SharedTable;
use crate::game::position::Position;
use crate::search::limits::SearchLimits;
use crate::search::report::DepthStats;
use crate::search::restriction::Restriction;

/// State shared by the threads of a search.
pub struct SharedState {
    pub root: Position,
    /// Moves that may be searched.
    pub restriction: Restriction,
    pub options: AlphaBetaOptions,
    pub limits: SearchLimits,
    pub started: Instant,
    /// Seed of the random choice among equally good moves.
    pub seed: u64,
    pub eval: StaticEval,
    pub table: SharedTable,
    pub in_progress: MovesInProgress,
    pub counters: NodeCounters,
    /// Depth of `result`.
    pub completed_depth: AtomicU32,
    /// Set to stop the search.
    pub stop: AtomicBool,
    /// Result of the deepest completed search.
    pub result: Mutex<DepthResult>,
}

/// Sums of the [`NodeCounts`] of all threads.
#[derive(Debug, Default)]
pub struct NodeCounters {
    main: AtomicU64,
    quiescence: AtomicU64,
    cutoffs: AtomicU64,
    first_move_cutoffs: AtomicU64,
}

impl NodeCounters {
    fn add(&self, counts: NodeCounts) {
        self.main.fetch_add(counts.main, Relaxed);
        self.quiescence.fetch_add(counts.quiescence, Relaxed);
        self.cutoffs.fetch_add(counts.cutoffs, Relaxed);
        self.first_move_cutoffs
            .fetch_add(counts.first_move_cutoffs, Relaxed);
    }

    fn sums(&self) -> NodeCounts {
        NodeCounts {
            main: self.main.load(Relaxed),
            quiescence: self.quiescence.load(Relaxed),
            cutoffs: self.cutoffs.load(Relaxed),
            first_move_cutoffs: self.first_move_cutoffs.load(Relaxed),
        }
    }
}

impl SharedState {
    /// Adds the nodes that a thread has searched. Returns true if its search to `depth` plies should stop: another thread
    /// has completed this depth, a limit is reached, or the stop flag is set.
    pub fn add_nodes(&self, counts: NodeCounts, depth: u32) -> bool {
        self.counters.add(counts);
        let nodes = self.counters.sums().total();
        self.has_completed(depth)
            || self.stop.load(Relaxed)
            || self
                .limits
                .is_reached_without_tree(nodes, self.started.elapsed())
    }

    /// Returns true if a thread has completed the search to `depth` plies.
    pub fn has_completed(&self, depth: u32) -> bool {
        self.completed_depth.load(Relaxed) >= depth
    }

    /// Stores the best moves of a search to `depth` plies, unless the result of a deeper search is stored. A later result
    /// for the same depth may already include moves of the next depth, so it replaces the stored one.
    pub fn publish(&self, depth: u32, moves: Vec<MoveResult>) {
        let mut result = self.result.lock();
        if depth < result.stats.depth {
            return;
        }
        self.completed_depth.store(depth, Relaxed);
        let counts = self.counters.sums();
        *result = DepthResult {
            stats: DepthStats {
                depth,
                nodes: counts.total(),
                main_nodes: counts.main,
                first_move_cutoffs: counts.first_move_cutoffs as f64 / counts.cutoffs.max(1) as f64,
                time: self.started.elapsed(),
            },
            moves,
        };
    }
}
