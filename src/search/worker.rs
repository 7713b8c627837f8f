//! A thread of the search: gathers, has evaluated, applies, until a limit is reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::early_stop::{RootStatus, TimeTarget};
use super::limits::SearchLimits;
use super::node::State;
use super::forced_playouts;
use super::ownership_stats::{OwnershipStats, StatsAccumulator};
use super::params::SearchParams;
use super::playout::{Path, PlayoutContext, Selection};
use super::restriction::Restriction;
use super::report::{self, Report};
use super::root::{Candidate, candidates, root_policy};
use super::select::RootPolicy;
use super::task::SearchTask;
use super::tree::Tree;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;

/// How often within its target time a search asks itself whether it has seen enough ...
const STOP_CHECKS: u32 = 100;
/// ... but at least after each of these times.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// Visits at which every search ends: the counts have room for no more than four times that.
const MAX_VISITS: u64 = 1 << 30;

/// All that the threads of one search share.
pub struct MctsTask {
    /// The evaluator.
    pub evaluator: Arc<dyn Evaluator>,
    /// The tree.
    pub tree: Arc<Tree>,
    /// The root's position.
    pub root: Position,
    /// The search's parameters.
    pub params: SearchParams,
    /// Those with the centre of the lead that is expected, once the root is evaluated.
    pub centered_params: OnceLock<SearchParams>,
    /// Moves that the root may follow.
    pub restriction: Restriction,
    /// That and the root's noise, once the root is expanded.
    pub root_policy: OnceLock<RootPolicy>,
    /// When to stop.
    pub limits: SearchLimits,
    /// When the search started.
    pub started: Instant,
    /// Whether nothing was searched before.
    pub is_first_search: bool,
    /// Seed of the root's noise.
    pub seed: u64,
    /// Set to end the search.
    pub stop: AtomicBool,
    /// Playouts begun and not taken back, with the root's visits before the search.
    pub started_playouts: AtomicU64,
    /// The root's visits before the search.
    pub initial_visits: u32,
    /// Microseconds that the longest evaluation took.
    pub slowest_evaluation_us: AtomicU64,
    /// Microseconds after the start at which a thread looks again whether the search has seen enough.
    pub next_stop_check_us: AtomicU64,
    /// Descents given up.
    pub collisions: AtomicU64,
    /// What is counted beside the nodes' sums.
    pub stats: Mutex<StatsAccumulator>,
    /// The first failure.
    pub error: Mutex<Option<EvalError>>,
}

impl SearchTask for MctsTask {
    fn is_parallel(&self) -> bool {
        true
    }

    fn search(&self) -> Result<(), EvalError> {
        let mut path = Path::new(&self.root);
        let mut evaluation = Evaluation::default();
        if !self.expand_root(&mut path, &mut evaluation)? {
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
        let context = self.context(policy);
        while self.try_start_playout() {
            self.run_playout(&context, &mut path, &mut evaluation)?;
        }
        self.evaluate_root_ownership(&context, &mut path, &mut evaluation)
    }

    fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    fn error_slot(&self) -> &Mutex<Option<EvalError>> {
        &self.error
    }

    fn report(&self) -> Report {
        let to_move = self.root.to_move();
        let mut report = report::report(&self.params, &self.tree, to_move, &self.restriction);
        report.collisions = self.collisions.load(Ordering::Relaxed);
        let stats = self.stats.lock();
        report.stats = stats.root_stats(to_move);
        if self.limits.per_move_stats {
            for move_report in &mut report.moves {
                let child = self.tree.descendant(&[move_report.mv]);
                move_report.stats = child
                    .map_or_else(OwnershipStats::default, |id| stats.child_stats(id, to_move));
            }
        }
        report
    }

    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        candidates(&self.params, &self.tree, self.root.to_move(), restriction)
    }

    fn unforced_visits(&self) -> Vec<(Move, u32)> {
        self.root_policy.get().map_or_else(Vec::new, |policy| {
            forced_playouts::unforced_visits(&self.params, &self.tree, policy, self.root.to_move())
        })
    }
}

impl MctsTask {
    /// The parameters with the utility of the lead centred on what is expected now, if that is wanted.
    fn center_params(&self) -> SearchParams {
        let mut params = self.params.clone();
        if params.centers_lead && params.lead_center == 0.0 {
            params.center_lead_on(self.tree.root().mean().score);
        }
        params
    }

    /// Asks who owns the points of the root where no playout was left to tell it.
    fn evaluate_root_ownership(
        &self,
        context: &PlayoutContext<'_>,
        path: &mut Path,
        evaluation: &mut Evaluation,
    ) -> Result<(), EvalError> {
        let is_requested = self.limits.ownership && !self.stop.load(Ordering::Relaxed);
        if is_requested && self.stats.lock().is_empty() {
            context.reset_to_root(path);
            self.evaluate(path, evaluation, false)?;
            self.record_stats(path, evaluation);
        }
        Ok(())
    }

    fn context<'a>(&'a self, policy: &'a RootPolicy) -> PlayoutContext<'a> {
        PlayoutContext {
            tree: &self.tree,
            root: &self.root,
            root_policy: policy,
            constraints: self.restriction.constraints(),
            params: self.centered_params.get().unwrap_or(&self.params),
        }
    }

