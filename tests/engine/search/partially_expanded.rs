//! Partially expanded nodes: they store their first moves only, and get the others when those are in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use honinbo::eval::NUM_TOP_PRIORS;
use honinbo::game::color::Color;
use honinbo::game::point::{Move, Point};
use honinbo::game::position::Position;
use honinbo::search::Search;
use honinbo::search::params::SearchParams;
use honinbo::search::restriction::{Constraint, ConstraintKind, Restriction};

use crate::evaluator_fn::evaluator_fn;
use crate::search::{
    after, check_tree, empty_board, flat, result_only_params, run_restricted, search,
};

/// 49 points: slightly more than twice the moves of a partially expanded node.
const SIDE: usize = 7;

/// Black's first move in all tests.
const FIRST: Move = Move::Play(Point::at(3, 3));

/// Returns a search with equal moves, none of which stays unvisited for long, and its number of evaluations.
fn uniform_search(root: &Position, threads: usize) -> (Search, Arc<AtomicUsize>) {
    let evaluations = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&evaluations);
    let evaluator = evaluator_fn(move |position| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(flat(position, 0.0))
    });
    let params = SearchParams {
        fpu_reduction: 0.0,
        root_fpu_reduction: 0.0,
        ..result_only_params()
    };
    (search(evaluator, root, params, threads), evaluations)
}

fn run(search: &mut Search, visits: u64, restriction: Restriction) {
    let report = run_restricted(search, visits, restriction);
    assert_eq!(u64::from(report.visits), visits);
}

/// Returns the visited moves after `FIRST`.
fn visited_replies(search: &Search) -> Vec<Move> {
    let tree = search.tree();
    let id = tree.descendant(&[FIRST]).expect("it was visited");
    let edges = tree.edges(tree.node(id)).iter();
    edges
        .filter(|edge| edge.child().is_some_and(|id| tree.node(id).visits() > 0))
        .map(|edge| edge.mv())
        .collect()
}

#[test]
fn partially_expanded_node_expands_when_exhausted() {
    // The root, `FIRST`, and then each reply once.
    let moves = SIDE * SIDE;
    for (visits, followed, again) in [
        (2 + NUM_TOP_PRIORS, NUM_TOP_PRIORS, 0),
        (3 + NUM_TOP_PRIORS, NUM_TOP_PRIORS + 1, 1),
        (2 + moves, moves, 1),
    ] {
        let (mut search, evaluations) = uniform_search(&empty_board(SIDE, "chinese"), 1);
        run(&mut search, visits as u64, Restriction::only(vec![FIRST]));
        assert_eq!(visited_replies(&search).len(), followed);
        let stats = check_tree(&search, &|_| 0.0);
        assert_eq!((stats.expanded, stats.expanded_later), (visits, again));
        assert_eq!(evaluations.load(Ordering::Relaxed), visits + again);
    }
}

#[test]
fn concurrent_full_expansion_loses_no_visits() {
    for threads in [2, 8] {
        let (mut search, _) = uniform_search(&empty_board(SIDE, "chinese"), threads);
        run(&mut search, 4_000, Restriction::only(vec![FIRST]));
        assert_eq!(visited_replies(&search).len(), SIDE * SIDE);
        let stats = check_tree(&search, &|_| 0.0);
        assert_eq!(stats.max_evaluations, 1, "a node is evaluated once");
        assert!(
            stats.partially_expanded > 1_000 && stats.expanded_later > 1,
            "{stats:?}"
        );
    }
}

#[test]
fn new_root_is_expanded_fully() {
    let (mut search, evaluations) = uniform_search(&empty_board(SIDE, "chinese"), 2);
    run(&mut search, 12, Restriction::only(vec![FIRST]));
    search.set_root(&after(search.root(), &[FIRST]));
    assert!(search.tree().is_partially_expanded(search.tree().root()));
    let before = evaluations.load(Ordering::Relaxed);
    // A pass is the last of the equal moves.
    run(&mut search, 20, Restriction::only(vec![Move::Pass]));
    let root = search.tree().root();
    assert_eq!(search.tree().edges(root).len(), SIDE * SIDE);
    let stats = check_tree(&search, &|_| 0.0);
    assert_eq!(stats.max_evaluations, 1);
    let moves = search.report().moves;
    assert_eq!((moves.len(), moves[0].mv), (1, Move::Pass));
    // Nine visits, and one more evaluation of the root for each thread that found it partially expanded.
    let more = evaluations.load(Ordering::Relaxed) - before;
    assert!((9 + 1..=9 + 2).contains(&more), "{more}");
}

#[test]
fn constraints_apply_to_all_edges() {
    let constraint = |color, kind, moves: &[Move]| Constraint {
        color,
        kind,
        moves: moves.iter().copied().collect(),
        depth: 3,
    };
    // With equal priors, the order is row by row, so these moves come last.
    let allowed = [Move::Play(Point::at(6, 6)), Move::Pass];
    let constraints = [
        constraint(Color::Black, ConstraintKind::Allow, &[FIRST]),
        constraint(Color::White, ConstraintKind::Allow, &allowed),
    ];
    let (mut search, _) = uniform_search(&empty_board(SIDE, "chinese"), 2);
    run(
        &mut search,
        40,
        Restriction::from_constraints(&constraints, Color::Black),
    );
    assert_eq!(visited_replies(&search), allowed);
    check_tree(&search, &|_| 0.0);
}
