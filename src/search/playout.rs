//! One playout in three verbs: gather a leaf, have it evaluated, apply what came back.

use super::node::{Edge, Node, NodeId, Outcome, State};
use super::params::{Formula, SearchParams};
use super::restriction::{self, Constraint};
use super::select::{RootChoice, select};
use super::tree::Tree;
use crate::eval::{Errors, Evaluation, FIRST_MOVES};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::count;

/// Leads beyond are taken as this: keeps sums of scores in range, whatever an evaluator says.
const MAX_SCORE: f32 = 500.0;
/// The least weight of an evaluation.
const LEAST_WEIGHT: f32 = 0.05;
/// Moves below the root after which a line is evaluated but not followed further: under simple ko it may go round for
/// ever.
const MAX_DEPTH: usize = 1_000;

/// Where a descent ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gathered {
    /// At a position to evaluate; `expand` when its node was claimed for expansion.
    Leaf {
        /// Whether the evaluation's moves are to become the node's edges.
        expand: bool,
    },
    /// At the end of a game; the outcome is known without evaluating.
    Ended(Outcome),
    /// At a node that has followed all the moves it keeps: to be [completed](Ground::complete) once its position is
    /// evaluated again, before the next descent.
    Short,
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
    #[must_use]
    pub fn new(root: &Position) -> Self {
        Self {
            position: root.clone(),
            nodes: Vec::new(),
        }
    }

    /// The node after the root's move, once there is one.
    #[must_use]
    pub fn first(&self) -> Option<NodeId> {
        self.nodes.get(1).copied()
    }

    /// Where the descent ended.
    fn last(&self) -> NodeId {
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
pub struct Ground<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The root's position.
    pub root: &'a Position,
    /// Noise and restrictions at the root.
    pub choice: &'a RootChoice,
    /// What may not be followed below it.
    pub constraints: &'a [Constraint],
    /// The search's parameters.
    pub params: &'a SearchParams,
}

impl Ground<'_> {
    /// Claims a fresh root as the leaf of a playout; false when another thread has it.
    pub fn gather_root(&self, path: &mut Path) -> bool {
        let claimed = self.tree.root().claim();
        if claimed {
            path.restart(self.root);
            path.enter(self.tree, 0);
        }
        claimed
    }

    /// Goes to the root's position without a playout.
    pub fn look_at_root(&self, path: &mut Path) {
        path.restart(self.root);
    }

    /// Goes to an expanded root and no further, as if a descent had found it short; false when it has all its moves.
    pub fn gather_short_root(&self, path: &mut Path) -> bool {
        let short = self.tree.is_short(self.tree.root());
        if short {
            path.restart(self.root);
            path.enter(self.tree, 0);
        }
        short
    }

    /// Walks from the expanded root to a leaf, counting the playout as under way on every node of the path.
    pub fn gather(&self, path: &mut Path) -> Gathered {
        path.restart(self.root);
        let mut id = 0;
        loop {
            let node = self.tree.node(id);
            path.enter(self.tree, id);
            if path.position.ended() && id != 0 {
                return match settled(self.params, &path.position) {
                    Some(outcome) => Gathered::Ended(outcome),
                    None => Gathered::Leaf { expand: false },
                };
            }
            if path.nodes.len() > MAX_DEPTH {
                return Gathered::Leaf { expand: false };
            }
            match node.state() {
                State::Fresh if node.claim() => return Gathered::Leaf { expand: true },
                State::Fresh | State::Expanding => {
                    self.leave(path);
                    return Gathered::Collision;
                }
                State::Expanded => {}
            }
            let to_move = path.position.to_move();
            let choice = (id == 0).then_some(self.choice);
            let depth = path.nodes.len() as u32 - 1;
            let barred = |mv| {
                // The root's choice has its own.
                let below = depth > 0 && !self.constraints.is_empty();
                below && !restriction::allow(self.constraints, to_move, mv, depth)
            };
            if self.has_used_up(node, barred) {
                return Gathered::Short;
            }
            let Some(index) = select(self.params, self.tree, node, to_move, choice, barred) else {
                return Gathered::Leaf { expand: false };
            };
            let edge = &self.tree.edges(node)[index];
            path.position.play_legal(to_move, edge.mv());
            id = self.tree.child_of(edge);
        }
    }

    /// Whether a node follows all the moves that it keeps, and has others.
    fn has_used_up(&self, node: &Node, barred: impl Fn(Move) -> bool) -> bool {
        let followed = |edge: &Edge| edge.child().is_some() || barred(edge.mv());
        // The last is the last to be followed.
        self.tree.is_short(node)
            && self.tree.edges(node).iter().rev().all(followed)
            && !self.tree.is_full()
    }

    fn leave(&self, path: &Path) {
        for &id in &path.nodes {
            self.tree.node(id).leave();
        }
    }

    /// Gives the claim on the leaf back, if there is one, and takes back the descent.
    pub fn abandon(&self, path: &Path, expand: bool) {
        if expand {
            self.tree.node(path.last()).release();
        }
        self.leave(path);
    }

    /// Gives the node that the descent found short all its moves, and takes back the descent.
    pub fn complete(&self, path: &Path, evaluation: &Evaluation) {
        let moves = moves(&path.position, evaluation);
        self.tree.complete(path.last(), &moves);
        self.leave(path);
    }

    /// Whether the leaf is to have all its moves at once. Others keep the [first](FIRST_MOVES): few of them ever follow
    /// as many, and all moves of a large board would take ten times the memory. Who wants to go on has the position
    /// evaluated again.
    #[must_use]
    pub fn needs_all_moves(&self, path: &Path) -> bool {
        // UCB1 follows every move before any a second time.
        path.last() == 0 || self.params.formula == Formula::Ucb1
    }

    /// Counts the playout on every node of the path, and expands the leaf if it was claimed.
    pub fn apply(&self, path: &Path, evaluation: &Evaluation, expand: bool) {
        // First, so that who sees the root expanded sees what is expected of it.
        self.count(path, &outcome(self.params, &path.position, evaluation));
        if expand {
            let mut moves = moves(&path.position, evaluation);
            let few = !self.needs_all_moves(path) && moves.len() > FIRST_MOVES;
            if few {
                moves.truncate(FIRST_MOVES);
            }
            self.tree.expand(path.last(), &moves, !few);
        }
    }

    /// Counts the playout on every node of the path.
    pub fn count(&self, path: &Path, outcome: &Outcome) {
        for &id in &path.nodes {
            self.tree.node(id).record(outcome);
        }
    }
}

