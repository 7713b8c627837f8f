//! Commands that search for a move: the `genmove` family, `restricted_genmove`, and KataGo's `kata-search` commands.

use std::time::{Duration, Instant};

use super::analyze::{AnalyzeRequest, KATAGO_USAGE, LEELA_ZERO_USAGE, PredictedScoreDeviation};
use crate::engine::decision::Decision;
use crate::engine::genmove::{GenmoveOptions, GenmoveResult};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::rules::Rules;
use crate::gtp::analysis_output::AnalysisFormat::{self, KataGo, LeelaZero};
use crate::gtp::analysis_output::{AnalysisOptions, analysis_line};
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::report_timer::ReportTimer;
use crate::gtp::response::{CommandResult, Response, text};
use crate::io::stderr;
use crate::search::report::{MoveReport, Report};
use crate::search::restriction::Restriction;

pub const COMMANDS: &[Command] = &[
    Command::new(
        "genmove",
        "COLOR",
        "Searches for a move, plays it and returns it.",
        genmove,
    ),
    Command::new(
        "reg_genmove",
        "COLOR",
        "Searches for a move and returns it without playing it.",
        |context, args| search_without_playing(context, args, false),
    ),
    Command::new(
        "kgs-genmove_cleanup",
        "COLOR",
        "Plays a move like genmove, but does not pass while there are dead stones of the opponent to capture.",
        genmove_cleanup,
    ),
    Command::new(
        "restricted_genmove",
        "COLOR VERTEX...",
        "Returns the best of the given moves, or PASS if passing is better, but does not play it.",
        restricted_genmove,
    ),
    Command::new(
        "lz-genmove_analyze",
        LEELA_ZERO_USAGE,
        "Plays a move like genmove and reports the search in Leela Zero's format.",
        |context, args| genmove_analyze(context, args, LeelaZero, GenmoveMode::Play),
    ),
    Command::new(
        "kata-genmove_analyze",
        KATAGO_USAGE,
        "Plays a move like genmove and reports the search in KataGo's format.",
        |context, args| genmove_analyze(context, args, KataGo, GenmoveMode::Play),
    ),
    Command::new(
        "kata-search",
        "COLOR",
        "Returns a move like genmove, but does not play it and never resigns.",
        |context, args| search_without_playing(context, args, false),
    ),
    Command::new(
        "kata-search_cancellable",
        "COLOR",
        "Like kata-search, but the next input line cancels the search; the response is then \"cancelled\".",
        |context, args| search_without_playing(context, args, true),
    ),
    Command::new(
        "kata-search_analyze",
        KATAGO_USAGE,
        "Like kata-genmove_analyze, but does not play the move and never resigns.",
        |context, args| genmove_analyze(context, args, KataGo, GenmoveMode::SearchOnly),
    ),
    Command::new(
        "kata-search_analyze_cancellable",
        KATAGO_USAGE,
        "Like kata-search_analyze, but the next input line cancels the search; the last line is then \"play cancelled\".",
        |context, args| genmove_analyze(context, args, KataGo, GenmoveMode::Cancellable),
    ),
    Command::new(
        "genmove_analyze",
        KATAGO_USAGE,
        "Alias of kata-genmove_analyze.",
        |context, args| genmove_analyze(context, args, KataGo, GenmoveMode::Play),
    )
    .unlisted(),
];

/// Interval at which a running search is checked for an interrupt by the client.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits until the search ends. A `# interrupt` line ends it early.
pub fn wait_for_search(context: &mut Context<'_, '_>) {
    wait_with_polling(context, false, |_| POLL_INTERVAL);
}

/// Waits until the search ends, and calls `on_poll` periodically, which returns the time until the next call. A
/// `# interrupt` line ends the search early; the best move found so far is then chosen.
///
/// Returns true once the search has ended. If `cancellable` is true, any input line or the end of the input stops the
/// search, and the function returns false.
pub fn wait_with_polling(
    context: &mut Context<'_, '_>,
    cancellable: bool,
    mut on_poll: impl FnMut(&mut Context<'_, '_>) -> Duration,
) -> bool {
    loop {
        let wait = on_poll(context);
        if context.engine.wait_for(wait) {
            return true;
        }
        if cancellable && context.connection.wait_for_input(Some(Duration::ZERO)) {
            context.engine.cancel_search();
            return false;
        }
        if context.connection.take_interrupt() {
            context.engine.finish_search_early();
        }
    }
}

/// Starts the search for a move of `color` and waits until the search ends. The caller can then choose the move with
/// [`finish_genmove`](crate::engine::Engine::finish_genmove).
pub fn run_search(context: &mut Context<'_, '_>, color: Color, options: GenmoveOptions) {
    context.engine.begin_genmove(color, options);
    wait_for_search(context);
}

/// Chooses the move after its search has ended, and returns the move as the response.
fn finish_and_respond(context: &mut Context<'_, '_>) -> CommandResult {
    let decision = context.engine.finish_genmove()?.decision;
    text(decision.to_text(context.engine.record().size()))
}

fn genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.parse_last(Args::color)?;
    run_search(context, color, GenmoveOptions::default());
    finish_and_respond(context)
}

fn genmove_cleanup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.parse_last(Args::color)?;
    // Without friendly pass, all stones on the board count as alive, so dead stones are captured before passing.
    let rules = *context.engine.record().rules();
    context.engine.set_rules(Rules {
        friendly_pass: false,
        ..rules
    });
    let options = GenmoveOptions {
        cleanup: true,
        ..GenmoveOptions::default()
    };
    run_search(context, color, options);
    let result = finish_and_respond(context);
    context.engine.set_rules(rules);
    result
}

