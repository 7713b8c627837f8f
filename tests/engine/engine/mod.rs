//! The engine's decisions: the end of a game, resigning, levels and reproducible games.

mod resigning;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use honinbo::clock::time_control::TimeControl;
use honinbo::engine::decision::Decision;
use honinbo::engine::genmove::GenmoveOptions;
use honinbo::engine::level::Level;
use honinbo::engine::setting_change::SettingChange;
use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::Evaluator;
use honinbo::eval::rollout::{RolloutEvaluator, RolloutSettings};
use honinbo::eval::uniform::UniformEvaluator;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::{Komi, Rules};
use honinbo::search::limits::SearchLimits;
use honinbo::search::restriction::Restriction;

use crate::evaluator_fn::{evaluate, evaluator_fn};

fn playouts() -> RolloutEvaluator {
    RolloutEvaluator::new(RolloutSettings::default())
}

/// Creates an engine that evaluates with random playouts, so that the tests do not depend on a trained network.
fn player(side: usize, visits: u64) -> Engine {
    let size = BoardSize::new(side, side).expect("a size");
    let evaluators = shared_evaluator(Arc::new(playouts()));
    Engine::new(with_visits(visits), evaluators, size, rules("chinese")).expect("a thread")
}

pub fn shared_evaluator(evaluator: Arc<dyn Evaluator>) -> Evaluators {
    Evaluators {
        search: Arc::clone(&evaluator),
        base: Arc::clone(&evaluator),
        raw: evaluator,
    }
}

fn with_visits(visits: u64) -> EngineSettings {
    EngineSettings {
        visits: Some(visits),
        ..EngineSettings::default()
    }
}

pub fn rules(name: &str) -> Rules {
    Rules::parse(name).expect("a known set")
}

/// Evaluator that prefers to pass.
fn passing_evaluator() -> Arc<dyn Evaluator> {
    evaluator_fn(|position| {
        let mut evaluation = evaluate(&UniformEvaluator, position)?;
        evaluation.policy.fill(1e-4);
        *evaluation.policy.last_mut().expect("a pass") = 1.0;
        Ok(evaluation)
    })
}

#[test]
fn engine_never_opens_with_a_pass() {
    for (width, height) in [(3, 3), (2, 9), (9, 9)] {
        let size = BoardSize::new(width, height).expect("a size");
        let evaluators = shared_evaluator(passing_evaluator());
        let engine = Engine::new(with_visits(20), evaluators, size, Rules::default());
        let decision = genmove(&mut engine.expect("a thread"), Color::Black);
        assert!(
            matches!(decision, Decision::Play(_)),
            "{size}: {decision:?}"
        );
    }
}

fn player_at(board_diagram: &str, to_move: Color, name: &str) -> Engine {
    let evaluators = shared_evaluator(Arc::new(playouts()));
    engine_at(
        with_visits(400),
        evaluators,
        board_diagram,
        to_move,
        rules(name),
    )
}

pub fn engine_at(
    settings: EngineSettings,
    evaluators: Evaluators,
    board_diagram: &str,
    to_move: Color,
    rules: Rules,
) -> Engine {
    let board = diagram::parse_board(board_diagram).expect("a drawn board");
    let mut engine = Engine::new(settings, evaluators, board.size(), rules).expect("a thread");
    let position = Position::from_board(board, to_move, rules);
    engine.set_record(Record::from_position(position)).unwrap();
    engine
}

pub fn genmove(engine: &mut Engine, color: Color) -> Decision {
    genmove_with(engine, color, GenmoveOptions::default())
}

pub fn genmove_with(engine: &mut Engine, color: Color, options: GenmoveOptions) -> Decision {
    let decision = engine.genmove(color, options);
    decision.expect("no evaluation fails")
}

/// Options for a decision that is not played.
fn advice(restriction: Restriction) -> GenmoveOptions {
    GenmoveOptions {
        restriction,
        play: false,
        ..GenmoveOptions::default()
    }
}

pub fn point(engine: &Engine, vertex: &str) -> Point {
    let point = engine.record().size().parse_vertex(vertex);
    point.expect("a vertex")
}

