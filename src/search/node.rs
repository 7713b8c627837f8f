//! Nodes and edges of the search tree.
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
//! Many threads update a node concurrently without locks. A node is first fresh, then expanding (one thread is
//! evaluating it), and finally expanded (it stores the location of its edges). An expanding node becomes fresh again if
//! the evaluation fails or the tree is full. A *partially expanded* node is expanded, but has edges only for the legal
//! moves with the highest priors. If it needs more, the edges are copied to a new location, together with the missing
//! ones. Otherwise, edges are immutable except for their children.
//!
//! The statistics of a node are sums, stored from Black's perspective. They are integers, so that they do not depend on
//! the order in which threads add to them.

use super::sync::{AtomicI64, AtomicU32, AtomicU64, Ordering, Zeroed};
use crate::game::point::{Move, POINT_TABLE_LEN, Point};

/// Index of a node in its [`Tree`](super::tree::Tree). Index 0 is the root, which is never a child.
pub type NodeId = u32;

/// Number of fixed-point units per 1.0 in the sums of weights, utilities and results.
const UNITS_PER_ONE: f64 = (1 << 20) as f64;
/// Number of fixed-point units per point in the sums of leads. Even if a billion visits of maximum weight have the
/// largest possible lead, the sum of the squared leads does not overflow.
const LEAD_UNITS_PER_POINT: f64 = (1 << 12) as f64;
const PASS: u64 = POINT_TABLE_LEN as u64;

/// A legal move, its prior and, once created, the index of its child node.
#[derive(Debug, Zeroed)]
pub struct Edge {
    packed: AtomicU64,
}

impl Edge {
    /// Initialises the edge with a move and a prior, but without a child. The edge must not yet be visible to other
    /// threads.
    pub fn init_move_and_prior(&self, mv: Move, prior: f32) {
        let mv = mv.point().map_or(PASS, |point| point.number() as u64);
        let prior = (prior.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u64;
        self.packed.store(prior << 16 | mv, Ordering::Relaxed);
    }

    pub fn mv(&self) -> Move {
        match self.packed.load(Ordering::Relaxed) & 0xffff {
            PASS => Move::Pass,
            number => Move::Play(Point::from_number(number as usize)),
        }
    }

    /// Returns the prior, which is stored in steps of 1/65535.
    #[inline]
    pub fn prior(&self) -> f32 {
        (self.packed.load(Ordering::Relaxed) >> 16 & 0xffff) as f32 / f32::from(u16::MAX)
    }

    /// Returns the child node, or `None` if it has not been created.
    #[inline]
    pub fn child(&self) -> Option<NodeId> {
        // Pairs with the release in `get_or_set_child`: a thread that reads the index also sees the node.
        match (self.packed.load(Ordering::Acquire) >> 32) as NodeId {
            0 => None,
            id => Some(id),
        }
    }

    /// Sets the child unless the edge already has one. Returns the child that the edge has afterwards.
    pub fn get_or_set_child(&self, id: NodeId) -> NodeId {
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

    /// Copies the move and the prior of `source`, and sets the child to `child`. No other thread may access this edge
    /// concurrently.
    pub fn copy_with_child(&self, source: &Self, child: Option<NodeId>) {
        let move_bits = source.packed.load(Ordering::Relaxed) & 0xffff_ffff;
        let packed = u64::from(child.unwrap_or(0)) << 32 | move_bits;
        self.packed.store(packed, Ordering::Relaxed);
    }
}

/// Expansion state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionState {
    /// Not evaluated yet.
    Fresh,
    /// Being evaluated by one thread.
    Expanding,
    /// Evaluated, with edges.
    Expanded,
}

/// Result of a playout, from Black's perspective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutOutcome {
    /// Quantity that Black maximises and White minimises: a weighted sum of the result and functions of the lead.
    pub utility: f32,
    /// Expected game result, from -1 to 1.
    pub value: f32,
    /// Expected lead in points.
    pub lead: f32,
    /// Weight of the playout, which is never 0. If the evaluator predicts the error of its evaluation, the weight
    /// depends on that error; otherwise, it is 1.
    pub weight: f32,
}

