//! Gathering of leaves: a thread selects several leaves and evaluates them with one call to the evaluator.
//!
//! Larger batches use a GPU more efficiently and read the network's weights from memory less often. However, each leaf
//! of a batch is selected before the others have been evaluated. Until then, each unfinished playout counts as a loss
//! in the nodes on its path (a *virtual loss*). In a small tree, a large batch would therefore visit moves that a
//! search without batches would skip. To prevent this, the number of root visits limits the size of a batch.

use super::node::NodeId;
use super::playout::{PlayoutContext, PlayoutPath, Selection};
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;

/// Number of root visits required for each leaf of a batch after the first. With 16, two threads with up to 8 leaves
/// scored 40% against single leaves (9x9, 262 games, 100 visits); with 64, 49.2% (400 games, 200 visits).
const ROOT_VISITS_PER_LEAF: usize = 64;

/// Leaves selected by a thread. Their evaluations have not yet been applied to the tree. Allocations are reused for
/// later batches.
#[derive(Debug)]
pub struct LeafBatch {
    max_size: usize,
    /// The leaves of the batch are the first `len` elements.
    leaves: Vec<Leaf>,
    len: usize,
    /// Evaluation of each leaf.
    evaluations: Vec<Evaluation>,
    /// Nodes on the paths of playouts that ended in a collision. Their virtual losses remain until the batch has been
    /// evaluated, because otherwise the next playout would take the same path.
    collided: Vec<NodeId>,
}

#[derive(Debug)]
struct Leaf {
    path: PlayoutPath,
    kind: LeafKind,
}

/// Kind of a leaf, which determines how its evaluation is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafKind {
    /// A leaf that was claimed for expansion. The evaluation is backed up, and the evaluated moves become the node's
    /// edges.
    Claimed,
    /// A leaf that is not expanded. The evaluation is only backed up.
    Unclaimed,
    /// A [partially expanded](super::tree::Tree::is_partially_expanded) node, which gets its missing edges. This is not
    /// a playout, so the evaluation is not backed up.
    PartiallyExpanded,
}

/// Numbers of playouts started and cancelled while gathering a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherCounts {
    /// Number of playouts started.
    pub started: usize,
    /// Number of cancelled playouts, including `collisions`. They do not count towards the visit limit.
    pub cancelled: usize,
    /// Number of playouts cancelled because of a collision.
    pub collisions: usize,
}

