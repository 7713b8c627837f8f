//! Tests of the search against formulas computed by hand, invariants of the tree, and the rules.

mod alphabeta;
mod batches;
mod bounds;
mod forced;
mod formulas;
mod nodes;
mod partially_expanded;
mod play;
mod repetition;
mod threads;

use std::collections::HashSet;
use std::sync::Arc;

use honinbo::eval::{Evaluation, Evaluator, NUM_TOP_PRIORS};
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::game::score::count;
use honinbo::random::splitmix64;
use honinbo::search::limits::SearchLimits;
use honinbo::search::node::{Edge, ExpansionState, NodeId};
use honinbo::search::params::SearchParams;
use honinbo::search::report::Report;
use honinbo::search::restriction::Restriction;
use honinbo::search::tree::Tree;
use honinbo::search::{Search, SearchConfig};

use crate::evaluator_fn::evaluator_fn;

/// Memory limit that no test reaches.
const TREE_BYTES: usize = 1 << 28;

/// Returns equal priors for all legal moves and a pass, and `value` for the side to move.
fn flat(position: &Position, value: f32) -> Evaluation {
    let size = position.size();
    let legal = position.legal_points();
    let prior = 1.0 / (legal.len() + 1) as f32;
    let mut policy = vec![0.0; size.area() + 1];
    for point in legal {
        policy[size.index(point)] = prior;
    }
    policy[size.area()] = prior;
    Evaluation {
        policy,
        value,
        ..Evaluation::default()
    }
}

/// Returns arbitrary but reproducible priors, value and lead for each board and side to move.
fn arbitrary(position: &Position) -> Evaluation {
    let seed = position.board().hash() ^ position.to_move().to_perspective(1i64) as u64;
    let number = |index: usize| (splitmix64(seed ^ index as u64) >> 44) as f32 / 1_048_576.0;
    let mut evaluation = flat(position, 2.0 * number(900) - 1.0);
    evaluation.score_lead = 20.0 * number(901) - 10.0;
    let weight = |index: usize| 0.01 + number(index).powi(4);
    for (index, prior) in evaluation.policy.iter_mut().enumerate() {
        *prior *= weight(index);
    }
    let total: f32 = evaluation.policy.iter().sum();
    evaluation
        .policy
        .iter_mut()
        .for_each(|prior| *prior /= total);
    evaluation
}

fn empty_board(side: usize, rules: &str) -> Position {
    let rules = Rules::parse(rules).expect("named rules");
    let komi = Komi::from_points(0.5).expect("a komi");
    let size = BoardSize::new(side, side).expect("a size");
    Position::new(size, rules.with_komi(komi))
}

/// Returns parameters under which the utility equals the result, so that sums can be computed from values.
fn result_only_params() -> SearchParams {
    SearchParams {
        score_weight: 0.0,
        lead_weight: 0.0,
        ..SearchParams::default()
    }
}

fn search(
    evaluator: Arc<dyn Evaluator>,
    root: &Position,
    params: SearchParams,
    threads: usize,
) -> Search {
    batch_search(evaluator, root, params, (threads, 1))
}

/// Returns a search with several threads, each of which evaluates up to `batch_size` leaves together.
fn batch_search(
    evaluator: Arc<dyn Evaluator>,
    root: &Position,
    params: SearchParams,
    (threads, batch_size): (usize, usize),
) -> Search {
    let setup = SearchConfig {
        threads,
        batch_size,
        tree_bytes: TREE_BYTES,
        seed: 1,
    };
    Search::new(evaluator, root.clone(), params, setup).expect("threads")
}

/// Returns a search with [`arbitrary`] evaluations. Its utility equals the result.
fn arbitrary_search(root: &Position, threads: usize) -> Search {
    let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
    search(evaluator, root, result_only_params(), threads)
}

/// Searches until the root has `visits` visits. No evaluation may fail.
fn run(search: &mut Search, visits: u64) -> Report {
    run_restricted(search, visits, Restriction::none())
}

