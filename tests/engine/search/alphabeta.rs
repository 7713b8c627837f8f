//! Alpha-beta compared with plain minimax, which searches every line.

use honinbo::eval::uniform::UniformEvaluator;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;
use honinbo::search::alphabeta::static_eval::{UNITS_PER_POINT, static_eval};
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::{Algorithm, SearchParams};
use honinbo::search::report::Report;
use honinbo::search::restriction::{Constraint, ConstraintKind, Restriction};
use honinbo::search::{Search, SearchConfig};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::search::after;

fn search(root: &Position, depth: Option<u32>, seed: u64) -> Search {
    let params = SearchParams {
        algorithm: Algorithm::AlphaBeta { depth },
        ..SearchParams::default()
    };
    let setup = SearchConfig {
        threads: 1,
        batch_size: 1,
        tree_bytes: 1 << 20,
        seed,
    };
    Search::new(Arc::new(UniformEvaluator), root.clone(), params, setup).expect("threads")
}

fn read(root: &Position, depth: u32, restriction: Restriction) -> Report {
    search(root, Some(depth), 1)
        .run(SearchLimits::default(), restriction)
        .expect("nothing that can fail")
}

fn moves(position: &Position) -> Vec<Move> {
    let points = position.legal_points();
    points.iter().map(Move::Play).chain([Move::Pass]).collect()
}

fn names(position: &Position, moves: impl Iterator<Item = Move>) -> BTreeSet<String> {
    moves.map(|mv| position.size().format_move(mv)).collect()
}

fn points(value: i32) -> f64 {
    f64::from(value) / f64::from(UNITS_PER_POINT)
}

/// Returns the minimax value for the side to move if White may play only moves for which `allows_white` returns true.
/// `nodes` counts the positions.
fn minimax(
    position: &Position,
    depth: u32,
    nodes: &mut u64,
    allows_white: fn(Move) -> bool,
) -> i32 {
    *nodes += 1;
    if depth == 0 || position.ended() {
        return position.to_move().to_perspective(static_eval(position));
    }
    let mut moves = moves(position);
    moves.retain(|&mv| position.to_move() == Color::Black || allows_white(mv));
    let values = moves
        .into_iter()
        .map(|mv| -minimax(&after(position, &[mv]), depth - 1, nodes, allows_white));
    values.max().expect("a pass is always legal")
}

/// Returns a position after `played` random moves.
fn random(size: (usize, usize), rules: &str, played: usize, rng: &mut Rng) -> Position {
    let size = BoardSize::new(size.0, size.1).expect("a size");
    let mut position = Position::new(size, Rules::named(rules).expect("named rules"));
    for _ in 0..played {
        let moves = moves(&position);
        // Passes are rare, so that games are long.
        let mv = moves[rng.below(moves.len())];
        position = after(&position, &[mv]);
    }
    position
}

#[test]
fn alpha_beta_matches_minimax_with_fewer_nodes() {
    let mut rng = Rng::new(8);
    let (mut minimax_nodes, mut alpha_beta_nodes) = (0, 0);
    for (size, depth, count) in [
        ((2, 2), 6, 10),
        ((3, 3), 4, 10),
        ((4, 3), 4, 6),
        ((5, 5), 3, 6),
        ((7, 7), 3, 2),
    ] {
        for (index, rules) in ["tromp-taylor", "japanese", "chinese"]
            .iter()
            .cycle()
            .take(count)
            .enumerate()
        {
            let root = random(size, rules, index * 2, &mut rng);
            let mut nodes = 0;
            let mut value_of = |mv| -minimax(&after(&root, &[mv]), depth - 1, &mut nodes, |_| true);
            let moves = moves(&root).into_iter();
            let values: Vec<(i32, Move)> = moves.map(|mv| (value_of(mv), mv)).collect();
            let best = values.iter().map(|(value, _)| *value).max();
            let best = best.expect("a pass");
            let equal = values.iter().filter(|(value, _)| *value == best);
            let equal = names(&root, equal.map(|(_, mv)| *mv));
            let report = read(&root, depth, Restriction::none());
            let reported = names(&root, report.moves.iter().map(|found| found.mv));
            assert_eq!(report.values.score_lead, points(best));
            assert_eq!(reported, equal, "{size:?} {rules} {index}");
            minimax_nodes += nodes;
            alpha_beta_nodes += u64::from(report.visits);
        }
    }
    println!(
        "minimax {minimax_nodes} nodes, alpha-beta {alpha_beta_nodes} including earlier depths"
    );
    // Larger boards save far more. Here, all equally good moves are distinguished from the others as well.
    assert!(
        6 * alpha_beta_nodes < minimax_nodes,
        "{alpha_beta_nodes} of {minimax_nodes}"
    );
}

