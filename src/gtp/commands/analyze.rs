//! Analysis: what the search finds, line by line, until the client sends anything; and moves made the same way.

use std::time::Duration;

use super::play::{POLL_INTERVAL, poll_search};
use crate::engine::decision::Decision;
use crate::engine::genmove::GenmoveOptions;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::gtp::analysis_output::{AnalysisFormat, AnalysisOptions, analysis_line};
use crate::gtp::args::{Args, unexpected_argument};
use crate::gtp::context::{Command, CommandResult, Context, Response};
use crate::gtp::response::GtpError;
use crate::io::stderr;
use crate::search::limits::SearchLimits;
use crate::search::report::{MoveReport, Report};
use crate::search::restriction::{Constraint, ConstraintKind, MoveSet, Restriction};

/// The arguments of analyses.
pub const ANALYZE_USAGE: &str = "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N] \
                     [ownership|ownershipStdev|movesOwnership|movesOwnershipStdev|noResultValue|rootInfo|pvVisits|pvEdgeVisits true|false]";

/// The arguments that Leela Zero's lines have a use for.
const LEELA_ZERO_USAGE: &str =
    "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N]";

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "lz-analyze",
        LEELA_ZERO_USAGE,
        "Searches until the next line and shows what it finds every INTERVAL hundredths of a second; moves without visits are not listed, whatever minmoves asks for.",
        |context, args| analyze(context, args, AnalysisFormat::LeelaZero),
    ),
    Command::new(
        "kata-analyze",
        ANALYZE_USAGE,
        "The same with scores and more to choose from.",
        |context, args| analyze(context, args, AnalysisFormat::KataGo),
    ),
    Command::new(
        "lz-genmove_analyze",
        LEELA_ZERO_USAGE,
        "Makes a move as genmove does and shows what the search finds on the way.",
        |context, args| {
            genmove_analyze(context, args, AnalysisFormat::LeelaZero, GenmoveMode::Play)
        },
    ),
    Command::new(
        "kata-genmove_analyze",
        ANALYZE_USAGE,
        "The same with scores and more to choose from.",
        |context, args| genmove_analyze(context, args, AnalysisFormat::KataGo, GenmoveMode::Play),
    ),
    // A client that finds these listed expects yet another form of the numbers.
    Command::new(
        "analyze",
        ANALYZE_USAGE,
        "Another name of kata-analyze.",
        |context, args| analyze(context, args, AnalysisFormat::KataGo),
    )
    .unlisted(),
    Command::new(
        "genmove_analyze",
        ANALYZE_USAGE,
        "Another name of kata-genmove_analyze.",
        |context, args| genmove_analyze(context, args, AnalysisFormat::KataGo, GenmoveMode::Play),
    )
    .unlisted(),
];

/// Between two lines when the client does not say.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// The longest interval, in hundredths of a second, which any longer one stands for: a client may say "never" by a large
/// number.
const MAX_INTERVAL_CENTISECONDS: f64 = 1e8;
/// More moves than any board has.
const MAX_MOVES: usize = 1_000_000;

/// What a client asked for.
struct AnalyzeRequest {
    color: Color,
    interval: Option<Duration>,
    restriction: Restriction,
    options: AnalysisOptions,
}

impl AnalyzeRequest {
    /// Takes the arguments, which may come in any order.
    fn parse(
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
            if let Some(color) = args.optional_color() {
                request.color = color;
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                request.interval = Some(parse_interval(args)?);
            } else {
                args.word("an option")?;
                match word.to_ascii_lowercase().as_str() {
                    "interval" => request.interval = Some(parse_interval(args)?),
                    "avoid" => {
                        constraints.push(parse_constraint(ConstraintKind::Avoid, args, size)?)
                    }
                    "allow" => {
                        constraints.push(parse_constraint(ConstraintKind::Allow, args, size)?)
                    }
                    option => request.options.set_option(option, word, args)?,
                }
            }
        }
        request.restriction = Restriction::from_constraints(&constraints, request.color);
        Ok(request)
    }
}

fn parse_interval(args: &mut Args<'_>) -> Result<Duration, GtpError> {
    let expected = "an interval in hundredths of a second";
    let centiseconds: f64 = args.number(expected, 0.0..=1e12)?;
    let centiseconds = centiseconds.clamp(1.0, MAX_INTERVAL_CENTISECONDS);
    Ok(Duration::from_secs_f64(centiseconds / 100.0))
}

