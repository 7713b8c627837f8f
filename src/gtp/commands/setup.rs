//! Commands that prepare a game: board size, komi, rules, handicap, and set-up positions.

use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Point};
use crate::game::pointset::PointSet;
use crate::game::record::HandicapError;
use crate::game::rules::Rules;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text, vertices_text};
use crate::io::{error_text, stderr};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "boardsize",
        "SIDE | WIDTH HEIGHT",
        "Starts a new game on an empty board of the given size.",
        boardsize,
    ),
    Command::new(
        "rectangular_boardsize",
        "WIDTH HEIGHT",
        "Starts a new game on an empty board of the given size.",
        boardsize,
    ),
    Command::new(
        "clear_board",
        "",
        "Starts a new game on an empty board; size, komi, rules and time settings do not change.",
        |context, _| {
            context.engine.clear_board();
            Ok(Response::EMPTY)
        },
    ),
    Command::new("komi", "POINTS", "Sets the komi.", komi),
    Command::new("get_komi", "", "Returns the komi.", |context, _| {
        text(context.engine.record().rules().komi)
    }),
    Command::new(
        "kata-get-rules",
        "",
        "Returns the rules as a JSON object.",
        |context, _| text(context.engine.record().rules().fields_json()),
    ),
    Command::new(
        "kata-set-rules",
        "NAME | JSON",
        "Sets the rules by name or as a JSON object (missing fields are as in Tromp-Taylor rules); the komi does not change.",
        set_rules,
    ),
    Command::new(
        "kata-set-rule",
        "FIELD VALUE",
        "Sets one field of the rules.",
        set_rule,
    ),
    Command::new(
        "kgs-rules",
        "NAME",
        "Sets the rules by their name on KGS; the komi does not change.",
        kgs_rules,
    ),
    Command::new(
        "fixed_handicap",
        "STONES",
        "Places handicap stones on the standard points and returns these points.",
        fixed_handicap,
    ),
    Command::new(
        "place_free_handicap",
        "STONES",
        "Places handicap stones on points chosen by the engine and returns these points.",
        place_free_handicap,
    ),
    Command::new(
        "set_free_handicap",
        "VERTEX...",
        "Places handicap stones on the given points.",
        set_free_handicap,
    ),
    Command::new(
        "set_position",
        "[COLOR VERTEX]...",
        "Starts a new game from the given stones, with Black to move.",
        set_position,
    ),
];

fn boardsize(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    const DESCRIPTION: &str = "board size (a side, or width and height)";
    let text = args.remaining_text().replace(':', " ");
    let mut dimensions = Args::new(&text);
    let width = dimensions.integer(DESCRIPTION)?;
    let height = dimensions.optional(|args| args.integer(DESCRIPTION))?;
    dimensions.expect_end()?;
    let height = height.unwrap_or(width);
    // Negative numbers become 0, which is also out of range.
    let side = |number: i64| usize::try_from(number).unwrap_or(0);
    let size = BoardSize::new(side(width), side(height)).ok_or_else(|| {
        GtpError::UnacceptableSize(format!(
            "sides must be between {MIN_SIDE} and {MAX_SIDE}, not {width}x{height}"
        ))
    })?;
    let result = context.engine.resize(size);
    result.map_err(|error| GtpError::UnacceptableSize(error.to_string()))?;
    Ok(Response::EMPTY)
}

fn komi(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let given = args.peek().unwrap_or_default().to_owned();
    let komi = args.parse_last(Args::komi)?;
    context.engine.set_komi(komi);
    if given.parse() != Ok(komi.points()) {
        let message = format_args!("honinbo: the komi {given} was read as {komi} points");
        stderr::eprint_line(message);
    }
    Ok(Response::EMPTY)
}

fn set_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let rules = if args.peek().is_some_and(|word| word.starts_with('{')) {
        rules_from_json(args)?
    } else {
        named_rules(args.remaining_text(), "a JSON object or ")?
    };
    change_rules_except_komi(context, rules)
}

/// Changes the rules but not the komi.
fn change_rules_except_komi(context: &mut Context<'_, '_>, rules: Rules) -> CommandResult {
    let komi = context.engine.record().rules().komi;
    context.engine.set_rules(rules.with_komi(komi));
    Ok(Response::EMPTY)
}

fn named_rules(name: &str, alternative: &str) -> Result<Rules, GtpError> {
    Rules::parse(name).ok_or_else(|| {
        let hint = format!("use {alternative}one of {}", Rules::name_list());
        let found = error_text::quote_with_fallback_hint(name, Rules::names(), &hint);
        GtpError::Syntax(format!("unknown rules {found}"))
    })
}

