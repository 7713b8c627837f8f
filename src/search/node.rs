//! Nodes and edges of the tree.
//!
//! ```text
//!   Node (a position; 64 bytes)          Edge (a legal move; 8 bytes)
//!   ┌───────────────────────┐            ┌──────────────┬──────────┬─────────┐
//!   │ visits, sums          │   ┌───────▶│ child id: 32 │ prior:16 │ move:16 │
//!   │ expansion ────────────┼───┘        ├──────────────┼──────────┼─────────┤
//!   └───────────────────────┘            │ 0: no child  │          │         │
//!                                        └──────────────┴──────────┴─────────┘
//! ```
//!
//! A node is written by many threads at once without a lock. Its expansion only moves forward: fresh, expanding (one
//! thread evaluates it), expanded (it says where its edges are, which never change but for their children). Sums are
//! integers, so that they do not depend on the order in which threads add to them; they are from Black's side.

use super::sync::{AtomicI64, AtomicU32, AtomicU64, Ordering, Zeroed};
use crate::game::point::{Move, NUM_POINTS, Point};

/// Number of a node in its [`Tree`](super::tree::Tree). 0 is the root, which is nobody's child.
pub type NodeId = u32;

/// Units that the sums of utilities and results count for 1.
const UNIT: f64 = (1 << 20) as f64;
/// The same of scores, which are larger: a billion visits of the largest score's square fit, at the largest weight.
const SCORE_UNIT: f64 = (1 << 12) as f64;
/// The move bits of a pass.
const PASS: u64 = NUM_POINTS as u64;

/// A legal move, its prior, and the node it leads to once there is one.
#[derive(Debug, Zeroed)]
pub struct Edge {
    packed: AtomicU64,
}

impl Edge {
    /// Makes it the edge of a move, without child; for the thread that has claimed its node.
    pub fn set(&self, mv: Move, prior: f32) {
        let mv = mv.point().map_or(PASS, |point| point.number() as u64);
        let prior = (prior.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u64;
        self.packed.store(prior << 16 | mv, Ordering::Relaxed);
    }

    /// The move.
    pub fn mv(&self) -> Move {
        match self.packed.load(Ordering::Relaxed) & 0xffff {
            PASS => Move::Pass,
            number => Move::Play(Point::from_number(number as usize)),
        }
    }

    /// The prior, in steps of 1/65535.
    #[inline]
    pub fn prior(&self) -> f32 {
        (self.packed.load(Ordering::Relaxed) >> 16 & 0xffff) as f32 / f32::from(u16::MAX)
    }

    /// The child.
    #[inline]
    pub fn child(&self) -> Option<NodeId> {
        // Pairs with the release in `set_child`: whoever sees the number sees the node behind it.
        match (self.packed.load(Ordering::Acquire) >> 32) as NodeId {
            0 => None,
            id => Some(id),
        }
    }

    /// Sets the child if there is none yet; says which one the edge has now.
    pub fn set_child(&self, id: NodeId) -> NodeId {
        let old = self.packed.load(Ordering::Relaxed) & 0xffff_ffff;
        let new = u64::from(id) << 32 | old;
        match self
            .packed
            .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => id,
            Err(current) => (current >> 32) as NodeId,
        }
    }

    /// Makes it a copy of another one whose child has that number now; for a tree being rebuilt.
    pub fn copy_from(&self, source: &Self, child: Option<NodeId>) {
        let move_bits = source.packed.load(Ordering::Relaxed) & 0xffff_ffff;
        let packed = u64::from(child.unwrap_or(0)) << 32 | move_bits;
        self.packed.store(packed, Ordering::Relaxed);
    }
}

/// How far a node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody has evaluated it.
    Fresh,
    /// A thread is evaluating it.
    Expanding,
    /// Its edges are there.
    Expanded,
}

/// What one playout found at its end, from Black's side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutOutcome {
    /// What the search maximises: result and score mixed.
    pub utility: f32,
    /// The result, from -1 to 1.
    pub value: f32,
    /// The lead in points.
    pub score: f32,
    /// What it counts: 1, or more or less by how certain it is. Not 0.
    pub weight: f32,
}

/// The means of a node's outcomes, from Black's side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// Mean utility.
    pub utility: f64,
    /// Mean result.
    pub value: f64,
    /// Mean lead.
    pub score: f64,
    /// Variance of the utility.
    pub variance: f64,
    /// Standard deviation of the lead.
    pub score_deviation: f64,
}

/// A position of the tree and what is known of it.
#[derive(Debug, Zeroed)]
pub struct Node {
    /// [`FRESH`], [`EXPANDING`], or [`EXPANDED`] with the place of the edges and their number in 16 bits, and [`TRUNCATED`]
    /// as long as there are more moves than edges.
    expansion: AtomicU64,
    visits: AtomicU32,
    in_flight: AtomicU32,
    weight: AtomicI64,
    utility: AtomicI64,
    utility_squares: AtomicI64,
    value: AtomicI64,
    score: AtomicI64,
    score_squares: AtomicI64,
}

const FRESH: u64 = 0;
const EXPANDING: u64 = 1;
const EXPANDED: u64 = 1 << 63;
const TRUNCATED: u64 = 1 << 62;

/// Where the edges of a node lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRange {
    /// The place of the first.
    pub start: usize,
    /// How many there are.
    pub count: usize,
    /// Whether every move has one.
    pub is_complete: bool,
}