/// Like [`run`], with restricted moves.
fn run_restricted(search: &mut Search, visits: u64, restriction: Restriction) -> Report {
    let report = search.run(SearchLimits::with_visits(visits), restriction);
    report.expect("no failure")
}

fn after(position: &Position, moves: &[Move]) -> Position {
    let mut position = position.clone();
    for &mv in moves {
        let color = position.to_move();
        position.play(color, mv).expect("a legal move");
    }
    position
}

/// Returns the visits of the root's child after `mv`.
fn visits_of(search: &Search, mv: Move) -> u32 {
    search
        .tree()
        .descendant(&[mv])
        .map_or(0, |id| search.tree().node(id).visits())
}

/// Counts collected while walking a tree.
#[derive(Default, Debug)]
struct TreeStats {
    expanded: usize,
    /// Partially expanded nodes, and nodes that were partially expanded before.
    partially_expanded: usize,
    expanded_later: usize,
    ended: usize,
    forbidden_by_ko: usize,
    /// Maximum number of evaluations of any expanded node.
    max_evaluations: u32,
}

/// Checks the invariants of a tree without running playouts, replaying every move by the rules: no playout is in
/// flight, the edges are the legal moves, and visits and sums equal the totals over the children plus the node's
/// outcomes. `value` repeats the evaluator's value for the side to move.
fn check_tree(search: &Search, value: &dyn Fn(&Position) -> f32) -> TreeStats {
    let mut stats = TreeStats::default();
    check_node(search.tree(), 0, search.root(), value, &mut stats);
    stats
}

fn check_node(
    tree: &Tree,
    id: NodeId,
    position: &Position,
    value: &dyn Fn(&Position) -> f32,
    stats: &mut TreeStats,
) {
    let node = tree.node(id);
    assert_eq!(node.in_flight(), 0);
    assert_ne!(node.state(), ExpansionState::Expanding);
    let (mut visits, mut utility) = (0, 0.0);
    for edge in tree.edges(node) {
        let Some(child) = edge.child() else { continue };
        check_node(tree, child, &after(position, &[edge.mv()]), value, stats);
        visits += tree.node(child).visits();
        utility += tree.node(child).utility_sum();
    }
    let own = node.visits() - visits;
    let is_over = position.ended() && id != 0;
    if is_over {
        assert_eq!(node.state(), ExpansionState::Fresh, "the game is over");
        stats.ended += 1;
    }
    let outcome = if is_over && position.has_no_result() {
        0.0
    } else if is_over && !position.rules().removes_dead_stones() {
        let winner = count(position, &PointSet::EMPTY).score.winner();
        winner.map_or(0.0, |winner| winner.to_perspective(1.0))
    } else {
        position
            .to_move()
            .to_perspective(f64::from(value(position)))
    };
    // The sums have a resolution of 2^-20.
    let error = node.utility_sum() - utility - f64::from(own) * outcome;
    assert!(
        error.abs() <= f64::from(own) * 1e-6,
        "{own} visits, off by {error}"
    );
    if node.state() == ExpansionState::Expanded {
        let (edges, moves) = (tree.edges(node), position.legal_points().len() + 1);
        if tree.is_partially_expanded(node) {
            assert!(edges.len() == NUM_TOP_PRIORS && moves > NUM_TOP_PRIORS);
            stats.partially_expanded += 1;
        } else {
            assert_eq!(edges.len(), moves);
            stats.expanded_later += usize::from(id != 0 && moves > NUM_TOP_PRIORS);
        }
        let known: HashSet<Move> = edges.iter().map(Edge::mv).collect();
        assert_eq!(known.len(), edges.len(), "moves are distinct");
        stats.expanded += 1;
        stats.forbidden_by_ko += usize::from(!position.ko_points().is_empty());
        stats.max_evaluations = stats.max_evaluations.max(own);
    }
}
