//! Searches as for a move that play nothing, and how fast the engine searches.

use std::time::Instant;

use super::analyze::{ANALYZE_USAGE, GenmoveMode, genmove_analyze};
use super::play::{POLL_INTERVAL, poll_search, respond_with_decision, wait_for_search};
use crate::engine::genmove::GenmoveOptions;
use crate::gtp::analysis_output::AnalysisFormat;
use crate::gtp::args::Args;
use crate::gtp::context::{Command, CommandResult, Context, Response};
use crate::search::limits::SearchLimits;

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
        ANALYZE_USAGE,
        "Does what kata-genmove_analyze does, but plays nothing and never resigns.",
        |context, args| {
            genmove_analyze(
                context,
                args,
                AnalysisFormat::KataGo,
                GenmoveMode::SearchOnly,
            )
        },
    ),
    Command::new(
        "kata-search_analyze_cancellable",
        ANALYZE_USAGE,
        "The same, but the next line ends it, with \"play cancelled\" as the move.",
        |context, args| {
            genmove_analyze(
                context,
                args,
                AnalysisFormat::KataGo,
                GenmoveMode::Cancellable,
            )
        },
    ),
    Command::new(
        "kata-benchmark",
        "VISITS",
        "Searches the position anew with that many visits and answers how fast that was.",
        benchmark,
    ),
];

/// More visits would take too long for a measurement.
const MAX_VISITS: u64 = 10_000_000;

fn search(context: &mut Context<'_, '_>, args: &mut Args<'_>, cancellable: bool) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    let options = GenmoveOptions {
        play: false,
        ..GenmoveOptions::default()
    };
    context.engine.begin_genmove(color, options);
    if !poll_search(context, cancellable, POLL_INTERVAL, |_| {}) {
        return Ok(Response::Text("cancelled".to_owned()));
    }
    respond_with_decision(context)
}

fn benchmark(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let visits = args.number("visits", 1..=MAX_VISITS)?;
    args.expect_end()?;
    context.engine.clear_cache();
    let started = Instant::now();
    context.engine.start_search(SearchLimits::visits(visits));
    wait_for_search(context);
    let seconds = started.elapsed().as_secs_f64();
    if let Some(error) = context.engine.error() {
        return Err(error.into());
    }
    let visits_done = context.engine.report().visits;
    let visits_per_second = f64::from(visits_done) / seconds.max(1e-9);
    let threads = context.engine.settings().threads;
    Ok(Response::Text(format!(
        "{visits_done} visits in {seconds:.3} s, {visits_per_second:.1} visits/s, {threads} threads"
    )))
}
