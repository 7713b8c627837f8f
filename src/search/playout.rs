//! One playout in three verbs: gather a leaf, have it evaluated, apply what came back.

use super::node::{Edge, Node, NodeId, PlayoutOutcome, State};
use super::params::{Formula, SearchParams};
use super::restriction::{self, Constraint};
use super::select::{RootPolicy, select};
use super::tree::Tree;
use crate::eval::{Errors, Evaluation, TOP_MOVES};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::count;

/// Leads beyond are taken as this: keeps sums of scores in range, whatever an evaluator says.
const MAX_SCORE: f32 = 500.0;
/// The least weight of an evaluation.
const MIN_WEIGHT: f32 = 0.05;
/// Moves below the root after which a line is evaluated but not followed further: under simple ko it may go round for
/// ever.
const MAX_DEPTH: usize = 1_000;

/// Where a descent ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// At a position to evaluate; `expand` when its node was claimed for expansion.
    Leaf {
        /// Whether the evaluation's moves are to become the node's edges.
        expand: bool,
    },
    /// At the end of a game; the outcome is known without evaluating.
    Terminal(PlayoutOutcome),
    /// At a node that has followed all the moves it keeps: to be [completed](Ground::complete) once its position is
    /// evaluated again, before the next descent.
    NeedsAllEdges,
    /// At a node that another thread is expanding; nothing is in flight any more.
    Collision,
}

/// A thread's own record of one playout; keeps its allocations.
#[derive(Debug)]
pub struct Path {
    /// The position reached.
    pub position: Position,
    nodes: Vec<NodeId>,
}

impl Path {
    /// Room for playouts from positions like this one.
    pub fn new(root: &Position) -> Self {
        Self {
            position: root.clone(),
            nodes: Vec::new(),
        }
    }

    /// The node after the root's move, once there is one.
    pub fn root_child(&self) -> Option<NodeId> {
        self.nodes.get(1).copied()
    }

    /// Where the descent ended.
    fn leaf(&self) -> NodeId {
        *self.nodes.last().expect("a path has a node")
    }

    fn restart(&mut self, root: &Position) {
        self.position.clone_from(root);
        self.nodes.clear();
    }

    fn enter(&mut self, tree: &Tree, id: NodeId) {
        self.nodes.push(id);
        tree.node(id).enter();
    }
}

/// What every playout of a search shares.
#[derive(Clone, Copy)]
pub struct PlayoutContext<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The root's position.
    pub root: &'a Position,
    /// Noise and restrictions at the root.
    pub root_policy: &'a RootPolicy,
    /// What may not be followed below it.
    pub constraints: &'a [Constraint],
    /// The search's parameters.
    pub params: &'a SearchParams,
}

impl PlayoutContext<'_> {
    /// Claims a fresh root as the leaf of a playout; false when another thread has it.
    pub fn claim_root(&self, path: &mut Path) -> bool {
        let claimed = self.tree.root().claim();
        if claimed {
            path.restart(self.root);
            path.enter(self.tree, 0);
        }
        claimed
    }

    /// Goes to the root's position without a playout.
    pub fn reset_to_root(&self, path: &mut Path) {
        path.restart(self.root);
    }

    /// Goes to an expanded root and no further, as if a descent had found it short; false when it has all its moves.
    pub fn select_truncated_root(&self, path: &mut Path) -> bool {
        let is_truncated = self.tree.is_truncated(self.tree.root());
        if is_truncated {
            path.restart(self.root);
            path.enter(self.tree, 0);
        }
        is_truncated
    }

    /// Walks from the expanded root to a leaf, counting the playout as under way on every node of the path.
    pub fn select_leaf(&self, path: &mut Path) -> Selection {
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
            if path.nodes.len() > MAX_DEPTH {
                return Selection::Leaf { expand: false };
            }
            match node.state() {
                State::Fresh if node.claim() => return Selection::Leaf { expand: true },
                State::Fresh | State::Expanding => {
                    self.release_virtual_losses(path);
                    return Selection::Collision;
                }
                State::Expanded => {}
            }
            let to_move = path.position.to_move();
            let root_policy = (id == 0).then_some(self.root_policy);
            let depth = path.nodes.len() as u32 - 1;
            let is_forbidden = |mv| {
                // The root's choice has its own.
                let is_constrained = depth > 0 && !self.constraints.is_empty();
                is_constrained && !restriction::is_allowed(self.constraints, to_move, mv, depth)
            };
            if self.needs_all_edges(node, is_forbidden) {
                return Selection::NeedsAllEdges;
            }
            let Some(index) = select(
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

    /// Whether a node follows all the moves that it keeps, and has others.
    fn needs_all_edges(&self, node: &Node, is_forbidden: impl Fn(Move) -> bool) -> bool {
        let is_exhausted = |edge: &Edge| edge.child().is_some() || is_forbidden(edge.mv());
        // The last is the last to be followed.
        self.tree.is_truncated(node)
            && self.tree.edges(node).iter().rev().all(is_exhausted)
            && !self.tree.is_full()
    }

    fn release_virtual_losses(&self, path: &Path) {
        for &id in &path.nodes {
            self.tree.node(id).leave();
        }
    }

    /// Gives the claim on the leaf back, if there is one, and takes back the descent.
    pub fn abandon(&self, path: &Path, expand: bool) {
        if expand {
            self.tree.node(path.leaf()).release();
        }
        self.release_virtual_losses(path);
    }

    /// Gives the node that the descent found short all its moves, and takes back the descent.
    pub fn expand_fully(&self, path: &Path, evaluation: &Evaluation) {
        let moves = sorted_moves(&path.position, evaluation);
        self.tree.expand_fully(path.leaf(), &moves);
        self.release_virtual_losses(path);
    }

    /// Whether the leaf is to have all its moves at once. Others keep the [root_child](FIRST_MOVES): few of them ever follow
    /// as many, and all moves of a large board would take ten times the memory. Who wants to go on has the position
    /// evaluated again.
    pub fn needs_all_moves(&self, path: &Path) -> bool {
        // UCB1 follows every move before any a second time.
        path.leaf() == 0 || self.params.formula == Formula::Ucb1
    }

    /// Counts the playout on every node of the path, and expands the leaf if it was claimed.
    pub fn apply(&self, path: &Path, evaluation: &Evaluation, expand: bool) {
        // First, so that who sees the root expanded sees what is expected of it.
        self.back_up(path, &leaf_outcome(self.params, &path.position, evaluation));
        if expand {
            let mut moves = sorted_moves(&path.position, evaluation);
            let is_truncated = !self.needs_all_moves(path) && moves.len() > TOP_MOVES;
            if is_truncated {
                moves.truncate(TOP_MOVES);
            }
            self.tree.expand(path.leaf(), &moves, !is_truncated);
        }
    }

    /// Counts the playout on every node of the path.
    pub fn back_up(&self, path: &Path, outcome: &PlayoutOutcome) {
        for &id in &path.nodes {
            self.tree.node(id).record(outcome);
        }
    }
}

/// The legal moves with their priors, the highest first; equal priors stay in reading order, the pass last.
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
    let outcome = playout_outcome(
        params,
        position,
        to_move.to_perspective(evaluation.value),
        to_move.to_perspective(evaluation.score_lead),
    );
    let errors = evaluation.details.and_then(|details| details.errors);
    let weight = errors.map_or(1.0, |errors| {
        uncertainty_weight(params, position, outcome.score, &errors)
    });
    PlayoutOutcome { weight, ..outcome }
}

