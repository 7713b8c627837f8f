//! Tests of guesses for life-and-death problems.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use honinbo::engine::life_guess::{GuessLimits, guess_life_move};
use honinbo::eval::Evaluator;
use honinbo::eval::uniform::UniformEvaluator;
use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::tactics::life::{LifeArea, LifeGoal, LifeLimits, LifeProblem, default_region};

use crate::evaluator_fn::{evaluate, evaluator_fn};

/// Black's group in the corner has six points of eye space.
const STONES: [(Color, &[&str]); 2] = [
    (Color::Black, &["D9", "D8", "D7", "C7", "B7", "A7"]),
    (
        Color::White,
        &["E9", "E8", "E7", "E6", "D6", "C6", "B6", "A6"],
    ),
];

fn position(to_move: Color) -> Position {
    let size = BoardSize::new(9, 9).unwrap();
    let stones = |index: usize| {
        let vertices = STONES[index].1.iter();
        vertices
            .map(|vertex| size.parse_vertex(vertex).unwrap())
            .collect()
    };
    let board = Board::from_stones(size, stones(0), stones(1)).unwrap();
    Position::from_board(board, to_move, Rules::default())
}

fn area(position: &Position) -> LifeArea {
    let region = default_region(position.board());
    let problem = LifeProblem {
        board: position.board(),
        region: &region,
        target: None,
        to_move: position.to_move(),
        ko: None,
    };
    let goal = match position.to_move() {
        Color::Black => LifeGoal::Live,
        Color::White => LifeGoal::Kill,
    };
    problem.area(goal).unwrap()
}

fn guess(evaluator: Arc<dyn Evaluator>, position: &Position) -> Option<Move> {
    let proof_limits = LifeLimits {
        nodes_per_proof: 40_000,
        ..LifeLimits::default()
    };
    let limits = GuessLimits::after_proofs(&proof_limits, Duration::from_secs(1));
    let never = AtomicBool::new(false);
    guess_life_move(evaluator, position, &area(position), limits, &never).unwrap()
}

/// Returns an evaluator according to which Black owns all points until White has a stone at `vital`. Its value says the
/// opposite, because a guess must not depend on the result of the game.
fn vital_point_evaluator(vital: Point) -> Arc<dyn Evaluator> {
    evaluator_fn(move |position| {
        let mut evaluation = evaluate(&UniformEvaluator, position)?;
        let is_killed = position.board().color_at(vital) == Some(Color::White);
        let black_owns = if is_killed { -0.8 } else { 0.8 };
        let sign = position.to_move().to_perspective(1.0) as f32;
        let size = position.size();
        evaluation.ownership = { size.points() }.map(|_| sign * black_owns).collect();
        evaluation.value = -sign * black_owns;
        Ok(evaluation)
    })
}

#[test]
fn guess_decides_the_life_of_the_group() {
    let size = BoardSize::new(9, 9).unwrap();
    // Next to Black's wall, so that Black's stones there cannot be captured first.
    for vertex in ["B8", "A8", "C8"] {
        let vital = size.parse_vertex(vertex).unwrap();
        for to_move in [Color::Black, Color::White] {
            let guess = guess(vital_point_evaluator(vital), &position(to_move));
            assert_eq!(guess, Some(Move::Play(vital)), "{to_move} plays {vertex}");
        }
    }
}

#[test]
fn guess_is_near_the_group() {
    for to_move in [Color::Black, Color::White] {
        let position = position(to_move);
        let area = area(&position);
        assert_eq!((area.defender, area.group.len()), (Color::Black, 6));
        assert!(area.group.is_subset(&area.points));
        let guess = guess(Arc::new(UniformEvaluator), &position);
        let point = guess.and_then(Move::point).unwrap();
        assert!(area.points.contains(point));
        assert!(position.check_legal(point).is_ok());
    }
}

#[test]
fn search_ends_when_stopped() {
    let position = position(Color::White);
    let limits = LifeLimits {
        time: Some(Duration::from_secs(3_600)),
        nodes_per_proof: u64::MAX,
        ..LifeLimits::default()
    };
    let limits = GuessLimits::after_proofs(&limits, Duration::ZERO);
    let stopped = AtomicBool::new(true);
    let evaluator = Arc::new(UniformEvaluator);
    let area = area(&position);
    let guess = guess_life_move(evaluator, &position, &area, limits, &stopped).unwrap();
    // The search may have been stopped before its first evaluation.
    assert!(guess.is_none_or(|mv| area.points.contains(mv.point().unwrap())));
}
