//! `lz-analyze` and `kata-analyze`: analysis until the next input line.

use std::time::{Duration, Instant};

use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::gtp::analysis_output::{AnalysisFormat, AnalysisOptions, analysis_line};
use crate::gtp::args::{Args, invalid_argument};
use crate::gtp::command::{Command, Context};
use crate::gtp::report_timer::ReportTimer;
use crate::gtp::response::{CommandResult, GtpError, Response};
use crate::io::stderr;
use crate::search::limits::SearchLimits;
use crate::search::report::Report;
use crate::search::restriction::{Constraint, ConstraintKind, MoveSet, Restriction};

/// Usage text of `kata-analyze`.
pub const KATAGO_USAGE: &str = "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N] \
                     [ownership|ownershipStdev|movesOwnership|movesOwnershipStdev|noResultValue|rootInfo|pvVisits|pvEdgeVisits true|false]";

/// Usage text of `lz-analyze`.
pub const LEELA_ZERO_USAGE: &str =
    "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N]";

pub const COMMANDS: &[Command] = &[
    Command::new(
        "lz-analyze",
        LEELA_ZERO_USAGE,
        "Analyses until the next input line and reports every INTERVAL hundredths of a second, in Leela Zero's format; moves without visits are never listed.",
        |context, args| analyze(context, args, AnalysisFormat::LeelaZero),
    ),
    Command::new(
        "kata-analyze",
        KATAGO_USAGE,
        "Analyses until the next input line and reports every INTERVAL hundredths of a second, in KataGo's format; moves without visits are never listed.",
        |context, args| analyze(context, args, AnalysisFormat::KataGo),
    ),
    // Not in `list_commands`, because clients that find `analyze` there expect a different output format.
    Command::new(
        "analyze",
        KATAGO_USAGE,
        "Alias of kata-analyze.",
        |context, args| analyze(context, args, AnalysisFormat::KataGo),
    )
    .unlisted(),
];

/// Default interval between analysis lines.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum interval in hundredths of a second. Longer intervals are clamped, because some clients send huge numbers to
/// disable reports.
const MAX_INTERVAL_CENTISECONDS: f64 = 1e8;

/// Parsed arguments of an analysis command.
pub struct AnalyzeRequest {
    /// Side to move at the root; by default, the side to move in the current position.
    pub color: Color,
    /// Interval between reports, or `None` if the request does not specify one.
    pub interval: Option<Duration>,
    pub restriction: Restriction,
    pub options: AnalysisOptions,
}

impl AnalyzeRequest {
    /// Parses the arguments, which may come in any order.
    pub fn parse(
        context: &Context<'_, '_>,
        args: &mut Args<'_>,
        format: AnalysisFormat,
    ) -> Result<Self, GtpError> {
        let size = context.engine.record().size();
        let mut request = Self {
            color: context.engine.position().to_move(),
            interval: None,
            restriction: Restriction::none(),
            options: AnalysisOptions::new(format),
        };
        let mut constraints = Vec::new();
        while let Some(word) = args.peek() {
            if let Some(color) = args.accept_color() {
                request.color = color;
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                request.interval = Some(parse_interval(args)?);
            } else {
                args.word("option")?;
                match word.to_ascii_lowercase().as_str() {
                    "interval" => request.interval = Some(parse_interval(args)?),
                    "avoid" => {
                        constraints.push(parse_constraint(ConstraintKind::Avoid, args, size)?)
                    }
                    "allow" => {
                        constraints.push(parse_constraint(ConstraintKind::Allow, args, size)?)
                    }
                    _ => request.options.set_option(word, args)?,
                }
            }
        }
        request.restriction = Restriction::from_constraints(&constraints, request.color);
        Ok(request)
    }
}

/// Standard deviation of the final score that the evaluator predicts for the analysed position, once it is needed.
#[derive(Default)]
pub struct PredictedScoreDeviation(Option<Option<f64>>);