#[test]
fn principal_variation_leads_to_value() {
    let mut rng = Rng::new(9);
    for played in 0..12 {
        let root = random((5, 4), "chinese", played, &mut rng);
        let report = read(&root, 3, Restriction::none());
        for found in &report.moves {
            let end = after(&root, &found.pv);
            let worth = root.to_move().to_perspective(static_eval(&end));
            assert_eq!(found.values.score_lead, points(worth));
            assert_eq!(found.pv[0], found.mv);
        }
    }
}

#[test]
fn seed_selects_among_equal_moves() {
    let root = Position::new(BoardSize::new(4, 4).expect("a size"), Rules::default());
    let draw = |seed| {
        let report = search(&root, Some(1), seed).run(SearchLimits::default(), Restriction::none());
        report.expect("nothing that can fail").moves[0].mv
    };
    let drawn = names(&root, (0..40).map(draw));
    // The four central points are equivalent by symmetry.
    let middle = ["B2", "B3", "C2", "C3"].map(str::to_owned);
    assert_eq!(drawn, BTreeSet::from(middle));
    assert_eq!(draw(3), draw(3));
}

#[test]
fn restrictions_and_limits_are_respected() {
    let root = Position::new(BoardSize::STANDARD, Rules::default());
    let only = Restriction::only(vec![Move::Pass]);
    let report = read(&root, 2, only);
    assert_eq!(report.moves.len(), 1);
    assert_eq!(
        (report.moves[0].mv, report.to_move),
        (Move::Pass, Color::Black)
    );
    assert!(
        read(&root, 2, Restriction::only(Vec::new()))
            .moves
            .is_empty()
    );
    // Without any time, depth 1 is still completed.
    let limits = SearchLimits {
        time: Some(Duration::ZERO),
        ..SearchLimits::default()
    };
    let report = search(&root, None, 1)
        .run(limits, Restriction::none())
        .expect("no failure");
    assert_eq!(report.visits, 362);
    assert!(!report.moves.is_empty());
}

#[test]
fn constraints_apply_below_root() {
    let size = BoardSize::new(4, 3).expect("a size");
    let constraints = [Constraint {
        color: Color::White,
        kind: ConstraintKind::Avoid,
        moves: size.points().map(Move::Play).collect(),
        depth: 10,
    }];
    let mut rng = Rng::new(8);
    for played in (0..16).step_by(2) {
        let root = random((4, 3), "tromp-taylor", played, &mut rng);
        if root.ended() {
            continue;
        }
        let report = read(
            &root,
            3,
            Restriction::from_constraints(&constraints, Color::Black),
        );
        for reported in &report.moves {
            let mut replies = reported.pv.iter().skip(1).step_by(2);
            assert!(replies.all(|&mv| mv == Move::Pass));
        }
        let value = minimax(&root, 3, &mut 0, |mv| mv == Move::Pass);
        assert_eq!(report.values.score_lead, points(value), "{played}");
    }
}

#[test]
fn visit_limit_ends_search_without_depth() {
    let root = Position::new(BoardSize::STANDARD, Rules::default());
    for (visits, depths) in [(1, 1), (100_000, 2)] {
        let mut search = search(&root, None, 1);
        let report = search.run(SearchLimits::visits(visits), Restriction::none());
        let report = report.expect("nothing that can fail");
        // Depth 1 searches all 362 moves and is always completed.
        assert!(report.visits >= 362);
        assert_eq!(report.moves[0].pv.len(), depths, "{visits}");
    }
}