impl LeafBatch {
    /// Creates an empty batch for up to `max_size` leaves. A `max_size` of 0 is treated as 1.
    pub fn new(max_size: usize) -> Self {
        Self {
            max_size: max_size.max(1),
            leaves: Vec::new(),
            len: 0,
            evaluations: Vec::new(),
            collided: Vec::new(),
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Starts playouts and adds their leaves to the batch until the batch is full, a partially expanded node without
    /// unused edges is reached, or `start_playout` returns false. Backs up finished games immediately.
    ///
    /// A playout that ends in a finished game or a collision also counts towards the size of the batch, so that a
    /// thread that finds few leaves does not gather forever.
    pub fn gather(
        &mut self,
        context: &PlayoutContext<'_>,
        start_playout: impl Fn() -> bool,
    ) -> GatherCounts {
        let visits = context.tree.root().visits() as usize;
        let max_size = self.max_size.min(1 + visits / ROOT_VISITS_PER_LEAF);
        let mut gathered = GatherCounts::default();
        while gathered.started < max_size && start_playout() {
            gathered.started += 1;
            let path = self.next_path(context.root);
            match context.select_leaf(path) {
                Selection::Leaf { expand: true } => self.add(LeafKind::Claimed),
                Selection::Leaf { expand: false } => self.add(LeafKind::Unclaimed),
                Selection::Terminal(outcome) => context.back_up(path, &outcome),
                Selection::Collision => {
                    let next = &self.leaves[self.len];
                    self.collided.extend_from_slice(next.path.nodes());
                    gathered.cancelled += 1;
                    gathered.collisions += 1;
                }
                Selection::NeedsAllEdges => {
                    self.add(LeafKind::PartiallyExpanded);
                    gathered.cancelled += 1;
                    // The next playout would probably select the same node.
                    break;
                }
            }
        }
        gathered
    }

    /// Claims the root for expansion and adds it as a leaf. Returns false if another thread has already claimed or
    /// expanded the root.
    pub fn add_fresh_root(&mut self, context: &PlayoutContext<'_>) -> bool {
        let is_claimed = context.claim_root(self.next_path(context.root));
        if is_claimed {
            self.add(LeafKind::Claimed);
        }
        is_claimed
    }

    /// Adds the root if it is partially expanded, so that it gets its missing edges. Returns false if it has all edges.
    pub fn add_partially_expanded_root(&mut self, context: &PlayoutContext<'_>) -> bool {
        let is_partially_expanded =
            context.select_partially_expanded_root(self.next_path(context.root));
        if is_partially_expanded {
            self.add(LeafKind::PartiallyExpanded);
        }
        is_partially_expanded
    }

    /// Adds the root position without a playout, so that its evaluation does not affect the tree.
    pub fn add_root_without_playout(&mut self, context: &PlayoutContext<'_>) {
        context.reset_to_root(self.next_path(context.root));
        self.add(LeafKind::Unclaimed);
    }

    fn next_path(&mut self, root: &Position) -> &mut PlayoutPath {
        if self.len == self.leaves.len() {
            self.leaves.push(Leaf {
                path: PlayoutPath::new(root),
                kind: LeafKind::Unclaimed,
            });
        }
        &mut self.leaves[self.len].path
    }

    /// Adds the path returned by the last call to [`next_path`](Self::next_path) as a leaf of the given `kind`.
    fn add(&mut self, kind: LeafKind) {
        self.leaves[self.len].kind = kind;
        self.len += 1;
    }

    /// Evaluates all leaves. After an error, the batch is empty, and its claims and virtual losses have been released.
    ///
    /// # Errors
    /// Returns the error of the evaluator, or an error if an evaluation is not finite.
    pub fn evaluate(
        &mut self,
        context: &PlayoutContext<'_>,
        evaluator: &dyn Evaluator,
        ownership: bool,
    ) -> Result<(), EvalError> {
        let leaves = &self.leaves[..self.len];
        let requests: Vec<Request<'_>> = leaves
            .iter()
            .map(|Leaf { path, kind }| Request {
                ownership,
                all_moves: *kind == LeafKind::PartiallyExpanded || context.must_expand_fully(path),
                ..Request::new(&path.position)
            })
            .collect();
        let allocated = self.evaluations.len().max(self.len);
        self.evaluations.resize_with(allocated, Evaluation::default);
        let evaluations = &mut self.evaluations[..self.len];
        evaluator
            .evaluate(&requests, evaluations)
            .and_then(|()| evaluations.iter().try_for_each(Evaluation::check_finite))
            .inspect_err(|_| self.abandon(context))
    }

    /// Iterates over the paths and evaluations of all leaves except partially expanded nodes.
    pub fn playout_evaluations(&self) -> impl Iterator<Item = (&PlayoutPath, &Evaluation)> {
        let leaves = self.leaves[..self.len].iter().zip(&self.evaluations);
        leaves
            .filter(|(leaf, _)| leaf.kind != LeafKind::PartiallyExpanded)
            .map(|(leaf, evaluation)| (&leaf.path, evaluation))
    }

    /// Applies the evaluations to the tree, in the order in which the leaves were selected, and empties the batch.
    pub fn apply(&mut self, context: &PlayoutContext<'_>) {
        let leaves = self.leaves[..self.len].iter().zip(&self.evaluations);
        for (Leaf { path, kind }, evaluation) in leaves {
            match kind {
                LeafKind::Claimed => context.apply_evaluation(path, evaluation, true),
                LeafKind::Unclaimed => context.apply_evaluation(path, evaluation, false),
                LeafKind::PartiallyExpanded => context.expand_fully_and_release(path, evaluation),
            }
        }
        self.clear(context);
    }

    /// Empties the batch without applying its evaluations. Releases all claims and virtual losses.
    fn abandon(&mut self, context: &PlayoutContext<'_>) {
        for Leaf { path, kind } in &self.leaves[..self.len] {
            context.abandon(path, *kind == LeafKind::Claimed);
        }
        self.clear(context);
    }

    fn clear(&mut self, context: &PlayoutContext<'_>) {
        self.len = 0;
        context.release_virtual_losses(&self.collided);
        self.collided.clear();
    }
}
