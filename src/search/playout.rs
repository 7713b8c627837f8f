//! The steps of a playout: selecting a leaf and, once it has been evaluated, backing up the result and expanding the
//! leaf.

use super::node::{Edge, ExpansionState, Node, NodeId, PlayoutOutcome};
use super::params::{SearchParams, SelectionFormula};
use super::restriction::{self, Constraint};
use super::select::{RootPolicy, select_edge};
use super::tree::Tree;
use crate::eval::{Evaluation, NUM_TOP_PRIORS, UncertaintyEstimates};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::count;

/// Maximum absolute lead in points. Larger leads are clamped, so that the sums of scores cannot overflow for any
/// evaluator output.
const MAX_LEAD: f32 = 500.0;
/// Minimum weight of an evaluation.
const MIN_WEIGHT: f32 = 0.05;
/// Maximum number of nodes on the path to a node that can be expanded. Nodes at the end of longer paths are only
/// evaluated, because a line with passes can continue forever under simple ko.
const MAX_EXPANSION_DEPTH: usize = 1_000;

/// Result of selecting a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// A position that must be evaluated.
    Leaf {
        /// Whether the leaf's node was claimed for expansion, so that the evaluated moves become its edges.
        expand: bool,
    },
    /// A finished game with a known result.
    Terminal(PlayoutOutcome),
    /// A partially expanded node without unused edges. It must be evaluated and [expanded
    /// fully](PlayoutContext::expand_fully_and_release) before the next selection.
    NeedsAllEdges,
    /// A node that is being expanded, by another thread or for another leaf of the same batch. The caller must release
    /// the virtual losses on the path.
    Collision,
}

/// Path of a playout from the root to a leaf. Threads reuse their paths to avoid allocations.
#[derive(Debug)]
pub struct PlayoutPath {
    /// Position at the end of the path.
    pub position: Position,
    nodes: Vec<NodeId>,
}

impl PlayoutPath {
    /// Creates a path that contains only the root position.
    pub fn new(root: &Position) -> Self {
        Self {
            position: root.clone(),
            nodes: Vec::new(),
        }
    }

    /// Returns the nodes from the root to the leaf.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the node after the first move, or `None` if the path does not contain a move.
    pub fn root_child(&self) -> Option<NodeId> {
        self.nodes.get(1).copied()
    }

    /// Returns the last node of the path.
    fn leaf(&self) -> NodeId {
        *self.nodes.last().expect("a path has a node")
    }

    fn restart(&mut self, root: &Position) {
        self.position.clone_from(root);
        self.nodes.clear();
    }

    fn enter(&mut self, tree: &Tree, id: NodeId) {
        self.nodes.push(id);
        tree.node(id).add_virtual_loss();
    }
}

/// References shared by all playouts of a search.
#[derive(Clone, Copy)]
pub struct PlayoutContext<'a> {
    pub tree: &'a Tree,
    pub root: &'a Position,
    /// Priors (with noise) and allowed moves at the root.
    pub root_policy: &'a RootPolicy,
    /// Constraints on moves below the root.
    pub constraints: &'a [Constraint],
    pub params: &'a SearchParams,
}

