//! `run`: searches a position and reports its best moves.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::Record;
use crate::json_analysis::fields::{BoundedInteger, convert_value};
use crate::parallel::job_queue::Length;
use crate::search::limits::SearchLimits;
use crate::search::report::{Report, ValueEstimates, round_to_decimals};
use crate::service::call::{
    Call, CallResult, Operator, StepContext, StepOutcome, Work, search_length,
};
use crate::service::error::ServiceError;
use crate::service::limits;
use crate::service::position::position_fields;

/// Number of decimal places in reported values. It exceeds the precision of searches.
pub const DECIMAL_PLACES: i32 = 4;

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "run",
    position_fields!(" [visits] [seconds] [top] [ownership] [stream]"),
    "Searches a position and returns its best moves; with stream, also returns intermediate results.",
    run,
)];

/// Default number of visits for requests with neither `visits` nor `seconds`.
const DEFAULT_VISITS: u64 = 50;
/// Default number of reported moves.
const DEFAULT_REPORTED_MOVES: usize = 5;
/// Minimum duration of a search that a request can specify, in seconds.
const MIN_SECONDS: f64 = 0.001;
/// Interval between intermediate results.
const STREAM_INTERVAL: Duration = Duration::from_millis(100);

/// Number of visits in a request.
pub type VisitsField = BoundedInteger<1, { limits::MAX_VISITS as i64 }, u64>;

/// Duration of a search in a request, in seconds.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
pub struct SecondsField(pub Duration);

impl TryFrom<Value> for SecondsField {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let max = limits::MAX_SEARCH_TIME.as_secs_f64();
        let expected = format_args!("a number from {MIN_SECONDS} to {max}");
        convert_value(&value, expected, |value| {
            let seconds = value
                .as_f64()
                .filter(|seconds| (MIN_SECONDS..=max).contains(seconds));
            seconds.map(Duration::from_secs_f64).map(Self)
        })
    }
}

#[derive(Deserialize)]
struct SearchFields {
    visits: Option<VisitsField>,
    seconds: Option<SecondsField>,
    top: Option<BoundedInteger<1, { limits::MAX_REPORTED_MOVES as i64 }, usize>>,
    #[serde(default)]
    ownership: bool,
    #[serde(default)]
    stream: bool,
}

struct SearchWork {
    position: Position,
    limits: SearchLimits,
    top: usize,
    stream: bool,
}

fn run(call: &mut Call<'_>) -> CallResult {
    let position = call.take_position()?;
    let fields: SearchFields = call.take_remaining_fields()?;
    let visits = fields.visits.map(|BoundedInteger(visits)| visits);
    let time = fields.seconds.map(|SecondsField(time)| time);
    let limits = SearchLimits {
        visits: visits.or(time.is_none().then_some(DEFAULT_VISITS)),
        time: Some(time.unwrap_or(limits::MAX_SEARCH_TIME)),
        ownership: fields.ownership,
        ..SearchLimits::default()
    };
    call.enqueue(SearchWork {
        position,
        limits,
        top: fields
            .top
            .map_or(DEFAULT_REPORTED_MOVES, |BoundedInteger(top)| top),
        stream: fields.stream,
    })
}

impl Work for SearchWork {
    fn run_step(&self, context: &mut StepContext<'_>) -> Result<StepOutcome, ServiceError> {
        context
            .engine
            .set_record(Record::from_position(self.position.clone()))?;
        context.engine.start_search(self.limits);
        let started = Instant::now();
        let mut last_update = started;
        context.wait_for_search(|context| {
            // There is no result to report before the first visit.
            if self.stream
                && last_update.elapsed() >= STREAM_INTERVAL
                && context.engine.search_report().visits > 0
            {
                last_update = Instant::now();
                context.send_update_if_room(self.response(context.engine, false));
            }
            let may_end = self.stream && started.elapsed() >= limits::MIN_STREAM_TIME;
            !(may_end && context.blocks_short_request())
        });
        context.engine.search_error().map_or(Ok(()), Err)?;
        Ok(StepOutcome::Done(self.response(context.engine, true)))
    }

    fn length(&self) -> Length {
        match self.stream {
            true => Length::Long,
            false => search_length(self.limits.visits, self.limits.time),
        }
    }
}

impl SearchWork {
    fn response(&self, engine: &Engine, done: bool) -> Value {
        let report = engine.search_report();
        let size = self.position.size();
        let reported = report.moves.iter().take(self.top);
        let best = report.moves.first().map(|best| best.values);
        let mut moves: Vec<Value> = reported
            .map(|found| {
                let (visits, values) = (found.visits, found.values);
                let mut json = move_json(size, found.mv, found.prior, visits, values, &found.pv);
                if let Some(best) = best.filter(|_| visits > 0) {
                    add_losses(&mut json, best, values);
                }
                json
            })
            .collect();
        // If more moves are requested than were visited, unvisited moves follow in the order of their priors.
        let is_reported = |mv: Move| report.moves.iter().any(|move_report| move_report.mv == mv);
        let unvisited = engine
            .root_priors()
            .into_iter()
            .filter(|(mv, _)| !is_reported(*mv));
        let remaining = self.top.saturating_sub(moves.len());
        let unvisited = unvisited.take(remaining);
        moves.extend(
            unvisited.map(|(mv, prior)| move_json(size, mv, prior, 0, report.values, &[mv])),
        );
        let mut response = json!({
            "color": report.to_move.to_string(),
            "value": round_to_decimals(report.values.winrate, DECIMAL_PLACES),
            "scoreLead": round_to_decimals(report.values.score_lead, DECIMAL_PLACES),
            "visits": report.visits,
            "moves": moves,
        });
        if self.stream {
            response["done"] = done.into();
        }
        if self.limits.ownership {
            response["ownership"] = ownership_matrix(size, &report);
        }
        response
    }
}

fn move_json(
    size: BoardSize,
    mv: Move,
    prior: f32,
    visits: u32,
    values: ValueEstimates,
    pv: &[Move],
) -> Value {
    let point = mv.point();
    json!({
        "x": point.map(|point| point.column() + 1),
        "y": point.map(|point| point.row() + 1),
        "vertex": size.format_move(mv),
        "policy": round_to_decimals(f64::from(prior), DECIMAL_PLACES),
        "visits": visits,
        "winrate": round_to_decimals(values.winrate, DECIMAL_PLACES),
        "scoreLead": round_to_decimals(values.score_lead, DECIMAL_PLACES),
        "pointsLost": null,
        "winrateLost": null,
        "pv": pv.iter().map(|&mv| size.format_move(mv)).collect::<Vec<_>>(),
    })
}

/// Sets the losses of a visited move compared with the best one, at least 0.
fn add_losses(json: &mut Value, best: ValueEstimates, values: ValueEstimates) {
    let loss = |best: f64, value: f64| round_to_decimals((best - value).max(0.0), DECIMAL_PLACES);
    json["pointsLost"] = loss(best.score_lead, values.score_lead).into();
    json["winrateLost"] = loss(best.winrate, values.winrate).into();
}

/// Returns the expected ownership as a matrix with one list per row, topmost row first. Values range from 1 (Black) to
/// -1 (White).
fn ownership_matrix(size: BoardSize, report: &Report) -> Value {
    let owned = report.stats.ownership.iter().map(|&owner| {
        let owner = f64::from(report.to_move.to_perspective(owner));
        round_to_decimals(owner, DECIMAL_PLACES)
    });
    let owned: Vec<f64> = owned.collect();
    owned.chunks(size.width()).collect()
}
