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
use honinbo::eval::rollout::{Rollout, RolloutSettings};
use honinbo::eval::uniform::Uniform;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::{Komi, Rules};
use honinbo::search::limits::SearchLimits;
use honinbo::search::restriction::Restriction;

fn playouts() -> Rollout {
    Rollout::new(RolloutSettings::default())
}

/// Creates an engine that evaluates with random playouts, so that the tests do not depend on a trained network.
fn player(size: BoardSize, rules: &str, visits: u64) -> Engine {
    engine_with_base(Arc::new(playouts()), size, rules, visits)
}

/// Creates an engine with a separate base evaluator.
fn engine_with_base(base: Arc<dyn Evaluator>, size: BoardSize, rules: &str, visits: u64) -> Engine {
    let evaluators = Evaluators::new(Arc::new(playouts()), base);
    let settings = EngineSettings {
        visits: Some(visits),
        ..EngineSettings::default()
    };
    let rules = Rules::named(rules).expect("a known set");
    Engine::new(settings, evaluators, size, rules).expect("a thread")
}

/// Evaluator that prefers to pass.
struct Idle;

impl Evaluator for Idle {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        Uniform.evaluate(requests, evaluations)?;
        for evaluation in evaluations {
            evaluation.policy.fill(1e-4);
            *evaluation.policy.last_mut().expect("a pass") = 1.0;
        }
        Ok(())
    }
}

#[test]
fn engine_never_opens_with_a_pass() {
    for (width, height) in [(3, 3), (2, 9), (9, 9)] {
        let evaluators = Evaluators::new(Arc::new(Idle), Arc::new(Idle));
        let settings = EngineSettings {
            visits: Some(20),
            ..EngineSettings::default()
        };
        let size = BoardSize::new(width, height).expect("a size");
        let rules = Rules::default();
        let mut engine = Engine::new(settings, evaluators, size, rules).expect("a thread");
        let decision = engine
            .genmove(Color::Black, GenmoveOptions::default())
            .expect("a move");
        assert!(
            matches!(decision, Decision::Play(_)),
            "{size}: {decision:?}"
        );
    }
}

fn player_at(picture: &str, to_move: Color, rules: &str) -> Engine {
    engine_with_base_at(Arc::new(playouts()), picture, to_move, rules)
}

fn engine_with_base_at(
    base: Arc<dyn Evaluator>,
    picture: &str,
    to_move: Color,
    rules: &str,
) -> Engine {
    let board = diagram::parse(picture).expect("a drawn board");
    let mut engine = engine_with_base(base, board.size(), rules, 400);
    let rules = Rules::named(rules).expect("a known set");
    let position = Position::from_board(board, to_move, rules);
    engine.set_record(Record::from_position(position)).unwrap();
    engine
}

fn genmove(engine: &mut Engine, color: Color) -> Decision {
    engine
        .genmove(color, GenmoveOptions::default())
        .expect("playouts do not fail")
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
    let size = engine.record().size();
    let dame = size.parse_vertex("D4").expect("a vertex");
    assert_eq!(genmove(&mut engine, Color::Black), Decision::Play(dame));
    assert_eq!(genmove(&mut engine, Color::White), Decision::Pass);
    // The margin is the komi minus one: Black has 25 points, White 24.
    assert_eq!(
        engine.final_count().expect("a count").score.to_string(),
        "W+6.5"
    );
}

#[test]
fn winning_pass_is_played_without_open_points() {
    for (rules, takes_dame) in [("chinese", true), ("japanese", false)] {
        let mut engine = player_at(ONE_DAME, Color::Black, rules);
        let dame = engine.record().size().parse_vertex("D4").expect("a vertex");
        for expected in takes_dame
            .then_some(Decision::Play(dame))
            .into_iter()
            .chain([Decision::Pass])
        {
            engine
                .play(Color::Black, Move::Pass)
                .expect("a pass is legal");
            assert_eq!(genmove(&mut engine, Color::White), expected, "{rules}");
        }
        assert!(engine.record().ended());
    }
}

/// Random playouts that count their evaluations.
struct Counting {
    playouts: Rollout,
    evaluations: AtomicUsize,
}

impl Evaluator for Counting {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.evaluations
            .fetch_add(requests.len(), Ordering::Relaxed);
        self.playouts.evaluate(requests, evaluations)
    }
}

