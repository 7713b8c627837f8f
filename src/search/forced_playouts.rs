//! Forced playouts of the root, so that self-play looks again at moves which the network thinks little of, and the visits
//! without them, so that nobody learns to make such moves for that alone: Wu, "Accelerating self-play learning in Go"
//! (2019), section 3.2.

use super::params::SearchParams;
use super::select::{RootPolicy, exploration, forced_visits, score};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;

/// A move of the root that has been visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisitedMove {
    /// Its prior as the search used it, noise included.
    pub prior: f32,
    /// Its visits.
    pub visits: u32,
    /// Its mean utility for the side to move.
    pub utility: f32,
}

/// The visits of each move without forced ones. The most visited keeps all its own. Every other one loses those that were
/// its due, as far as the formula of the choice would still not have preferred it to the most visited, their means left
/// as they are; a move left with a single visit loses that, too.
pub fn prune_forced_visits(
    params: &SearchParams,
    root_visits: u32,
    moves: &[VisitedMove],
) -> Vec<u32> {
    let total_visits = root_visits as f32;
    let exploration = exploration(params, total_visits);
    let move_score = |mv: &VisitedMove, visits: u32| {
        score(params, exploration, mv.utility, visits as f32, mv.prior)
    };
    // The first of equals.
    let best = (0..moves.len())
        .rev()
        .max_by_key(|&index| moves[index].visits);
    let best_score = best.map_or(0.0, |best| move_score(&moves[best], moves[best].visits));
    let pruned_visits = |index: usize| {
        let (mv, visits) = (&moves[index], moves[index].visits);
        let min_visits =
            visits.saturating_sub(forced_visits(params, total_visits, mv.prior) as u32);
        let mut acceptable = (min_visits..visits)
            .rev()
            .take_while(|&reduced| move_score(mv, reduced) < best_score);
        match acceptable.by_ref().last() {
            Some(0 | 1) => 0,
            Some(reduced) => reduced,
            None => visits,
        }
    };
    (0..moves.len())
        .map(|index| match best {
            Some(best) if best == index => moves[index].visits,
            _ => pruned_visits(index),
        })
        .collect()
}

/// The moves of a root and their visits without forced ones, the highest prior first; those left without any are not
/// among them.
pub fn unforced_visits(
    params: &SearchParams,
    tree: &Tree,
    policy: &RootPolicy,
    to_move: Color,
) -> Vec<(Move, u32)> {
    let edges = tree.edges(tree.root()).iter().enumerate();
    let (moves, visited): (Vec<Move>, Vec<VisitedMove>) = edges
        .filter(|&(index, _)| policy.allows(index))
        .filter_map(|(index, edge)| {
            let child = tree.node(edge.child()?);
            let visited_move = VisitedMove {
                prior: policy.prior(index, edge),
                visits: child.visits(),
                utility: to_move.to_perspective(child.mean().utility) as f32,
            };
            (visited_move.visits > 0).then(|| (edge.mv(), visited_move))
        })
        .unzip();
    let visits = prune_forced_visits(params, tree.root().visits(), &visited);
    let unforced = moves.into_iter().zip(visits);
    unforced.filter(|&(_, visits)| visits > 0).collect()
}
