//! What a search has found, as plain numbers.

use super::node::{Mean, Node};
use super::ownership_stats::OwnershipStats;
use super::params::SearchParams;
use super::restriction::Restriction;
use super::root::{Candidate, candidates};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;

/// Moves of a principal variation that are reported at most.
const MAX_PV_LEN: usize = 40;

/// A number as it is told: so many digits after the point, and no sign before a zero.
pub fn rounded(number: f64, digits: i32) -> f64 {
    let unit = 10_f64.powi(digits);
    // Adding zero takes the sign off it.
    (number * unit).round() / unit + 0.0
}

/// Values of a position or move, from the side of the player to move at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values {
    /// Chance to win, 0 to 1.
    pub winrate: f64,
    /// Expected lead in points.
    pub score_lead: f64,
    /// Standard deviation of that lead over the playouts.
    pub score_deviation: f64,
    /// What the search maximises, -1 to 1.
    pub utility: f64,
}

impl Values {
    fn new(mean: &Mean, to_move: Color) -> Self {
        Self {
            winrate: (1.0 + to_move.to_perspective(mean.value)) / 2.0,
            score_lead: to_move.to_perspective(mean.score),
            score_deviation: mean.score_deviation,
            utility: to_move.to_perspective(mean.utility),
        }
    }
}

/// What is known of one move of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Its visits.
    pub visits: u32,
    /// Its values.
    pub values: Values,
    /// Its prior, 0 to 1.
    pub prior: f32,
    /// Lower confidence bound of the chance to win.
    pub lcb: f64,
    /// Lower confidence bound of the utility.
    pub utility_lcb: f64,
    /// The expected continuation, the move itself first.
    pub pv: Vec<Move>,
    /// Visits after each move of the line.
    pub pv_visits: Vec<u32>,
    /// What was counted of its playouts, if that was asked for.
    pub stats: OwnershipStats,
}

/// A snapshot of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Whose move it is at the root.
    pub to_move: Color,
    /// Visits of the root.
    pub visits: u32,
    /// The root's values.
    pub values: Values,
    /// The visited moves, the best first; before any is visited, the one with the highest prior, with the root's values.
    /// None only while the root is not evaluated, or where none is allowed.
    pub moves: Vec<MoveReport>,
    /// What was counted of all playouts that ended with an evaluation; empty unless it was asked for and this search has
    /// evaluated a position.
    pub stats: OwnershipStats,
    /// Descents given up because two threads met.
    pub collisions: u64,
}

/// Takes the snapshot, but for what is counted beside the nodes, and collisions.
pub fn report(
    params: &SearchParams,
    tree: &Tree,
    to_move: Color,
    restriction: &Restriction,
) -> Report {
    let root = tree.root();
    let moves = candidates(params, tree, to_move, restriction)
        .iter()
        .map(|candidate| move_report(tree, to_move, candidate))
        .collect();
    Report {
        to_move,
        visits: root.visits(),
        values: Values::new(&root.mean(), to_move),
        moves,
        stats: OwnershipStats::default(),
        collisions: 0,
    }
}

fn move_report(tree: &Tree, to_move: Color, candidate: &Candidate) -> MoveReport {
    let edge = &tree.edges(tree.root())[candidate.index];
    let child = edge
        .child()
        .map(|id| tree.node(id))
        .filter(|_| candidate.visits > 0);
    let values = Values::new(&child.unwrap_or(tree.root()).mean(), to_move);
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

/// The most visited continuation from a move of the root.
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
            // The last of equals would win; reversed, the one with the higher prior does.
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
