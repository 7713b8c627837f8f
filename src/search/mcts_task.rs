//! Search worker: gathers, evaluates and backs up leaves until a limit is reached.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::active_threads::ActiveThreads;
use super::early_stop::{RootStatus, TimeTarget};
use super::forced_playouts;
use super::leaf_batch::LeafBatch;
use super::limits::SearchLimits;
use super::node::ExpansionState;
use super::ownership_stats::{OwnershipStats, StatsAccumulator};
use super::params::SearchParams;
use super::playout::PlayoutContext;
use super::report::{self, Report};
use super::restriction::Restriction;
use super::root::{Candidate, ranked_candidates, root_policy};
use super::select::RootPolicy;
use super::task::SearchTask;
use super::tree::Tree;
use crate::eval::{EvalError, Evaluator};
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;

/// Minimum number of early-stop checks per target time.
const MIN_EARLY_STOP_CHECKS: u32 = 100;
/// Maximum interval between early-stop checks.
const MAX_STOP_CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum number of root visits of any search. Visit counters can hold four times this value.
const MAX_ROOT_VISITS: u64 = 1 << 30;

/// State shared by all worker threads of a tree search.
pub struct MctsTask {
    pub evaluator: Arc<dyn Evaluator>,
    pub tree: Arc<Tree>,
    /// Number of threads that may work on this search.
    pub active_threads: Arc<ActiveThreads>,
    /// Number of threads that have started this search.
    pub arrived_threads: AtomicUsize,
    /// True once a thread has reached the end of the search.
    pub is_finished: AtomicBool,
    pub root: Position,
    pub params: SearchParams,
    /// `params` with the lead utility centred on the expected lead, set after the first evaluation of the root.
    pub centered_params: OnceLock<SearchParams>,
    /// Moves that the search may consider.
    pub restriction: Restriction,
    /// Priors (with noise) and allowed moves at the root, set after the root has been expanded.
    pub root_policy: OnceLock<RootPolicy>,
    pub limits: SearchLimits,
    /// Maximum number of leaves that each thread evaluates together.
    pub batch_size: usize,
    pub started: Instant,
    /// True for the first search of a [`Search`](super::Search).
    pub is_first_search: bool,
    /// Seed of the root noise.
    pub seed: u64,
    /// Set to stop the search.
    pub stop: AtomicBool,
    /// Number of playouts started (minus cancelled ones), plus `initial_visits`.
    pub started_playouts: AtomicU64,
    /// Number of root visits at the start of this search.
    pub initial_visits: u32,
    /// Duration of the slowest evaluation so far, in microseconds.
    pub slowest_evaluation_us: AtomicU64,
    /// Earliest time of the next early-stop check, in microseconds since `started`.
    pub next_stop_check_us: AtomicU64,
    /// Number of playouts cancelled because of collisions with other playouts.
    pub collisions: AtomicU64,
    /// Ownership and no-result statistics, collected outside the tree.
    pub stats: Mutex<StatsAccumulator>,
    /// First error reported by any thread.
    pub error: Mutex<Option<EvalError>>,
}

impl SearchTask for MctsTask {
    fn is_parallel(&self) -> bool {
        true
    }

    fn search(&self) -> Result<(), EvalError> {
        let mut batch = LeafBatch::new(self.batch_size);
        if !self.expand_root(&mut batch)? {
            return Ok(());
        }
        let policy = self.root_policy.get_or_init(|| {
            let mut rng = Rng::new(self.seed);
            root_policy(&self.params, &self.tree, &self.restriction, &mut rng)
        });
        if policy.allows_nothing() {
            return Ok(());
        }
        self.centered_params.get_or_init(|| self.center_params());
        let context = self.playout_context(policy);
        let index = self.arrived_threads.fetch_add(1, Ordering::Relaxed);
        let is_over =
            || self.stop.load(Ordering::Relaxed) || self.is_finished.load(Ordering::Relaxed);
        while self.active_threads.wait_until_active(index, is_over)
            && self.gather(&context, &mut batch)
        {
            self.evaluate(&context, &mut batch)?;
        }
        self.is_finished.store(true, Ordering::Relaxed);
        self.wake();
        self.evaluate_root_ownership(&context, &mut batch)
    }

    fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    fn wake(&self) {
        self.active_threads.wake();
    }

    fn error_slot(&self) -> &Mutex<Option<EvalError>> {
        &self.error
    }

    fn report(&self) -> Report {
        let to_move = self.root.to_move();
        let mut report = report::tree_report(&self.params, &self.tree, to_move, &self.restriction);
        report.collisions = self.collisions.load(Ordering::Relaxed);
        let stats = self.stats.lock();
        report.stats = stats.root_stats(to_move);
        if self.limits.per_move_stats {
            for move_report in &mut report.moves {
                let child = self.tree.descendant(&[move_report.mv]);
                move_report.stats =
                    child.map_or_else(OwnershipStats::default, |id| stats.child_stats(id, to_move));
            }
        }
        report
    }

    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        ranked_candidates(&self.params, &self.tree, self.root.to_move(), restriction)
    }

    fn unforced_visits(&self) -> Vec<(Move, u32)> {
        self.root_policy.get().map_or_else(Vec::new, |policy| {
            forced_playouts::unforced_visits(&self.params, &self.tree, policy, self.root.to_move())
        })
    }
}

impl MctsTask {
    /// Returns the parameters of the playouts. If `centers_lead` is true and `lead_center` is 0, centres the lead
    /// utility on the lead expected at the root.
    fn center_params(&self) -> SearchParams {
        let mut params = self.params.clone();
        if params.centers_lead && params.lead_center == 0.0 {
            params.set_reduced_lead_center(self.tree.root().outcome_stats().lead);
        }
        params
    }

