//! Selection formulas, which determine the child that a playout visits next.
//!
//! Symbols: `n` is the total weight of a child's visits and `N` that of its parent's visits. `Q` is the child's mean
//! utility for the side to move, and `P` is the child's prior.
//!
//! - PUCT: `Q + c(N) P sqrt(N) / (1 + n)` with `c(N) = cpuct + cpuct_log ln(1 + N / cpuct_base)`: Silver et al., "A
//!   general reinforcement learning algorithm ..." (2018).
//! - Forced playouts at the root take precedence over the formulas; see [`forced_visits`].
//! - Wide root noise increases the score of each root move by `w |G|` with probability 1/2, where `w` is
//!   [`wide_root_noise`](SearchParams::wide_root_noise) and `G` is normally distributed: Wu, KataGo's analysis (2020).
//!   The noise makes an analysis explore moves that it would otherwise ignore, but weakens play.
//! - UCB1: `Q + c sqrt(ln N / n)` with `c = ucb_exploration`: Kocsis and Szepesvári, "Bandit based Monte-Carlo
//!   planning" (2006). UCB1 uses the prior only to exclude moves with prior 0, such as filling one's own eye.

use super::node::{Edge, Node};
use super::params::{SearchParams, SelectionFormula};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::random::Rng;

/// Properties of a parent that determine the score of its unvisited children.
#[derive(Clone, Copy, Debug)]
pub struct ParentStats {
    /// Mean utility for the side to move, or 0 before the first visit.
    pub utility: f32,
    /// Sum of the priors of the visited children.
    pub visited_prior: f32,
    pub is_root: bool,
}

/// Returns the common factor in the exploration bonuses of all children of a parent with `visits` visits:
/// `c(N) sqrt(N)` for PUCT, or `c sqrt(ln N)` for UCB1.
pub fn exploration_factor(params: &SearchParams, visits: f32) -> f32 {
    match params.formula {
        SelectionFormula::Puct => {
            let growth = libm::logf(1.0 + visits / params.cpuct_base);
            (params.cpuct + params.cpuct_log * growth) * visits.sqrt()
        }
        SelectionFormula::Ucb1 => params.ucb_exploration * libm::logf(visits.max(1.0)).sqrt(),
    }
}

/// Returns the selection score of a visited child. `exploration` is the common factor computed by
/// [`exploration_factor`].
pub fn visited_child_score(
    params: &SearchParams,
    exploration: f32,
    utility: f32,
    visits: f32,
    prior: f32,
) -> f32 {
    match params.formula {
        SelectionFormula::Puct => utility + exploration * prior / (1.0 + visits),
        SelectionFormula::Ucb1 => utility + exploration / visits.sqrt(),
    }
}

/// Returns the selection score of a child that has not been visited.
pub fn first_play_score(
    params: &SearchParams,
    parent: &ParentStats,
    exploration: f32,
    prior: f32,
) -> f32 {
    match params.formula {
        SelectionFormula::Puct => {
            let reduction = if parent.is_root {
                params.root_fpu_reduction
            } else {
                params.fpu_reduction
            };
            let utility = parent.utility - reduction * parent.visited_prior.sqrt();
            utility.max(-1.0) + exploration * prior
        }
        SelectionFormula::Ucb1 => parent.utility + params.ucb_first_play,
    }
}

/// Returns the number of visits up to which a visited root move is selected regardless of the selection formula:
/// `sqrt(k P N)`, where `k` is [`forced_playouts`](SearchParams::forced_playouts) and `N` the number of visits of the
/// root.
pub fn forced_visits(params: &SearchParams, visits: f32, prior: f32) -> f32 {
    (params.forced_playouts * prior * visits).sqrt()
}

/// Returns the mean utility of a child from the perspective of `to_move`, and the weight of its visits. Each unfinished
/// playout counts as [`virtual_loss`](SearchParams::virtual_loss) additional lost visits. Returns `None` if the child
/// has neither visits nor unfinished playouts.
pub fn stats_with_virtual_losses(
    params: &SearchParams,
    child: &Node,
    to_move: Color,
) -> Option<(f32, f32)> {
    let virtual_losses = params.virtual_loss * child.in_flight() as f32;
    let visits = child.weight_sum() as f32 + virtual_losses;
    let sum = to_move.to_perspective(child.utility_sum()) as f32 - virtual_losses;
    (visits > 0.0).then(|| (sum / visits, visits))
}

/// Returns true if a move must never be visited. Only UCB1 excludes moves, because PUCT gives few visits to moves with
/// a low prior anyway.
fn is_excluded_zero_prior(params: &SearchParams, prior: f32) -> bool {
    params.formula == SelectionFormula::Ucb1 && prior <= 0.0
}