/// Weighted statistics of the results of a node's playouts, from Black's perspective.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutcomeStats {
    pub utility: f64,
    /// Mean result, from -1 to 1.
    pub value: f64,
    /// Mean lead in points.
    pub lead: f64,
    /// Variance of the utility.
    pub variance: f64,
    /// Standard deviation of the lead, in points.
    pub score_deviation: f64,
}

/// Expansion state and statistics of a position in the tree.
#[derive(Debug, Zeroed)]
pub struct Node {
    /// Packed expansion state: [`FRESH`], [`EXPANDING`], or [`EXPANDED`] together with the start (46 bits) and the
    /// number (16 bits) of the edges. [`PARTIALLY_EXPANDED`] is set if there are more legal moves than edges.
    expansion: AtomicU64,
    visits: AtomicU32,
    in_flight: AtomicU32,
    weight: AtomicI64,
    utility: AtomicI64,
    utility_squares: AtomicI64,
    value: AtomicI64,
    lead: AtomicI64,
    lead_squares: AtomicI64,
}

const FRESH: u64 = 0;
const EXPANDING: u64 = 1;
const EXPANDED: u64 = 1 << 63;
const PARTIALLY_EXPANDED: u64 = 1 << 62;

/// Location of a node's edges in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRange {
    /// Index of the first edge.
    pub start: usize,
    /// Number of edges.
    pub count: usize,
    /// True if every legal move has an edge.
    pub is_complete: bool,
}

impl EdgeRange {
    fn pack(self) -> u64 {
        let partially_expanded_bit = if self.is_complete {
            0
        } else {
            PARTIALLY_EXPANDED
        };
        EXPANDED | partially_expanded_bit | (self.start as u64) << 16 | self.count as u64
    }
}

impl Node {
    pub fn state(&self) -> ExpansionState {
        match self.expansion.load(Ordering::Acquire) {
            FRESH => ExpansionState::Fresh,
            EXPANDING => ExpansionState::Expanding,
            _ => ExpansionState::Expanded,
        }
    }

