//! Accuracy on games, for evaluators with known results.

use std::sync::Arc;

use honinbo::eval::uniform::UniformEvaluator;
use honinbo::eval::{EvalError, Evaluation, Evaluator};
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::learn::accuracy::{Accuracy, AccuracySettings, measure};
use honinbo::learn::game::{GameFileError, TrainingGame};
use honinbo::random::Rng;

use crate::evaluator_fn::evaluator_fn;

const SIZE: BoardSize = BoardSize::STANDARD;

/// Returns a game in which every move is legal under any rules: the moves fill every second row in order, so that
/// each chain has liberties. Black wins.
fn game(moves: usize) -> TrainingGame {
    let points = SIZE.points().filter(|point| point.row() % 2 == 0);
    TrainingGame {
        initial: Position::new(SIZE, Rules::default()),
        scoring_rules: Rules::default().with_komi(Komi::from_half_points(13)),
        rules: None,
        winner: Some(Color::Black),
        margin: None,
        moves: points.take(moves).map(Move::Play).collect(),
        search_targets: Vec::new(),
        final_ownership: None,
    }
}

fn games(count: usize, moves: usize) -> Vec<Result<TrainingGame, GameFileError>> {
    (0..count).map(|_| Ok(game(moves))).collect()
}

fn run(evaluator: &dyn Evaluator, games: Vec<Result<TrainingGame, GameFileError>>) -> Accuracy {
    let settings = AccuracySettings {
        max_positions: 500,
        positions_per_game: 8,
        seed: 3,
    };
    measure(evaluator, games, settings, &|_| ()).unwrap()
}

/// Creates an evaluator that predicts this order. It gives the right move the prior `right` and the first points of the
/// odd rows, which are never played, the priors `others`. `value` is Black's.
fn order_predictor(right: f32, others: &'static [f32], value: f32) -> Arc<dyn Evaluator> {
    evaluator_fn(move |position| {
        let number = position.move_number() as usize;
        let Some(Move::Play(next)) = game(190).moves.get(number).copied() else {
            return Err(EvalError::Network("no such move".into()));
        };
        let mut policy = vec![0.0; SIZE.area() + 1];
        policy[SIZE.index(next)] = right;
        for (column, &prior) in others.iter().enumerate() {
            policy[SIZE.index(Point::at(column, 1))] = prior;
        }
        Ok(Evaluation {
            policy,
            value: position.to_move().to_perspective(value),
            ..Evaluation::default()
        })
    })
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-5, "{a} is not {b}");
}

#[test]
fn perfect_evaluator_has_perfect_accuracy() {
    let perfect = order_predictor(1.0, &[], 1.0);
    let accuracy = run(&*perfect, games(100, 100));
    assert_eq!(accuracy.position_count(), 500);
    assert_eq!((accuracy.top_1(), accuracy.top_5()), (1.0, 1.0));
    assert_eq!(
        (accuracy.cross_entropy(), accuracy.squared_value_error()),
        (0.0, 0.0)
    );
    assert_eq!(accuracy.winner_accuracy(), 1.0);
    // A drawn game has no winner to predict.
    let drawn = TrainingGame {
        winner: None,
        ..game(100)
    };
    let accuracy = run(&*perfect, vec![Ok(game(100)), Ok(drawn)]);
    assert_eq!(accuracy.position_count(), 16);
    assert_eq!(accuracy.winner_accuracy(), 1.0);
}

#[test]
fn accuracy_figures_match_definitions() {
    // One move has a higher prior than the right one. The predicted win rate of the winner is 0.2.
    let second = order_predictor(0.3, &[0.7], -0.6);
    let accuracy = run(&*second, games(100, 100));
    assert_eq!((accuracy.top_1(), accuracy.top_5()), (0.0, 1.0));
    near(accuracy.cross_entropy(), -(0.3f64.ln()));
    near(accuracy.squared_value_error(), 1.6 * 1.6);
    near(accuracy.brier_score(), 0.8 * 0.8);
    assert_eq!(accuracy.winner_accuracy(), 0.0);
    let sixth = order_predictor(0.1, &[0.18; 5], 0.0);
    assert_eq!(run(&*sixth, games(100, 100)).top_5(), 0.0);
}

#[test]
fn uniform_prior_cross_entropy_matches_move_count() {
    // Empty boards only, with 361 points and a pass.
    let accuracy = run(&UniformEvaluator, games(7, 1));
    assert_eq!(accuracy.position_count(), 7);
    near(accuracy.cross_entropy(), 362f64.ln());
    near(accuracy.squared_value_error(), 1.0);
    // Among equal priors, the first move in row-by-row order ranks first.
    assert_eq!(accuracy.top_1(), 1.0);
}

#[test]
fn illegal_moves_and_empty_games_are_handled() {
    let mut broken = game(50);
    broken.moves[20] = broken.moves[0];
    let settings = AccuracySettings {
        max_positions: 10_000,
        positions_per_game: 1_000,
        seed: 1,
    };
    let all = [Ok(game(0)), Ok(broken), Ok(game(50))];
    let accuracy = measure(&UniformEvaluator, all, settings, &|_| ()).unwrap();
    // All positions are used: the 20 before the illegal move, and 50.
    assert_eq!(accuracy.position_count(), 20 + 50, "{accuracy:?}");
}

#[test]
fn accuracy_is_independent_of_threads() {
    let mut rng = Rng::new(4);
    let random_games: Vec<TrainingGame> = (0..40)
        .map(|_| {
            let mut position = Position::new(SIZE, Rules::default());
            let mut moves = Vec::new();
            for _ in 0..60 {
                let legal: Vec<Point> = position.legal_points().iter().collect();
                let mv = Move::Play(legal[rng.below(legal.len())]);
                position.play_unchecked(position.to_move(), mv);
                moves.push(mv);
            }
            TrainingGame { moves, ..game(0) }
        })
        .collect();
    let in_pool = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let games = random_games.iter().cloned().map(Ok).collect();
        pool.unwrap()
            .install(|| run(&honinbo::eval::hashed::HashEvaluator, games))
    };
    let one = in_pool(1);
    assert_eq!(one, in_pool(1));
    assert_eq!(one, in_pool(4));
    assert!(one.position_count() > 250);
}

#[test]
fn accuracy_returns_errors() {
    let perfect = order_predictor(f32::NAN, &[], 1.0);
    let settings = AccuracySettings {
        max_positions: 5,
        positions_per_game: 1,
        seed: 1,
    };
    let error = measure(&*perfect, games(3, 10), settings, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("not a finite number"), "{error}");
    let unreadable = GameFileError::Format {
        file: "a.kifu".into(),
        offset: 0,
        expected: "an archive".into(),
        found: "a novel".into(),
    };
    let error = measure(
        &UniformEvaluator,
        [Ok(game(5)), Err(unreadable)],
        settings,
        &|_| (),
    )
    .unwrap_err();
    assert!(error.to_string().contains("a novel"), "{error}");
}