impl PlayoutContext<'_> {
    /// Claims the root as the leaf of a playout. Returns false if another thread has already claimed or expanded the
    /// root.
    pub fn claim_root(&self, path: &mut PlayoutPath) -> bool {
        let claimed = self.tree.root().claim();
        if claimed {
            path.restart(self.root);
            path.enter(self.tree, 0);
        }
        claimed
    }

    /// Resets the path to the root position without starting a playout.
    pub fn reset_to_root(&self, path: &mut PlayoutPath) {
        path.restart(self.root);
    }

    /// Selects the root as the leaf of `path` if it is only partially expanded, so that it can be
    /// [expanded fully](Self::expand_fully_and_release). Returns whether the root was selected.
    pub fn select_partially_expanded_root(&self, path: &mut PlayoutPath) -> bool {
        let is_partially_expanded = self.tree.is_partially_expanded(self.tree.root());
        if is_partially_expanded {
            path.restart(self.root);
            path.enter(self.tree, 0);
        }
        is_partially_expanded
    }

    /// Selects a leaf below the expanded root and adds a virtual loss to every node of the path.
    pub fn select_leaf(&self, path: &mut PlayoutPath) -> Selection {
        path.restart(self.root);
        let mut id = 0;
        loop {
            let node = self.tree.node(id);
            path.enter(self.tree, id);
            if path.position.ended() && id != 0 {
                return match terminal_outcome(self.params, &path.position) {
                    Some(outcome) => Selection::Terminal(outcome),
                    None => Selection::Leaf { expand: false },
                };
            }
            if path.nodes.len() > MAX_EXPANSION_DEPTH {
                return Selection::Leaf { expand: false };
            }
            match node.state() {
                ExpansionState::Fresh if node.claim() => return Selection::Leaf { expand: true },
                ExpansionState::Fresh | ExpansionState::Expanding => return Selection::Collision,
                ExpansionState::Expanded => {}
            }
            let to_move = path.position.to_move();
            let root_policy = (id == 0).then_some(self.root_policy);
            let depth = path.nodes.len() as u32 - 1;
            let is_forbidden = |mv| {
                // At the root, `root_policy` lists the allowed moves.
                let is_constrained = depth > 0 && !self.constraints.is_empty();
                is_constrained && !restriction::is_allowed(self.constraints, to_move, mv, depth)
            };
            if self.needs_all_edges(node, is_forbidden) {
                return Selection::NeedsAllEdges;
            }
            let Some(index) = select_edge(
                self.params,
                self.tree,
                node,
                to_move,
                root_policy,
                is_forbidden,
            ) else {
                return Selection::Leaf { expand: false };
            };
            let edge = &self.tree.edges(node)[index];
            path.position.play_unchecked(to_move, edge.mv());
            id = self.tree.get_or_create_child(edge);
        }
    }

    /// Returns true if the node is partially expanded, each of its edges has a child or a forbidden move, and the tree
    /// has space for the missing edges.
    fn needs_all_edges(&self, node: &Node, is_forbidden: impl Fn(Move) -> bool) -> bool {
        let is_exhausted = |edge: &Edge| edge.child().is_some() || is_forbidden(edge.mv());
        // The last edge is usually used last, so check it first.
        self.tree.is_partially_expanded(node)
            && self.tree.edges(node).iter().rev().all(is_exhausted)
            && !self.tree.is_full()
    }

    /// Removes one virtual loss from each of `nodes`.
    pub fn release_virtual_losses(&self, nodes: &[NodeId]) {
        for &id in nodes {
            self.tree.node(id).remove_virtual_loss();
        }
    }

    /// Cancels a playout. Releases the virtual losses on its path and, if `expand` is true, the claim on the leaf.
    pub fn abandon(&self, path: &PlayoutPath, expand: bool) {
        if expand {
            self.tree.node(path.leaf()).release();
        }
        self.release_virtual_losses(&path.nodes);
    }

    /// Adds the missing edges to the partially expanded node at the end of the path, and releases the virtual losses on
    /// the path.
    pub fn expand_fully_and_release(&self, path: &PlayoutPath, evaluation: &Evaluation) {
        let moves = sorted_moves(&path.position, evaluation);
        self.tree.expand_fully(path.leaf(), &moves);
        self.release_virtual_losses(&path.nodes);
    }

    /// Returns true if the leaf must get edges for all legal moves. Other leaves store only the first [`NUM_TOP_PRIORS`],
    /// because few nodes ever use more, and storing all moves on a large board would take ten times the memory. A node
    /// that later needs more edges is evaluated again.
    pub fn must_expand_fully(&self, path: &PlayoutPath) -> bool {
        // UCB1 visits every move once before it visits any move twice.
        path.nodes.last() == Some(&0) || self.params.formula == SelectionFormula::Ucb1
    }

    /// Backs up the evaluation along the path, and expands the leaf if it was claimed.
    pub fn apply_evaluation(&self, path: &PlayoutPath, evaluation: &Evaluation, expand: bool) {
        // Back up first, so that a thread that sees the expanded root also sees its value.
        self.back_up(path, &leaf_outcome(self.params, &path.position, evaluation));
        if expand {
            let mut moves = sorted_moves(&path.position, evaluation);
            let is_partially_expanded =
                !self.must_expand_fully(path) && moves.len() > NUM_TOP_PRIORS;
            if is_partially_expanded {
                moves.truncate(NUM_TOP_PRIORS);
            }
            self.tree
                .expand(path.leaf(), &moves, !is_partially_expanded);
        }
    }

    /// Records the outcome in every node of the path and releases the virtual losses on the path.
    pub fn back_up(&self, path: &PlayoutPath, outcome: &PlayoutOutcome) {
        for &id in &path.nodes {
            self.tree.node(id).complete_playout(outcome);
        }
    }
}

/// Returns the legal moves with their priors, highest prior first. Moves with equal priors are in row-major order, with
/// a pass last.
fn sorted_moves(position: &Position, evaluation: &Evaluation) -> Vec<(Move, f32)> {
    let size = position.size();
    let mut moves: Vec<(Move, f32)> = position
        .legal_points()
        .iter()
        .map(|point| (Move::Play(point), evaluation.policy[size.index(point)]))
        .collect();
    moves.push((Move::Pass, evaluation.policy[size.area()]));
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    moves
}