/// Returns the vertices of the stones that the engine considers dead.
pub fn dead_stones(engine: &Engine) -> Vec<String> {
    let dead = engine.final_status().expect("a status").dead;
    let size = engine.record().size();
    dead.iter().map(|point| size.vertex(point)).collect()
}

/// Two living groups and one neutral point between them, D4.
const ONE_DAME: &str = "
    . X X X O O .
    X X X X O O O
    X X X X O O O
    X X X . O O O
    X X X O O O O
    X X X O O O O
    . X X O O O .";

#[test]
fn last_neutral_point_is_filled_before_passing() {
    let mut engine = player_at(ONE_DAME, Color::Black, "chinese");
    let dame = point(&engine, "D4");
    assert_eq!(genmove(&mut engine, Color::Black), Decision::Play(dame));
    assert_eq!(genmove(&mut engine, Color::White), Decision::Pass);
    // The margin is the komi minus one: Black has 25 points, White 24.
    let count = engine.final_count().expect("a count");
    assert_eq!(count.score.to_string(), "W+6.5");
}

#[test]
fn winning_pass_is_played_without_open_points() {
    for (rules, takes_dame) in [("chinese", true), ("japanese", false)] {
        let mut engine = player_at(ONE_DAME, Color::Black, rules);
        let dame = point(&engine, "D4");
        let first = takes_dame.then_some(Decision::Play(dame));
        for expected in first.into_iter().chain([Decision::Pass]) {
            engine
                .play(Color::Black, Move::Pass)
                .expect("a pass is legal");
            assert_eq!(genmove(&mut engine, Color::White), expected, "{rules}");
        }
        assert!(engine.record().ended());
    }
}

#[test]
fn expired_clock_skips_endgame_queries() {
    for (settings, expects_queries) in [
        (TimeControl::UNLIMITED, true),
        (TimeControl::absolute(1000.0), true),
        (TimeControl::absolute(0.0), false),
    ] {
        let count = Arc::new(AtomicUsize::new(0));
        let (counted, base) = (Arc::clone(&count), playouts());
        let counting = evaluator_fn(move |position| {
            counted.fetch_add(1, Ordering::Relaxed);
            evaluate(&base, position)
        });
        let evaluators = Evaluators {
            base: counting,
            ..shared_evaluator(Arc::new(playouts()))
        };
        let rules = rules("chinese");
        let mut engine = engine_at(with_visits(400), evaluators, ONE_DAME, Color::Black, rules);
        engine.clock_mut().set_time_control(settings);
        engine
            .play(Color::Black, Move::Pass)
            .expect("a pass is legal");
        genmove(&mut engine, Color::White);
        let count = count.load(Ordering::Relaxed);
        assert_eq!(count > 0, expects_queries, "{settings}: {count}");
    }
}

#[test]
fn sending_two_returning_one_ends() {
    // Black is behind, throws two stones into White's false eye at C1 and recaptures one, and White passes.
    let board_diagram = "
        X O O O X . . . .
        X X O X X X X X .
        X . O O O O O X .
        . O O X X O X X X
        O O O O X X O X O
        X O X O X O O O O
        X X X . X O . O .
        X O O O X X O O X
        O O . X . O O X .";
    let mut engine = player_at(board_diagram, Color::White, "chinese");
    let size = engine.record().size();
    let mut play = |color, vertex| {
        let mv = size.parse_move(vertex).expect("a vertex");
        engine.play(color, mv).expect("a legal move");
    };
    play(Color::White, "pass");
    for (color, vertex) in [
        (Color::Black, "C1"),
        (Color::White, "E1"),
        (Color::Black, "D1"),
        (Color::White, "pass"),
    ] {
        play(color, vertex);
    }
    assert_eq!(genmove(&mut engine, Color::Black), Decision::Pass);
}

