//! A thread of the search: gathers, has evaluated, applies, until a limit is reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::census::Counts;
use super::limits::{Limits, Pace};
use super::node::State;
use super::params::SearchParams;
use super::patience::Standing;
use super::playout::{Gathered, Ground, Path};
use super::restriction::Restriction;
use super::root::choice;
use super::select::RootChoice;
use super::tree::Tree;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;
use crate::rng::Rng;

/// How often within its target time a search asks itself whether it has seen enough ...
const LOOKS: u32 = 100;
/// ... but at least after each of these times.
const LOOK: Duration = Duration::from_millis(10);
/// Visits at which every search ends: the counts have room for no more than four times that.
const MOST_VISITS: u64 = 1 << 30;

/// All that the threads of one search share.
pub struct Task {
    /// The evaluator.
    pub evaluator: Arc<dyn Evaluator>,
    /// The tree.
    pub tree: Arc<Tree>,
    /// The root's position.
    pub root: Position,
    /// The search's parameters.
    pub params: SearchParams,
    /// Those with the centre of the lead that is expected, once the root is evaluated.
    pub centered: OnceLock<SearchParams>,
    /// Moves that the root may follow.
    pub restriction: Restriction,
    /// That and the root's noise, once the root is expanded.
    pub choice: OnceLock<RootChoice>,
    /// When to stop.
    pub limits: Limits,
    /// When the search started.
    pub started: Instant,
    /// Whether nothing was searched before.
    pub is_first: bool,
    /// Seed of the root's noise.
    pub seed: u64,
    /// Set to end the search.
    pub stop: AtomicBool,
    /// Playouts begun and not taken back, with the root's visits before the search.
    pub issued: AtomicU64,
    /// The root's visits before the search.
    pub before: u32,
    /// Microseconds that the longest evaluation took.
    pub slowest: AtomicU64,
    /// Microseconds after the start at which a thread looks again whether the search has seen enough.
    pub next_look: AtomicU64,
    /// Descents given up.
    pub collisions: AtomicU64,
    /// What is counted beside the nodes' sums.
    pub counts: Mutex<Counts>,
    /// The first failure.
    pub error: Mutex<Option<EvalError>>,
}

