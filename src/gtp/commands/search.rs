//! Searches as for a move that play nothing, and how fast the engine searches.

use std::time::Instant;

use super::analyze::{Purpose, USAGE, think_aloud};
use super::play::{LISTEN, attend, decided, wait};
use crate::engine::genmove::Wish;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::stream::Style;
use crate::search::limits::Limits;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "kata-search",
        "COLOR",
        "Thinks as about a move and answers it; nothing is played, and it never resigns.",
        |context, args| search(context, args, false),
    ),
    Command::new(
        "kata-search_cancellable",
        "COLOR",
        "The same, but the next line ends it, with the answer \"cancelled\".",
        |context, args| search(context, args, true),
    ),
    Command::new(
        "kata-search_analyze",
        USAGE,
        "Does what kata-genmove_analyze does, but plays nothing and never resigns.",
        |context, args| think_aloud(context, args, Style::Kata, Purpose::Advice),
    ),
    Command::new(
        "kata-search_analyze_cancellable",
        USAGE,
        "The same, but the next line ends it, with \"play cancelled\" as the move.",
        |context, args| think_aloud(context, args, Style::Kata, Purpose::Cancellable),
    ),
    Command::new(
        "kata-benchmark",
        "VISITS",
        "Searches the position anew with that many visits and answers how fast that was.",
        benchmark,
    ),
];

/// More visits would take too long for a measurement.
const MOST_VISITS: u64 = 10_000_000;

fn search(context: &mut Context<'_, '_>, args: &mut Args<'_>, cancellable: bool) -> Outcome {
    let color = args.color()?;
    args.end()?;
    let wish = Wish {
        play: false,
        ..Wish::default()
    };
    context.engine.begin_genmove(color, wish);
    if !attend(context, cancellable, LISTEN, |_| {}) {
        return Ok(Answer::Text("cancelled".to_owned()));
    }
    decided(context)
}

fn benchmark(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let visits = args.number("visits", 1..=MOST_VISITS)?;
    args.end()?;
    context.engine.clear_cache();
    let started = Instant::now();
    context.engine.begin(Limits::visits(visits));
    wait(context);
    let seconds = started.elapsed().as_secs_f64();
    if let Some(error) = context.engine.failure() {
        return Err(error.into());
    }
    let found = context.engine.report().visits;
    let speed = f64::from(found) / seconds.max(1e-9);
    let threads = context.engine.settings().threads;
    Ok(Answer::Text(format!(
        "{found} visits in {seconds:.3} s, {speed:.1} visits/s, {threads} threads"
    )))
}
