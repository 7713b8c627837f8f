//! Alpha-beta compared with minimax, which searches every line, and the properties of its results.

use honinbo::eval::uniform::UniformEvaluator;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;
use honinbo::search::alphabeta::line::Line;
use honinbo::search::alphabeta::options::{AlphaBetaOptions, Pruning};
use honinbo::search::alphabeta::quiescence::Quiescence;
use honinbo::search::alphabeta::static_eval::StaticEval;
use honinbo::search::alphabeta::value::{UNITS_PER_POINT, Window};
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
    let algorithm = Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(depth));
    search_with(root, algorithm, 1, seed)
}

fn search_with(root: &Position, algorithm: Algorithm, threads: usize, seed: u64) -> Search {
    let params = SearchParams {
        algorithm,
        ..SearchParams::default()
    };
    let setup = SearchConfig {
        threads,
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

/// Returns a position after `played` random moves.
fn random(size: (usize, usize), rules: &str, played: usize, rng: &mut Rng) -> Position {
    let size = BoardSize::new(size.0, size.1).expect("a size");
    let mut position = Position::new(size, Rules::parse(rules).expect("named rules"));
    for _ in 0..played {
        let moves = moves(&position);
        // Passes are rare, so that games are long.
        let mv = moves[rng.below(moves.len())];
        position = after(&position, &[mv]);
    }
    position
}

/// Ways to run the alpha-beta search that must not change its results.
const EXACT_VARIANTS: [(bool, usize); 3] = [(false, 1), (true, 1), (true, 2)];

fn exact(depth: u32, uses_table: bool) -> Algorithm {
    Algorithm::AlphaBeta(AlphaBetaOptions {
        depth: Some(depth),
        pruning: Pruning::Exact,
        uses_table,
    })
}

fn run(root: &Position, algorithm: Algorithm, threads: usize) -> Report {
    let mut search = search_with(root, algorithm, threads, 1);
    let report = search.run(SearchLimits::default(), Restriction::none());
    report.expect("nothing that can fail")
}

/// Asserts that alpha-beta without pruning finds the value and the best moves of minimax. Returns the numbers of nodes
/// of minimax and of alpha-beta without a table, without quiescence search.
fn assert_matches_minimax(root: &Position, depth: u32) -> (u64, u64) {
    let minimax = run(root, Algorithm::Minimax { depth }, 1);
    let best = minimax.values.score_lead;
    let equal = minimax
        .moves
        .iter()
        .filter(|mv| mv.values.score_lead == best);
    let equal = names(root, equal.map(|report| report.mv));
    let nodes = |report: &Report| report.depth_stats.expect("a search to a depth").main_nodes;
    let mut alpha_beta_nodes = 0;
    for (uses_table, threads) in EXACT_VARIANTS {
        let report = run(root, exact(depth, uses_table), threads);
        let context = format!(
            "depth {depth}, table {uses_table}, {threads} threads:\n{}",
            diagram::to_diagram(root.board())
        );
        assert_eq!(report.values.score_lead, best, "{context}");
        let reported = names(root, report.moves.iter().map(|report| report.mv));
        assert_eq!(reported, equal, "{context}");
        if !uses_table {
            alpha_beta_nodes = nodes(&report);
        }
    }
    (nodes(&minimax), alpha_beta_nodes)
}

const RULES: [&str; 4] = ["tromp-taylor", "japanese", "chinese", "aga"];

#[test]
fn exact_search_matches_minimax() {
    let mut rng = Rng::new(8);
    let (mut minimax_nodes, mut alpha_beta_nodes) = (0, 0);
    for (size, max_depth, count) in [
        ((2, 2), 4, 12),
        ((3, 2), 4, 8),
        ((3, 3), 4, 6),
        ((4, 3), 3, 6),
        ((4, 4), 3, 4),
        ((5, 5), 2, 4),
        ((7, 7), 2, 4),
    ] {
        for (index, rules) in RULES.iter().cycle().take(count).enumerate() {
            let root = random(size, rules, index * 3, &mut rng);
            for depth in 1..=max_depth {
                let (minimax, alpha_beta) = assert_matches_minimax(&root, depth);
                minimax_nodes += minimax;
                alpha_beta_nodes += alpha_beta;
            }
        }
    }
    // Larger boards save far more. Here, all equally good moves are distinguished from the others as well, and the
    // smaller depths are counted.
    assert!(
        3 * alpha_beta_nodes < minimax_nodes,
        "minimax {minimax_nodes} nodes, alpha-beta {alpha_beta_nodes}"
    );
}

/// The larger comparison of `scripts/release-tests`: depths 1 to 4 on boards up to 4x4, and depth 3 on 200 positions of
/// 7x7. The environment variable `HONINBO_LONG_TESTS` enables it.
#[test]
fn exact_search_matches_minimax_on_larger_boards() {
    if std::env::var_os("HONINBO_LONG_TESTS").is_none() {
        return;
    }
    let mut rng = Rng::new(9);
    for size in [(2, 2), (3, 2), (3, 3), (4, 3), (4, 4)] {
        for (index, rules) in RULES.iter().cycle().take(12).enumerate() {
            let root = random(size, rules, index * 2, &mut rng);
            for depth in 1..=4 {
                assert_matches_minimax(&root, depth);
            }
        }
    }
    for (index, rules) in RULES.iter().cycle().take(200).enumerate() {
        let root = random((7, 7), rules, index % 50, &mut rng);
        assert_matches_minimax(&root, 3);
    }
}

#[test]
fn principal_variation_leads_to_value() {
    let mut rng = Rng::new(9);
    for played in 0..12 {
        let root = random((5, 4), "chinese", played, &mut rng);
        let eval = StaticEval::new(&root);
        let report = run(&root, exact(3, true), 1);
        for found in &report.moves {
            let end = after(&root, &found.pv);
            let mut line = Line::new(&end);
            let value = Quiescence::new(&eval).search(&mut line, 0, Window::FULL);
            let value = end.to_move().to_perspective(value);
            let value = root.to_move().to_perspective(value);
            assert_eq!(found.values.score_lead, points(value));
            assert_eq!(found.pv[0], found.mv);
        }
    }
}

#[test]
fn first_moves_cause_many_cutoffs() {
    // The share is 0.5 to 0.6 in these random positions, and larger in games. The test only detects a broken order.
    let mut rng = Rng::new(10);
    for played in [10, 20, 30] {
        let root = random((9, 9), "chinese", played, &mut rng);
        let report = read(&root, 3, Restriction::none());
        let share = report
            .depth_stats
            .expect("a search to a depth")
            .first_move_cutoffs;
        assert!(share > 0.4, "{played} moves: {share}");
    }
}

#[test]
fn heuristics_search_fewer_nodes() {
    let mut rng = Rng::new(11);
    let root = random((9, 9), "chinese", 20, &mut rng);
    let nodes = |algorithm| {
        let report = run(&root, algorithm, 1);
        report.depth_stats.expect("a search to a depth").main_nodes
    };
    let heuristic = nodes(Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(Some(3))));
    let exact = nodes(exact(3, true));
    assert!(3 * heuristic < exact, "{heuristic} of {exact}");
}

#[test]
fn quiescence_search_resolves_captures() {
    // E5 captures White's three stones or connects them.
    let text = "
        . . . . . O .
        . X X X . O .
        X O O O . O .
        . X X X . O .
        . . . . . O .
        . . . . . O .
        . . . . . O .";
    let board = diagram::parse_board(text).expect("a diagram");
    for to_move in Color::BOTH {
        let root = Position::from_board(board.clone(), to_move, Rules::default());
        let value = |mv| {
            let report = read(&root, 1, Restriction::only(vec![mv]));
            report.values.score_lead
        };
        let e5 = root.size().parse_move("E5").expect("a move");
        let (resolved, open) = (value(e5), value(Move::Pass));
        assert!(resolved > open + 3.0, "{to_move}: {resolved} {open}");
    }
}

#[test]
fn line_recognises_repetitions() {
    // In this triple ko, six captures restore the position.
    let text = "
        . X O . . X O . . X O .
        X O . O X . X O X O . O
        . X O . . X O . . X O .
        . . . . . . . . . . . .";
    let cycle = "C3 F3 L3 B3 G3 K3";
    for (moves, rules, repetition) in [
        (cycle.to_owned(), "chinese", Some(6)),
        (format!("pass pass {cycle}"), "chinese", Some(8)),
        (cycle.to_owned(), "aga", None),
    ] {
        let rules = Rules::parse(rules).expect("named rules");
        let board = diagram::parse_board(text).expect("a diagram");
        let root = Position::from_board(board, Color::Black, rules);
        let mut line = Line::new(&root);
        for (ply, vertex) in moves.split(' ').enumerate() {
            assert!(!line.is_repetition(ply), "{moves} {ply}");
            line.play(ply, root.size().parse_move(vertex).expect("a move"));
        }
        let last = moves.split(' ').count();
        assert_eq!(line.is_repetition(last), repetition == Some(last));
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
    assert!(report.visits >= 362 && !report.moves.is_empty());
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
        let restriction = Restriction::from_constraints(&constraints, Color::Black);
        let run = |algorithm| {
            let mut search = search_with(&root, algorithm, 1, 1);
            let report = search.run(SearchLimits::default(), restriction.clone());
            report.expect("nothing that can fail")
        };
        let reports = [exact(3, true), Algorithm::Minimax { depth: 3 }].map(run);
        for reported in reports.iter().flat_map(|report| &report.moves) {
            let mut replies = reported.pv.iter().skip(1).step_by(2);
            assert!(replies.all(|&mv| mv == Move::Pass));
        }
        assert_eq!(reports[0].values, reports[1].values, "{played}");
    }
}

#[test]
fn visit_limit_ends_search_without_depth() {
    let root = Position::new(BoardSize::STANDARD, Rules::default());
    for (visits, min_depth) in [(1, 1), (100_000, 3)] {
        let mut search = search(&root, None, 1);
        let report = search.run(SearchLimits::with_visits(visits), Restriction::none());
        let report = report.expect("nothing that can fail");
        // Depth 1 searches all 362 moves and is always completed.
        assert!(report.visits >= 362);
        let depth = report.depth_stats.expect("a search to a depth").depth;
        assert!(
            depth >= min_depth && (visits > 1 || depth == 1),
            "{visits}: {depth}"
        );
    }
}

/// Returns the report of a search to `depth` plies that is restricted to the empty points of columns A to `width` and
/// the top `height` rows.
fn read_corner(root: &Position, depth: u32, (width, height): (usize, usize)) -> Report {
    let points = root.size().points().filter(|point| {
        let is_inside = point.column() < width && point.row() < height;
        is_inside && root.board().is_empty_at(*point)
    });
    read(
        root,
        depth,
        Restriction::only(points.map(Move::Play).collect()),
    )
}

#[test]
fn local_search_decides_life_and_death() {
    // The vital points of known eye shapes. On the whole board, moves elsewhere are larger.
    let straight_three = "
        . . . X O . . . .
        X X X X O . . . .
        O O O O O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";
    let bulky_five = "
        . . . X O . . . .
        X . . X O . . . .
        X X X X O . . . .
        O O O O O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";
    // Black could also live with other moves in the bulky five.
    let problems = [
        (straight_three, Color::BOTH.as_slice()),
        (bulky_five, &[Color::White]),
    ];
    for (text, colors) in problems {
        let board = diagram::parse_board(text).expect("a diagram");
        for &to_move in colors {
            let root = Position::from_board(board.clone(), to_move, Rules::default());
            for depth in [3, 4] {
                let report = read_corner(&root, depth, (5, 5));
                let found = root.size().format_move(report.moves[0].mv);
                assert_eq!(found, "B9", "{to_move}, depth {depth}:{text}");
            }
        }
    }
}

#[test]
fn local_search_stays_in_its_area() {
    let mut rng = Rng::new(12);
    for played in [20, 30, 40] {
        let root = random((9, 9), "chinese", played, &mut rng);
        let report = read_corner(&root, 5, (5, 5));
        let mut position = root.clone();
        for &mv in &report.moves[0].pv {
            // Outside the area, only liberties of chains that can soon be captured are searched.
            let Move::Play(point) = mv else { continue };
            let is_inside = point.column() < 5 && point.row() < 5;
            let is_last_liberty = (position.board().chains())
                .any(|chain| chain.liberties.len() <= 2 && chain.liberties.contains(point));
            assert!(is_inside || is_last_liberty, "{played} moves");
            position = after(&position, &[mv]);
        }
    }
}