    /// Claims a fresh node for expansion by this thread. Returns false if another thread has already claimed or
    /// expanded the node.
    pub fn claim(&self) -> bool {
        self.expansion
            .compare_exchange(FRESH, EXPANDING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Releases this thread's claim without expanding the node.
    pub fn release(&self) {
        self.expansion.store(FRESH, Ordering::Release);
    }

    /// Publishes the edges of a node that this thread has claimed.
    pub fn expand(&self, range: EdgeRange) {
        self.expansion.store(range.pack(), Ordering::Release);
    }

    /// Replaces the edges at `old` with those at `new`, unless another thread has already replaced them.
    pub fn replace_edges_if_unchanged(&self, old: EdgeRange, new: EdgeRange) {
        let (old, new) = (old.pack(), new.pack());
        // If two threads add the missing edges concurrently, the second result is discarded. Both are identical.
        let _ = self
            .expansion
            .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Returns the location of the edges, or `None` before expansion.
    #[inline]
    pub fn edge_range(&self) -> Option<EdgeRange> {
        // Pairs with the release in `expand`: a thread that reads the location also sees the edges.
        let packed = self.expansion.load(Ordering::Acquire);
        (packed & EXPANDED != 0).then_some(EdgeRange {
            start: ((packed & !(EXPANDED | PARTIALLY_EXPANDED)) >> 16) as usize,
            count: (packed & 0xffff) as usize,
            is_complete: packed & PARTIALLY_EXPANDED == 0,
        })
    }

    /// Returns the number of completed playouts through this node.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Returns the number of unfinished playouts through this node.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Returns the total weight of the completed playouts, which equals the number of visits if every playout has
    /// weight 1.
    #[inline]
    pub fn weight_sum(&self) -> f64 {
        self.weight.load(Ordering::Relaxed) as f64 / UNITS_PER_ONE
    }

    /// Returns the weighted sum of the utilities, from Black's perspective.
    #[inline]
    pub fn utility_sum(&self) -> f64 {
        self.utility.load(Ordering::Relaxed) as f64 / UNITS_PER_ONE
    }

    /// Adds a virtual loss: counts an unfinished playout that has entered the node.
    #[inline]
    pub fn add_virtual_loss(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a virtual loss: ends an unfinished playout without recording an outcome.
    pub fn remove_virtual_loss(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// Completes an unfinished playout and adds its `outcome` to the statistics.
    pub fn complete_playout(&self, outcome: &PlayoutOutcome) {
        let weight = f64::from(outcome.weight);
        let add = |sum: &AtomicI64, x: f32, unit: f64| {
            let weighted = weight * f64::from(x) * unit;
            sum.fetch_add(weighted.round() as i64, Ordering::Relaxed);
        };
        let square = |x: f32| x * x;
        add(&self.utility, outcome.utility, UNITS_PER_ONE);
        add(
            &self.utility_squares,
            square(outcome.utility),
            UNITS_PER_ONE,
        );
        add(&self.value, outcome.value, UNITS_PER_ONE);
        add(&self.lead, outcome.lead, LEAD_UNITS_PER_POINT);
        add(
            &self.lead_squares,
            square(outcome.lead),
            LEAD_UNITS_PER_POINT,
        );
        add(&self.weight, 1.0, UNITS_PER_ONE);
        self.visits.fetch_add(1, Ordering::Relaxed);
        self.remove_virtual_loss();
    }

    /// Returns the weighted means. They are all zero before the first visit.
    pub fn outcome_stats(&self) -> OutcomeStats {
        let weight = self.weight_sum();
        if weight <= 0.0 {
            return OutcomeStats::default();
        }
        let mean = |sum: &AtomicI64, unit: f64| sum.load(Ordering::Relaxed) as f64 / unit / weight;
        let (utility, lead) = (
            mean(&self.utility, UNITS_PER_ONE),
            mean(&self.lead, LEAD_UNITS_PER_POINT),
        );
        let lead_variance = mean(&self.lead_squares, LEAD_UNITS_PER_POINT) - lead * lead;
        OutcomeStats {
            utility,
            // Another thread may have updated only some of the sums.
            value: mean(&self.value, UNITS_PER_ONE).clamp(-1.0, 1.0),
            lead,
            variance: (mean(&self.utility_squares, UNITS_PER_ONE) - utility * utility).max(0.0),
            score_deviation: lead_variance.max(0.0).sqrt(),
        }
    }

    /// Copies the expansion state, including the location of the edges, and the statistics of `source`, which must not
    /// have unfinished playouts. Used by [`Tree::reroot`](super::tree::Tree::reroot).
    pub fn copy_from(&self, source: &Self) {
        let expansion = source.expansion.load(Ordering::Relaxed);
        self.expansion.store(expansion, Ordering::Relaxed);
        self.visits.store(source.visits(), Ordering::Relaxed);
        self.in_flight.store(source.in_flight(), Ordering::Relaxed);
        let weight = source.weight.load(Ordering::Relaxed);
        self.weight.store(weight, Ordering::Relaxed);
        for (target, from) in self.counters().into_iter().zip(source.fixed_point_sums()) {
            target.store(from, Ordering::Relaxed);
        }
    }

    /// Returns the fixed-point sums of utilities, squared utilities, results, leads and squared leads.
    pub fn fixed_point_sums(&self) -> [i64; 5] {
        self.counters().map(|sum| sum.load(Ordering::Relaxed))
    }

    fn counters(&self) -> [&AtomicI64; 5] {
        [
            &self.utility,
            &self.utility_squares,
            &self.value,
            &self.lead,
            &self.lead_squares,
        ]
    }
}
