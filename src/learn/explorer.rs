//! A search as an explorer: positions such as searches look at and games do not reach.
//!
//! A net judges best what it has learnt from, and a search goes where the net errs in its favour. A teacher's word on
//! such positions mends that (Ross, Gordon and Bagnell, "A reduction of imitation learning and structured prediction to
//! no-regret online learning", 2011).

use super::even::evened;
use crate::eval::stack::Shared;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::position::Position;
use crate::rng::Rng;
use crate::search::limits::Limits;
use crate::search::params::SearchParams;
use crate::search::restriction::Restriction;
use crate::search::tree::Tree;
use crate::search::{Search, SearchError, Setup};

/// Bound of a search's tree.
const TREE_BYTES: usize = 64 << 20;

/// Looks around from positions.
pub struct Explorer {
    evaluator: Shared,
    visits: u64,
}

impl Explorer {
    /// One that searches by this evaluator, with so many visits from each position.
    #[must_use]
    pub fn new(evaluator: Shared, visits: u64) -> Self {
        Self { evaluator, visits }
    }

    /// The position under a komi that makes it about even by its own judgement; where the evaluator tells no lead, as it
    /// is.
    ///
    /// # Errors
    /// When the evaluation fails.
    pub fn evened(&self, position: &Position, rng: &mut Rng) -> Result<Position, EvalError> {
        let answer = evaluate_one(&*self.evaluator, Request::new(position))?;
        Ok(match self.evaluator.tells_lead() {
            true => evened(position, answer.score_lead, rng),
            false => position.clone(),
        })
    }

    /// At most `count` positions that a search from `position` looked at, each at the end of a line of its tree that is
    /// drawn by the visits. The same seed gives the same. None are behind the end of the game.
    ///
    /// # Errors
    /// When an evaluation fails or the system gives no thread.
    pub fn around(
        &self,
        position: &Position,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Position>, SearchError> {
        let setup = Setup {
            threads: 1,
            tree_bytes: TREE_BYTES,
            seed: rng.next_u64(),
        };
        let params = SearchParams::default();
        let mut search = Search::new(self.evaluator.clone(), position.clone(), params, setup)?;
        search.run(Limits::visits(self.visits), Restriction::none())?;
        let lines = (0..count).filter_map(|_| end_of_line(search.tree(), position, rng));
        Ok(lines.collect())
    }
}

/// The position at the end of a line drawn by visits; none where the game ends at once.
fn end_of_line(tree: &Tree, root: &Position, rng: &mut Rng) -> Option<Position> {
    let (mut node, mut position, mut moved) = (tree.root(), root.clone(), false);
    loop {
        let children = tree.edges(node).iter();
        let children: Vec<_> = children
            .filter_map(|edge| Some((edge.mv(), tree.node(edge.child()?))))
            .collect();
        let visits: Vec<f64> = (children.iter())
            .map(|(_, child)| f64::from(child.visits()))
            .collect();
        let Some(index) = rng.weighted(&visits) else {
            break;
        };
        let (mv, child) = children[index];
        let mut next = position.clone();
        next.play_legal(next.to_move(), mv);
        if next.ended() {
            break;
        }
        (node, position, moved) = (child, next, true);
    }
    moved.then_some(position)
}
