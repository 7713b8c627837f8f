//! Operators for playing games: state of a position, engine moves, scoring and handicap points.

use std::time::Duration;

use serde_json::{Value, json};

use super::run::{DECIMAL_PLACES, take_seconds, take_visits};
use crate::engine::genmove::GenmoveOptions;
use crate::engine::level::{LEVELS, Level};
use crate::engine::setting_change::SettingChange;
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::score::count;
use crate::json::fields::{Fields, RequestError, object};
use crate::search::report::rounded;
use crate::service::call::{
    Call, CallOutcome, CallResult, Operator, ResponseFields, Step, StepContext, Work,
};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::limits;
use crate::service::position::{self, position_fields, take_size};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[
    Operator::new(
        "position",
        position_fields!(""),
        "Returns the state of a position: stones, side to move, prisoners, forbidden points, and whether play has ended.",
        position_state,
    ),
    Operator::new(
        "genmove",
        position_fields!(" [level] [visits] [seconds] [lostTurns]"),
        "Returns the engine's move for the side to move.",
        genmove,
    ),
    Operator::new(
        "score",
        position_fields!(" [dead]"),
        "Scores a position with the given dead stones, or those that the engine considers dead.",
        score,
    ),
    Operator::new(
        "handicap",
        "size [stones]",
        "Returns the points for handicap stones, and the maximum number of stones for that board size.",
        handicap_points,
    ),
];

fn position_state(call: &mut Call<'_>) -> CallResult {
    let position = position::take_position(&mut call.fields, call.services.defaults.rules)?;
    call.reject_unknown_fields()?;
    let forbidden = position.board().empty() - position.legal_points();
    Ok(CallOutcome::Completed(object([
        (
            "board",
            matrix(position.size(), position.board().stones_by_color()),
        ),
        ("color", position.to_move().to_string().into()),
        ("forbidden", vertices(position.size(), &forbidden)),
        (
            "prisoners",
            by_color(|color| position.prisoners(color).into()),
        ),
        ("ended", position.ended().into()),
    ])))
}

/// Returns a matrix of rows, topmost first: 1 for points in Black's set, -1 for points in White's set, 0 for all
/// others.
fn matrix(size: BoardSize, sets: &ByColor<PointSet>) -> Value {
    let cell = |point| {
        let of = |color: Color| i8::from(sets[color].contains(point));
        of(Color::Black) - of(Color::White)
    };
    let cells: Vec<i8> = size.points().map(cell).collect();
    cells.chunks(size.width()).collect()
}

fn vertices(size: BoardSize, points: &PointSet) -> Value {
    points.iter().map(|point| size.vertex(point)).collect()
}

fn by_color(value: impl Fn(Color) -> Value) -> Value {
    json!({"black": value(Color::Black), "white": value(Color::White)})
}

struct GenmoveTask {
    position: Position,
    level: &'static Level,
    visits: Option<u64>,
    time: Option<Duration>,
    lost_turns: u32,
}

fn genmove(call: &mut Call<'_>) -> CallResult {
    let fields = &mut call.fields;
    let defaults = &call.services.defaults;
    let position = position::take_position(fields, defaults.rules)?;
    let level = take_level(fields)?.unwrap_or(defaults.level);
    let visits = take_visits(fields)?.or(defaults.visits);
    let time = take_seconds(fields)?.or(defaults.time);
    // A time limit is always needed, because the requested number of visits may be unreachable.
    let time = time.or_else(|| visits.is_some().then_some(limits::MAX_SEARCH_TIME));
    let lost_turns =
        fields.optional("lostTurns", "the lostTurns value of the previous response")?;
    call.reject_unknown_fields()?;
    call.enqueue(GenmoveTask {
        position,
        level,
        visits,
        time,
        lost_turns: lost_turns.unwrap_or(0),
    })
}

fn take_level(fields: &mut Fields) -> Result<Option<&'static Level>, RequestError> {
    let expected = format!("a number from 1 to {}", LEVELS.len());
    let requested: Option<u8> = fields.optional("level", &expected)?;
    let level = |number| {
        let level_error =
            || RequestError::new("level", format!("expected {expected}, found {number}"));
        Level::by_number(number).ok_or_else(level_error)
    };
    requested.map(level).transpose()
}