fn leaf_outcome(
    params: &SearchParams,
    position: &Position,
    evaluation: &Evaluation,
) -> PlayoutOutcome {
    let to_move = position.to_move();
    let outcome = unweighted_outcome(
        params,
        position,
        to_move.to_perspective(evaluation.value),
        to_move.to_perspective(evaluation.score_lead),
    );
    let errors = evaluation.details.and_then(|details| details.errors);
    let weight = errors.map_or(1.0, |errors| {
        uncertainty_weight(params, position, outcome.lead, &errors)
    });
    PlayoutOutcome { weight, ..outcome }
}

/// Computes the outcome of a playout with weight 1 from the result `value` and `lead`, both from Black's
/// perspective.
fn unweighted_outcome(
    params: &SearchParams,
    position: &Position,
    value: f32,
    lead: f32,
) -> PlayoutOutcome {
    let value = value.clamp(-1.0, 1.0);
    let lead = lead.clamp(-MAX_LEAD, MAX_LEAD);
    let ScaledScore { absolute, centered } = ScaledScore::new(params, position, lead);
    let score_utility = libm::tanhf(absolute);
    let lead_utility = centered / (1.0 + centered.abs());
    let utility = value_utility_weight(params) * value
        + params.score_weight * score_utility
        + params.lead_weight * lead_utility;
    PlayoutOutcome {
        utility,
        value,
        lead,
        weight: 1.0,
    }
}

/// A score, scaled for the score utility and for the lead utility.
struct ScaledScore {
    /// Score in multiples of `score_scale` board side lengths.
    absolute: f32,
    /// Difference between score and `lead_center`, in multiples of `lead_scale` board side lengths.
    centered: f32,
}

impl ScaledScore {
    fn new(params: &SearchParams, position: &Position, score: f32) -> Self {
        let board_side = mean_board_side(position);
        Self {
            absolute: score / (params.score_scale * board_side),
            centered: (score - params.lead_center) / (params.lead_scale * board_side),
        }
    }
}

fn mean_board_side(position: &Position) -> f32 {
    position.size().geometric_mean_side() as f32
}

fn value_utility_weight(params: &SearchParams) -> f32 {
    (1.0 - params.score_weight - params.lead_weight).max(0.0)
}

/// Returns the weight of an evaluation with predicted errors: `c / (e + c / m)`, where `e` is the error of the utility,
/// `c` is [`uncertainty_coeff`](SearchParams::uncertainty_coeff) and `m` is [`max_weight`](SearchParams::max_weight)
/// (Wu, "uncertainty weighting", KataGo's methods, 2021). The score error contributes in proportion to the slope of the
/// utility at this score. The weight is at least [`MIN_WEIGHT`]. Returns 1 if the weighting is disabled.
fn uncertainty_weight(
    params: &SearchParams,
    position: &Position,
    score: f32,
    errors: &UncertaintyEstimates,
) -> f32 {
    if params.uncertainty_coeff <= 0.0 {
        return 1.0;
    }
    let ScaledScore { absolute, centered } = ScaledScore::new(params, position, score);
    let tanh = libm::tanhf(absolute);
    let slope = params.score_weight * (1.0 - tanh * tanh) / params.score_scale
        + params.lead_weight
            / ((1.0 + centered.abs()) * (1.0 + centered.abs()))
            / params.lead_scale;
    let error = value_utility_weight(params) * errors.value
        + slope * errors.score / mean_board_side(position);
    let weight =
        params.uncertainty_coeff / (error.max(0.0) + params.uncertainty_coeff / params.max_weight);
    weight.clamp(MIN_WEIGHT, params.max_weight)
}

/// Returns the outcome of a finished game if it has no result, which counts as a draw, or if the rules count all stones
/// on the board as alive. Returns `None` otherwise, because the evaluator must then estimate which stones are dead.
fn terminal_outcome(params: &SearchParams, position: &Position) -> Option<PlayoutOutcome> {
    if position.has_no_result() {
        return Some(unweighted_outcome(params, position, 0.0, 0.0));
    }
    if position.rules().removes_dead_stones() {
        return None;
    }
    let score = count(position, &PointSet::EMPTY).score;
    let value = score
        .winner()
        .map_or(0.0, |winner| winner.to_perspective(1.0));
    Some(unweighted_outcome(
        params,
        position,
        value,
        score.black_lead_points(),
    ))
}
