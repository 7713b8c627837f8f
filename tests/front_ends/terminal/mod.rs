//! Terminal interface: drawing, commands, keys, and the binary on pipes and in a pseudo-terminal.

mod boards;
mod dialogues;
mod keys;
mod menu;
mod pages;
mod program;
#[cfg(unix)]
mod window;

use std::path::PathBuf;
use std::sync::Arc;

use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::Evaluator;
use honinbo::eval::rollout::{RolloutEvaluator, RolloutSettings};
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::terminal::autosave::Autosave;
use honinbo::terminal::game::Game;
use honinbo::terminal::style::{StyledLine, line_width, plain_text};

/// Returns drawn lines as text, without trailing spaces.
fn text(lines: &[StyledLine]) -> String {
    let lines = lines.iter().map(plain_text);
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Checks that a page has the height of the window and that no line is wider than the window.
fn assert_fills(page: &[StyledLine], window: (usize, usize)) {
    assert_eq!(page.len(), window.1.max(1), "{window:?}");
    let fits = page.iter().all(|line| line_width(line) <= window.0);
    assert!(fits, "{window:?}");
}

/// Creates a game on a square board with reproducible moves of the program, which plays White.
fn game(side: usize, autosave_folder: Option<PathBuf>) -> Game {
    let settings = EngineSettings {
        visits: Some(40),
        ..EngineSettings::default()
    };
    game_with(settings, side, autosave_folder)
}

/// Creates such a game with the given settings.
fn game_with(settings: EngineSettings, side: usize, autosave_folder: Option<PathBuf>) -> Game {
    let evaluator: Arc<dyn Evaluator> = Arc::new(RolloutEvaluator::new(RolloutSettings::default()));
    let evaluators = Evaluators::new(Arc::clone(&evaluator), evaluator);
    let size = BoardSize::new(side, side).unwrap();
    let engine = Engine::new(settings, evaluators, size, Rules::default()).unwrap();
    Game::new(engine, None, autosave_folder.map(Autosave::new))
}