    /// Takes a ticket for one more playout, unless a limit says that there is none.
    fn try_start_playout(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        if self.is_over() {
            self.stop.store(true, Ordering::Relaxed);
            return false;
        }
        let max_visits = self.limits.visits.map_or(MAX_VISITS, |n| n.min(MAX_VISITS));
        self.started_playouts
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |started| {
                (started < max_visits).then_some(started + 1)
            })
            .is_ok()
    }

    /// Whether the time is up, or the search has seen enough before.
    fn is_over(&self) -> bool {
        let Some(time) = self.limits.time else {
            return false;
        };
        let elapsed = self.started.elapsed();
        // What is begun now ends an evaluation later.
        let slowest = Duration::from_micros(self.slowest_evaluation_us.load(Ordering::Relaxed));
        elapsed + slowest.min(time / 2) >= time
            || self
                .limits
                .time_target
                .is_some_and(|target| self.should_stop_early(&target, elapsed))
    }

    /// Whether the search has seen enough; only one thread looks, and only now and then.
    fn should_stop_early(&self, target: &TimeTarget, elapsed: Duration) -> bool {
        let now = elapsed.as_micros() as u64;
        let scheduled = self.next_stop_check_us.load(Ordering::Relaxed);
        let next = now
            + (target.target / STOP_CHECKS)
                .min(STOP_CHECK_INTERVAL)
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
                || target.is_reached(elapsed),
                |status| status.should_stop(target, elapsed),
            )
    }

    /// Whatever the limits, the root is evaluated, so that there is always a move to play. False when that failed in
    /// another thread.
    fn expand_root(&self, path: &mut Path, evaluation: &mut Evaluation) -> Result<bool, EvalError> {
        let empty_policy = RootPolicy::default();
        let context = self.context(&empty_policy);
        while self.tree.root().state() != State::Expanded {
            if self.error.lock().is_some() {
                return Ok(false);
            }
            if context.claim_root(path) {
                self.started_playouts.fetch_add(1, Ordering::Relaxed);
                self.evaluate_leaf(&context, path, evaluation, true)?;
                if self.is_first_search {
                    // The network may have been read for it.
                    self.slowest_evaluation_us.store(0, Ordering::Relaxed);
                }
            } else {
                std::thread::yield_now();
            }
        }
        // It was not the root before.
        if context.select_truncated_root(path) {
            self.expand_fully(&context, path, evaluation)?;
        }
        Ok(true)
    }

    fn run_playout(
        &self,
        context: &PlayoutContext<'_>,
        path: &mut Path,
        evaluation: &mut Evaluation,
    ) -> Result<(), EvalError> {
        loop {
            match context.select_leaf(path) {
                Selection::NeedsAllEdges => self.expand_fully(context, path, evaluation)?,
                Selection::Leaf { expand } => {
                    return self.evaluate_leaf(context, path, evaluation, expand);
                }
                Selection::Terminal(outcome) => {
                    context.back_up(path, &outcome);
                    return Ok(());
                }
                Selection::Collision => {
                    self.started_playouts.fetch_sub(1, Ordering::Relaxed);
                    self.collisions.fetch_add(1, Ordering::Relaxed);
                    std::thread::yield_now();
                    return Ok(());
                }
            }
        }
    }

    /// Has the leaf evaluated and applies the answer, or takes the playout back.
    fn evaluate_leaf(
        &self,
        context: &PlayoutContext<'_>,
        path: &Path,
        evaluation: &mut Evaluation,
        expand: bool,
    ) -> Result<(), EvalError> {
        match self.evaluate(path, evaluation, context.needs_all_moves(path)) {
            Ok(()) => {
                self.record_stats(path, evaluation);
                context.apply(path, evaluation, expand);
            }
            Err(error) => {
                context.abandon(path, expand);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Has the position of a node evaluated that is short of moves and gives it the others; no playout is counted.
    fn expand_fully(
        &self,
        context: &PlayoutContext<'_>,
        path: &Path,
        evaluation: &mut Evaluation,
    ) -> Result<(), EvalError> {
        match self.evaluate(path, evaluation, true) {
            Ok(()) => context.expand_fully(path, evaluation),
            Err(error) => {
                context.abandon(path, false);
                return Err(error);
            }
        }
        Ok(())
    }

    fn evaluate(
        &self,
        path: &Path,
        evaluation: &mut Evaluation,
        all_moves: bool,
    ) -> Result<(), EvalError> {
        let request = Request {
            ownership: self.limits.ownership,
            all_moves,
            ..Request::new(&path.position)
        };
        let started = Instant::now();
        self.evaluator
            .evaluate(&[request], std::slice::from_mut(evaluation))?;
        let elapsed_us = started.elapsed().as_micros() as u64;
        self.slowest_evaluation_us
            .fetch_max(elapsed_us, Ordering::Relaxed);
        evaluation.check()
    }

    fn record_stats(&self, path: &Path, evaluation: &Evaluation) {
        let SearchLimits {
            ownership,
            per_move_stats: by_move,
            ..
        } = self.limits;
        if ownership || by_move {
            let root_child = path.root_child().filter(|_| by_move);
            self.stats
                .lock()
                .add(evaluation, path.position.to_move(), root_child);
        }
    }
}
