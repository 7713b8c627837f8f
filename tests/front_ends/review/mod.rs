//! Reviews of games whose worth is known beforehand, by an evaluator that says what the test wants.

mod program;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::rules::Rules;
use honinbo::review::Review;
use honinbo::review::analysis::ReviewSettings;
use honinbo::review::annotate::{DEFAULT_VARIATION_LEN, annotate};
use honinbo::review::chart::svg;
use honinbo::review::grading::{Grade, worst_moves};
use honinbo::review::json::json;
use honinbo::review::main_line::MainLine;
#[cfg(feature = "png")]
use honinbo::review::png::png;
use honinbo::review::table::table;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::SearchParams;
use honinbo::sgf::{Collection, GameTree, parse, write};

/// White's stones on the edge lose him twenty points each; both play where reading order begins, off the edge.
struct EdgeHater;

impl Evaluator for EdgeHater {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let position = request.position;
            let size = position.size();
            let whites = position.board().stones(Color::White).iter();
            let edge = whites.filter(|point| point.row() == 0).count() as f32;
            let black = 20.0 * edge;
            evaluation.policy = vec![0.0; size.area() + 1];
            let inner = size.points().filter(|point| point.row() > 0);
            match inner
                .into_iter()
                .find(|point| position.legal(*point).is_ok())
            {
                Some(point) => evaluation.policy[size.index(point)] = 1.0,
                None => evaluation.policy[size.area()] = 1.0,
            }
            evaluation.value = position.to_move().to_perspective((black / 40.0).tanh());
            evaluation.score_lead = position.to_move().to_perspective(black);
        }
        Ok(())
    }
}

struct Broken;

impl Evaluator for Broken {
    fn evaluate(&self, _: &[Request<'_>], _: &mut [Evaluation]) -> Result<(), EvalError> {
        Err(EvalError::Panicked)
    }
}

const GAME: &str = "(;GM[1]SZ[9]KM[7]PB[A & B]PW[<C>];B[ab]C[first];W[bb];B[cb];W[aa];B[db];W[eb])";

fn tree(text: &str) -> GameTree {
    parse(text.as_bytes()).unwrap().collection.games.remove(0)
}

fn settings(workers: usize) -> ReviewSettings {
    ReviewSettings {
        limits: SearchLimits::visits(8),
        params: SearchParams::default(),
        workers,
        tree_bytes: 64 << 20,
        seed: 1,
    }
}

fn review(text: &str, workers: usize) -> Review {
    let line = MainLine::read(&tree(text), Rules::default()).unwrap();
    let evaluator: Arc<dyn Evaluator> = Arc::new(EdgeHater);
    let told = AtomicUsize::new(0);
    let progress = |_| {
        told.fetch_add(1, Ordering::Relaxed);
    };
    let review = Review::new(line, &evaluator, &settings(workers), &progress).unwrap();
    assert_eq!(told.into_inner(), review.analyses.len());
    review
}

#[test]
fn a_game_that_is_over_is_worth_what_is_counted() {
    let review = review("(;SZ[5]KM[0.5]RU[Tromp-Taylor];B[cc];W[];B[])", 1);
    let last = review.analyses.last().unwrap();
    assert!(last.winrate > 0.99, "{last:?}");
    assert!((last.lead - 24.5).abs() < 0.01, "{last:?}");
    assert!(last.moves.is_empty(), "{last:?}");
}

#[test]
fn the_one_bad_move_is_found_and_costs_what_it_costs() {
    let review = review(GAME, 1);
    assert_eq!((review.analyses.len(), review.reviewed_moves.len()), (7, 6));
    let worst = worst_moves(&review.reviewed_moves, 10);
    assert_eq!(worst.len(), 1);
    let turn = worst[0];
    assert_eq!(
        (turn.number, turn.color, turn.grade),
        (4, Color::White, Grade::Blunder)
    );
    assert!((turn.points_lost - 20.0).abs() < 0.5, "{turn:?}");
    let size = review.main_line.size();
    assert_eq!(size.format_move(turn.best_pv[0]), "D8");
    // Black's second move is where the search wants it.
    assert!(
        !review.reviewed_moves[2].differs_from_engine()
            && review.reviewed_moves[3].differs_from_engine()
    );
    assert!(table(&review, 5).lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.starts_with(&["4", "W", "A9", "blunder"])
    }));
    let told = json(&review);
    assert_eq!(told["moves"][3]["grade"], "blunder");
    assert_eq!(told["players"]["white"]["grades"]["blunder"], 1);
    assert_eq!(told["positions"].as_array().unwrap().len(), 7);
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let (one, many) = (review(GAME, 1), review(GAME, 5));
    assert_eq!(one.analyses, many.analyses);
    assert_eq!(one.reviewed_moves, many.reviewed_moves);
}

