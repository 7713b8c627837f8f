//! Repetition in searches: no search considers a move that repeats a position under superko, and a repetition that ends
//! the game without a result counts as a draw.

use std::sync::Arc;

use honinbo::eval::cache::Cache;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::Move;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::search::alphabeta::options::AlphaBetaOptions;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::{Algorithm, SearchParams};
use honinbo::search::restriction::Restriction;

use crate::evaluator_fn::{evaluate, evaluator_fn};
use crate::search::{
    after, arbitrary, arbitrary_search, check_tree, flat, result_only_params, run, run_restricted,
    search,
};

const TRIPLE_KO: &str = "
    . X O . . X O . . X O .
    X O . O X . X O X O . O
    . X O . . X O . . X O .
    . . . . . . . . . . . .";
/// In this cycle, each side takes every ko once. The last move leads back to the first position.
const CYCLE: [&str; 6] = ["C3", "F3", "L3", "B3", "G3", "K3"];

/// Returns the position of the triple ko after `count` moves of the repeated cycle.
fn triple_ko_after(count: usize, rules: Rules) -> Position {
    let start = Position::from_board(
        diagram::parse_board(TRIPLE_KO).unwrap(),
        Color::Black,
        rules,
    );
    let moves = CYCLE.iter().cycle().take(count);
    let moves: Vec<Move> = moves.map(|vertex| parse(&start, vertex)).collect();
    after(&start, &moves)
}

fn parse(position: &Position, vertex: &str) -> Move {
    position.size().parse_move(vertex).unwrap()
}

fn simple_ko() -> Rules {
    Rules::parse("chinese").unwrap()
}

#[test]
fn tree_contains_no_repetition() {
    let root = triple_ko_after(5, Rules::default());
    let repetition = parse(&root, CYCLE[5]);
    let mut search = arbitrary_search(&root, 2);
    run(&mut search, 2_000);
    // The check replays every move by the rules.
    let stats = check_tree(&search, &|position| arbitrary(position).value);
    assert!(stats.forbidden_by_ko > 1, "{stats:?}");
    let tree = search.tree();
    assert!(
        tree.edges(tree.root())
            .iter()
            .all(|edge| edge.mv() != repetition)
    );
}

#[test]
fn cached_policy_depends_on_repetitions() {
    let cache = Cache::new(HashEvaluator, 1);
    let root = triple_ko_after(5, Rules::default());
    let point = parse(&root, CYCLE[5]).point().unwrap();
    let index = root.size().index(point);
    // The same board without its history, where the move is legal.
    let without_history = root.without_history(root.to_move());
    for (position, is_legal) in [
        (&without_history, true),
        (&root, false),
        (&without_history, true),
    ] {
        let policy = evaluate(&cache, position).unwrap().policy;
        assert_eq!(policy[index] > 0.0, is_legal);
    }
}

#[test]
fn third_occurrence_is_valued_as_draw() {
    let root = triple_ko_after(11, simple_ko());
    let repetition = parse(&root, CYCLE[5]);
    assert!(after(&root, &[repetition]).has_no_result());
    let evaluator = evaluator_fn(|position| Ok(flat(position, 0.75)));
    let mut search = search(evaluator, &root, result_only_params(), 2);
    let restriction = Restriction::only(vec![repetition]);
    let report = run_restricted(&mut search, 21, restriction);
    let values = report.moves[0].values;
    assert_eq!(
        (values.utility, values.winrate, values.score_lead),
        (0.0, 0.5, 0.0)
    );
    assert_eq!(report.moves[0].pv, [repetition], "nothing follows the end");
}

#[test]
fn alpha_beta_follows_repetition_rules() {
    let params = SearchParams {
        algorithm: Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(Some(1))),
        ..SearchParams::default()
    };
    for (rules, is_legal) in [(Rules::default(), false), (simple_ko(), true)] {
        let root = triple_ko_after(if is_legal { 11 } else { 5 }, rules);
        let repetition = parse(&root, CYCLE[5]);
        let evaluator = Arc::new(HashEvaluator);
        let mut search = search(evaluator, &root, params.clone(), 1);
        let restriction = Restriction::only(vec![repetition]);
        let report = search.run(SearchLimits::default(), restriction).unwrap();
        if is_legal {
            assert_eq!(report.moves[0].values.score_lead, 0.0, "no result");
        } else {
            assert!(report.moves.is_empty());
        }
    }
}
