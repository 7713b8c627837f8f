//! Analysis: what the search finds, line by line, until the client sends anything; and moves made the same way.

use std::time::Duration;

use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::gtp::analysis_output::{AnalysisFormat, AnalysisOptions, analysis_line};
use crate::gtp::args::{Args, unexpected_argument};
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response};
use crate::io::stderr;
use crate::search::limits::SearchLimits;
use crate::search::restriction::{Constraint, ConstraintKind, MoveSet, Restriction};

/// The arguments of analyses.
pub const ANALYZE_USAGE: &str = "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N] \
                     [ownership|ownershipStdev|movesOwnership|movesOwnershipStdev|noResultValue|rootInfo|pvVisits|pvEdgeVisits true|false]";

/// The arguments that Leela Zero's lines have a use for.
pub const LEELA_ZERO_USAGE: &str =
    "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N]";

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
    // A client that finds these listed expects yet another form of the numbers.
    Command::new(
        "analyze",
        ANALYZE_USAGE,
        "Another name of kata-analyze.",
        |context, args| analyze(context, args, AnalysisFormat::KataGo),
    )
    .unlisted(),
];

/// Between two lines when the client does not say.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// The longest interval, in hundredths of a second, which any longer one stands for: a client may say "never" by a large
/// number.
const MAX_INTERVAL_CENTISECONDS: f64 = 1e8;

/// What a client asked for.
pub struct AnalyzeRequest {
    pub color: Color,
    pub interval: Option<Duration>,
    pub restriction: Restriction,
    pub options: AnalysisOptions,
}

impl AnalyzeRequest {
    /// Takes the arguments, which may come in any order.
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