#[test]
fn engine_does_not_fill_own_eyes() {
    // White has two eyes and no other move; the rest of the board is Black's.
    let two_eyes = "
        . O . O X
        O O O O X
        X X X X X
        . X . X .
        X . X . X";
    for rules in ["chinese", "tromp-taylor", "japanese"] {
        let mut engine = player_at(two_eyes, Color::White, rules);
        let decision = genmove(&mut engine, Color::White);
        assert_eq!(decision, Decision::Pass, "{rules}");
    }
}

#[test]
fn dead_stone_is_reported_dead() {
    let engine = player_at(
        "
        . X . X O . O
        X X X X O O O
        . . O X O . .
        . . . X O O .
        . . . X O . .
        . X . X O O O
        . . . X O . .",
        Color::Black,
        "chinese",
    );
    assert_eq!(dead_stones(&engine), ["C5"]);
}

#[test]
fn genmove_plays_on_after_game_end() {
    let mut engine = player(5, 50);
    for color in [Color::Black, Color::White] {
        engine.play(color, Move::Pass).expect("a pass is legal");
    }
    assert!(engine.record().ended());
    genmove(&mut engine, Color::Black);
    assert_eq!(engine.record().moves().len(), 3);
}

#[test]
fn equal_seeds_play_equal_games() {
    let game = || {
        let mut engine = player(7, 60);
        for turn in 0..40 {
            let color = [Color::Black, Color::White][turn % 2];
            if genmove(&mut engine, color) == Decision::Resign {
                break;
            }
        }
        engine.record().moves().to_vec()
    };
    assert_eq!(game(), game());
}

#[test]
fn levels_limit_visits_and_vary_games() {
    let leveled = |number| {
        let mut engine = player(9, 400);
        let level = SettingChange::Level(Level::by_number(number).expect("a level"));
        engine.change_setting(level).expect("any level will do");
        engine
    };
    let opening = |engine: &mut Engine| {
        engine.clear_board();
        for turn in 0..8 {
            engine.start_search(SearchLimits::with_visits(200)); // Not used by the move.
            while !engine.wait_for(Duration::from_secs(1)) {}
            genmove(engine, Color::BOTH[turn % 2]);
            let last_decision = engine.last_decision();
            let visits = last_decision.map(|last_decision| last_decision.report.visits.into());
            assert_eq!(visits, engine.settings().level.visits);
        }
        engine.record().moves().to_vec()
    };
    for number in [3, 6] {
        let mut engine = leveled(number);
        let first = opening(&mut engine);
        // At the stronger level, the playouts leave only one acceptable move.
        if number == 3 {
            assert_ne!(opening(&mut engine), first);
        }
        assert_eq!(first, opening(&mut leveled(number)));
    }
}

#[test]
fn restricted_search_tree_is_not_reused() {
    let mut engine = player(9, 400);
    let corner = point(&engine, "A1");
    let mut advised = |restriction| genmove_with(&mut engine, Color::Black, advice(restriction));
    let only = Restriction::only(vec![Move::Play(corner)]);
    assert_eq!(advised(only), Decision::Play(corner));
    assert_ne!(advised(Restriction::none()), Decision::Play(corner));
}

#[test]
fn allowed_moves_receive_all_visits() {
    let mut engine = player(5, 200);
    genmove(&mut engine, Color::Black);
    engine.play(Color::White, Move::Pass).expect("a pass");
    let reused = engine.search_report().moves.len();
    assert!(reused > 0, "the reply has visits");
    let no_pass = advice(Restriction::except(vec![Move::Pass]));
    genmove_with(&mut engine, Color::Black, no_pass);
    let report = engine.search_report();
    let followed: u32 = report.moves.iter().map(|report| report.visits).sum();
    assert_eq!((followed + 1, report.visits), (200, 200));
}

#[test]
fn button_pass_does_not_end_the_game() {
    let mut engine = player_at(ONE_DAME, Color::Black, "aga-button");
    engine.set_komi(Komi::from_half_points(2));
    engine.play(Color::Black, Move::Pass).expect("a pass");
    // With the button, Black has 24.5 points and White 25, so the last point decides the game.
    let dame = point(&engine, "D4");
    assert_eq!(genmove(&mut engine, Color::White), Decision::Play(dame));
}
