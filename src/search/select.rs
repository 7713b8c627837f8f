//! Which move a playout follows: the formulas, as functions of numbers.
//!
//! Paper letters, used here alone: `n` the visits of a child and `N` those of its parent, `Q` a mean utility and `P` a
//! prior, both for the side to move, `U` the exploration bonus.
//!
//! - PUCT: `Q + c(N) P sqrt(N) / (1 + n)` with `c(N) = cpuct + cpuct_log ln(1 + N / cpuct_base)`: Silver et al., "A general
//!   reinforcement learning algorithm ..." (2018).
//! - UCB1: `Q + c sqrt(ln N / n)`: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006).

use super::node::Node;
use super::params::{Rule, SearchParams};
use super::tree::Tree;
use crate::game::color::Color;

/// What a parent contributes to the choice among its children.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// Visits, playouts under way included.
    pub visits: f32,
    /// Mean utility for the side to move; 0 before the first visit.
    pub utility: f32,
    /// Sum of the priors of its visited children.
    pub visited_prior: f32,
    /// Whether it is the root.
    pub is_root: bool,
}

/// The exploration factor of PUCT.
#[must_use]
pub fn puct_factor(params: &SearchParams, visits: f32) -> f32 {
    params.cpuct + params.cpuct_log * (1.0 + visits / params.cpuct_base).ln()
}

/// The utility that an unvisited child is taken to have, before exploration.
#[must_use]
pub fn first_play(params: &SearchParams, parent: &Parent) -> f32 {
    match params.rule {
        Rule::Puct => {
            let reduction = if parent.is_root {
                params.root_fpu_reduction
            } else {
                params.fpu_reduction
            };
            (parent.utility - reduction * parent.visited_prior.max(0.0).sqrt()).max(-1.0)
        }
        Rule::Ucb1 => parent.utility + params.ucb_first_play,
    }
}

/// What a child scores, given its visits (virtual ones included), mean utility and prior.
#[must_use]
pub fn score(
    params: &SearchParams,
    parent: &Parent,
    factor: f32,
    visits: f32,
    utility: f32,
    prior: f32,
) -> f32 {
    match params.rule {
        Rule::Puct => utility + factor * prior * parent.visits.sqrt() / (1.0 + visits),
        Rule::Ucb1 if visits > 0.0 => {
            utility + params.ucb_exploration * (parent.visits.max(1.0).ln() / visits).sqrt()
        }
        Rule::Ucb1 => utility,
    }
}

/// Mean utility for `to_move` and visits of a child, each playout under way counted as lost visits.
#[must_use]
pub fn with_virtual_losses(params: &SearchParams, child: &Node, to_move: Color) -> (f32, f32) {
    let lost = params.virtual_loss * child.in_flight() as f32;
    let visits = child.visits() as f32 + lost;
    if visits == 0.0 {
        return (0.0, 0.0);
    }
    let sum = to_move.from_black(child.utility_sum()) as f32 - lost;
    (sum / visits, visits)
}

/// What the root adds to the choice: priors mixed with noise, and moves left out.
#[derive(Clone, Debug, Default)]
pub struct RootChoice {
    /// Priors to use instead of the edges' own, one for each edge; empty: the edges' own.
    pub priors: Vec<f32>,
    /// Which edges may be followed, one for each; empty: all.
    pub allowed: Vec<bool>,
}

impl RootChoice {
    fn allows(&self, index: usize) -> bool {
        self.allowed.get(index).copied().unwrap_or(true)
    }
}

/// The place of the edge to follow from an expanded node, `None` when the root allows none. `root` is given at the root
/// alone. Edges lie by falling prior, so below the root nothing behind the first unvisited one can be better than it.
#[must_use]
pub fn select(
    params: &SearchParams,
    tree: &Tree,
    node: &Node,
    to_move: Color,
    root: Option<&RootChoice>,
) -> Option<usize> {
    let edges = node.edges();
    let prior_of = |index: usize| -> f32 {
        root.and_then(|root| root.priors.get(index).copied())
            .unwrap_or_else(|| edges[index].prior())
    };
    let visits = node.visits();
    let mean = if visits > 0 {
        to_move.from_black(node.utility_sum()) as f32 / visits as f32
    } else {
        0.0
    };
    let mut parent = Parent {
        visits: (visits + node.in_flight()).max(1) as f32,
        utility: mean,
        visited_prior: 0.0,
        is_root: root.is_some(),
    };
    let factor = puct_factor(params, parent.visits);
    let mut best: Option<(usize, f32)> = None;
    let mut consider = |index: usize, score: f32| {
        if best.is_none_or(|(_, highest)| score > highest) {
            best = Some((index, score));
        }
    };
    let mut unvisited: Option<(usize, f32)> = None;
    for (index, edge) in edges.iter().enumerate() {
        if root.is_some_and(|root| !root.allows(index)) {
            continue;
        }
        let prior = prior_of(index);
        let Some(child) = edge.child() else {
            if unvisited.is_none_or(|(_, highest)| prior > highest) {
                unvisited = Some((index, prior));
            }
            if root.is_none() {
                break;
            }
            continue;
        };
        let (utility, visits) = with_virtual_losses(params, tree.node(child), to_move);
        parent.visited_prior += prior;
        consider(
            index,
            score(params, &parent, factor, visits, utility, prior),
        );
    }
    if let Some((index, prior)) = unvisited {
        let utility = first_play(params, &parent);
        consider(index, score(params, &parent, factor, 0.0, utility, prior));
    }
    best.map(|(index, _)| index)
}