/// Priors, noise and allowed moves at the root.
#[derive(Clone, Debug, Default)]
pub struct RootPolicy {
    /// Prior of each edge, or empty to use the priors stored in the edges.
    pub priors: Vec<f32>,
    /// Whether each edge may be selected, or empty to allow all edges.
    pub allowed: Vec<bool>,
    /// Seed of the wide root noise.
    pub seed: u64,
}

impl RootPolicy {
    /// Returns true if no move is allowed.
    pub fn allows_nothing(&self) -> bool {
        !self.allowed.is_empty() && !self.allowed.contains(&true)
    }

    /// Returns true if the edge at `index` may be selected.
    pub fn allows(&self, index: usize) -> bool {
        self.allowed.get(index).copied().unwrap_or(true)
    }

    /// Returns the prior to use for the edge at `index`.
    pub fn prior(&self, index: usize, edge: &Edge) -> f32 {
        let overridden = self.priors.get(index).copied();
        overridden.unwrap_or_else(|| edge.prior())
    }

    /// Returns a generator of the random values that playout number `visit` adds to the scores of the root moves. All
    /// values are 0 if wide root noise is disabled.
    fn wide_root_noise(&self, params: &SearchParams, visit: u32) -> impl FnMut() -> f32 {
        let scale = params.wide_root_noise;
        let mut rng = (scale > 0.0).then(|| Rng::stream(self.seed, u64::from(visit)));
        move || {
            rng.as_mut().map_or(0.0, |rng| {
                let (is_raised, normal) = (rng.chance(0.5), rng.normal() as f32);
                if is_raised { scale * normal.abs() } else { 0.0 }
            })
        }
    }
}

/// Returns the index of the edge with the highest score among the edges of `node`. The node must be expanded, and this
/// playout must already have entered it.
///
/// `root` must be `Some` if `node` is the root, and `None` otherwise. Moves for which `is_forbidden` returns true are
/// skipped. Returns `None` if no move is allowed, or if the tree is full and no allowed move has a child.
///
/// Edges are sorted by prior. Below the root, the edges after the first one without a child need not be considered,
/// because they cannot have a higher score than that edge.
pub fn select_edge(
    params: &SearchParams,
    tree: &Tree,
    node: &Node,
    to_move: Color,
    root: Option<&RootPolicy>,
    is_forbidden: impl Fn(Move) -> bool,
) -> Option<usize> {
    let edges = tree.edges(node);
    let can_expand = root.is_some() || !tree.is_full();
    let weight = node.weight_sum() as f32;
    let mut parent = ParentStats {
        utility: to_move.to_perspective(node.utility_sum()) as f32 / weight.max(f32::MIN_POSITIVE),
        visited_prior: 0.0,
        is_root: root.is_some(),
    };
    // This playout has already entered the node, so exclude it.
    let others_in_flight = node.in_flight().saturating_sub(1) as f32;
    let total_visits = weight + others_in_flight;
    let exploration = exploration_factor(params, total_visits);
    let mut noise = root.map(|root| root.wide_root_noise(params, node.visits() + node.in_flight()));
    let mut best: Option<(usize, f32)> = None;
    let mut consider = |index: usize, score: f32| {
        let score = score + noise.as_mut().map_or(0.0, |noise| noise());
        if best.is_none_or(|(_, best_score)| score > best_score) {
            best = Some((index, score));
        }
    };
    let mut unvisited: Option<(usize, f32)> = None;
    for (index, edge) in edges.iter().enumerate() {
        if root.is_some_and(|root| !root.allows(index)) || is_forbidden(edge.mv()) {
            continue;
        }
        let prior = root.map_or_else(|| edge.prior(), |root| root.prior(index, edge));
        if is_excluded_zero_prior(params, prior) {
            continue;
        }
        let child = edge.child();
        let child_stats =
            child.and_then(|id| stats_with_virtual_losses(params, tree.node(id), to_move));
        if let Some((utility, visits)) = child_stats {
            parent.visited_prior += prior;
            let is_forced = root.is_some() && visits < forced_visits(params, total_visits, prior);
            let score = visited_child_score(params, exploration, utility, visits, prior);
            consider(index, if is_forced { f32::INFINITY } else { score });
        } else if (child.is_some() || can_expand)
            && unvisited.is_none_or(|(_, best_prior)| prior > best_prior)
        {
            unvisited = Some((index, prior));
        }
        if child.is_none() && root.is_none() {
            break;
        }
    }
    if let Some((index, prior)) = unvisited {
        consider(index, first_play_score(params, &parent, exploration, prior));
    }
    best.map(|(index, _)| index)
}
