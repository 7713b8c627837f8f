//! Analysis: what the search finds, line by line, until the client sends anything; and moves made the same way.

use std::time::Duration;

use super::play::{LISTEN, attend};
use crate::engine::decide::Decision;
use crate::engine::genmove::Wish;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::gtp::args::{Args, unexpected};
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::gtp::stream::{Form, Style, analysis_line};
use crate::notice;
use crate::search::limits::Limits;
use crate::search::report::{MoveReport, Report};
use crate::search::restriction::{Constraint, Kind, MoveSet, Restriction};

/// The arguments of analyses.
pub const USAGE: &str = "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N] \
                     [ownership|ownershipStdev|movesOwnership|movesOwnershipStdev|noResultValue|rootInfo|pvVisits|pvEdgeVisits true|false]";

/// The arguments that Leela Zero's lines have a use for.
const LEELA_USAGE: &str =
    "[COLOR] [INTERVAL] [interval N] [avoid|allow COLOR VERTEX,... N] [minmoves N] [maxmoves N]";

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "lz-analyze",
        LEELA_USAGE,
        "Searches until the next line and shows what it finds every INTERVAL hundredths of a second; moves without visits are not listed, whatever minmoves asks for.",
        |context, args| analyze(context, args, Style::Leela),
    ),
    Command::new(
        "kata-analyze",
        USAGE,
        "The same with scores and more to choose from.",
        |context, args| analyze(context, args, Style::Kata),
    ),
    Command::new(
        "lz-genmove_analyze",
        LEELA_USAGE,
        "Makes a move as genmove does and shows what the search finds on the way.",
        |context, args| think_aloud(context, args, Style::Leela, Purpose::Move),
    ),
    Command::new(
        "kata-genmove_analyze",
        USAGE,
        "The same with scores and more to choose from.",
        |context, args| think_aloud(context, args, Style::Kata, Purpose::Move),
    ),
    // A client that finds these listed expects yet another form of the numbers.
    Command::new(
        "analyze",
        USAGE,
        "Another name of kata-analyze.",
        |context, args| analyze(context, args, Style::Kata),
    )
    .unlisted(),
    Command::new(
        "genmove_analyze",
        USAGE,
        "Another name of kata-genmove_analyze.",
        |context, args| think_aloud(context, args, Style::Kata, Purpose::Move),
    )
    .unlisted(),
];

/// Between two lines when the client does not say.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// The longest interval, in hundredths of a second, which any longer one stands for: a client may say "never" by a large
/// number.
const LONGEST_INTERVAL: f64 = 1e8;
/// More moves than any board has.
const MOST_MOVES: usize = 1_000_000;

/// What a client asked for.
struct Wanted {
    color: Color,
    interval: Option<Duration>,
    restriction: Restriction,
    form: Form,
}

impl Wanted {
    /// Takes the arguments, which may come in any order.
    fn parse(
        context: &Context<'_, '_>,
        args: &mut Args<'_>,
        style: Style,
    ) -> Result<Self, Failure> {
        let size = context.engine.record().size();
        let mut wanted = Self {
            color: context.engine.position().to_move(),
            interval: None,
            restriction: Restriction::none(),
            form: Form::new(style),
        };
        let mut constraints = Vec::new();
        while let Some(word) = args.peek() {
            if let Some(color) = args.color_if_any() {
                wanted.color = color;
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                wanted.interval = Some(interval(args)?);
            } else {
                args.word("an option")?;
                match word.to_ascii_lowercase().as_str() {
                    "interval" => wanted.interval = Some(interval(args)?),
                    "avoid" => constraints.push(constraint(Kind::Avoid, args, size)?),
                    "allow" => constraints.push(constraint(Kind::Allow, args, size)?),
                    option => wanted.form.take(option, word, args)?,
                }
            }
        }
        wanted.restriction = Restriction::of(&constraints, wanted.color);
        Ok(wanted)
    }
}

fn interval(args: &mut Args<'_>) -> Result<Duration, Failure> {
    let expected = "an interval in hundredths of a second";
    let hundredths: f64 = args.number(expected, 0.0..=1e12)?;
    let hundredths = hundredths.clamp(1.0, LONGEST_INTERVAL);
    Ok(Duration::from_secs_f64(hundredths / 100.0))
}

