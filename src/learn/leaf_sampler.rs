//! A search as an explorer: positions such as searches look at and games do not reach.
//!
//! A net judges best what it has learnt from, and a search goes where the net errs in its favour. A teacher's word on
//! such positions mends that (Ross, Gordon and Bagnell, "A reduction of imitation learning and structured prediction to
//! no-regret online learning", 2011).

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

/// Bound of a search's tree.
const TREE_BYTES: usize = 64 << 20;

/// Looks around from positions.
pub struct LeafSampler {
    evaluator: SharedEvaluator,
    visits: u64,
}

impl LeafSampler {
    /// One that searches by this evaluator, with so many visits from each position.
    #[must_use]
    pub fn new(evaluator: SharedEvaluator, visits: u64) -> Self {
        Self { evaluator, visits }
    }

    /// The position under a komi that makes it about even by its own judgement; where the evaluator tells no lead, as it
    /// is.
    ///
    /// # Errors
    /// When the evaluation fails.
    pub fn balance_komi(&self, position: &Position, rng: &mut Rng) -> Result<Position, EvalError> {
        let evaluation = evaluate_one(&*self.evaluator, Request::new(position))?;
        Ok(match self.evaluator.predicts_lead() {
            true => balance_komi(position, evaluation.score_lead, rng),
            false => position.clone(),
        })
    }

    /// At most `count` positions that a search from `position` looked at, each at the end of a line of its tree that is
    /// drawn by the visits. The same seed gives the same. None are behind the end of the game.
    ///
    /// # Errors
    /// When an evaluation fails or the system gives no thread.
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

/// The position at the end of a line drawn by visits; none where the game ends at once.
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
