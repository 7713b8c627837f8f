//! Nodes that keep the first of their moves, and get the others when they have followed those.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use honinbo::eval::TOP_MOVES;
use honinbo::game::color::Color;
use honinbo::game::point::{Move, Point};
use honinbo::game::position::Position;
use honinbo::search::Search;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::SearchParams;
use honinbo::search::restriction::{Constraint, ConstraintKind, Restriction};

use crate::search::{by, check_tree, empty_board, flat, result_alone, search};

/// 49 points: twice as many moves as a node keeps at first, and one more or two.
const SIDE: usize = 7;

/// The point that Black begins with in all of these.
const FIRST: Move = Move::Play(Point::at(3, 3));

/// A search in which every move looks like any other and none is left out for long, and the evaluations that it has asked
/// for.
fn indifferent(root: &Position, threads: usize) -> (Search, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let evaluator = by(move |position| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(flat(position, 0.0))
    });
    let params = SearchParams {
        fpu_reduction: 0.0,
        root_fpu_reduction: 0.0,
        ..result_alone()
    };
    (search(evaluator, root, params, threads), asked)
}

fn run(search: &mut Search, visits: u64, restriction: Restriction) {
    let report = search.run(SearchLimits::visits(visits), restriction);
    assert_eq!(u64::from(report.expect("no failure").visits), visits);
}

/// The moves from the node after `FIRST` that were visited.
fn answers(search: &Search) -> Vec<Move> {
    let tree = search.tree();
    let id = tree.descendant(&[FIRST]).expect("it was visited");
    let edges = tree.edges(tree.node(id)).iter();
    edges
        .filter(|edge| edge.child().is_some_and(|id| tree.node(id).visits() > 0))
        .map(|edge| edge.mv())
        .collect()
}

#[test]
fn a_node_gets_the_other_moves_when_it_has_followed_the_first() {
    // The root, FIRST, and then each answer once.
    let moves = SIDE * SIDE;
    for (visits, followed, again) in [
        (2 + TOP_MOVES, TOP_MOVES, 0),
        (3 + TOP_MOVES, TOP_MOVES + 1, 1),
        (2 + moves, moves, 1),
    ] {
        let (mut search, asked) = indifferent(&empty_board(SIDE, "chinese"), 1);
        run(&mut search, visits as u64, Restriction::only(vec![FIRST]));
        assert_eq!(answers(&search).len(), followed);
        let census = check_tree(&search, &|_| 0.0);
        assert_eq!((census.expanded, census.completed), (visits, again));
        assert_eq!(asked.load(Ordering::Relaxed), visits + again);
    }
}

#[test]
fn threads_that_meet_at_a_short_node_lose_nothing() {
    for threads in [2, 8] {
        let (mut search, _) = indifferent(&empty_board(SIDE, "chinese"), threads);
        run(&mut search, 4_000, Restriction::only(vec![FIRST]));
        assert_eq!(answers(&search).len(), SIDE * SIDE);
        let census = check_tree(&search, &|_| 0.0);
        assert_eq!(census.most_own, 1, "a node is evaluated once");
        assert!(census.short > 1_000 && census.completed > 1, "{census:?}");
    }
}

#[test]
fn the_root_has_all_its_moves_wherever_it_was_before() {
    let (mut search, asked) = indifferent(&empty_board(SIDE, "chinese"), 2);
    run(&mut search, 12, Restriction::only(vec![FIRST]));
    let mut after = search.root().clone();
    after.play(Color::Black, FIRST).expect("legal");
    search.set_root(&after);
    assert!(search.tree().is_truncated(search.tree().root()));
    let before = asked.load(Ordering::Relaxed);
    // The last of all equal moves.
    run(&mut search, 20, Restriction::only(vec![Move::Pass]));
    let root = search.tree().root();
    assert_eq!(search.tree().edges(root).len(), SIDE * SIDE);
    let census = check_tree(&search, &|_| 0.0);
    assert_eq!(census.most_own, 1);
    let moves = search.report().moves;
    assert_eq!((moves.len(), moves[0].mv), (1, Move::Pass));
    // Nine visits, and the root once again for each thread that found it short.
    let more = asked.load(Ordering::Relaxed) - before;
    assert!((9 + 1..=9 + 2).contains(&more), "{more}");
}

#[test]
fn bans_below_the_root_do_not_end_at_the_first_moves() {
    let constraint = |color, kind, moves: &[Move]| Constraint {
        color,
        kind,
        moves: moves.iter().copied().collect(),
        depth: 3,
    };
    // By equal priors in reading order, these come last.
    let allowed = [Move::Play(Point::at(6, 6)), Move::Pass];
    let constraints = [
        constraint(Color::Black, ConstraintKind::Allow, &[FIRST]),
        constraint(Color::White, ConstraintKind::Allow, &allowed),
    ];
    let (mut search, _) = indifferent(&empty_board(SIDE, "chinese"), 2);
    run(
        &mut search,
        40,
        Restriction::from_constraints(&constraints, Color::Black),
    );
    assert_eq!(answers(&search), allowed);
    check_tree(&search, &|_| 0.0);
}
