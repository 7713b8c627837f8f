//! Random playouts: what they judge right, and that a seed decides them.

use honinbo::eval::rollout::{Rollout, RolloutSettings};
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::diagram::{self, Diagram};
use honinbo::game::point::{Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules, Scoring};

use super::support::{ask, check_answer, positions, size};

fn rollout(playouts: u32, seed: u64) -> Rollout {
    Rollout::new(RolloutSettings {
        playouts,
        seed,
        ..RolloutSettings::default()
    })
}

fn position(picture: &str, to_move: Color) -> Position {
    let rules = Rules::default().with_komi(Komi::from_half_points(1));
    Position::from_board(diagram::parse(picture).unwrap(), to_move, rules)
}

fn judge(position: &Position) -> Evaluation {
    let request = Request {
        ownership: true,
        ..Request::new(position)
    };
    let answer = ask(&rollout(200, 5), request);
    check_answer(&request, &answer);
    answer
}

/// The prior of the point of that name.
fn prior(answer: &Evaluation, drawn: &Diagram, name: char) -> f32 {
    let (_, point) = drawn
        .labels
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap();
    answer.policy[drawn.size.index(*point)]
}

/// Two living groups: 15 points are Black's, 10 White's.
const SETTLED: &str = "
    . O X . X
    O O X X .
    . O X . X
    O O X X .
    . O X . X";

#[test]
fn answers_are_answers() {
    for position in &positions(15) {
        for ownership in [false, true] {
            let request = Request {
                ownership,
                ..Request::new(position)
            };
            let answer = ask(&rollout(3, 1), request);
            check_answer(&request, &answer);
            assert_eq!(answer.ownership.is_empty(), !ownership);
        }
    }
}

#[test]
fn a_won_game_is_won_whoever_moves() {
    for (color, sign) in [(Color::Black, 1.0), (Color::White, -1.0)] {
        let answer = judge(&position(SETTLED, color));
        // All is decided: 15 points against 10 and half a point of komi.
        assert!(answer.value * sign > 0.9, "{}", answer.value);
        assert!((answer.score_lead * sign - 4.5).abs() < 1e-4);
        let expected: Vec<f32> = (0..25)
            .map(|index| if index % 5 < 2 { -sign } else { sign })
            .collect();
        assert_eq!(answer.ownership, expected);
    }
}

#[test]
fn dead_stones_are_the_captors() {
    // The white stone in Black's corner has no room to live.
    let drawn = "
        O . X . O . O
        . X X . O O .
        X X . X O . O
        . . X X O O O
        X X X . X O .
        . X . X X O O
        X . X X O O .";
    let board = diagram::parse(drawn).unwrap();
    for color in Color::BOTH {
        let position = Position::from_board(board.clone(), color, Rules::default());
        let corner = position.size().index(Point::at(0, 0));
        let owner = judge(&position).ownership[corner];
        assert!(color.to_perspective(owner) > 0.8, "{owner}");
    }
}

#[test]
fn territory_counts_the_stones_played() {
    let rules = Rules {
        scoring: Scoring::Territory,
        ..Rules::default().with_komi(Komi::from_half_points(1))
    };
    let board = diagram::parse(SETTLED).unwrap();
    let position = Position::from_board(board, Color::Black, rules);
    // Territory 5 to 3, no prisoners, half a point of komi.
    assert!((judge(&position).score_lead - 1.5).abs() < 1e-4);
}

#[test]
fn an_even_game_is_about_even_without_komi() {
    let rules = Rules::default().with_komi(Komi::from_half_points(0));
    let empty = Position::new(size(9, 9), rules);
    let answer = ask(&rollout(4_000, 2), Request::new(&empty));
    // The first move is worth something, but less than ten points to random players.
    assert!((0.0..0.4).contains(&answer.value), "{}", answer.value);
    assert!(
        (0.0..10.0).contains(&answer.score_lead),
        "{}",
        answer.score_lead
    );
}

#[test]
fn the_margin_counts_as_much_as_it_is_let() {
    let position = position(SETTLED, Color::Black);
    for (score_weight, expected) in [(0.0, 1.0), (0.5, 0.5 + 0.5 * 4.5 / 9.5), (1.0, 4.5 / 9.5)] {
        let settings = RolloutSettings {
            score_weight,
            ..RolloutSettings::default()
        };
        let answer = ask(&Rollout::new(settings), Request::new(&position));
        assert!((answer.value - expected).abs() < 1e-5, "{}", answer.value);
    }
}

#[test]
fn seed_and_order_decide_the_playouts() {
    let position = Position::new(size(9, 9), Rules::default());
    let run = |seed| {
        let rollout = rollout(1, seed);
        let answers = (0..20).map(|_| ask(&rollout, Request::new(&position)).score_lead);
        answers.collect::<Vec<f32>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let rollout = rollout(1, 1);
    let first = ask(&rollout, Request::new(&position));
    rollout.reset();
    assert_eq!(ask(&rollout, Request::new(&position)), first);
    let mut leads = run(1);
    leads.dedup();
    assert!(leads.len() > 10, "the same playout again and again");
}

#[test]
fn priors_see_captures_escapes_and_follies() {
    let drawn = Diagram::parse(
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
    let black = Position::from_board(drawn.board().unwrap(), Color::Black, Rules::default());
    let answer = judge(&black);
    let of = |name| prior(&answer, &drawn, name);
    let quiet = answer.policy[drawn.size.index(Point::at(1, 7))];
    // Extending on the first line leaves two liberties: an escape of one stone.
    assert!(of('c') > 2.0 * quiet);
    assert!(of('d') == 0.0 && answer.policy[81] < 0.1 * quiet);
    assert!(of('e') < quiet);
    // The same point takes a stone for White.
    let white = Position::from_board(drawn.board().unwrap(), Color::White, Rules::default());
    let answer = judge(&white);
    let of = |name| prior(&answer, &drawn, name);
    assert!(of('c') > 3.0 * of('b'));
    // Throwing a stone in between two black ones is self-atari.
    assert!(of('d') < 0.2 * of('b'));
}

#[test]
fn moves_near_the_last_one_come_first() {
    let mut position = Position::new(size(9, 9), Rules::default());
    let last = Point::at(4, 4);
    position.play(Color::Black, Move::Play(last)).unwrap();
    let answer = judge(&position);
    let of = |column, row| answer.policy[position.size().index(Point::at(column, row))];
    assert!(of(5, 4) > of(5, 5) && of(5, 5) > of(6, 4) && of(6, 4) > of(7, 4));
}

#[test]
fn passing_is_sensible_when_nothing_else_is() {
    let settled = position(SETTLED, Color::Black);
    let answer = judge(&settled);
    assert!(answer.policy[25] > 0.9, "{:?}", answer.policy);
}
