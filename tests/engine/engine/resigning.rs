//! When the engine resigns, and the effect of an undone resignation.

use std::sync::Arc;

use honinbo::engine::Engine;
use honinbo::engine::decision::Decision;
use honinbo::engine::level::LEVELS;
use honinbo::engine::settings::EngineSettings;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::rules::Rules;
use honinbo::search::restriction::Restriction;

use crate::engine::{advice, genmove, genmove_with, player_at, playouts, shared_evaluator};

#[test]
fn lost_game_is_resigned_except_in_suggestions() {
    let lost = "
        X X X X X . X
        X X . X X X X
        X X X X X X X
        X X X X . X X
        X X X X X X X
        X X X X X . .
        X X X X . . .";
    let mut engine = player_at(lost, Color::White, "chinese");
    for _ in 0..4 {
        let advice = advice(Restriction::none());
        let decision = genmove_with(&mut engine, Color::White, advice);
        assert_ne!(decision, Decision::Resign);
    }
    let decisions: Vec<Decision> = (0..8).map(|_| genmove(&mut engine, Color::White)).collect();
    assert!(decisions.contains(&Decision::Resign), "{decisions:?}");
}

/// Returns a weak engine that resigns in any position and has just done so.
fn resigned() -> Engine {
    let settings = EngineSettings {
        level: &LEVELS[2],
        resign_percent: Some(100.0),
        ..EngineSettings::default()
    };
    let size = BoardSize::new(5, 5).expect("a size");
    let evaluators = shared_evaluator(Arc::new(playouts()));
    let mut engine = Engine::new(settings, evaluators, size, Rules::default()).expect("a thread");
    for _ in 0..20 {
        if genmove(&mut engine, Color::Black) == Decision::Resign {
            return engine;
        }
        engine.play(Color::White, Move::Pass).expect("a pass");
    }
    panic!("the level's threshold overrides the settings");
}

#[test]
fn undone_resignation_resets_turn_count() {
    let mut engine = resigned();
    assert!(engine.undo_resignation());
    assert_ne!(genmove(&mut engine, Color::Black), Decision::Resign);
}

#[test]
fn move_after_resignation_clears_last_decision() {
    let mut engine = resigned();
    assert!(engine.last_decision().is_some());
    engine.play(Color::Black, Move::Pass).expect("a pass");
    assert!(engine.last_decision().is_none() && engine.record().resigned().is_none());
}
