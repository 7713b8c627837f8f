//! When a player gives up, and what comes of a resignation that is taken back.

use std::sync::Arc;

use honinbo::engine::decision::Decision;
use honinbo::engine::genmove::GenmoveOptions;
use honinbo::engine::level::LEVELS;
use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::Evaluator;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::rules::Rules;

use crate::engine::{genmove, player_at, playouts};

#[test]
fn a_lost_game_is_resigned_but_advice_never_is() {
    let lost = "
        X X X X X . X
        X X . X X X X
        X X X X X X X
        X X X X . X X
        X X X X X X X
        X X X X X . .
        X X X X . . .";
    let mut engine = player_at(lost, Color::White, "chinese");
    let advice = GenmoveOptions {
        play: false,
        ..GenmoveOptions::default()
    };
    for _ in 0..4 {
        let decision = engine
            .genmove(Color::White, advice.clone())
            .expect("a decision");
        assert_ne!(decision, Decision::Resign);
    }
    let decisions: Vec<Decision> = (0..8).map(|_| genmove(&mut engine, Color::White)).collect();
    assert!(decisions.contains(&Decision::Resign), "{decisions:?}");
}

/// A weak player that gives up whatever happens, and has just done so.
fn resigned() -> Engine {
    let judge: Arc<dyn Evaluator> = Arc::new(playouts());
    let evaluators = Evaluators {
        search: Arc::clone(&judge),
        raw: Arc::clone(&judge),
        base: judge,
    };
    let settings = EngineSettings {
        level: &LEVELS[2],
        resign: Some(100.0),
        ..EngineSettings::default()
    };
    let size = BoardSize::new(5, 5).expect("a size");
    let mut engine = Engine::new(settings, evaluators, size, Rules::default()).expect("a thread");
    for _ in 0..20 {
        if genmove(&mut engine, Color::Black) == Decision::Resign {
            return engine;
        }
        engine.play(Color::White, Move::Pass).expect("a pass");
    }
    panic!("the level's own bound was taken for the one that is told");
}

#[test]
fn a_resignation_taken_back_is_thought_about_anew() {
    let mut engine = resigned();
    assert!(engine.take_back_resignation());
    assert_ne!(genmove(&mut engine, Color::Black), Decision::Resign);
}

#[test]
fn a_resignation_played_on_from_is_no_longer_explained() {
    let mut engine = resigned();
    assert!(engine.last_move().is_some());
    engine.play(Color::Black, Move::Pass).expect("a pass");
    assert!(engine.last_move().is_none() && engine.record().resigned().is_none());
}