impl EdgeRange {
    fn pack(self) -> u64 {
        let truncated_bit = if self.is_complete { 0 } else { TRUNCATED };
        EXPANDED | truncated_bit | (self.start as u64) << 16 | self.count as u64
    }
}

impl Node {
    /// How far it has come.
    pub fn state(&self) -> State {
        match self.expansion.load(Ordering::Acquire) {
            FRESH => State::Fresh,
            EXPANDING => State::Expanding,
            _ => State::Expanded,
        }
    }

    /// Takes the right to expand a fresh node; false when another thread has it.
    pub fn claim(&self) -> bool {
        self.expansion
            .compare_exchange(FRESH, EXPANDING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Gives the right back without expanding.
    pub fn release(&self) {
        self.expansion.store(FRESH, Ordering::Release);
    }

    /// Publishes the edges of a node that this thread has claimed.
    pub fn expand(&self, range: EdgeRange) {
        self.expansion.store(range.pack(), Ordering::Release);
    }

    /// Publishes other edges in the place of `old`, unless another thread has done so.
    pub fn replace_edges(&self, old: EdgeRange, new: EdgeRange) {
        let (old, new) = (old.pack(), new.pack());
        // Whoever comes second leaves its edges unused: they are the same.
        let _ = self
            .expansion
            .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Where its edges are, once it is expanded.
    #[inline]
    pub fn edges(&self) -> Option<EdgeRange> {
        // Pairs with the release in `expand`: whoever knows where the edges are sees them.
        let packed = self.expansion.load(Ordering::Acquire);
        (packed & EXPANDED != 0).then_some(EdgeRange {
            start: ((packed & !(EXPANDED | TRUNCATED)) >> 16) as usize,
            count: (packed & 0xffff) as usize,
            is_complete: packed & TRUNCATED == 0,
        })
    }

    /// Playouts that came through and were counted.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Playouts under way below it.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// What the playouts counted weigh: as much as there are where all are equally certain.
    #[inline]
    pub fn weight(&self) -> f64 {
        self.weight.load(Ordering::Relaxed) as f64 / UNIT
    }

    /// Sum of the utilities times their weights, from Black's side.
    #[inline]
    pub fn utility_sum(&self) -> f64 {
        self.utility.load(Ordering::Relaxed) as f64 / UNIT
    }

    /// A playout has come this way.
    #[inline]
    pub fn enter(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// A playout that came this way is given up.
    pub fn leave(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// A playout that came this way has ended with `outcome`.
    pub fn record(&self, outcome: &PlayoutOutcome) {
        let weight = f64::from(outcome.weight);
        let add = |sum: &AtomicI64, x: f32, unit: f64| {
            let weighted = weight * f64::from(x) * unit;
            sum.fetch_add(weighted.round() as i64, Ordering::Relaxed);
        };
        let square = |x: f32| x * x;
        add(&self.utility, outcome.utility, UNIT);
        add(&self.utility_squares, square(outcome.utility), UNIT);
        add(&self.value, outcome.value, UNIT);
        add(&self.score, outcome.score, SCORE_UNIT);
        add(&self.score_squares, square(outcome.score), SCORE_UNIT);
        add(&self.weight, 1.0, UNIT);
        self.visits.fetch_add(1, Ordering::Relaxed);
        self.leave();
    }

    /// The means over its visits by their weights; zeros where there are none.
    pub fn mean(&self) -> Mean {
        let weight = self.weight();
        if weight <= 0.0 {
            return Mean::default();
        }
        let mean = |sum: &AtomicI64, unit: f64| sum.load(Ordering::Relaxed) as f64 / unit / weight;
        let (utility, score) = (mean(&self.utility, UNIT), mean(&self.score, SCORE_UNIT));
        let score_variance = mean(&self.score_squares, SCORE_UNIT) - score * score;
        Mean {
            utility,
            // Other threads may be in the middle of adding to the sums.
            value: mean(&self.value, UNIT).clamp(-1.0, 1.0),
            score,
            variance: (mean(&self.utility_squares, UNIT) - utility * utility).max(0.0),
            score_deviation: score_variance.max(0.0).sqrt(),
        }
    }

    /// Makes it a copy of another one at rest, whose edges stay where they are; for a tree being rebuilt.
    pub fn copy_from(&self, source: &Self) {
        let expansion = source.expansion.load(Ordering::Relaxed);
        self.expansion.store(expansion, Ordering::Relaxed);
        self.visits.store(source.visits(), Ordering::Relaxed);
        self.in_flight.store(source.in_flight(), Ordering::Relaxed);
        let weight = source.weight.load(Ordering::Relaxed);
        self.weight.store(weight, Ordering::Relaxed);
        for (target, from) in self.counters().into_iter().zip(source.sums()) {
            target.store(from, Ordering::Relaxed);
        }
    }

    /// The sums in their fixed point: utilities, their squares, results, scores, and the squares of these.
    pub fn sums(&self) -> [i64; 5] {
        self.counters().map(|sum| sum.load(Ordering::Relaxed))
    }

    fn counters(&self) -> [&AtomicI64; 5] {
        [
            &self.utility,
            &self.utility_squares,
            &self.value,
            &self.score,
            &self.score_squares,
        ]
    }
}
