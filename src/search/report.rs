//! Search results in a form that does not depend on the tree.

use std::fmt;
use std::time::Duration;

use super::node::{Node, OutcomeStats};
use super::ownership_stats::OwnershipStats;
use super::params::SearchParams;
use super::restriction::Restriction;
use super::root::{Candidate, ranked_candidates};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::io::plural::counted;

/// Maximum number of moves in a principal variation.
const MAX_PV_LEN: usize = 40;

/// Rounds a number to `digits` decimal places. Never returns negative zero.
pub fn round_to_decimals(number: f64, digits: i32) -> f64 {
    let unit = 10_f64.powi(digits);
    // Adding zero turns -0.0 into 0.0.
    (number * unit).round() / unit + 0.0
}

/// Values of a position or a move, from the perspective of the side to move at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueEstimates {
    /// Win rate, from 0 to 1.
    pub winrate: f64,
    /// Expected lead in points.
    pub score_lead: f64,
    /// Standard deviation of the lead over the playouts.
    pub score_deviation: f64,
    /// Quantity that the search maximises, from -1 to 1.
    pub utility: f64,
}

impl ValueEstimates {
    fn new(mean: &OutcomeStats, to_move: Color) -> Self {
        Self {
            winrate: (1.0 + to_move.to_perspective(mean.value)) / 2.0,
            score_lead: to_move.to_perspective(mean.lead),
            score_deviation: mean.score_deviation,
            utility: to_move.to_perspective(mean.utility),
        }
    }

    /// Returns the standard deviation of the final score. Combines the deviation of the leads in this search with
    /// `predicted`, the deviation that the evaluator predicts for a position.
    pub fn final_score_deviation(&self, predicted: f64) -> f64 {
        predicted.hypot(self.score_deviation)
    }
}

/// Results for one root move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    pub mv: Move,
    pub visits: u32,
    pub values: ValueEstimates,
    /// Prior, from 0 to 1.
    pub prior: f32,
    /// Lower confidence bound of the win rate.
    pub lcb: f64,
    /// Lower confidence bound of the utility.
    pub utility_lcb: f64,
    /// Principal variation, starting with this move.
    pub pv: Vec<Move>,
    /// Number of visits of the position after each move of the principal variation.
    pub pv_visits: Vec<u32>,
    /// Ownership statistics of the playouts through this move. Empty if they were not requested.
    pub stats: OwnershipStats,
}

/// Statistics of a search to a fixed depth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthStats {
    /// Number of completed plies.
    pub depth: u32,
    /// Number of nodes searched, including smaller depths.
    pub nodes: u64,
    /// Number of nodes searched, excluding the quiescence search.
    pub main_nodes: u64,
    /// Fraction of the cutoffs that the first move of a node caused, from 0 to 1.
    pub first_move_cutoffs: f64,
    /// Duration of the search.
    pub time: Duration,
}

impl DepthStats {
    /// Returns the number of nodes searched per second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-6)
    }
}

/// Formats depth, nodes and speed.
impl fmt::Display for DepthStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (depth, nodes) = (self.depth, counted(self.nodes, "node"));
        write!(
            f,
            "depth {depth}, {nodes}, {:.0} nodes/s",
            self.nodes_per_second()
        )
    }
}

/// Snapshot of the results of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Side to move at the root.
    pub to_move: Color,
    /// Number of root visits, including reused ones.
    pub visits: u32,
    /// Values of the root.
    pub values: ValueEstimates,
    /// Visited root moves, best first. Before the first visit, contains only the move with the highest prior, with the
    /// values of the root. Empty if the root has not been evaluated or no move is allowed.
    pub moves: Vec<MoveReport>,
    /// Ownership statistics of all playouts that ended with an evaluation. Empty if they were not requested or no
    /// playout was evaluated.
    pub stats: OwnershipStats,
    /// Number of playouts cancelled because they reached a leaf that was being evaluated.
    pub collisions: u64,
    /// Statistics of a search to a fixed depth. `None` for a tree search.
    pub depth_stats: Option<DepthStats>,
}

/// Creates a report from the tree. The caller must add the ownership statistics and the number of collisions.
pub fn tree_report(
    params: &SearchParams,
    tree: &Tree,
    to_move: Color,
    restriction: &Restriction,
) -> Report {
    let root = tree.root();
    let moves = ranked_candidates(params, tree, to_move, restriction)
        .iter()
        .map(|candidate| move_report(tree, to_move, candidate))
        .collect();
    Report {
        to_move,
        visits: root.visits(),
        values: ValueEstimates::new(&root.outcome_stats(), to_move),
        moves,
        stats: OwnershipStats::default(),
        collisions: 0,
        depth_stats: None,
    }
}

fn move_report(tree: &Tree, to_move: Color, candidate: &Candidate) -> MoveReport {
    let edge = &tree.edges(tree.root())[candidate.index];
    let child = edge
        .child()
        .map(|id| tree.node(id))
        .filter(|_| candidate.visits > 0);
    let values = ValueEstimates::new(&child.unwrap_or(tree.root()).outcome_stats(), to_move);
    let (pv, pv_visits) = principal_variation(tree, candidate, child);
    MoveReport {
        mv: candidate.mv,
        visits: candidate.visits,
        values,
        prior: edge.prior(),
        lcb: (values.winrate - (candidate.utility - candidate.utility_lcb) / 2.0).clamp(0.0, 1.0),
        utility_lcb: candidate.utility_lcb,
        pv,
        pv_visits,
        stats: OwnershipStats::default(),
    }
}

/// Returns the most visited line that starts with the given root move, and the number of visits of the position after
/// each move.
fn principal_variation(
    tree: &Tree,
    candidate: &Candidate,
    child: Option<&Node>,
) -> (Vec<Move>, Vec<u32>) {
    let (mut moves, mut visits) = (vec![candidate.mv], vec![candidate.visits]);
    let mut current = child;
    while let Some(node) = current.filter(|_| moves.len() < MAX_PV_LEN) {
        let best = tree
            .edges(node)
            .iter()
            .filter_map(|edge| Some((edge.mv(), tree.node(edge.child()?))))
            .filter(|(_, child)| child.visits() > 0)
            // `max_by_key` returns the last maximum. In reverse order, this is the edge with the highest prior.
            .rev()
            .max_by_key(|(_, child)| child.visits());
        if let Some((mv, next)) = best {
            moves.push(mv);
            visits.push(next.visits());
        }
        current = best.map(|(_, next)| next);
    }
    (moves, visits)
}
