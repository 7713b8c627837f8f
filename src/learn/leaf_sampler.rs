//! Sampling of positions from search trees.
//!
//! A network is most accurate on positions like those it was trained on, but a search prefers lines in which the
//! network errs in favour of the player. Teacher labels for such positions correct that (Ross, Gordon and Bagnell, "A
//! reduction of imitation learning and structured prediction to no-regret online learning", 2011).

use super::komi_balance::balance_komi;
use crate::eval::stack::SharedEvaluator;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::position::Position;
use crate::random::Rng;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::restriction::Restriction;
use crate::search::tree::Tree;
use crate::search::{Search, SearchConfig, SearchError};

/// Memory limit of the search tree.
const TREE_BYTES: usize = 64 << 20;

/// Samples positions from searches.
pub struct LeafSampler {
    evaluator: SharedEvaluator,
    visits: u64,
}

impl LeafSampler {
    /// Creates a sampler that searches each position with `visits` visits.
    pub fn new(evaluator: SharedEvaluator, visits: u64) -> Self {
        Self { evaluator, visits }
    }

    /// Balances the komi according to the lead predicted by the evaluator. Returns the position unchanged if the
    /// evaluator predicts no lead.
    ///
    /// # Errors
    /// Returns an error if the evaluation fails.
    pub fn balance_komi(&self, position: &Position, rng: &mut Rng) -> Result<Position, EvalError> {
        let evaluation = evaluate_one(&*self.evaluator, Request::new(position))?;
        Ok(match self.evaluator.predicts_lead() {
            true => balance_komi(position, evaluation.score_lead, rng),
            false => position.clone(),
        })
    }

    /// Returns up to `count` positions at leaves of a search tree.
    ///
    /// Each leaf is reached by moves drawn in proportion to their visits. Lines stop before the end of the game. The
    /// result is reproducible for the same `rng`.
    ///
    /// # Errors
    /// Returns an error if an evaluation fails or no thread can be started.
    pub fn sample_leaves(
        &self,
        position: &Position,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Position>, SearchError> {
        let setup = SearchConfig {
            threads: 1,
            tree_bytes: TREE_BYTES,
            seed: rng.next_u64(),
        };
        let params = SearchParams::default();
        let mut search = Search::new(self.evaluator.clone(), position.clone(), params, setup)?;
        search.run(SearchLimits::visits(self.visits), Restriction::none())?;
        let leaves = (0..count).filter_map(|_| sample_leaf(search.tree(), position, rng));
        Ok(leaves.collect())
    }
}

/// Returns the position at the end of a line drawn by visits, or `None` if the first move ends the game.
fn sample_leaf(tree: &Tree, root: &Position, rng: &mut Rng) -> Option<Position> {
    let (mut node, mut position, mut has_moved) = (tree.root(), root.clone(), false);
    loop {
        let children = tree.edges(node).iter();
        let children: Vec<_> = children
            .filter_map(|edge| Some((edge.mv(), tree.node(edge.child()?))))
            .collect();
        let visits: Vec<f64> = (children.iter())
            .map(|(_, child)| f64::from(child.visits()))
            .collect();
        let Some(index) = rng.sample_weighted(&visits) else {
            break;
        };
        let (mv, child) = children[index];
        let mut next = position.clone();
        next.play_unchecked(next.to_move(), mv);
        if next.ended() {
            break;
        }
        (node, position, has_moved) = (child, next, true);
    }
    has_moved.then_some(position)
}