fn restricted_genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    let position = context.engine.position();
    let mut moves = vec![Move::Pass];
    loop {
        let point = args.point(position.size())?;
        // As in GNU Go, illegal moves in the list are ignored.
        if position.check_legal_for(color, point).is_ok() {
            moves.push(Move::Play(point));
        }
        if args.is_empty() {
            break;
        }
    }
    let options = GenmoveOptions {
        restriction: Restriction::only(moves),
        play: false,
        ..GenmoveOptions::default()
    };
    let size = position.size();
    run_search(context, color, options);
    text(match context.engine.finish_genmove()?.decision {
        Decision::Play(point) => size.vertex(point),
        Decision::Pass | Decision::Resign => "PASS".to_owned(),
    })
}

fn search_without_playing(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    cancellable: bool,
) -> CommandResult {
    let color = args.parse_last(Args::color)?;
    let options = GenmoveOptions {
        play: false,
        ..GenmoveOptions::default()
    };
    context.engine.begin_genmove(color, options);
    if !wait_with_polling(context, cancellable, |_| POLL_INTERVAL) {
        return text("cancelled");
    }
    finish_and_respond(context)
}

/// Handling of the move that a search with analysis output chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenmoveMode {
    /// Plays the move.
    Play,
    /// Reports the move without playing it.
    SearchOnly,
    /// Reports the move without playing it. Any input line cancels the search.
    Cancellable,
}

/// Searches for a move, sends analysis lines until the search ends, and then sends the move.
pub fn genmove_analyze(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    format: AnalysisFormat,
    mode: GenmoveMode,
) -> CommandResult {
    let request = AnalyzeRequest::parse(context, args, format)?;
    let size = context.engine.record().size();
    let genmove_options = GenmoveOptions {
        restriction: request.restriction,
        ownership: request.options.needs_ownership(),
        per_move_stats: request.options.needs_move_stats(),
        play: mode == GenmoveMode::Play,
        ..GenmoveOptions::default()
    };
    context.engine.begin_genmove(request.color, genmove_options);
    let mut response = StreamedResponse::new(request.options, size);
    let start_timer = |interval| ReportTimer::start(interval, Instant::now());
    let mut timer = request.interval.map(start_timer);
    let on_poll = |context: &mut Context<'_, '_>| {
        let Some(timer) = &mut timer else {
            return POLL_INTERVAL;
        };
        if timer.take_due(Instant::now()) {
            let report = context.engine.search_report();
            response.send_report(context, &report);
        }
        timer.remaining(Instant::now()).min(POLL_INTERVAL)
    };
    if !wait_with_polling(context, mode == GenmoveMode::Cancellable, on_poll) {
        return Ok(response.finish(context, "cancelled"));
    }
    let report = context.engine.search_report();
    response.send_report(context, &report);
    match context.engine.finish_genmove() {
        Ok(GenmoveResult { decision, .. }) => {
            if !response.is_open {
                response.send_report(context, &single_move_report(&report, decision));
            }
            Ok(response.finish(context, &decision.to_text(size)))
        }
        Err(error) if response.is_open => {
            context.connection.end_response();
            stderr::eprint_line(format_args!("honinbo: {error}"));
            Ok(Response::Streamed)
        }
        Err(error) => Err(error.into()),
    }
}

/// Response that is sent line by line. The header, which contains the command's ID, is sent with the first line.
struct StreamedResponse {
    options: AnalysisOptions,
    size: BoardSize,
    score_deviation: PredictedScoreDeviation,
    /// True once the header has been sent.
    is_open: bool,
}

impl StreamedResponse {
    fn new(options: AnalysisOptions, size: BoardSize) -> Self {
        Self {
            options,
            size,
            score_deviation: PredictedScoreDeviation::default(),
            is_open: false,
        }
    }

    fn send_report(&mut self, context: &mut Context<'_, '_>, report: &Report) {
        let deviation = self.score_deviation.get(context, &self.options, report);
        let Some(line) = analysis_line(&self.options, self.size, report, deviation) else {
            return;
        };
        self.open(context);
        context.connection.send_line(&line);
    }

    fn open(&mut self, context: &mut Context<'_, '_>) {
        if !self.is_open {
            context.connection.begin_response(context.id);
            self.is_open = true;
        }
    }

    /// Sends the final line `play TEXT` and ends the response. `text` is a move, `resign` or `cancelled`.
    fn finish(&mut self, context: &mut Context<'_, '_>, text: &str) -> Response {
        self.open(context);
        context.connection.end_with_move(text);
        Response::Streamed
    }
}

/// Returns a copy of `report` with the chosen move as its only candidate; a resignation becomes a pass. Used for
/// searches without visits, because clients expect at least one analysis line.
fn single_move_report(report: &Report, decision: Decision) -> Report {
    let mv = decision.mv().unwrap_or(Move::Pass);
    let candidate = MoveReport {
        mv,
        visits: report.visits,
        values: report.values,
        prior: 0.0,
        lcb: report.values.winrate,
        utility_lcb: report.values.utility,
        pv: vec![mv],
        pv_visits: vec![report.visits],
        stats: report.stats.clone(),
    };
    Report {
        moves: vec![candidate],
        ..report.clone()
    }
}
