//! Which move a playout follows: the formulas, as functions of numbers.
//!
//! Paper letters, used here alone: `n` the visits of a child and `N` those of its parent, each by its weight, `Q` a mean
//! utility and `P` a prior, both for the side to move, `U` the exploration bonus.
//!
//! - PUCT: `Q + c(N) P sqrt(N) / (1 + n)` with `c(N) = cpuct + cpuct_log ln(1 + N / cpuct_base)`: Silver et al.,
//!   "A general reinforcement learning algorithm ..." (2018).
//! - Forced playouts of the root go before all else: [`due`].
//! - Wide root noise raises what every move of the root scores by `w |G|` at half of the times, `G` normal: Wu, KataGo's
//!   analysis (2020). It makes an analysis look at moves that it would have nothing to do with, and costs strength.
//! - UCB1: `Q + c sqrt(ln N / n)`: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006). It asks nothing of
//!   priors but that a move of prior 0 is not followed: filling an own eye, say.

use super::node::{Edge, Node};
use super::params::{Formula, SearchParams};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::random::Rng;

/// What a parent contributes to the score of its unvisited children.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// Mean utility for the side to move; 0 before the first visit.
    pub utility: f32,
    /// Sum of the priors of its visited children.
    pub visited_prior: f32,
    /// Whether it is the root.
    pub is_root: bool,
}

/// What the exploration bonus of every child has in common, given the parent's visits: `c(N) sqrt(N)` or `c sqrt(ln N)`.
pub fn exploration(params: &SearchParams, visits: f32) -> f32 {
    match params.formula {
        Formula::Puct => {
            let growth = libm::logf(1.0 + visits / params.cpuct_base);
            (params.cpuct + params.cpuct_log * growth) * visits.sqrt()
        }
        Formula::Ucb1 => params.ucb_exploration * libm::logf(visits.max(1.0)).sqrt(),
    }
}

/// What a visited child scores, given the common [`exploration`], its mean utility, visits and prior.
pub fn score(
    params: &SearchParams,
    exploration: f32,
    utility: f32,
    visits: f32,
    prior: f32,
) -> f32 {
    match params.formula {
        Formula::Puct => utility + exploration * prior / (1.0 + visits),
        Formula::Ucb1 => utility + exploration / visits.sqrt(),
    }
}

/// What a child scores that has not been visited.
pub fn first_play_score(
    params: &SearchParams,
    parent: &Parent,
    exploration: f32,
    prior: f32,
) -> f32 {
    match params.formula {
        Formula::Puct => {
            let reduction = if parent.is_root {
                params.root_fpu_reduction
            } else {
                params.fpu_reduction
            };
            let utility = parent.utility - reduction * parent.visited_prior.sqrt();
            utility.max(-1.0) + exploration * prior
        }
        Formula::Ucb1 => parent.utility + params.ucb_first_play,
    }
}

/// Returns the number of visits that a visited move of the root receives before any other rule applies: `sqrt(k P N)`,
/// where `k` is [`forced_playouts`](SearchParams::forced_playouts) and `N` the number of visits of the root.
pub fn forced_visits(params: &SearchParams, visits: f32, prior: f32) -> f32 {
    (params.forced_playouts * prior * visits).sqrt()
}

/// Mean utility for `to_move` and weight of a child, each playout under way counted as lost visits; `None` when there is
/// nothing to take a mean of.
pub fn with_virtual_losses(
    params: &SearchParams,
    child: &Node,
    to_move: Color,
) -> Option<(f32, f32)> {
    let virtual_losses = params.virtual_loss * child.in_flight() as f32;
    let visits = child.weight() as f32 + virtual_losses;
    let sum = to_move.to_perspective(child.utility_sum()) as f32 - virtual_losses;
    (visits > 0.0).then(|| (sum / visits, visits))
}

/// Whether a move is not worth any visit. PUCT gives moves without prior few enough by itself.
fn is_excluded(params: &SearchParams, prior: f32) -> bool {
    params.formula == Formula::Ucb1 && prior <= 0.0
}

/// What the root adds to the choice: other priors, noise, and moves left out.
#[derive(Clone, Debug, Default)]
pub struct RootPolicy {
    /// Priors to use instead of the edges' own, one for each edge; empty: the edges' own.
    pub priors: Vec<f32>,
    /// Which edges may be followed, one for each; empty: all.
    pub allowed: Vec<bool>,
    /// What wide root noise is drawn from.
    pub seed: u64,
}

impl RootPolicy {
    /// Whether no move may be followed.
    pub fn allows_nothing(&self) -> bool {
        !self.allowed.is_empty() && !self.allowed.contains(&true)
    }

    /// Whether the edge of that place may be followed.
    pub fn allows(&self, index: usize) -> bool {
        self.allowed.get(index).copied().unwrap_or(true)
    }

    /// The prior that the edge of that place counts with.
    pub fn prior(&self, index: usize, edge: &Edge) -> f32 {
        let overridden = self.priors.get(index).copied();
        overridden.unwrap_or_else(|| edge.prior())
    }

    /// Draws by how much the moves are raised in turn when the root is entered for the time `visit`.
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

/// The place of the edge to follow from an expanded node that this playout has entered. `root` is given at the root
/// alone. Moves that are `is_forbidden` are passed over. `None` when nothing may be followed: no move is allowed, or the tree
/// is full and the node has no children.
///
/// Edges lie by falling prior, so below the root nothing behind the first edge without child can be better than it.
pub fn select(
    params: &SearchParams,
    tree: &Tree,
    node: &Node,
    to_move: Color,
    root: Option<&RootPolicy>,
    is_forbidden: impl Fn(Move) -> bool,
) -> Option<usize> {
    let edges = tree.edges(node);
    let can_expand = root.is_some() || !tree.is_full();
    let weight = node.weight() as f32;
    let mut parent = Parent {
        utility: to_move.to_perspective(node.utility_sum()) as f32 / weight.max(f32::MIN_POSITIVE),
        visited_prior: 0.0,
        is_root: root.is_some(),
    };
    // Of the playouts under way here, this one is not counted.
    let others_in_flight = node.in_flight().saturating_sub(1) as f32;
    let total_visits = weight + others_in_flight;
    let exploration = exploration(params, total_visits);
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
        if is_excluded(params, prior) {
            continue;
        }
        let child = edge.child();
        let child_stats = child.and_then(|id| with_virtual_losses(params, tree.node(id), to_move));
        if let Some((utility, visits)) = child_stats {
            parent.visited_prior += prior;
            let is_forced = root.is_some() && visits < forced_visits(params, total_visits, prior);
            let score = score(params, exploration, utility, visits, prior);
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
