//! Terminal interface: drawing, commands, keys, and the binary on pipes and in a pseudo-terminal.

mod boards;
mod dialogues;
mod keys;
mod pages;
mod program;
#[cfg(unix)]
mod window;

use std::path::PathBuf;
use std::sync::Arc;

use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::Evaluator;
use honinbo::eval::rollout::{Rollout, RolloutSettings};
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::terminal::game::Game;

/// Creates a game on a square board with reproducible moves of the program, which plays White.
fn game(side: usize, autosave_path: Option<PathBuf>) -> Game {
    let evaluator: Arc<dyn Evaluator> = Arc::new(Rollout::new(RolloutSettings::default()));
    let evaluators = Evaluators::new(Arc::clone(&evaluator), evaluator);
    let settings = EngineSettings {
        visits: Some(40),
        ..EngineSettings::default()
    };
    let size = BoardSize::new(side, side).unwrap();
    let engine = Engine::new(settings, evaluators, size, Rules::default()).unwrap();
    Game::new(engine, None, autosave_path)
}
