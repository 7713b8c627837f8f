//! Root noise and the final choice of a move.

use super::node::{Edge, Node};
use super::params::SearchParams;
use super::restriction::Restriction;
use super::select::RootPolicy;
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::random::Rng;

/// Computes the priors and allowed moves of an expanded root. Applies `restriction` and, where the parameters enable
/// them, a policy temperature, Dirichlet noise (Silver et al., "Mastering the game of Go without human knowledge",
/// 2017), and wide root noise, which also flattens the priors.
pub fn root_policy(
    params: &SearchParams,
    tree: &Tree,
    restriction: &Restriction,
    rng: &mut Rng,
) -> RootPolicy {
    let edges = tree.edges(tree.root());
    let allowed = if restriction.allows_all_root_moves() {
        Vec::new()
    } else {
        let is_allowed = |edge: &Edge| restriction.allows_at_root(edge.mv());
        edges.iter().map(is_allowed).collect()
    };
    let mut priors = Vec::new();
    let temperature = params.root_policy_temperature * (1.0 + 4.0 * params.wide_root_noise);
    if temperature != 1.0 {
        priors = tempered_priors(edges, 1.0 / temperature);
    }
    if params.root_noise > 0.0 {
        if priors.is_empty() {
            priors = edges.iter().map(Edge::prior).collect();
        }
        add_dirichlet_noise(params, &mut priors, rng);
    }
    RootPolicy {
        priors,
        allowed,
        seed: rng.next_u64(),
    }
}

/// Returns the priors of `edges`, raised to `power` and normalised to a sum of 1.
fn tempered_priors(edges: &[Edge], power: f32) -> Vec<f32> {
    // Divide by the maximum first, so that a high power does not underflow to zero for all moves.
    let max_prior = edges
        .iter()
        .map(Edge::prior)
        .fold(f32::MIN_POSITIVE, f32::max);
    let powers = edges
        .iter()
        .map(|edge| libm::powf(edge.prior() / max_prior, power));
    let powers: Vec<f32> = powers.collect();
    let total = powers.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    powers.iter().map(|prior| prior / total).collect()
}

fn add_dirichlet_noise(params: &SearchParams, priors: &mut [f32], rng: &mut Rng) {
    let shape = f64::from(params.root_noise_total) / priors.len().max(1) as f64;
    let draws: Vec<f64> = priors.iter().map(|_| rng.gamma(shape)).collect();
    let total = draws.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let noise = params.root_noise;
    for (prior, draw) in priors.iter_mut().zip(draws) {
        *prior = (1.0 - noise) * *prior + noise * (draw / total) as f32;
    }
}

/// A root move and the values that are compared in the final choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    pub mv: Move,
    /// Index of the move's edge among the root's edges.
    pub index: usize,
    pub visits: u32,
    /// Mean utility from the side to move's perspective.
    pub utility: f64,
    /// Lower confidence bound of the utility.
    pub utility_lcb: f64,
}

/// Returns the visited root moves, best first.
///
/// Moves with enough visits ([`lcb_min_visits`](SearchParams::lcb_min_visits)) come first, sorted by the lower
/// confidence bound of their utility. The other moves (or all moves, if `lcb_deviations` is 0) follow, sorted by
/// visits. Ties go to the higher prior. If no allowed move has visits, returns only the allowed move with the highest
/// prior, with the root's utility. Returns an empty vector if no move is allowed. The lower confidence bound follows
/// KataGo and Leela Zero (Wu, KataGo's methods, 2020).
pub fn ranked_candidates(
    params: &SearchParams,
    tree: &Tree,
    to_move: Color,
    restriction: &Restriction,
) -> Vec<Candidate> {
    let allowed = || {
        let edges = tree.edges(tree.root()).iter().enumerate();
        edges.filter(|(_, edge)| restriction.allows_at_root(edge.mv()))
    };
    let mut candidates: Vec<Candidate> = allowed()
        .filter_map(|(index, edge)| Some((index, edge.mv(), tree.node(edge.child()?))))
        .filter(|(_, _, child)| child.visits() > 0)
        .map(|(index, mv, child)| {
            candidate_from_node(params, (index, mv), child, child.visits(), to_move)
        })
        .collect();
    if candidates.is_empty() {
        return allowed()
            .map(|(index, edge)| {
                candidate_from_node(params, (index, edge.mv()), tree.root(), 0, to_move)
            })
            .take(1)
            .collect();
    }
    let max_visits = candidates.iter().map(|c| c.visits).max().unwrap_or(0);
    let min_visits = f64::from(params.lcb_min_visits) * f64::from(max_visits);
    let is_eligible =
        |c: &Candidate| params.lcb_deviations > 0.0 && f64::from(c.visits) >= min_visits;
    candidates.sort_by(|a, b| {
        is_eligible(b).cmp(&is_eligible(a)).then_with(|| {
            if is_eligible(a) {
                b.utility_lcb.total_cmp(&a.utility_lcb)
            } else {
                b.visits.cmp(&a.visits)
            }
        })
    });
    candidates
}

fn candidate_from_node(
    params: &SearchParams,
    (index, mv): (usize, Move),
    source: &Node,
    visits: u32,
    to_move: Color,
) -> Candidate {
    let mean = source.outcome_stats();
    let n = f64::from(visits);
    // Two pseudo-visits with variance 1 prevent the bound from being too narrow at few visits.
    let variance = (n * mean.variance + 2.0) / (n + 2.0);
    let utility = to_move.to_perspective(mean.utility);
    let utility_lcb = utility - f64::from(params.lcb_deviations) * (variance / (n + 1.0)).sqrt();
    Candidate {
        mv,
        index,
        visits,
        utility,
        utility_lcb,
    }
}

/// Chooses a move from `candidates`, which must be sorted best first. With a positive temperature, chooses at random
/// with probability proportional to `visits^(1/temperature)`; otherwise, chooses the first candidate. Returns `None` if
/// there are no candidates.
pub fn choose_move(
    params: &SearchParams,
    candidates: &[Candidate],
    rng: &mut Rng,
) -> Option<Candidate> {
    let best = candidates.first()?;
    if params.temperature <= 0.0 {
        return Some(*best);
    }
    let visits: Vec<f64> = candidates.iter().map(|c| f64::from(c.visits)).collect();
    let sampled = rng.sample_with_temperature(&visits, f64::from(params.temperature));
    Some(sampled.map_or(*best, |sampled| candidates[sampled]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;

    /// With a wide root noise of 0.25, the priors are replaced by their square roots, normalised to a sum of 1. The
    /// square roots of 0.64 and 0.36 are 0.8 and 0.6, with a sum of 1.4.
    #[test]
    fn wide_root_noise_flattens_the_priors() {
        let tree = Tree::new(1 << 20);
        let moves = [(Point::at(0, 0), 0.64), (Point::at(1, 0), 0.36)];
        tree.root().claim();
        tree.expand(0, &moves.map(|(at, prior)| (Move::Play(at), prior)), true);
        let params = SearchParams {
            wide_root_noise: 0.25,
            ..SearchParams::default()
        };
        let policy = root_policy(&params, &tree, &Restriction::none(), &mut Rng::new(1));
        for (prior, expected) in policy.priors.iter().zip([0.8 / 1.4, 0.6 / 1.4]) {
            assert!((prior - expected).abs() < 1e-4);
        }
        let priors = tempered_priors(tree.edges(tree.root()), 1_000.0);
        assert_eq!(priors, [1.0, 0.0], "not nothing");
    }
}