#[test]
fn expired_clock_skips_endgame_queries() {
    for (settings, expects_queries) in [
        (TimeControl::UNLIMITED, true),
        (TimeControl::absolute(1000.0), true),
        (TimeControl::absolute(0.0), false),
    ] {
        let base = Arc::new(Counting {
            playouts: playouts(),
            evaluations: AtomicUsize::new(0),
        });
        let judge: Arc<dyn Evaluator> = base.clone();
        let mut engine = engine_with_base_at(judge, ONE_DAME, Color::Black, "chinese");
        engine.clock_mut().set_time_control(settings);
        engine
            .play(Color::Black, Move::Pass)
            .expect("a pass is legal");
        genmove(&mut engine, Color::White);
        let count = base.evaluations.load(Ordering::Relaxed);
        assert_eq!(count > 0, expects_queries, "{settings}: {count}");
    }
}

#[test]
fn sending_two_returning_one_ends() {
    // Black is behind, throws two stones into White's false eye at C1 and recaptures one, and White passes.
    let picture = "
        X O O O X . . . .
        X X O X X X X X .
        X . O O O O O X .
        . O O X X O X X X
        O O O O X X O X O
        X O X O X O O O O
        X X X . X O . O .
        X O O O X X O O X
        O O . X . O O X .";
    let mut engine = player_at(picture, Color::White, "chinese");
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
        assert_eq!(
            genmove(&mut engine, Color::White),
            Decision::Pass,
            "{rules}"
        );
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
    let status = engine.final_status().expect("a status");
    let size = engine.record().size();
    let dead: Vec<String> = status.dead.iter().map(|point| size.vertex(point)).collect();
    assert_eq!(dead, ["C5"]);
}

#[test]
fn genmove_plays_on_after_game_end() {
    let size = BoardSize::new(5, 5).expect("a size");
    let mut engine = player(size, "chinese", 50);
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
        let mut engine = player(BoardSize::new(7, 7).expect("a size"), "chinese", 60);
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
        let mut engine = player(BoardSize::new(9, 9).expect("a size"), "chinese", 400);
        let level = SettingChange::Level(Level::by_number(number).expect("a level"));
        engine.change_setting(level).expect("any level will do");
        engine
    };
    let opening = |engine: &mut Engine| {
        engine.clear_board();
        for turn in 0..8 {
            engine.start_search(SearchLimits::visits(200)); // Not used by the move.
            while !engine.wait_for(Duration::from_secs(1)) {}
            genmove(engine, Color::BOTH[turn % 2]);
            let visits = engine
                .last_move()
                .map(|last_move| last_move.report.visits.into());
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
    let size = BoardSize::new(9, 9).expect("a size");
    let mut engine = player(size, "chinese", 400);
    let corner = size.parse_move("A1").expect("a vertex");
    let advice = |restriction| GenmoveOptions {
        restriction,
        play: false,
        ..GenmoveOptions::default()
    };
    let advised = |engine: &mut Engine, restriction| {
        let decision = engine.genmove(Color::Black, advice(restriction));
        decision.expect("playouts do not fail")
    };
    let Decision::Play(only) = advised(&mut engine, Restriction::only(vec![corner])) else {
        panic!("a move is allowed");
    };
    assert_eq!(Move::Play(only), corner);
    assert_ne!(
        advised(&mut engine, Restriction::none()),
        Decision::Play(only)
    );
}

#[test]
fn allowed_moves_receive_all_visits() {
    let size = BoardSize::new(5, 5).expect("a size");
    let mut engine = player(size, "chinese", 200);
    genmove(&mut engine, Color::Black);
    engine.play(Color::White, Move::Pass).expect("a pass");
    let reused = engine.report().moves.len();
    assert!(reused > 0, "the reply has visits");
    let options = GenmoveOptions {
        restriction: Restriction::except(vec![Move::Pass]),
        play: false,
        ..GenmoveOptions::default()
    };
    engine
        .genmove(Color::Black, options)
        .expect("playouts do not fail");
    let report = engine.report();
    let followed: u32 = report.moves.iter().map(|report| report.visits).sum();
    assert_eq!((followed + 1, report.visits), (200, 200));
}

#[test]
fn button_pass_does_not_end_the_game() {
    let mut engine = player_at(ONE_DAME, Color::Black, "aga-button");
    engine.set_komi(Komi::from_half_points(2));
    engine.play(Color::Black, Move::Pass).expect("a pass");
    // With the button, Black has 24.5 points and White 25, so the last point decides the game.
    let dame = engine.record().size().parse_vertex("D4").expect("a vertex");
    assert_eq!(genmove(&mut engine, Color::White), Decision::Play(dame));
}