    /// Evaluates the ownership of the root if ownership is requested and no playout has provided it. Does nothing if
    /// the search was stopped or ended because of its time limit.
    fn evaluate_root_ownership(
        &self,
        context: &PlayoutContext<'_>,
        batch: &mut LeafBatch,
    ) -> Result<(), EvalError> {
        let is_requested = self.limits.ownership && !self.stop.load(Ordering::Relaxed);
        if is_requested && self.stats.lock().is_empty() {
            batch.add_root_without_playout(context);
            self.evaluate(context, batch)?;
        }
        Ok(())
    }

    fn playout_context<'a>(&'a self, policy: &'a RootPolicy) -> PlayoutContext<'a> {
        PlayoutContext {
            tree: &self.tree,
            root: &self.root,
            root_policy: policy,
            constraints: self.restriction.constraints_below_root(),
            params: self.centered_params.get().unwrap_or(&self.params),
        }
    }

    /// Reserves one playout. Returns false once the search has been stopped or a limit is reached.
    fn try_start_playout(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        if self.should_stop() {
            self.stop.store(true, Ordering::Relaxed);
            return false;
        }
        let max_visits = self
            .limits
            .visits
            .map_or(MAX_ROOT_VISITS, |n| n.min(MAX_ROOT_VISITS));
        self.started_playouts
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |started| {
                (started < max_visits).then_some(started + 1)
            })
            .is_ok()
    }

    /// Returns true if the time limit is reached or the search can stop early.
    ///
    /// A playout that starts now finishes after the evaluation of its batch. Therefore, the duration of the slowest
    /// evaluation so far (but at most half of the time limit) is added to the elapsed time.
    fn should_stop(&self) -> bool {
        let Some(time) = self.limits.time else {
            return false;
        };
        let elapsed = self.started.elapsed();
        let slowest = Duration::from_micros(self.slowest_evaluation_us.load(Ordering::Relaxed));
        elapsed + slowest.min(time / 2) >= time
            || self
                .limits
                .time_target
                .is_some_and(|target| self.should_stop_early(&target, elapsed))
    }

    /// Returns true if the early-stop criterion is met. In each interval, only one thread checks the criterion; for all
    /// other calls, the function returns false.
    fn should_stop_early(&self, target: &TimeTarget, elapsed: Duration) -> bool {
        let now = elapsed.as_micros() as u64;
        let scheduled = self.next_stop_check_us.load(Ordering::Relaxed);
        let next = now
            + (target.target / MIN_EARLY_STOP_CHECKS)
                .min(MAX_STOP_CHECK_INTERVAL)
                .as_micros() as u64;
        let should_check = now >= scheduled
            && self
                .next_stop_check_us
                .compare_exchange(scheduled, next, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        let status = || {
            RootStatus::from_tree(
                &self.params,
                &self.tree,
                self.root.to_move(),
                &self.restriction,
                self.initial_visits,
            )
        };
        should_check
            && status().map_or_else(
                || target.is_reached_with_carryover(elapsed),
                |status| status.should_stop(target, elapsed),
            )
    }

    /// Expands the root regardless of the limits, so that a move is always available. Returns false if another thread
    /// failed to evaluate the root.
    fn expand_root(&self, batch: &mut LeafBatch) -> Result<bool, EvalError> {
        let empty_policy = RootPolicy::default();
        let context = self.playout_context(&empty_policy);
        while self.tree.root().state() != ExpansionState::Expanded {
            if self.error.lock().is_some() {
                return Ok(false);
            }
            if batch.add_fresh_root(&context) {
                self.started_playouts.fetch_add(1, Ordering::Relaxed);
                self.evaluate(&context, batch)?;
                if self.is_first_search {
                    // The first evaluation may include the time to load the network.
                    self.slowest_evaluation_us.store(0, Ordering::Relaxed);
                }
            } else {
                std::thread::yield_now();
            }
        }
        // If the root was expanded below an earlier root, it may have edges only for the moves with the highest priors.
        if batch.add_partially_expanded_root(&context) {
            self.evaluate(&context, batch)?;
        }
        Ok(true)
    }

    /// Gathers the leaves of the next batch. Returns false once the search has been stopped or a limit is reached.
    fn gather(&self, context: &PlayoutContext<'_>, batch: &mut LeafBatch) -> bool {
        let gathered = batch.gather(context, || self.try_start_playout());
        self.started_playouts
            .fetch_sub(gathered.cancelled as u64, Ordering::Relaxed);
        self.collisions
            .fetch_add(gathered.collisions as u64, Ordering::Relaxed);
        gathered.started > 0
    }

    /// Evaluates the leaves of a batch, backs up the results, and empties the batch. If the batch has no leaves, for
    /// example because of collisions, lets other threads run.
    fn evaluate(
        &self,
        context: &PlayoutContext<'_>,
        batch: &mut LeafBatch,
    ) -> Result<(), EvalError> {
        if batch.is_empty() {
            batch.apply(context);
            std::thread::yield_now();
            return Ok(());
        }
        let started = Instant::now();
        batch.evaluate(context, &*self.evaluator, self.limits.ownership)?;
        let elapsed_us = started.elapsed().as_micros() as u64;
        self.slowest_evaluation_us
            .fetch_max(elapsed_us, Ordering::Relaxed);
        self.record_stats(batch);
        batch.apply(context);
        Ok(())
    }

    fn record_stats(&self, batch: &LeafBatch) {
        let SearchLimits {
            ownership,
            per_move_stats,
            ..
        } = self.limits;
        if ownership || per_move_stats {
            let mut stats = self.stats.lock();
            for (path, evaluation) in batch.playout_evaluations() {
                let root_child = path.root_child().filter(|_| per_move_stats);
                stats.add(evaluation, path.position.to_move(), root_child);
            }
        }
    }
}
