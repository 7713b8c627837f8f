//! Random playouts.

use honinbo::eval::rollout::{RolloutEvaluator, RolloutSettings};
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::diagram::{self, Diagram};
use honinbo::game::point::{Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules, Scoring};

use super::support::{check_evaluation, evaluate, positions, size, with_ownership};

fn rollout(playouts: u32, seed: u64) -> RolloutEvaluator {
    RolloutEvaluator::new(RolloutSettings {
        playouts,
        seed,
        ..RolloutSettings::default()
    })
}

fn position(picture: &str, to_move: Color) -> Position {
    let rules = Rules::default().with_komi(Komi::from_half_points(1));
    Position::from_board(diagram::parse_board(picture).unwrap(), to_move, rules)
}

fn evaluate_position(position: &Position) -> Evaluation {
    let request = with_ownership(position);
    let evaluation = evaluate(&rollout(200, 5), request);
    check_evaluation(&request, &evaluation);
    evaluation
}

/// Returns the prior of a labelled point.
fn prior(evaluation: &Evaluation, diagram_text: &Diagram, name: char) -> f32 {
    let point = diagram_text.points_with_label(name).only().unwrap();
    evaluation.policy[diagram_text.size.index(point)]
}

/// Two living groups: 15 points belong to Black, 10 to White.
const SETTLED: &str = "
    . O X . X
    O O X X .
    . O X . X
    O O X X .
    . O X . X";

#[test]
fn evaluations_are_valid() {
    for position in &positions(15) {
        for ownership in [false, true] {
            let request = Request {
                ownership,
                ..Request::new(position)
            };
            let evaluation = evaluate(&rollout(3, 1), request);
            check_evaluation(&request, &evaluation);
            assert_eq!(evaluation.ownership.is_empty(), !ownership);
        }
    }
}

#[test]
fn won_game_is_won_for_either_mover() {
    for (color, sign) in [(Color::Black, 1.0), (Color::White, -1.0)] {
        let evaluation = evaluate_position(&position(SETTLED, color));
        // The result is certain: 15 points against 10, with a komi of half a point.
        assert!(evaluation.value * sign > 0.9, "{}", evaluation.value);
        assert!((evaluation.score_lead * sign - 4.5).abs() < 1e-4);
        let expected: Vec<f32> = (0..25)
            .map(|index| if index % 5 < 2 { -sign } else { sign })
            .collect();
        assert_eq!(evaluation.ownership, expected);
    }
}

#[test]
fn dead_stones_belong_to_opponent() {
    // The white stone in Black's corner cannot live.
    let diagram_text = "
        O . X . O . O
        . X X . O O .
        X X . X O . O
        . . X X O O O
        X X X . X O .
        . X . X X O O
        X . X X O O .";
    let board = diagram::parse_board(diagram_text).unwrap();
    for color in Color::BOTH {
        let position = Position::from_board(board.clone(), color, Rules::default());
        let corner = position.size().index(Point::at(0, 0));
        let owner = evaluate_position(&position).ownership[corner];
        assert!(color.to_perspective(owner) > 0.8, "{owner}");
    }
}

#[test]
fn territory_scoring_subtracts_stones() {
    let rules = Rules {
        scoring: Scoring::Territory,
        ..Rules::default().with_komi(Komi::from_half_points(1))
    };
    let board = diagram::parse_board(SETTLED).unwrap();
    let position = Position::from_board(board, Color::Black, rules);
    // Territory of 5 points against 3, no prisoners, and a komi of half a point.
    assert!((evaluate_position(&position).score_lead - 1.5).abs() < 1e-4);
}

#[test]
fn empty_board_is_even_without_komi() {
    let rules = Rules::default().with_komi(Komi::from_half_points(0));
    let empty = Position::new(size(9, 9), rules);
    let evaluation = evaluate(&rollout(4_000, 2), Request::new(&empty));
    // The first move has a value, but less than ten points for random players.
    assert!(
        (0.0..0.4).contains(&evaluation.value),
        "{}",
        evaluation.value
    );
    assert!(
        (0.0..10.0).contains(&evaluation.score_lead),
        "{}",
        evaluation.score_lead
    );
}

#[test]
fn score_weight_blends_margin() {
    let position = position(SETTLED, Color::Black);
    for (score_weight, expected) in [(0.0, 1.0), (0.5, 0.5 + 0.5 * 4.5 / 9.5), (1.0, 4.5 / 9.5)] {
        let settings = RolloutSettings {
            score_weight,
            ..RolloutSettings::default()
        };
        let evaluation = evaluate(&RolloutEvaluator::new(settings), Request::new(&position));
        assert!(
            (evaluation.value - expected).abs() < 1e-5,
            "{}",
            evaluation.value
        );
    }
}

#[test]
fn seed_and_call_number_determine_playouts() {
    let position = Position::new(size(9, 9), Rules::default());
    let run = |seed| {
        let rollout = rollout(1, seed);
        let evaluations = (0..20).map(|_| evaluate(&rollout, Request::new(&position)).score_lead);
        evaluations.collect::<Vec<f32>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let rollout = rollout(1, 1);
    let first = evaluate(&rollout, Request::new(&position));
    rollout.reset();
    assert_eq!(evaluate(&rollout, Request::new(&position)), first);
    let mut leads = run(1);
    leads.dedup();
    assert!(leads.len() > 10, "all playouts are equal");
}

#[test]
fn priors_reflect_captures_and_escapes() {
    let diagram_text = Diagram::parse(
        "
        . . . . . . X d X
        . . . . . . . X .
        . . . O . . . . .
        . . O X a . . . .
        . . . X . . . . .
        . . b . . . . . .
        . . . . . O . . .
        . . . . O X O . .
        . . . . . c . e .",
    )
    .unwrap();
    let board = diagram_text.to_board().unwrap();
    let black = Position::from_board(board.clone(), Color::Black, Rules::default());
    let evaluation = evaluate_position(&black);
    let prior_of = |name| prior(&evaluation, &diagram_text, name);
    let quiet = evaluation.policy[diagram_text.size.index(Point::at(1, 7))];
    // Extending on the first line gives two liberties: a single stone escapes.
    assert!(prior_of('c') > 2.0 * quiet);
    assert!(prior_of('d') == 0.0 && evaluation.policy[81] < 0.1 * quiet);
    assert!(prior_of('e') < quiet);
    // For White, the same point captures a stone.
    let white = Position::from_board(board, Color::White, Rules::default());
    let evaluation = evaluate_position(&white);
    let prior_of = |name| prior(&evaluation, &diagram_text, name);
    assert!(prior_of('c') > 3.0 * prior_of('b'));
    // A stone between two black ones is self-atari.
    assert!(prior_of('d') < 0.2 * prior_of('b'));
}

#[test]
fn priors_prefer_moves_near_last_move() {
    let mut position = Position::new(size(9, 9), Rules::default());
    let last = Point::at(4, 4);
    position.play(Color::Black, Move::Play(last)).unwrap();
    let evaluation = evaluate_position(&position);
    let prior_of = |column, row| evaluation.policy[position.size().index(Point::at(column, row))];
    assert!(
        prior_of(5, 4) > prior_of(5, 5)
            && prior_of(5, 5) > prior_of(6, 4)
            && prior_of(6, 4) > prior_of(7, 4)
    );
}

#[test]
fn pass_is_likely_in_settled_position() {
    let settled = position(SETTLED, Color::Black);
    let evaluation = evaluate_position(&settled);
    assert!(evaluation.policy[25] > 0.9, "{:?}", evaluation.policy);
}
