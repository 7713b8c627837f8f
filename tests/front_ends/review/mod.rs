//! Reviews of games with known values, using an artificial evaluator.

mod program;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use honinbo::eval::{EvalError, Evaluation, Evaluator};
use honinbo::game::color::Color;
use honinbo::game::point::Move;
use honinbo::game::rules::Rules;
use honinbo::review::Review;
use honinbo::review::analysis::ReviewSettings;
use honinbo::review::annotate::annotate;
use honinbo::review::chart::svg;
use honinbo::review::grading::{Grade, worst_mistakes};
use honinbo::review::json::review_json;
use honinbo::review::main_line::MainLine;
#[cfg(feature = "png")]
use honinbo::review::png::from_svg;
use honinbo::review::text_report::text_report;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::SearchParams;
use honinbo::sgf::{Collection, GameTree, parse, write};

use crate::evaluator_fn::evaluator_fn;

/// Returns an evaluator that subtracts twenty points for each white stone in the top row. Its policy prefers the first
/// legal point below that row.
fn edge_penalty() -> Arc<dyn Evaluator> {
    evaluator_fn(|position| {
        let size = position.size();
        let whites = position.board().stones(Color::White).iter();
        let black = 20.0 * whites.filter(|point| point.row() == 0).count() as f32;
        let mut inner = size.points().filter(|point| point.row() > 0);
        let best = inner.find(|point| position.check_legal(*point).is_ok());
        let mut policy = vec![0.0; size.area() + 1];
        policy[size.move_index(best.map_or(Move::Pass, Move::Play))] = 1.0;
        Ok(Evaluation {
            policy,
            value: position.to_move().to_perspective((black / 40.0).tanh()),
            score_lead: position.to_move().to_perspective(black),
            ..Evaluation::default()
        })
    })
}

const GAME: &str = "(;GM[1]SZ[9]KM[7]PB[A & B]PW[<C>];B[ab]C[first];W[bb];B[cb];W[aa];B[db];W[eb])";

fn tree(text: &str) -> GameTree {
    parse(text.as_bytes()).unwrap().collection.games.remove(0)
}

fn settings(workers: usize) -> ReviewSettings {
    ReviewSettings {
        limits: SearchLimits::with_visits(8),
        params: SearchParams::default(),
        workers,
        batch_size: None,
        tree_bytes: 64 << 20,
        seed: 1,
    }
}

fn review(text: &str, workers: usize) -> Review {
    let line = MainLine::read(&tree(text), Rules::default()).unwrap();
    let evaluator = edge_penalty();
    let finished = AtomicUsize::new(0);
    let progress = |_| {
        finished.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let review = Review::search_and_grade(line, &evaluator, &settings(workers), &progress).unwrap();
    assert_eq!(finished.into_inner(), review.analyses.len());
    review
}

#[test]
fn finished_game_has_counted_score() {
    let review = review("(;SZ[5]KM[0.5]RU[Tromp-Taylor];B[cc];W[];B[])", 1);
    let last = review.analyses.last().unwrap();
    assert!(last.winrate > 0.99, "{last:?}");
    assert!((last.lead - 24.5).abs() < 0.01, "{last:?}");
    assert!(last.moves.is_empty(), "{last:?}");
}

#[test]
fn blunder_is_found_with_its_loss() {
    let review = review(GAME, 1);
    assert_eq!((review.analyses.len(), review.reviewed_moves.len()), (7, 6));
    let worst = worst_mistakes(&review.reviewed_moves, 10);
    assert_eq!(worst.len(), 1);
    let turn = worst[0];
    assert_eq!(
        (turn.number, turn.color, turn.grade),
        (4, Color::White, Grade::Blunder)
    );
    assert!((turn.points_lost - 20.0).abs() < 0.5, "{turn:?}");
    let size = review.main_line.size();
    assert_eq!(size.format_move(turn.best_pv[0]), "D8");
    // Black's second move is the engine's choice.
    assert!(
        !review.reviewed_moves[2].differs_from_engine()
            && review.reviewed_moves[3].differs_from_engine()
    );
    assert!(text_report(&review, 5).lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.starts_with(&["4", "W", "A9", "blunder"])
    }));
    let output = review_json(&review);
    assert_eq!(output["moves"][3]["grade"], "blunder");
    assert_eq!(output["players"]["white"]["grades"]["blunder"], 1);
    assert_eq!(output["positions"].as_array().unwrap().len(), 7);
}

#[test]
fn result_is_independent_of_worker_count() {
    let (one, many) = (review(GAME, 1), review(GAME, 5));
    assert_eq!(one.analyses, many.analyses);
    assert_eq!(one.reviewed_moves, many.reviewed_moves);
}

