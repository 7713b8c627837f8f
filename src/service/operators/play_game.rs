//! Operators for playing games: state of a position, engine moves, scoring and handicap points.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::search::{DECIMAL_PLACES, SecondsField, VisitsField};
use crate::engine::final_status::FinalCount;
use crate::engine::genmove::{GenmoveOptions, GenmoveResult};
use crate::engine::level::{LEVELS, Level};
use crate::engine::setting_change::SettingChange;
use crate::engine::settings::DEFAULT_TIME;
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::score::{CountResult, count};
use crate::json_analysis::fields::{BoundedInteger, RequestError};
use crate::json_analysis::game::BoardSizeField;
use crate::parallel::job_queue::Length;
use crate::search::report::round_to_decimals;
use crate::service::call::{
    Call, CallReply, CallResult, NoFields, Operator, StepContext, StepOutcome, Work, search_length,
};
use crate::service::error::ServiceError;
use crate::service::limits;
use crate::service::position::position_fields;

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
        "Scores a position with the given dead stones, or with those that the engine considers dead.",
        score,
    ),
    Operator::new(
        "handicap",
        "size [stones]",
        "Returns the points for handicap stones, and the maximum number of handicap stones for the board size.",
        handicap_points,
    ),
];

fn position_state(call: &mut Call<'_>) -> CallResult {
    let position = call.take_position()?;
    call.take_remaining_fields::<NoFields>()?;
    let forbidden = position.board().empty_points() - position.legal_points();
    Ok(CallReply::Completed(json!({
        "board": color_matrix(position.size(), position.board().stones_by_color()),
        "color": position.to_move().to_string(),
        "forbidden": vertices(position.size(), &forbidden),
        "prisoners": by_color(|color| position.lost_stones(color).into()),
        "ended": position.ended(),
        "noResult": position.has_no_result(),
    })))
}