impl PredictedScoreDeviation {
    /// Returns the standard deviation, or `None` if the evaluator does not predict it or the format does not include it.
    pub fn get(
        &mut self,
        context: &Context<'_, '_>,
        options: &AnalysisOptions,
        report: &Report,
    ) -> Option<f64> {
        if options.format != AnalysisFormat::KataGo {
            return None;
        }
        *self.0.get_or_insert_with(|| {
            let predicted = context.engine.predicted_score_deviation(report.to_move);
            // The search reports the error of an evaluation.
            predicted.ok().flatten()
        })
    }
}

fn parse_interval(args: &mut Args<'_>) -> Result<Duration, GtpError> {
    let description = "interval in hundredths of a second";
    let centiseconds: f64 = args.number(description, 0.0..=1e12)?;
    let centiseconds = centiseconds.clamp(1.0, MAX_INTERVAL_CENTISECONDS);
    Ok(Duration::from_secs_f64(centiseconds / 100.0))
}

/// Parses the arguments of `avoid` or `allow`: `COLOR VERTEX,... DEPTH`. A range such as `A1:C3` denotes all points of
/// the rectangle with these corners.
fn parse_constraint(
    kind: ConstraintKind,
    args: &mut Args<'_>,
    size: BoardSize,
) -> Result<Constraint, GtpError> {
    const DESCRIPTION: &str = "list of vertices and ranges (such as D4,A1:C3)";
    let color = args.color()?;
    let list = args.word(DESCRIPTION)?;
    let mut moves = MoveSet::default();
    for word in list.split(',').filter(|word| !word.is_empty()) {
        let parsed = match word.split_once(':') {
            Some((corner, opposite)) => (size
                .parse_vertex(corner)
                .zip(size.parse_vertex(opposite)))
            .map(|(corner, opposite)| {
                moves.insert_points(&PointSet::rectangle(corner, opposite));
            }),
            None => size.parse_move(word).map(|mv| moves.insert(mv)),
        };
        parsed.ok_or_else(|| invalid_argument(DESCRIPTION, word))?;
    }
    Ok(Constraint {
        color,
        kind,
        moves,
        depth: args.number(
            "number of moves for which the restriction holds",
            1..=u32::MAX,
        )?,
    })
}

fn analyze(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    format: AnalysisFormat,
) -> CommandResult {
    let request = AnalyzeRequest::parse(context, args, format)?;
    let size = context.engine.record().size();
    let limits = SearchLimits {
        ownership: request.options.needs_ownership(),
        per_move_stats: request.options.needs_move_stats(),
        ..SearchLimits::default()
    };
    context
        .engine
        .analyze(request.color, request.restriction, limits);
    context.connection.begin_response(context.id);
    let interval = request.interval.unwrap_or(DEFAULT_INTERVAL);
    let mut timer = Some(ReportTimer::start(interval, Instant::now()));
    let mut score_deviation = PredictedScoreDeviation::default();
    loop {
        let wait = timer.map(|timer| timer.remaining(Instant::now()));
        if context.connection.wait_for_input(wait) {
            break;
        }
        let now = Instant::now();
        if !timer.as_mut().is_some_and(|timer| timer.take_due(now)) {
            continue;
        }
        // If the search has ended, this report is the last one. After it, wait for input without a timeout.
        if context.engine.wait_for(Duration::ZERO) {
            timer = None;
        }
        let report = context.engine.search_report();
        let deviation = score_deviation.get(context, &request.options, &report);
        if let Some(line) = analysis_line(&request.options, size, &report, deviation) {
            context.connection.send_line(&line);
        }
    }
    context.engine.cancel_search();
    context.connection.end_response();
    if let Some(error) = context.engine.search_error() {
        // The response has been sent, so the error can only go to standard error.
        stderr::eprint_line(format_args!("honinbo: {error}"));
    }
    Ok(Response::Streamed)
}