impl AnalysisOptions {
    /// Takes an option that says what the lines hold.
    fn set_option(
        &mut self,
        option: &str,
        word: &str,
        args: &mut Args<'_>,
    ) -> Result<(), GtpError> {
        match option {
            "maxmoves" => self.max_moves = args.number("a number of moves", 0..=MAX_MOVES)?,
            "ownership" => self.ownership = args.flag(word)?,
            "rootinfo" => self.root_info = args.flag(word)?,
            "pvvisits" => self.pv_visits = args.flag(word)?,
            "pvedgevisits" => self.pv_edge_visits = args.flag(word)?,
            "ownershipstdev" => self.ownership_stdev = args.flag(word)?,
            "movesownership" => self.moves_ownership = args.flag(word)?,
            "movesownershipstdev" => self.moves_ownership_stdev = args.flag(word)?,
            "noresultvalue" => self.no_result_value = args.flag(word)?,
            // Only visited moves are shown: clients do without others.
            "minmoves" => drop(args.number("a number of moves", 0..=MAX_MOVES)?),
            _ => {
                return Err(unexpected_argument(
                    "a colour, an interval or one of interval, avoid, allow, minmoves, maxmoves, ownership, \
                     rootInfo, pvVisits, pvEdgeVisits, ownershipStdev, movesOwnership, movesOwnershipStdev, \
                     noResultValue",
                    word,
                ));
            }
        }
        Ok(())
    }
}

/// Takes `COLOR VERTEX,... DEPTH`, where `A1:C3` is a rectangle of vertices.
fn parse_constraint(
    kind: ConstraintKind,
    args: &mut Args<'_>,
    size: BoardSize,
) -> Result<Constraint, GtpError> {
    const EXPECTED: &str = "vertices, or ranges as A1:C3, with commas between them";
    let color = args.color()?;
    let list = args.word(EXPECTED)?;
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
        parsed.ok_or_else(|| unexpected_argument(EXPECTED, word))?;
    }
    Ok(Constraint {
        color,
        kind,
        moves,
        depth: args.number("the number of moves it holds for", 1..=u32::MAX)?,
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
    let mut interval = Some(request.interval.unwrap_or(DEFAULT_INTERVAL));
    while !context.connection.wait_for_input(interval) {
        // A search that has ended by itself has nothing new to say.
        if context.engine.wait_for(Duration::ZERO) {
            interval = None;
        }
        let report = context.engine.report();
        if let Some(line) = analysis_line(&request.options, size, &report) {
            context.connection.send_line(&line);
        }
    }
    context.engine.stop_search();
    context.connection.end_response();
    if let Some(error) = context.engine.error() {
        // The answer is out already; there is no other place to say it.
        stderr::eprint_line(format_args!("honinbo: {error}"));
    }
    Ok(Response::Sent)
}

/// What becomes of a move that is thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenmoveMode {
    /// It is played.
    Play,
    /// It is only told.
    SearchOnly,
    /// It is only told, and any line from the client ends the thinking.
    Cancellable,
}

/// Thinks about a move and shows what the search finds on the way.
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
    let poll_interval = request.interval.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL);
    let mut elapsed = Duration::ZERO;
    let on_poll = |context: &mut Context<'_, '_>| {
        elapsed += poll_interval;
        if request.interval.is_some_and(|interval| elapsed >= interval) {
            elapsed = Duration::ZERO;
            let report = context.engine.report();
            response.send_report(context, &report);
        }
    };
    if !poll_search(
        context,
        mode == GenmoveMode::Cancellable,
        poll_interval,
        on_poll,
    ) {
        return Ok(response.finish(context, "cancelled"));
    }
    let report = context.engine.report();
    response.send_report(context, &report);
    match context.engine.finish_genmove() {
        Ok(decision) => {
            if !response.is_open {
                response.send_report(context, &single_move_report(&report, decision));
            }
            Ok(response.finish(context, &decision.to_text(size)))
        }
        Err(error) if response.is_open => {
            context.connection.end_response();
            stderr::eprint_line(format_args!("honinbo: {error}"));
            Ok(Response::Sent)
        }
        Err(error) => Err(error.into()),
    }
}

/// The lines of an answer that is opened with the first of them.
struct StreamedResponse {
    options: AnalysisOptions,
    size: BoardSize,
    is_open: bool,
}

impl StreamedResponse {
    const fn new(options: AnalysisOptions, size: BoardSize) -> Self {
        Self {
            options,
            size,
            is_open: false,
        }
    }

    fn send_report(&mut self, context: &mut Context<'_, '_>, report: &Report) {
        let Some(line) = analysis_line(&self.options, self.size, report) else {
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

    /// Ends the answer with the move.
    fn finish(&mut self, context: &mut Context<'_, '_>, text: &str) -> Response {
        self.open(context);
        context.connection.send_line(&format!("play {text}"));
        context.connection.end_response();
        Response::Sent
    }
}

/// What a search without visits says of the move decided: clients expect one line at least.
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