#[test]
fn annotations_are_added_to_tree() {
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
        first.ends_with("\n\nfirst") && first.starts_with("Black 50.0%"),
        "{first}"
    );
    let siblings: Vec<_> = annotated.children(nodes[3]).collect();
    assert_eq!(siblings.len(), 2);
    let variation = annotated.node(siblings[1]);
    assert_eq!(variation.value("W").unwrap().text(), "db");
    let after: Vec<_> = annotated.children(siblings[1]).collect();
    assert_eq!(annotated.node(after[0]).value("B").unwrap().text(), "eb");
    // The original properties are unchanged.
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

fn annotated(game: &GameTree, review: &Review) -> GameTree {
    let mut annotated = game.clone();
    annotate(&mut annotated, review, 3);
    let games = vec![annotated];
    // As read from the file that is written.
    tree(&write(&Collection { games }))
}

#[test]
fn second_review_replaces_only_unedited_annotations() {
    let review = review(GAME, 1);
    let once = annotated(&tree(GAME), &review);
    assert_eq!(annotated(&once, &review), once);

    let mut edited = once.clone();
    let nodes: Vec<_> = edited.main_line().collect();
    let variation = edited.children(nodes[3]).nth(1).unwrap();
    let comment = |tree: &GameTree, node| tree.node(node).value("C").unwrap().text();
    let changed = comment(&edited, nodes[2]).replace("visits", "looks");
    edited.node_mut(nodes[2]).set("C", changed.as_str());
    edited.node_mut(variation).set("TR", "aa");
    let extended = format!("{}\nmine", comment(&edited, nodes[4]));
    edited.node_mut(nodes[4]).set("C", extended.as_str());
    let twice = annotated(&edited, &review);
    // The changed comment is kept below the new one, and text added by the user remains.
    let original = comment(&once, nodes[2]);
    assert_eq!(
        comment(&twice, nodes[2]),
        format!("{original}\n\n{changed}")
    );
    assert_eq!(
        comment(&twice, nodes[4]),
        format!("{}\n\n\nmine", comment(&once, nodes[4]))
    );
    // The edited variation is kept, and not added again.
    let variations: Vec<_> = twice.children(nodes[3]).collect();
    assert_eq!(variations.len(), 2);
    assert!(twice.node(variations[1]).has("TR"));
}

#[test]
fn variation_of_the_file_is_continued() {
    let game = GAME
        .replace(";W[aa]", "(;W[aa]")
        .replace("W[eb])", "W[eb])(;W[db]C[idea]))");
    let review = review(&game, 1);
    let annotated = annotated(&tree(&game), &review);
    let nodes: Vec<_> = annotated.main_line().collect();
    let variations: Vec<_> = annotated.children(nodes[3]).collect();
    assert_eq!(variations.len(), 2);
    let idea = annotated.node(variations[1]);
    assert_eq!(idea.value("C").unwrap().text(), "idea");
    let next: Vec<_> = annotated.children(variations[1]).collect();
    assert_eq!(annotated.node(next[0]).value("B").unwrap().text(), "eb");
}

#[test]
fn losing_move_is_worse_than_a_large_loss_in_a_lost_game() {
    // White first loses 20 points in an even game, and then 20 more in a lost game.
    let game = GAME.replace("W[eb]", "W[ba]");
    let review = review(&game, 1);
    let worst = worst_mistakes(&review.reviewed_moves, 1);
    assert_eq!(
        worst.iter().map(|turn| turn.number).collect::<Vec<_>>(),
        [4]
    );
}

#[test]
fn small_differences_between_short_searches_are_no_mistakes() {
    // Every white stone in the top row costs 9 % of the winning chance and no points.
    let evaluator = evaluator_fn(|position| {
        let whites = position.board().stones(Color::White).iter();
        let black = 0.18 * whites.filter(|point| point.row() == 0).count() as f32;
        let size = position.size();
        let mut policy = vec![0.0; size.area() + 1];
        policy[size.move_index(Move::Pass)] = 1.0;
        Ok(Evaluation {
            policy,
            value: position.to_move().to_perspective(black),
            ..Evaluation::default()
        })
    });
    let grade = |visits: u64| {
        let line = MainLine::read(&tree("(;SZ[9];B[ee];W[aa])"), Rules::default()).unwrap();
        let settings = ReviewSettings {
            limits: SearchLimits::with_visits(visits),
            ..settings(1)
        };
        let review =
            Review::search_and_grade(line, &evaluator, &settings, &|_| ControlFlow::Continue(()))
                .unwrap();
        review.reviewed_moves[1].grade
    };
    assert_eq!([grade(8), grade(400)], [Grade::Good, Grade::Inaccuracy]);
}

