//! Forced playouts of the root, so that self-play looks again at moves which the network thinks little of, and the visits
//! without them, so that nobody learns to make such moves for that alone: Wu, "Accelerating self-play learning in Go"
//! (2019), section 3.2.

use super::params::SearchParams;
use super::select::{RootChoice, exploration, score};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;

/// A move of the root that has been visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Its prior as the search used it, noise included.
    pub prior: f32,
    /// Its visits.
    pub visits: u32,
    /// Its mean utility for the side to move.
    pub utility: f32,
}

/// The visits that a move of the root gets before any other choice is made, once it has one: `sqrt(k P N)`, where `k` is
/// [`forced_playouts`](SearchParams::forced_playouts) and `N` the visits of the root.
#[must_use]
pub fn due(params: &SearchParams, visits: f32, prior: f32) -> f32 {
    (params.forced_playouts * prior * visits).sqrt()
}

/// The visits of each move without forced ones. The most visited keeps all its own. Every other one loses those that were
/// its due, as far as the formula of the choice would still not have preferred it to the most visited, their means left
/// as they are; a move left with a single visit loses that, too.
#[must_use]
pub fn pruned(params: &SearchParams, root_visits: u32, tried: &[Tried]) -> Vec<u32> {
    let all = root_visits as f32;
    let exploration = exploration(params, all);
    let rank = |tried: &Tried, visits: u32| {
        score(
            params,
            exploration,
            tried.utility,
            visits as f32,
            tried.prior,
        )
    };
    // The first of equals.
    let best = (0..tried.len())
        .rev()
        .max_by_key(|&index| tried[index].visits);
    let bound = best.map_or(0.0, |best| rank(&tried[best], tried[best].visits));
    let without = |index: usize| {
        let (one, visits) = (&tried[index], tried[index].visits);
        let fewest = visits.saturating_sub(due(params, all, one.prior) as u32);
        let mut lower = (fewest..visits)
            .rev()
            .take_while(|&fewer| rank(one, fewer) < bound);
        match lower.by_ref().last() {
            Some(0 | 1) => 0,
            Some(left) => left,
            None => visits,
        }
    };
    (0..tried.len())
        .map(|index| match best {
            Some(best) if best == index => tried[index].visits,
            _ => without(index),
        })
        .collect()
}

/// The moves of a root and their visits without forced ones, the highest prior first; those left without any are not
/// among them.
#[must_use]
pub fn unforced(
    params: &SearchParams,
    tree: &Tree,
    choice: &RootChoice,
    to_move: Color,
) -> Vec<(Move, u32)> {
    let edges = tree.edges(tree.root()).iter().enumerate();
    let (moves, tried): (Vec<Move>, Vec<Tried>) = edges
        .filter(|&(index, _)| choice.allows(index))
        .filter_map(|(index, edge)| {
            let child = tree.node(edge.child()?);
            let tried = Tried {
                prior: choice.prior(index, edge),
                visits: child.visits(),
                utility: to_move.from_black(child.mean().utility) as f32,
            };
            (tried.visits > 0).then(|| (edge.mv(), tried))
        })
        .unzip();
    let visits = pruned(params, tree.root().visits(), &tried);
    let left = moves.into_iter().zip(visits);
    left.filter(|&(_, visits)| visits > 0).collect()
}
