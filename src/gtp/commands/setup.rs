//! The game before its first move: board, komi, rules, handicap, positions set up.

use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Point};
use crate::game::pointset::PointSet;
use crate::game::record::HandicapError;
use crate::game::rules::Rules;
use crate::gtp::args::Args;
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, vertices_text};
use crate::io::error_text;

pub const COMMANDS: &[Command] = &[
    Command::new(
        "boardsize",
        "SIDE | WIDTH HEIGHT",
        "Starts a new game on an empty board of that size.",
        boardsize,
    ),
    Command::new(
        "rectangular_boardsize",
        "WIDTH HEIGHT",
        "Starts a new game on an empty board of that size.",
        boardsize,
    ),
    Command::new(
        "clear_board",
        "",
        "Starts a new game on an empty board; size, komi, rules and time settings stay.",
        clear_board,
    ),
    Command::new("komi", "POINTS", "Sets the komi.", komi),
    Command::new("get_komi", "", "Answers the komi.", get_komi),
    Command::new(
        "kata-get-rules",
        "",
        "Answers the rules as a JSON object.",
        get_rules,
    ),
    Command::new(
        "kata-set-rules",
        "NAME | JSON",
        "Sets the rules, by name or axis by axis, else those of Tromp and Taylor; the komi stays.",
        set_rules,
    ),
    Command::new(
        "kata-set-rule",
        "AXIS VALUE",
        "Sets one axis of the rules.",
        set_rule,
    ),
    Command::new(
        "kgs-rules",
        "NAME",
        "Sets the rules by the name that KGS uses; the komi stays.",
        kgs_rules,
    ),
    Command::new(
        "fixed_handicap",
        "STONES",
        "Places handicap stones on the usual points and answers these.",
        fixed_handicap,
    ),
    Command::new(
        "place_free_handicap",
        "STONES",
        "Places handicap stones where the engine likes and answers the points.",
        place_free_handicap,
    ),
    Command::new(
        "set_free_handicap",
        "VERTEX...",
        "Places handicap stones on these points.",
        set_free_handicap,
    ),
    Command::new(
        "set_position",
        "[COLOR VERTEX]...",
        "Starts a new game from these stones, Black to move.",
        set_position,
    ),
];

fn boardsize(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    const EXPECTED: &str = "the side of a board, or its width and height";
    let text = args.remaining_text().replace(':', " ");
    let mut dimensions = Args::new(&text);
    let width = dimensions.integer(EXPECTED)?;
    let height = if dimensions.is_empty() {
        width
    } else {
        dimensions.integer(EXPECTED)?
    };
    dimensions.expect_end()?;
    // A negative side is as far out of range as 0.
    let side = |number: i64| usize::try_from(number).unwrap_or(0);
    let size = BoardSize::new(side(width), side(height)).ok_or_else(|| {
        GtpError::UnacceptableSize(format!(
            "expected sides from {MIN_SIDE} to {MAX_SIDE}, found {width}x{height}"
        ))
    })?;
    let result = context.engine.resize(size);
    result.map_err(|error| GtpError::UnacceptableSize(error.to_string()))?;
    Ok(Response::EMPTY)
}

fn clear_board(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    context.engine.clear_board();
    Ok(Response::EMPTY)
}

fn komi(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let komi = args.komi()?;
    args.expect_end()?;
    context.engine.set_komi(komi);
    Ok(Response::EMPTY)
}

fn get_komi(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text(
        context.engine.record().rules().komi.to_string(),
    ))
}

fn get_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text(
        context.engine.record().rules().fields_json(),
    ))
}

fn set_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let text = args.remaining_text();
    let current = *context.engine.record().rules();
    let rules = if text.starts_with('{') {
        rules_from_json(text)?
    } else {
        named_rules(text, "a JSON object or one of")?
    };
    context.engine.set_rules(rules.with_komi(current.komi));
    Ok(Response::EMPTY)
}

fn named_rules(name: &str, expected: &str) -> Result<Rules, GtpError> {
    Rules::named(name).ok_or_else(|| {
        let suggestion = error_text::found_with_suggestion(name, Rules::names());
        GtpError::Syntax(format!(
            "expected {expected} {}, {suggestion}",
            Rules::name_list()
        ))
    })
}

/// The rules [of the axes](Rules::from_fields) that a JSON object gives. Its `komi` would be the business of `komi`.
fn rules_from_json(text: &str) -> Result<Rules, GtpError> {
    use serde_json::{Map, Value};
    let axes: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        GtpError::Syntax(format!("expected a JSON object of rules, found {error}"))
    })?;
    let value_text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let axes = axes.iter().filter(|(name, _)| *name != "komi");
    let axes: Vec<_> = axes
        .map(|(name, value)| (name.as_str(), value_text(value)))
        .collect();
    Rules::from_fields(&axes).map_err(|error| GtpError::Syntax(error.to_string()))
}

fn set_rule(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let name = args.word("an axis of the rules")?;
    let value = args.word("its value")?;
    args.expect_end()?;
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
    let rules = named_rules(name, "one of")?;
    let komi = context.engine.record().rules().komi;
    context.engine.set_rules(rules.with_komi(komi));
    Ok(Response::EMPTY)
}

fn fixed_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = args.integer("a number of stones")?;
    args.expect_end()?;
    let size = context.engine.record().size();
    let points = usize::try_from(stones)
        .ok()
        .and_then(|stones| handicap::fixed_placement(size, stones))
        .ok_or_else(|| invalid_stone_count(size, handicap::max_fixed_stones(size), stones))?;
    place_handicap(context, &points)
}

fn place_free_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = args.integer("a number of stones")?;
    args.expect_end()?;
    let size = context.engine.record().size();
    // More than fit are answered with as many as do.
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
        format!("expected a larger board than {size}, found {stones} stones")
    } else {
        format!("expected 2 to {max} stones on the {size} board, found {stones}")
    })
}

fn set_free_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let size = context.engine.record().size();
    let mut points = Vec::new();
    loop {
        if (args.peek()).is_some_and(|word| word.eq_ignore_ascii_case("pass")) {
            let message = "expected vertices, found a pass";
            return Err(GtpError::BadVertexList(message.to_owned()));
        }
        points.push(args.point(size)?);
        if args.is_empty() {
            break;
        }
    }
    if points.len() < 2 {
        let message = format!("expected at least two vertices, found {}", points.len());
        return Err(GtpError::BadVertexList(message));
    }
    place_handicap(context, &points)?;
    Ok(Response::EMPTY)
}

/// Places the stones and answers where.
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
    Ok(Response::Text(vertices_text(size, points.iter().copied())))
}

/// The stones named in all arguments that are left.
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
            return Err(GtpError::BadVertexList(format!(
                "expected distinct vertices, found {vertex} twice"
            )));
        }
        stones[color].insert(point);
    }
    Ok(stones)
}

/// Starts a new game from these stones.
pub fn set_up(
    context: &mut Context<'_, '_>,
    stones: ByColor<PointSet>,
    to_move: Color,
) -> CommandResult {
    context
        .engine
        .set_up(stones, to_move)
        .map_err(|error| GtpError::BadVertexList(error.to_string()))?;
    Ok(Response::EMPTY)
}

fn set_position(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = parse_stones(context, args)?;
    set_up(context, stones, Color::Black)
}