#[test]
fn the_game_file_keeps_its_own_and_gains_values_marks_and_a_variation() {
    let review = review(GAME, 2);
    let mut annotated = tree(GAME);
    annotate(&mut annotated, &review, 3);
    let text = write(&Collection {
        games: vec![annotated],
    });
    let annotated = tree(&text);
    let nodes: Vec<_> = annotated.main_line().collect();
    let value = |index: usize, name: &str| {
        let value = annotated.node(nodes[index]).value(name);
        value.map(|value| value.text())
    };
    assert_eq!(value(0, "SBKV").as_deref(), Some("50.0"));
    assert_eq!(value(3, "V").as_deref(), Some("0.0"));
    assert_eq!(value(4, "V").as_deref(), Some("20.0"));
    assert_eq!(value(4, "SBKS"), value(4, "V"));
    assert_eq!(value(4, "BM").as_deref(), Some("2"));
    assert_eq!(value(5, "BM"), None);
    let first = value(1, "C").unwrap();
    assert!(
        first.ends_with("\n\nfirst") && first.starts_with("Black 50.0 %"),
        "{first}"
    );
    let beside: Vec<_> = annotated.children(nodes[3]).collect();
    assert_eq!(beside.len(), 2);
    let variation = annotated.node(beside[1]);
    assert_eq!(variation.value("W").unwrap().text(), "db");
    let after: Vec<_> = annotated.children(beside[1]).collect();
    assert_eq!(annotated.node(after[0]).value("B").unwrap().text(), "eb");
    // The moves themselves are as they were.
    let old = tree(GAME);
    for (new, old_node) in nodes.iter().zip(old.main_line()) {
        for name in ["B", "W", "PB", "PW", "KM"] {
            assert_eq!(
                annotated.node(*new).value(name),
                old.node(old_node).value(name)
            );
        }
    }
}

#[test]
fn stones_set_up_beside_the_first_move_leave_the_node_before_it_its_own_value() {
    for (game, start) in [
        ("(;SZ[9];B[ee];W[ab]SBKV[77];AB[gg][cc]W[cb])", Some("77")),
        ("(;SZ[9];B[ee];W[ab]SBKV[77];AB[gg][cc];W[cb])", Some("77")),
        ("(;SZ[9]SBKV[77];AB[gg][cc]B[ee])", Some("77")),
        ("(;SZ[9]AB[gg][cc]SBKV[77];W[ee])", Some("50.0")),
    ] {
        let review = review(game, 1);
        assert_eq!(review.reviewed_moves.len(), 1, "{game}");
        let mut annotated = tree(game);
        annotate(&mut annotated, &review, DEFAULT_VARIATION_LEN);
        let values = annotated.main_line().map(|id| {
            let value = annotated.node(id).value("SBKV");
            value.map(|value| value.text())
        });
        let values: Vec<Option<String>> = values.collect();
        assert!(
            values
                .last()
                .is_some_and(|last| last.as_deref() == Some("50.0"))
        );
        let kept = values.iter().flatten().next().unwrap();
        assert_eq!(Some(kept.as_str()), start, "{game}: {values:?}");
    }
}

#[test]
fn an_illegal_move_ends_the_review_and_is_named() {
    let review = review("(;SZ[9];B[aa];W[bb];B[cc];W[aa];B[dd])", 1);
    assert_eq!(review.reviewed_moves.len(), 3);
    let stopped = review.main_line.error().unwrap().to_string();
    assert!(
        stopped.contains("move 4") && stopped.contains("A9"),
        "{stopped}"
    );
}

#[test]
fn a_move_off_the_board_ends_the_review_too() {
    let review = review("(;SZ[9];B[aa];W[bb];B[resign])", 1);
    assert_eq!(review.reviewed_moves.len(), 2);
    let stopped = review.main_line.error().unwrap().to_string();
    assert!(
        stopped.contains("move 3") && stopped.contains("resign"),
        "{stopped}"
    );
}

#[test]
fn stones_set_up_on_the_way_begin_the_game_anew_under_the_old_numbers() {
    let review = review("(;SZ[9];B[ee];W[ab];AB[gg]AW[hh]PL[W];W[cb];B[aa])", 1);
    let numbers: Vec<usize> = review
        .reviewed_moves
        .iter()
        .map(|turn| turn.number)
        .collect();
    assert_eq!(numbers, [3, 4]);
    assert!(table(&review, 5).contains("White"));
    assert!(svg(&review, "").contains("<svg"));
}

#[test]
fn a_game_without_moves_has_one_position() {
    let review = review("(;SZ[5])", 3);
    assert_eq!((review.analyses.len(), review.reviewed_moves.len()), (1, 0));
    assert!(svg(&review, "empty").contains("<svg"));
    #[cfg(feature = "png")]
    assert!(png(&svg(&review, "empty")).is_ok());
}

#[test]
fn the_picture_shows_the_course_of_the_game() {
    let review = review(GAME, 1);
    let lines = svg(&review, "A & B <C>");
    assert!(lines.contains("A &amp; B &lt;C&gt;"));
    // Seven positions, one of them marked.
    let course = lines
        .lines()
        .find(|line| line.starts_with("<polyline"))
        .unwrap();
    assert_eq!(
        course.split_once("\" fill").unwrap().0.matches(',').count(),
        7
    );
    assert_eq!(lines.matches("<circle").count(), 1);
    assert!(lines.contains(">4 W A9<"));
}

#[cfg(feature = "png")]
#[test]
fn png_has_the_size_of_the_svg() {
    let pixels = png(&svg(&review(GAME, 1), "A & B <C>")).unwrap();
    assert_eq!(&pixels[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(pixels[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (960, 560));
    assert!(png("<svg").is_err());
}

#[test]
fn a_failing_evaluator_ends_the_review_with_its_error() {
    let line = MainLine::read(&tree(GAME), Rules::default()).unwrap();
    let evaluator: Arc<dyn Evaluator> = Arc::new(Broken);
    let error = Review::new(line, &evaluator, &settings(2), &|_| ()).unwrap_err();
    assert!(error.to_string().contains("evaluator"), "{error}");
}