/// Returns a matrix with one list per row, topmost row first. It contains 1 for points in Black's set, -1 for points in
/// White's set, and 0 for all others.
pub fn color_matrix(size: BoardSize, sets: &ByColor<PointSet>) -> Value {
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

struct GenmoveWork {
    position: Position,
    level: &'static Level,
    visits: Option<u64>,
    time: Option<Duration>,
    lost_turns: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GenmoveFields {
    level: Option<BoundedInteger<1, { LEVELS.len() as i64 }, u8>>,
    visits: Option<VisitsField>,
    seconds: Option<SecondsField>,
    /// Number of consecutive turns on which the engine was in a lost position, as returned by the previous response in
    /// the same game.
    lost_turns: Option<BoundedInteger<0, { u32::MAX as i64 }, u32>>,
}

fn genmove(call: &mut Call<'_>) -> CallResult {
    let position = call.take_position()?;
    let fields: GenmoveFields = call.take_remaining_fields()?;
    let defaults = &call.service.defaults;
    let level = fields
        .level
        .and_then(|BoundedInteger(number)| Level::by_number(number));
    let visits = fields.visits.map(|BoundedInteger(visits)| visits);
    let visits = visits.or(defaults.visits);
    let time = fields
        .seconds
        .map(|SecondsField(time)| time)
        .or(defaults.time);
    call.enqueue(GenmoveWork {
        position,
        level: level.unwrap_or(defaults.level),
        visits,
        // A search with a visit limit also needs a time limit, because it may never reach the requested number of
        // visits.
        time: time.or_else(|| visits.is_some().then_some(limits::MAX_SEARCH_TIME)),
        lost_turns: fields.lost_turns.map_or(0, |BoundedInteger(turns)| turns),
    })
}

impl Work for GenmoveWork {
    fn run_step(&self, context: &mut StepContext<'_>) -> Result<StepOutcome, ServiceError> {
        let size = self.position.size();
        let color = self.position.to_move();
        let engine = &mut context.engine;
        for change in [
            SettingChange::Level(self.level),
            SettingChange::Visits(self.visits),
            SettingChange::Time(self.time),
        ] {
            engine.change_setting(change)?;
        }
        engine.set_record(Record::from_position(self.position.clone()))?;
        let options = GenmoveOptions {
            lost_turns: Some(self.lost_turns),
            ..GenmoveOptions::default()
        };
        engine.begin_genmove(color, options);
        context.wait_for_search(|_| true);
        let GenmoveResult {
            decision,
            values,
            lost_turns,
        } = context.engine.finish_genmove()?;
        Ok(StepOutcome::Done(json!({
            "color": color.to_string(),
            "move": decision.to_text(size),
            "value": round_to_decimals(values.winrate, DECIMAL_PLACES),
            "scoreLead": round_to_decimals(values.score_lead, DECIMAL_PLACES),
            "lostTurns": lost_turns,
        })))
    }

    fn length(&self) -> Length {
        search_length(
            self.visits.or(self.level.visits),
            self.time.or(Some(DEFAULT_TIME)),
        )
    }
}

struct ScoreWork {
    position: Position,
}

#[derive(Deserialize)]
struct ScoreFields {
    dead: Option<Vec<String>>,
}

fn score(call: &mut Call<'_>) -> CallResult {
    let position = call.take_position()?;
    let size = position.size();
    let Some(dead) = call.take_remaining_fields::<ScoreFields>()?.dead else {
        return call.enqueue(ScoreWork { position });
    };
    let points = dead.iter().map(|text| {
        let error = || RequestError::new("dead", format!("expected a vertex, found {text:?}"));
        size.parse_vertex(text).ok_or_else(error)
    });
    let dead: PointSet = points.collect::<Result<Vec<_>, _>>()?.into_iter().collect();
    let count = count(&position, &dead);
    Ok(CallReply::Completed(score_response(
        &position, dead, &count,
    )))
}

impl Work for ScoreWork {
    fn run_step(&self, context: &mut StepContext<'_>) -> Result<StepOutcome, ServiceError> {
        let record = Record::from_position(self.position.clone());
        context.engine.set_record(record)?;
        let FinalCount { status, count, .. } = context.engine.count_position()?;
        Ok(StepOutcome::Done(score_response(
            &self.position,
            status.dead,
            &count,
        )))
    }

    fn length(&self) -> Length {
        Length::Short
    }
}

fn score_response(position: &Position, dead: PointSet, result: &CountResult) -> Value {
    let size = position.size();
    let dead = dead & position.board().occupied_points();
    json!({
        "score": result.score.to_string(),
        "points": by_color(|color| result.points[color].into()),
        "whiteExtra": f64::from(position.white_bonus_half_points()) / 2.0,
        "dead": vertices(size, &dead),
        "owned": color_matrix(size, &result.owned),
    })
}

#[derive(Deserialize)]
struct HandicapFields {
    size: BoardSizeField,
    stones: Option<BoundedInteger<0, { (MAX_SIDE * MAX_SIDE) as i64 }, usize>>,
}

fn handicap_points(call: &mut Call<'_>) -> CallResult {
    let fields: HandicapFields = call.take_remaining_fields()?;
    let size = ServiceError::check_board_size(fields.size)?;
    let stones = fields.stones.map_or(0, |BoundedInteger(stones)| stones);
    let max_stones = handicap::max_fixed_stones(size);
    let points = match stones {
        0 => Some(Vec::new()),
        _ => handicap::fixed_placement(size, stones),
    };
    let points = points.ok_or_else(|| {
        let message = match max_stones {
            2.. => {
                format!("the {size} board allows 2 to {max_stones} handicap stones, not {stones}")
            }
            _ => format!("the {size} board is too small for handicap stones"),
        };
        RequestError::new("stones", message)
    })?;
    let points = vertices(size, &points.into_iter().collect());
    Ok(CallReply::Completed(
        json!({"points": points, "most": max_stones}),
    ))
}