impl Task {
    /// Searches until a limit is reached or the search is stopped.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn work(&self) -> Result<(), EvalError> {
        let mut path = Path::new(&self.root);
        let mut evaluation = Evaluation::default();
        if !self.expand_root(&mut path, &mut evaluation)? {
            return Ok(());
        }
        let choice = self.choice.get_or_init(|| {
            let mut rng = Rng::new(self.seed);
            choice(&self.params, &self.tree, &self.restriction, &mut rng)
        });
        if choice.allows_nothing() {
            return Ok(());
        }
        self.centered.get_or_init(|| self.centered());
        let ground = self.ground(choice);
        while self.begin() {
            self.playout(&ground, &mut path, &mut evaluation)?;
        }
        self.take_census_of_root(&ground, &mut path, &mut evaluation)
    }

    /// The parameters with the utility of the lead centred on what is expected now, if that is wanted.
    fn centered(&self) -> SearchParams {
        let mut params = self.params.clone();
        if params.centers_lead && params.lead_center == 0.0 {
            params.expect_lead(self.tree.root().mean().score);
        }
        params
    }

    /// Asks who owns the points of the root where no playout was left to tell it.
    fn take_census_of_root(
        &self,
        ground: &Ground<'_>,
        path: &mut Path,
        evaluation: &mut Evaluation,
    ) -> Result<(), EvalError> {
        let is_wanted = self.limits.ownership && !self.stop.load(Ordering::Relaxed);
        if is_wanted && self.counts.lock().is_empty() {
            ground.look_at_root(path);
            self.evaluate(path, evaluation, false)?;
            self.take_census(path, evaluation);
        }
        Ok(())
    }

    fn ground<'a>(&'a self, choice: &'a RootChoice) -> Ground<'a> {
        Ground {
            tree: &self.tree,
            root: &self.root,
            choice,
            constraints: self.restriction.below(),
            params: self.centered.get().unwrap_or(&self.params),
        }
    }

    /// Takes a ticket for one more playout, unless a limit says that there is none.
    fn begin(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        if self.is_late() {
            self.stop.store(true, Ordering::Relaxed);
            return false;
        }
        let most = self
            .limits
            .visits
            .map_or(MOST_VISITS, |n| n.min(MOST_VISITS));
        self.issued
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |issued| {
                (issued < most).then_some(issued + 1)
            })
            .is_ok()
    }

    /// Whether the time is up, or the search has seen enough before.
    fn is_late(&self) -> bool {
        let Some(time) = self.limits.time else {
            return false;
        };
        let elapsed = self.started.elapsed();
        // What is begun now ends an evaluation later.
        let slowest = Duration::from_micros(self.slowest.load(Ordering::Relaxed));
        elapsed + slowest.min(time / 2) >= time
            || self
                .limits
                .pace
                .is_some_and(|pace| self.is_enough(&pace, elapsed))
    }

    /// Whether the search has seen enough; only one thread looks, and only now and then.
    fn is_enough(&self, pace: &Pace, elapsed: Duration) -> bool {
        let now = elapsed.as_micros() as u64;
        let due = self.next_look.load(Ordering::Relaxed);
        let next = now + (pace.target / LOOKS).min(LOOK).as_micros() as u64;
        let mine = now >= due
            && self
                .next_look
                .compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        let standing = || {
            Standing::of(
                &self.params,
                &self.tree,
                self.root.to_move(),
                &self.restriction,
                self.before,
            )
        };
        mine && standing().map_or_else(
            || pace.is_up(elapsed),
            |standing| standing.is_enough(pace, elapsed),
        )
    }

    /// Whatever the limits, the root is evaluated, so that there is always a move to play. False when that failed in
    /// another thread.
    fn expand_root(&self, path: &mut Path, evaluation: &mut Evaluation) -> Result<bool, EvalError> {
        let no_choice = RootChoice::default();
        let ground = self.ground(&no_choice);
        while self.tree.root().state() != State::Expanded {
            if self.error.lock().is_some() {
                return Ok(false);
            }
            if ground.gather_root(path) {
                self.issued.fetch_add(1, Ordering::Relaxed);
                self.judge(&ground, path, evaluation, true)?;
                if self.is_first {
                    // The network may have been read for it.
                    self.slowest.store(0, Ordering::Relaxed);
                }
            } else {
                std::thread::yield_now();
            }
        }
        // It was not the root before.
        if ground.gather_short_root(path) {
            self.complete(&ground, path, evaluation)?;
        }
        Ok(true)
    }

    fn playout(
        &self,
        ground: &Ground<'_>,
        path: &mut Path,
        evaluation: &mut Evaluation,
    ) -> Result<(), EvalError> {
        loop {
            match ground.gather(path) {
                Gathered::Short => self.complete(ground, path, evaluation)?,
                Gathered::Leaf { expand } => return self.judge(ground, path, evaluation, expand),
                Gathered::Ended(outcome) => {
                    ground.count(path, &outcome);
                    return Ok(());
                }
                Gathered::Collision => {
                    self.issued.fetch_sub(1, Ordering::Relaxed);
                    self.collisions.fetch_add(1, Ordering::Relaxed);
                    std::thread::yield_now();
                    return Ok(());
                }
            }
        }
    }

    /// Has the leaf evaluated and applies the answer, or takes the playout back.
    fn judge(
        &self,
        ground: &Ground<'_>,
        path: &Path,
        evaluation: &mut Evaluation,
        expand: bool,
    ) -> Result<(), EvalError> {
        match self.evaluate(path, evaluation, ground.needs_all_moves(path)) {
            Ok(()) => {
                self.take_census(path, evaluation);
                ground.apply(path, evaluation, expand);
            }
            Err(error) => {
                ground.abandon(path, expand);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Has the position of a node evaluated that is short of moves and gives it the others; no playout is counted.
    fn complete(
        &self,
        ground: &Ground<'_>,
        path: &Path,
        evaluation: &mut Evaluation,
    ) -> Result<(), EvalError> {
        match self.evaluate(path, evaluation, true) {
            Ok(()) => ground.complete(path, evaluation),
            Err(error) => {
                ground.abandon(path, false);
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
        let began = Instant::now();
        self.evaluator
            .evaluate(&[request], std::slice::from_mut(evaluation))?;
        let taken = began.elapsed().as_micros() as u64;
        self.slowest.fetch_max(taken, Ordering::Relaxed);
        evaluation.check()
    }

    fn take_census(&self, path: &Path, evaluation: &Evaluation) {
        let Limits {
            ownership, by_move, ..
        } = self.limits;
        if ownership || by_move {
            let first = path.first().filter(|_| by_move);
            self.counts
                .lock()
                .add(evaluation, path.position.to_move(), first);
        }
    }
}