impl Form {
    /// Takes an option that says what the lines hold.
    fn take(&mut self, option: &str, word: &str, args: &mut Args<'_>) -> Result<(), Failure> {
        match option {
            "maxmoves" => self.max_moves = args.number("a number of moves", 0..=MOST_MOVES)?,
            "ownership" => self.ownership = args.flag(word)?,
            "rootinfo" => self.root_info = args.flag(word)?,
            "pvvisits" => self.line_visits = args.flag(word)?,
            "pvedgevisits" => self.line_edge_visits = args.flag(word)?,
            "ownershipstdev" => self.ownership_deviation = args.flag(word)?,
            "movesownership" => self.moves_ownership = args.flag(word)?,
            "movesownershipstdev" => self.moves_ownership_deviation = args.flag(word)?,
            "noresultvalue" => self.no_result = args.flag(word)?,
            // Only visited moves are shown: clients do without others.
            "minmoves" => drop(args.number("a number of moves", 0..=MOST_MOVES)?),
            _ => {
                return Err(unexpected(
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
fn constraint(kind: Kind, args: &mut Args<'_>, size: BoardSize) -> Result<Constraint, Failure> {
    const EXPECTED: &str = "vertices, or ranges as A1:C3, with commas between them";
    let color = args.color()?;
    let list = args.word(EXPECTED)?;
    let mut moves = MoveSet::default();
    for word in list.split(',').filter(|word| !word.is_empty()) {
        let found = match word.split_once(':') {
            Some((one, other)) => {
                (size.parse_vertex(one).zip(size.parse_vertex(other))).map(|(one, other)| {
                    moves.insert_points(&PointSet::rectangle(one, other));
                })
            }
            None => size.parse_move(word).map(|mv| moves.insert(mv)),
        };
        found.ok_or_else(|| unexpected(EXPECTED, word))?;
    }
    Ok(Constraint {
        color,
        kind,
        moves,
        depth: args.number("the number of moves it holds for", 1..=u32::MAX)?,
    })
}

fn analyze(context: &mut Context<'_, '_>, args: &mut Args<'_>, style: Style) -> Outcome {
    let wanted = Wanted::parse(context, args, style)?;
    let size = context.engine.record().size();
    let limits = Limits {
        ownership: wanted.form.counts_owners(),
        by_move: wanted.form.counts_by_move(),
        ..Limits::default()
    };
    context
        .engine
        .analyze(wanted.color, wanted.restriction, limits);
    context.wire.open(context.id);
    let mut interval = Some(wanted.interval.unwrap_or(DEFAULT_INTERVAL));
    while !context.wire.wait(interval) {
        // A search that has ended by itself has nothing new to say.
        if context.engine.wait_for(Duration::ZERO) {
            interval = None;
        }
        let report = context.engine.report();
        if let Some(line) = analysis_line(&wanted.form, size, &report) {
            context.wire.line(&line);
        }
    }
    context.engine.halt();
    context.wire.close();
    if let Some(error) = context.engine.failure() {
        // The answer is out already; there is no other place to say it.
        notice::say(format_args!("honinbo: {error}"));
    }
    Ok(Answer::Sent)
}

/// What becomes of a move that is thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is played.
    Move,
    /// It is only told.
    Advice,
    /// It is only told, and any line from the client ends the thinking.
    Cancellable,
}

/// Thinks about a move and shows what the search finds on the way.
pub fn think_aloud(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    style: Style,
    purpose: Purpose,
) -> Outcome {
    let wanted = Wanted::parse(context, args, style)?;
    let size = context.engine.record().size();
    let wish = Wish {
        restriction: wanted.restriction,
        ownership: wanted.form.counts_owners(),
        by_move: wanted.form.counts_by_move(),
        play: purpose == Purpose::Move,
        ..Wish::default()
    };
    context.engine.begin_genmove(wanted.color, wish);
    let mut shown = Shown::new(wanted.form, size);
    let step = wanted.interval.unwrap_or(LISTEN).min(LISTEN);
    let mut since = Duration::ZERO;
    let look = |context: &mut Context<'_, '_>| {
        since += step;
        if wanted.interval.is_some_and(|interval| since >= interval) {
            since = Duration::ZERO;
            let report = context.engine.report();
            shown.show(context, &report);
        }
    };
    if !attend(context, purpose == Purpose::Cancellable, step, look) {
        return Ok(shown.end(context, "cancelled"));
    }
    let report = context.engine.report();
    shown.show(context, &report);
    match context.engine.finish_genmove() {
        Ok(decision) => {
            if !shown.any {
                shown.show(context, &unsearched(&report, decision));
            }
            Ok(shown.end(context, &decision.text(size)))
        }
        Err(error) if shown.any => {
            context.wire.close();
            notice::say(format_args!("honinbo: {error}"));
            Ok(Answer::Sent)
        }
        Err(error) => Err(error.into()),
    }
}

/// The lines of an answer that is opened with the first of them.
struct Shown {
    form: Form,
    size: BoardSize,
    any: bool,
}

impl Shown {
    const fn new(form: Form, size: BoardSize) -> Self {
        Self {
            form,
            size,
            any: false,
        }
    }

    fn show(&mut self, context: &mut Context<'_, '_>, report: &Report) {
        let Some(line) = analysis_line(&self.form, self.size, report) else {
            return;
        };
        self.open(context);
        context.wire.line(&line);
    }

    fn open(&mut self, context: &mut Context<'_, '_>) {
        if !self.any {
            context.wire.open(context.id);
            self.any = true;
        }
    }

    /// Ends the answer with the move.
    fn end(&mut self, context: &mut Context<'_, '_>, text: &str) -> Answer {
        self.open(context);
        context.wire.line(&format!("play {text}"));
        context.wire.close();
        Answer::Sent
    }
}

/// What a search without visits says of the move decided: clients expect one line at least.
fn unsearched(report: &Report, decision: Decision) -> Report {
    let mv = decision.mv().unwrap_or(Move::Pass);
    let found = MoveReport {
        mv,
        visits: report.visits,
        values: report.values,
        prior: 0.0,
        lcb: report.values.winrate,
        utility_lcb: report.values.utility,
        line: vec![mv],
        line_visits: vec![report.visits],
        census: report.census.clone(),
    };
    Report {
        moves: vec![found],
        ..report.clone()
    }
}