/// The legal moves with their priors, the highest first; equal priors stay in reading order, the pass last.
fn moves(position: &Position, evaluation: &Evaluation) -> Vec<(Move, f32)> {
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

fn outcome(params: &SearchParams, position: &Position, evaluation: &Evaluation) -> Outcome {
    let own = position.to_move();
    let outcome = mix(
        params,
        position,
        own.from_black(evaluation.value),
        own.from_black(evaluation.score_lead),
    );
    let errors = evaluation.details.and_then(|details| details.errors);
    let weight = errors.map_or(1.0, |errors| {
        weight(params, position, outcome.score, &errors)
    });
    Outcome { weight, ..outcome }
}

/// Mixes result and score, both from Black's side.
fn mix(params: &SearchParams, position: &Position, value: f32, score: f32) -> Outcome {
    let value = value.clamp(-1.0, 1.0);
    let score = score.clamp(-MAX_SCORE, MAX_SCORE);
    let Felt { scaled, distance } = Felt::new(params, position, score);
    let from_score = libm::tanhf(scaled);
    let from_lead = distance / (1.0 + distance.abs());
    let utility = result_weight(params) * value
        + params.score_weight * from_score
        + params.lead_weight * from_lead;
    Outcome {
        utility,
        value,
        score,
        weight: 1.0,
    }
}

/// A score in units of where its utilities flatten.
struct Felt {
    scaled: f32,
    distance: f32,
}

impl Felt {
    fn new(params: &SearchParams, position: &Position, score: f32) -> Self {
        let side = side(position);
        Self {
            scaled: score / (params.score_scale * side),
            distance: (score - params.lead_center) / (params.lead_scale * side),
        }
    }
}

fn side(position: &Position) -> f32 {
    position.size().side() as f32
}

fn result_weight(params: &SearchParams) -> f32 {
    (1.0 - params.score_weight - params.lead_weight).max(0.0)
}

/// What an evaluation counts whose errors are foretold: `c / (e + c / m)`, where `e` is the error of its utility, `c`
/// [`certainty`](SearchParams::certainty) and `m` [`certainty_most`](SearchParams::certainty_most) (Wu, "uncertainty
/// weighting", KataGo's methods, 2021). An error of the score counts by the slope of the utility there.
fn weight(params: &SearchParams, position: &Position, score: f32, errors: &Errors) -> f32 {
    if params.certainty <= 0.0 {
        return 1.0;
    }
    let Felt { scaled, distance } = Felt::new(params, position, score);
    let flat = libm::tanhf(scaled);
    let slope = params.score_weight * (1.0 - flat * flat) / params.score_scale
        + params.lead_weight
            / ((1.0 + distance.abs()) * (1.0 + distance.abs()))
            / params.lead_scale;
    let error = result_weight(params) * errors.value + slope * errors.score / side(position);
    let weight = params.certainty / (error.max(0.0) + params.certainty / params.certainty_most);
    weight.clamp(LEAST_WEIGHT, params.certainty_most)
}

/// The outcome of a game that has ended under rules that count all stones on the board as alive. `None` under others,
/// where dead stones come off: the evaluator judges.
fn settled(params: &SearchParams, position: &Position) -> Option<Outcome> {
    if position.rules().removes_dead_stones() {
        return None;
    }
    let score = count(position, &PointSet::EMPTY).score;
    let value = score.winner().map_or(0.0, |winner| winner.from_black(1.0));
    Some(mix(params, position, value, score.points()))
}