impl Work for GenmoveTask {
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, ServiceError> {
        let size = self.position.size();
        let color = self.position.to_move();
        let engine = &mut context.engine;
        for change in [
            SettingChange::Level(self.level),
            SettingChange::Visits(self.visits),
            SettingChange::Time(self.time),
        ] {
            let result = engine.change_setting(change);
            result.map_err(|error| ServiceError::new(ErrorCode::Search, error.to_string()))?;
        }
        engine.set_record(Record::from_position(self.position.clone()))?;
        engine.set_lost_turns(color, self.lost_turns);
        engine.begin_genmove(color, GenmoveOptions::default());
        context.wait_for_search(|_| {});
        let decision = context.engine.finish_genmove()?;
        let lost_turns = context.engine.lost_turns(color);
        let values = context.engine.last_move().map(|seen| seen.report.values);
        let values = values.unwrap_or_default();
        Ok(Step::Done(object([
            ("color", color.to_string().into()),
            ("move", decision.to_text(size).into()),
            ("value", rounded(values.winrate, DECIMAL_PLACES).into()),
            (
                "scoreLead",
                rounded(values.score_lead, DECIMAL_PLACES).into(),
            ),
            ("lostTurns", lost_turns.into()),
        ])))
    }
}

struct ScoreTask {
    position: Position,
}

fn score(call: &mut Call<'_>) -> CallResult {
    let position = position::take_position(&mut call.fields, call.services.defaults.rules)?;
    let size = position.size();
    let expected = "a vertex";
    let dead_vertices: Option<Vec<String>> = call.fields.list("dead", expected)?;
    call.reject_unknown_fields()?;
    let Some(dead_vertices) = dead_vertices else {
        return call.enqueue(ScoreTask { position });
    };
    let points = dead_vertices.iter().map(|text| {
        let vertex_error =
            || RequestError::new("dead", format!("expected {expected}, found {text:?}"));
        size.parse_vertex(text).ok_or_else(vertex_error)
    });
    let dead: PointSet = points.collect::<Result<Vec<_>, _>>()?.into_iter().collect();
    Ok(CallOutcome::Completed(score_response(&position, dead)))
}

impl Work for ScoreTask {
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, ServiceError> {
        let record = Record::from_position(self.position.clone());
        context.engine.set_record(record)?;
        let dead = context.engine.final_status()?.dead;
        Ok(Step::Done(score_response(&self.position, dead)))
    }
}

fn score_response(position: &Position, dead: PointSet) -> ResponseFields {
    let size = position.size();
    let result = count(position, &dead);
    let dead = dead & position.board().occupied();
    let white_extra = f64::from(position.white_bonus_half_points()) / 2.0;
    object([
        ("score", result.score.to_string().into()),
        ("points", by_color(|color| result.points[color].into())),
        ("whiteExtra", white_extra.into()),
        ("dead", vertices(size, &dead)),
        ("owned", matrix(size, &result.owned)),
    ])
}

fn handicap_points(call: &mut Call<'_>) -> CallResult {
    let size = take_size(&mut call.fields)?;
    let size = size.ok_or_else(|| RequestError::new("size", "expected a size, found nothing"))?;
    let stones: usize = call.fields.optional("stones", "a number")?.unwrap_or(0);
    call.reject_unknown_fields()?;
    let max_stones = handicap::max_fixed_stones(size);
    let points = match stones {
        0 => Some(Vec::new()),
        _ => handicap::fixed_placement(size, stones),
    };
    let points = points.ok_or_else(|| {
        let message = match max_stones {
            2.. => {
                format!("a {size} board takes 2 to {max_stones} handicap stones, not {stones}")
            }
            _ => format!("a {size} board is too small for handicap stones, found {stones}"),
        };
        RequestError::new("stones", message)
    })?;
    let set: PointSet = points.into_iter().collect();
    Ok(CallOutcome::Completed(object([
        ("points", vertices(size, &set)),
        ("most", max_stones.into()),
    ])))
}
