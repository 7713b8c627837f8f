//! `honinbo gtp`: the engine on standard input and output.

use std::io;
use std::sync::Arc;

use honinbo::engine::Engine;
use honinbo::gtp::session;

use super::options::Options;

/// Serves until the client quits.
pub fn run(options: Options) -> anyhow::Result<()> {
    let options = options.with_config_file()?;
    let settings = options.settings()?;
    let stack = options.evaluators()?;
    let evaluators = honinbo::engine::Evaluators {
        search: Arc::clone(&stack.evaluator),
        raw: options.raw_evaluator(&stack)?,
        base: Arc::clone(&stack.base),
    };
    let mut engine = Engine::new(
        settings,
        evaluators,
        options.playable_board_size(&stack)?,
        options.game_rules()?,
    )?;
    session::run(
        &mut engine,
        &options.identity(&stack),
        io::stdin(),
        &mut io::stdout().lock(),
        options.open_log()?,
    )?;
    Ok(())
}
