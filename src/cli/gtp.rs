//! `honinbo gtp`: the engine on standard input and output.

use std::io;
use std::sync::Arc;

use honinbo::engine::Engine;
use honinbo::gtp::session;
use honinbo::gtp::wire::Log;

use super::options::Options;

/// Serves until the client quits.
pub fn run(options: Options) -> anyhow::Result<()> {
    let options = options.resolved()?;
    let settings = options.settings()?;
    let stack = options.evaluators()?;
    let evaluators = honinbo::engine::Evaluators {
        search: Arc::clone(&stack.evaluator),
        raw: options.raw(&stack)?,
        plain: Arc::clone(&stack.judge),
    };
    let mut engine = Engine::new(
        settings,
        evaluators,
        options.board(&stack)?,
        options.game_rules()?,
    )?;
    let log = options.log.as_deref().map(Log::open).transpose()?;
    session::run(
        &mut engine,
        &options.identity(&stack),
        io::stdin(),
        &mut io::stdout().lock(),
        log,
    )?;
    Ok(())
}