#[test]
fn setup_with_first_move_keeps_previous_values() {
    for (game, expected) in [
        // The analysis after the set-up does not evaluate White's first move.
        (
            "(;SZ[9];B[ee];W[ab]SBKV[77];AB[gg][cc]W[cb])",
            "50.0 50.0 77 50.0",
        ),
        (
            "(;SZ[9];B[ee];W[ab]SBKV[77];AB[gg][cc];W[cb])",
            "50.0 50.0 77 - 50.0",
        ),
        ("(;SZ[9]SBKV[77];AB[gg][cc]B[ee])", "77 50.0"),
        ("(;SZ[9]AB[gg][cc]SBKV[77];W[ee])", "50.0 50.0"),
    ] {
        let mut annotated = tree(game);
        annotate(&mut annotated, &review(game, 1), 10);
        let values = annotated.main_line().map(|id| {
            let value = annotated.node(id).value("SBKV");
            value.map_or_else(|| "-".to_owned(), |value| value.text())
        });
        let values: Vec<String> = values.collect();
        assert_eq!(values.join(" "), expected, "{game}");
    }
}

#[test]
fn illegal_move_ends_review() {
    let review = review("(;SZ[9];B[aa];W[bb];B[cc];W[aa];B[dd])", 1);
    assert_eq!(review.reviewed_moves.len(), 3);
    let error = review.main_line.error().unwrap().to_string();
    assert!(error.contains("move 4") && error.contains("A9"), "{error}");
}

#[test]
fn move_off_board_ends_review() {
    let review = review("(;SZ[9];B[aa];W[bb];B[zy])", 1);
    assert_eq!(review.reviewed_moves.len(), 2);
    let error = review.main_line.error().unwrap().to_string();
    assert!(error.contains("move 3") && error.contains("zy"), "{error}");
}

#[test]
fn moves_before_and_after_setup_are_reviewed() {
    let review = review("(;SZ[9];B[ee];W[ab];AB[gg]AW[hh]PL[W];W[cb];B[aa])", 1);
    let numbers: Vec<usize> = review
        .reviewed_moves
        .iter()
        .map(|turn| turn.number)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    let line = &review.main_line;
    let stones = |moves| line.position_after(moves).board().occupied_points().len();
    assert_eq!([0, 1, 2, 3, 4].map(stones), [0, 1, 4, 5, 6]);
    let followed: Vec<bool> = (0..4)
        .map(|index| line.is_followed_by_setup(index))
        .collect();
    assert_eq!(followed, [false, true, false, false]);
    assert_eq!(review.reviewed_moves[1].points_lost, 0.0);
    assert!(text_report(&review, 5).contains("White"));
    assert!(svg(&review, "").contains("<svg"));
}

#[test]
fn game_without_moves_has_one_position() {
    let review = review("(;SZ[5])", 3);
    assert_eq!((review.analyses.len(), review.reviewed_moves.len()), (1, 0));
    assert!(svg(&review, "empty").contains("<svg"));
    #[cfg(feature = "png")]
    assert!(from_svg(&svg(&review, "empty")).is_ok());
}

#[test]
fn chart_shows_curve_and_labels() {
    let review = review(GAME, 1);
    let lines = svg(&review, "A & B <C>");
    assert!(lines.contains("A &amp; B &lt;C&gt;"));
    // Seven positions, one of them marked.
    let curve = lines
        .lines()
        .find(|line| line.starts_with("<polyline"))
        .unwrap();
    assert_eq!(
        curve.split_once("\" fill").unwrap().0.matches(',').count(),
        7
    );
    assert_eq!(lines.matches("<circle").count(), 1);
    assert!(lines.contains(">4 W A9<"));
}

#[cfg(feature = "png")]
#[test]
fn png_has_svg_size() {
    let pixels = from_svg(&svg(&review(GAME, 1), "A & B <C>")).unwrap();
    assert_eq!(&pixels[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(pixels[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (960, 560));
    assert!(from_svg("<svg").is_err());
}

#[test]
fn evaluator_error_ends_review() {
    let line = MainLine::read(&tree(GAME), Rules::default()).unwrap();
    let evaluator = evaluator_fn(|_| Err(EvalError::Panicked));
    let error = Review::search_and_grade(line, &evaluator, &settings(2), &|_| {
        ControlFlow::Continue(())
    })
    .unwrap_err();
    assert!(error.to_string().contains("evaluator"), "{error}");
}

#[test]
fn stopped_review_covers_the_positions_before_the_first_missing_one() {
    let evaluator = edge_penalty();
    for stop_after in [0, 1, 3] {
        let line = MainLine::read(&tree("(;SZ[5];B[cc];W[bb];B[dd];W[dc])"), Rules::default());
        let progress = |index| match index == stop_after {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let review = Review::search_and_grade(line.unwrap(), &evaluator, &settings(1), &progress);
        let review = review.unwrap();
        assert_eq!(review.analyses.len(), stop_after + 1);
        assert_eq!(review.reviewed_moves.len(), stop_after);
    }
}