/// Parses rules from a JSON object (see [`Rules::from_fields`]). Ignores `komi`, which the command `komi` sets.
fn rules_from_json(args: &mut Args<'_>) -> Result<Rules, GtpError> {
    let mut fields = args.json_fields("rules")?;
    fields.retain(|(name, _)| name != "komi");
    let fields: Vec<_> = (fields.iter())
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    Rules::from_fields(&fields).map_err(|error| GtpError::Syntax(error.to_string()))
}

fn set_rule(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let name = args.word("field of the rules")?;
    let value = args.parse_last(|args| args.word("value"))?;
    let mut rules = *context.engine.record().rules();
    rules
        .set_field(name, value)
        .map_err(|error| GtpError::Syntax(error.to_string()))?;
    context.engine.set_rules(rules);
    Ok(Response::EMPTY)
}

fn kgs_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let name = args.remaining_text();
    let name = match name.to_ascii_lowercase().as_str() {
        "chinese" => "chinese-kgs",
        _ => name,
    };
    let rules = named_rules(name, "")?;
    change_rules_except_komi(context, rules)
}

fn fixed_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = args.parse_last(|args| args.integer("number of stones"))?;
    let size = context.engine.record().size();
    let points = (usize::try_from(stones).ok())
        .and_then(|stones| handicap::fixed_placement(size, stones))
        .ok_or_else(|| invalid_stone_count(size, handicap::max_fixed_stones(size), stones))?;
    place_handicap(context, &points)
}

fn place_free_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = args.parse_last(|args| args.integer("number of stones"))?;
    let size = context.engine.record().size();
    // GTP allows the engine to place fewer stones than requested, so large numbers are reduced to the maximum.
    match usize::try_from(stones) {
        Ok(count) if count >= 2 && handicap::max_free_stones(size) >= 2 => {
            place_handicap(context, &handicap::free_placement(size, count))
        }
        _ => Err(invalid_stone_count(
            size,
            handicap::max_free_stones(size),
            stones,
        )),
    }
}

fn invalid_stone_count(size: BoardSize, max: usize, stones: i64) -> GtpError {
    GtpError::InvalidNumberOfStones(if max < 2 {
        format!("the {size} board is too small for handicap stones")
    } else {
        format!("the {size} board allows 2 to {max} handicap stones, not {stones}")
    })
}

fn set_free_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let size = context.engine.record().size();
    let mut points = Vec::new();
    loop {
        if args.accept_keyword("pass") {
            let message = "a handicap placement cannot contain a pass";
            return Err(GtpError::BadVertexList(message.to_owned()));
        }
        points.push(args.point(size)?);
        if args.is_empty() {
            break;
        }
    }
    place_handicap(context, &points)?;
    Ok(Response::EMPTY)
}

/// Places handicap stones and responds with their vertices.
fn place_handicap(context: &mut Context<'_, '_>, points: &[Point]) -> CommandResult {
    context
        .engine
        .place_handicap(points)
        .map_err(|error| match error {
            HandicapError::NotEmpty => GtpError::BoardNotEmpty(error.to_string()),
            HandicapError::Repeated | HandicapError::OffBoard | HandicapError::BoardFull => {
                GtpError::BadVertexList(error.to_string())
            }
        })?;
    let size = context.engine.record().size();
    text(vertices_text(size, points.iter().copied()))
}

/// Parses the remaining arguments as stones, each given by colour and vertex.
///
/// # Errors
/// Returns an error if an argument is invalid or a vertex is given twice.
pub fn parse_stones(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
) -> Result<ByColor<PointSet>, GtpError> {
    let size = context.engine.record().size();
    let mut stones: ByColor<PointSet> = ByColor::default();
    while !args.is_empty() {
        let color = args.color()?;
        let point = args.point(size)?;
        if Color::BOTH.iter().any(|&any| stones[any].contains(point)) {
            let vertex = size.vertex(point);
            return Err(GtpError::BadVertexList(format!("{vertex} is given twice")));
        }
        stones[color].insert(point);
    }
    Ok(stones)
}

/// Starts a new game from a position with the given stones and side to move.
pub fn set_up_position(
    context: &mut Context<'_, '_>,
    stones: ByColor<PointSet>,
    to_move: Color,
) -> CommandResult {
    context
        .engine
        .set_up_position(stones, to_move)
        .map_err(|error| GtpError::BadVertexList(error.to_string()))?;
    Ok(Response::EMPTY)
}

fn set_position(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = parse_stones(context, args)?;
    set_up_position(context, stones, Color::Black)
}
