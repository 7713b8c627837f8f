//! Forced playouts at the root and their removal from the visit counts, for self-play.
//!
//! Forced playouts make the search explore root moves with low priors. Their visits are removed from the training
//! targets, so that the network does not learn to play moves only because they were forced (Wu, "Accelerating self-play
//! learning in Go", 2019, section 3.2).

use super::params::SearchParams;
use super::select::{RootPolicy, exploration_factor, forced_visits, visited_child_score};
use super::tree::Tree;
use crate::game::color::Color;
use crate::game::point::Move;

/// A visited root move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisitedMove {
    /// Prior used by the search, including noise.
    pub prior: f32,
    pub visits: u32,
    /// Mean utility from the side to move's perspective.
    pub utility: f32,
}

/// Returns the visits of each move without its forced visits.
///
/// The most visited move retains all its visits. Every other move loses at most its forced visits. Visits are removed
/// only as long as the selection formula, with unchanged mean utilities, still prefers the most visited move. A move
/// that would retain a single visit loses that visit as well.
pub fn prune_forced_visits(
    params: &SearchParams,
    root_visits: u32,
    moves: &[VisitedMove],
) -> Vec<u32> {
    let total_visits = root_visits as f32;
    let exploration = exploration_factor(params, total_visits);
    let move_score = |mv: &VisitedMove, visits: u32| {
        visited_child_score(params, exploration, mv.utility, visits as f32, mv.prior)
    };
    // Ties go to the first move.
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

/// Returns the root moves with the visits that remain after [pruning](prune_forced_visits), highest prior first. Omits
/// moves without remaining visits.
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
                utility: to_move.to_perspective(child.outcome_stats().utility) as f32,
            };
            (visited_move.visits > 0).then(|| (edge.mv(), visited_move))
        })
        .unzip();
    let visits = prune_forced_visits(params, tree.root().visits(), &visited);
    let unforced = moves.into_iter().zip(visits);
    unforced.filter(|&(_, visits)| visits > 0).collect()
}
