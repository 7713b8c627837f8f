//! Reuse of the tree when the root moves, and its memory limit.

use honinbo::game::point::Move;
use honinbo::game::position::Position;
use honinbo::game::rules::Komi;
use honinbo::search::node::{Edge, Node};
use honinbo::search::{Search, SearchConfig};

use crate::evaluator_fn::evaluator_fn;
use crate::search::{
    after, arbitrary, arbitrary_search, check_tree, empty_board, flat, result_only_params, run,
};

fn searched(root: &Position, visits: u64) -> Search {
    let mut search = arbitrary_search(root, 2);
    run(&mut search, visits);
    search
}

/// Returns the first `count` moves of the principal variation.
fn line(search: &Search, count: usize) -> Vec<Move> {
    let best = search
        .report()
        .moves
        .into_iter()
        .max_by_key(|report| report.visits);
    best.expect("moves were visited").pv[..count].to_vec()
}

#[test]
fn subtree_is_reused_after_its_moves() {
    let root = empty_board(5, "tromp-taylor");
    for count in 0..=3 {
        let mut search = searched(&root, 3_000);
        let moves = line(&search, count);
        let id = search.tree().descendant(&moves).expect("it is in the tree");
        let (kept, worth) = (
            search.tree().node(id).visits(),
            search.tree().node(id).outcome_stats(),
        );
        let old = search.tree().bytes();
        assert!(kept > 10);
        search.set_root(&after(&root, &moves));
        assert_eq!(search.tree().root().visits(), kept);
        assert_eq!(search.tree().root().outcome_stats(), worth);
        let stats = check_tree(&search, &|position| arbitrary(position).value);
        assert_eq!(stats.max_evaluations, 1);
        assert!(count == 0 || search.tree().bytes() < old);
        // The search continues up to the limit.
        let report = run(&mut search, u64::from(kept) + 100);
        assert_eq!(report.visits, kept + 100);
        check_tree(&search, &|position| arbitrary(position).value);
    }
}

#[test]
fn unrelated_root_discards_tree() {
    let root = empty_board(5, "tromp-taylor");
    let moves = line(&searched(&root, 500), 2);
    let size = root.size();
    let mut more_komi = after(&root, &moves);
    more_komi.set_rules(
        root.rules()
            .with_komi(Komi::from_points(9.5).expect("a komi")),
    );
    let mut other_side = after(&root, &moves);
    other_side.set_to_move(other_side.to_move().opposite());
    let mut twice = root.clone();
    for index in [0, 1] {
        twice
            .play(root.to_move(), Move::Play(size.point_at(index)))
            .expect("legal");
    }
    let unrelated = [
        ("another size", empty_board(4, "tromp-taylor")),
        ("other rules", empty_board(5, "japanese")),
        ("another komi", more_komi),
        ("the other side to move", other_side),
        ("two moves of one side", twice),
    ];
    for (what, position) in unrelated {
        let mut search = searched(&root, 500);
        search.set_root(&position);
        assert!(search.tree().has_fresh_root(), "{what}");
        assert_eq!(search.report().visits, 0, "{what}");
        run(&mut search, 50);
        check_tree(&search, &|position| arbitrary(position).value);
    }
    // The move is undone.
    let mut search = searched(&after(&root, &moves), 500);
    search.set_root(&root);
    assert!(search.tree().has_fresh_root());
}

/// Superko forbids Black's capture after one history but not after another, so the two must not share a tree.
#[test]
fn different_history_discards_tree() {
    let empty = empty_board(3, "tromp-taylor");
    let play = |text: &[&str]| {
        let size = empty.size();
        let moves: Vec<Move> = text.iter().filter_map(|t| size.parse_move(t)).collect();
        assert_eq!(moves.len(), text.len());
        after(&empty, &moves)
    };
    let one = play(&["A1", "B2", "C1", "C2", "pass", "pass"]);
    let other = play(&["C1", "C2", "A1", "B2", "pass", "pass"]);
    assert_eq!(one.board(), other.board());
    let mut search = searched(&one, 300);
    search.set_root(&one.clone());
    assert_eq!(search.tree().root().visits(), 300, "the same past keeps it");
    search.set_root(&other);
    assert!(search.tree().has_fresh_root());
}

#[test]
fn clear_discards_tree() {
    let mut search = searched(&empty_board(5, "chinese"), 300);
    search.clear_tree_and_table();
    assert!(search.tree().has_fresh_root() && search.report().moves.is_empty());
    run(&mut search, 30);
    assert_eq!(search.report().visits, 30);
}

#[test]
fn search_continues_at_memory_limit() {
    let root = empty_board(7, "chinese");
    let moves = root.size().area() + 1;
    for threads in [1, 4] {
        let bound = 200_000;
        let setup = SearchConfig {
            threads,
            batch_size: 1,
            tree_bytes: bound,
            seed: 1,
        };
        let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
        let mut search =
            Search::new(evaluator, root.clone(), result_only_params(), setup).expect("threads");
        let report = run(&mut search, 6_000);
        assert_eq!(report.visits, 6_000);
        let bytes = search.tree().bytes();
        assert!(bytes >= bound, "the bound was not reached: {bytes}");
        // The root's children, and nodes that each thread was adding.
        let slack =
            moves * size_of::<Node>() + threads * (moves * size_of::<Edge>() + size_of::<Node>());
        assert!(bytes <= bound + slack, "{bytes} > {bound} + {slack}");
        let stats = check_tree(&search, &|position| arbitrary(position).value);
        assert!(stats.expanded > 50, "{stats:?}");
        // After another move the tree is smaller, and the search continues.
        let next = after(&root, &line(&search, 1));
        search.set_root(&next);
        assert!(search.tree().bytes() < bytes);
        let visits = search.tree().root().visits();
        let report = run(&mut search, u64::from(visits) + 500);
        assert_eq!(report.visits, visits + 500);
        check_tree(&search, &|position| arbitrary(position).value);
    }
}

#[test]
fn search_without_memory_returns_move() {
    for threads in [1, 4] {
        let setup = SearchConfig {
            threads,
            batch_size: 1,
            tree_bytes: 0,
            seed: 1,
        };
        let evaluator = evaluator_fn(|position| Ok(flat(position, 0.0)));
        let root = empty_board(3, "chinese");
        let mut search =
            Search::new(evaluator, root, result_only_params(), setup).expect("threads");
        let report = run(&mut search, 200);
        assert_eq!((report.visits, report.moves.len()), (200, 10));
        check_tree(&search, &|_| 0.0);
    }
}