/// Mixes result and score, both from Black's side.
fn playout_outcome(
    params: &SearchParams,
    position: &Position,
    value: f32,
    score: f32,
) -> PlayoutOutcome {
    let value = value.clamp(-1.0, 1.0);
    let score = score.clamp(-MAX_SCORE, MAX_SCORE);
    let ScaledScore { absolute, centered } = ScaledScore::new(params, position, score);
    let score_utility = libm::tanhf(absolute);
    let lead_utility = centered / (1.0 + centered.abs());
    let utility = value_weight(params) * value
        + params.score_weight * score_utility
        + params.lead_weight * lead_utility;
    PlayoutOutcome {
        utility,
        value,
        score,
        weight: 1.0,
    }
}

/// A score in units of where its utilities flatten.
struct ScaledScore {
    absolute: f32,
    centered: f32,
}

impl ScaledScore {
    fn new(params: &SearchParams, position: &Position, score: f32) -> Self {
        let board_side = board_side(position);
        Self {
            absolute: score / (params.score_scale * board_side),
            centered: (score - params.lead_center) / (params.lead_scale * board_side),
        }
    }
}

fn board_side(position: &Position) -> f32 {
    position.size().mean_side() as f32
}

fn value_weight(params: &SearchParams) -> f32 {
    (1.0 - params.score_weight - params.lead_weight).max(0.0)
}

/// What an evaluation counts whose errors are foretold: `c / (e + c / m)`, where `e` is the error of its utility, `c`
/// [`certainty`](SearchParams::certainty) and `m` [`certainty_most`](SearchParams::certainty_most) (Wu, "uncertainty
/// weighting", KataGo's methods, 2021). An error of the score counts by the slope of the utility there.
fn uncertainty_weight(
    params: &SearchParams,
    position: &Position,
    score: f32,
    errors: &Errors,
) -> f32 {
    if params.certainty <= 0.0 {
        return 1.0;
    }
    let ScaledScore { absolute, centered } = ScaledScore::new(params, position, score);
    let tanh = libm::tanhf(absolute);
    let slope = params.score_weight * (1.0 - tanh * tanh) / params.score_scale
        + params.lead_weight
            / ((1.0 + centered.abs()) * (1.0 + centered.abs()))
            / params.lead_scale;
    let error = value_weight(params) * errors.value + slope * errors.score / board_side(position);
    let weight = params.certainty / (error.max(0.0) + params.certainty / params.certainty_most);
    weight.clamp(MIN_WEIGHT, params.certainty_most)
}

/// The outcome of a game that has ended under rules that count all stones on the board as alive. `None` under others,
/// where dead stones come off: the evaluator judges.
fn terminal_outcome(params: &SearchParams, position: &Position) -> Option<PlayoutOutcome> {
    if position.rules().removes_dead_stones() {
        return None;
    }
    let score = count(position, &PointSet::EMPTY).score;
    let value = score
        .winner()
        .map_or(0.0, |winner| winner.to_perspective(1.0));
    Some(playout_outcome(params, position, value, score.points()))
}
