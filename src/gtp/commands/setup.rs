//! The game before its first move: board, komi, rules, handicap, positions set up.

use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Point};
use crate::game::pointset::PointSet;
use crate::game::record::HandicapError;
use crate::game::rules::Rules;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::names;

/// The group.
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

fn boardsize(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    const EXPECTED: &str = "the side of a board, or its width and height";
    let text = args.text().replace(':', " ");
    let mut sides = Args::new(&text);
    let width = sides.integer(EXPECTED)?;
    let height = if sides.is_empty() {
        width
    } else {
        sides.integer(EXPECTED)?
    };
    sides.end()?;
    // A negative side is as far out of range as 0.
    let side = |number: i64| usize::try_from(number).unwrap_or(0);
    let size = BoardSize::new(side(width), side(height)).ok_or_else(|| {
        Failure::UnacceptableSize(format!(
            "expected sides from {MIN_SIDE} to {MAX_SIDE}, found {width}x{height}"
        ))
    })?;
    let resized = context.engine.resize(size);
    resized.map_err(|error| Failure::UnacceptableSize(error.to_string()))?;
    Ok(Answer::NOTHING)
}

fn clear_board(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    context.engine.clear_board();
    Ok(Answer::NOTHING)
}

fn komi(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let komi = args.komi()?;
    args.end()?;
    context.engine.set_komi(komi);
    Ok(Answer::NOTHING)
}

fn get_komi(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    Ok(Answer::Text(
        context.engine.record().rules().komi.to_string(),
    ))
}

fn get_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    Ok(Answer::Text(context.engine.record().rules().axes()))
}

fn set_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let text = args.text();
    let current = *context.engine.record().rules();
    let rules = if text.starts_with('{') {
        rules_from_json(text)?
    } else {
        named_rules(text, "a JSON object or one of")?
    };
    context.engine.set_rules(rules.with_komi(current.komi));
    Ok(Answer::NOTHING)
}

fn named_rules(name: &str, expected: &str) -> Result<Rules, Failure> {
    Rules::named(name).ok_or_else(|| {
        let found = names::found(name, Rules::names());
        Failure::Syntax(format!("expected {expected} {}, {found}", Rules::list()))
    })
}

/// The rules [of the axes](Rules::from_axes) that a JSON object gives. Its `komi` would be the business of `komi`.
fn rules_from_json(text: &str) -> Result<Rules, Failure> {
    use serde_json::{Map, Value};
    let axes: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        Failure::Syntax(format!("expected a JSON object of rules, found {error}"))
    })?;
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let axes = axes.iter().filter(|(name, _)| *name != "komi");
    let axes: Vec<_> = axes
        .map(|(name, value)| (name.as_str(), text(value)))
        .collect();
    Rules::from_axes(&axes).map_err(|error| Failure::Syntax(error.to_string()))
}

fn set_rule(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.word("an axis of the rules")?;
    let value = args.word("its value")?;
    args.end()?;
    let mut rules = *context.engine.record().rules();
    rules
        .set_axis(name, value)
        .map_err(|error| Failure::Syntax(error.to_string()))?;
    context.engine.set_rules(rules);
    Ok(Answer::NOTHING)
}

fn kgs_rules(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.text();
    let name = match name.to_ascii_lowercase().as_str() {
        "chinese" => "chinese-kgs",
        _ => name,
    };
    let rules = named_rules(name, "one of")?;
    let komi = context.engine.record().rules().komi;
    context.engine.set_rules(rules.with_komi(komi));
    Ok(Answer::NOTHING)
}

fn fixed_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let stones = args.integer("a number of stones")?;
    args.end()?;
    let size = context.engine.record().size();
    let points = usize::try_from(stones)
        .ok()
        .and_then(|stones| handicap::fixed(size, stones))
        .ok_or_else(|| wrong_number(size, handicap::most_fixed(size), stones))?;
    place(context, &points)
}

fn place_free_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let stones = args.integer("a number of stones")?;
    args.end()?;
    let size = context.engine.record().size();
    // More than fit are answered with as many as do.
    match usize::try_from(stones) {
        Ok(wanted) if wanted >= 2 && handicap::most_free(size) >= 2 => {
            place(context, &handicap::free(size, wanted))
        }
        _ => Err(wrong_number(size, handicap::most_free(size), stones)),
    }
}

fn wrong_number(size: BoardSize, most: usize, found: i64) -> Failure {
    Failure::InvalidNumberOfStones(if most < 2 {
        format!("expected a larger board than {size}, found {found} stones")
    } else {
        format!("expected 2 to {most} stones on the {size} board, found {found}")
    })
}

fn set_free_handicap(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let size = context.engine.record().size();
    let mut points = Vec::new();
    loop {
        if (args.peek()).is_some_and(|word| word.eq_ignore_ascii_case("pass")) {
            let found = "expected vertices, found a pass";
            return Err(Failure::BadVertexList(found.to_owned()));
        }
        points.push(args.point(size)?);
        if args.is_empty() {
            break;
        }
    }
    if points.len() < 2 {
        let found = format!("expected at least two vertices, found {}", points.len());
        return Err(Failure::BadVertexList(found));
    }
    place(context, &points)?;
    Ok(Answer::NOTHING)
}

/// Places the stones and answers where.
fn place(context: &mut Context<'_, '_>, points: &[Point]) -> Outcome {
    context
        .engine
        .place_handicap(points)
        .map_err(|error| match error {
            HandicapError::NotEmpty => Failure::BoardNotEmpty(error.to_string()),
            HandicapError::Repeated | HandicapError::OffBoard | HandicapError::BoardFull => {
                Failure::BadVertexList(error.to_string())
            }
        })?;
    let size = context.engine.record().size();
    let vertices: Vec<_> = points.iter().map(|&point| size.vertex(point)).collect();
    Ok(Answer::Text(vertices.join(" ")))
}

/// The stones named in all arguments that are left.
pub fn read_stones(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
) -> Result<ByColor<PointSet>, Failure> {
    let size = context.engine.record().size();
    let mut stones: ByColor<PointSet> = ByColor::default();
    while !args.is_empty() {
        let color = args.color()?;
        let point = args.point(size)?;
        if Color::BOTH.iter().any(|&any| stones[any].contains(point)) {
            let vertex = size.vertex(point);
            return Err(Failure::BadVertexList(format!(
                "expected distinct vertices, found {vertex} twice"
            )));
        }
        stones[color].insert(point);
    }
    Ok(stones)
}

/// Starts a new game from these stones.
pub fn set_up(context: &mut Context<'_, '_>, stones: ByColor<PointSet>, to_move: Color) -> Outcome {
    context
        .engine
        .set_up(stones, to_move)
        .map_err(|error| Failure::BadVertexList(error.to_string()))?;
    Ok(Answer::NOTHING)
}

fn set_position(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let stones = read_stones(context, args)?;
    set_up(context, stones, Color::Black)
}
