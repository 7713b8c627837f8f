//! `run`: searches a position and reports its best moves.

use std::fmt::Display;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::Record;
use crate::json::fields::{Fields, RequestError, object};
use crate::search::limits::SearchLimits;
use crate::search::ownership_stats::OwnershipStats;
use crate::search::report::{MoveReport, Report, rounded};
use crate::service::call::{Call, CallResult, Operator, ResponseFields, Step, StepContext, Work};
use crate::service::error::ServiceError;
use crate::service::limits;
use crate::service::position::{self, position_fields};

/// Number of decimal places in reported values. Searches are less precise than this.
pub const DECIMAL_PLACES: i32 = 4;

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "run",
    position_fields!(" [visits] [seconds] [top] [ownership] [stream]"),
    "Searches a position and returns its best moves; with stream also intermediate results.",
    run,
)];

/// Default number of visits for requests without `visits` and `seconds`.
const DEFAULT_VISITS: u64 = 50;
/// Default number of reported moves.
const DEFAULT_TOP: usize = 5;
/// Interval between intermediate results.
const STREAM_INTERVAL: Duration = Duration::from_millis(100);

/// Reads the optional field `visits`.
///
/// # Errors
/// Returns an error if the value is out of range.
pub fn take_visits(fields: &mut Fields) -> Result<Option<u64>, RequestError> {
    take_in_range(fields, "visits", 1, limits::MAX_VISITS)
}

/// Reads the optional field `seconds`.
///
/// # Errors
/// Returns an error if the value is out of range.
pub fn take_seconds(fields: &mut Fields) -> Result<Option<Duration>, RequestError> {
    let seconds = take_in_range(
        fields,
        "seconds",
        0.001,
        limits::MAX_SEARCH_TIME.as_secs_f64(),
    )?;
    Ok(seconds.map(Duration::from_secs_f64))
}

fn take_in_range<T: DeserializeOwned + PartialOrd + Display>(
    fields: &mut Fields,
    field: &'static str,
    min: T,
    max: T,
) -> Result<Option<T>, RequestError> {
    let expected = format!("a number from {min} to {max}");
    let value: Option<T> = fields.optional(field, &expected)?;
    match value {
        Some(value) if !(min..=max).contains(&value) => {
            let message = format!("expected {expected}, found {value}");
            Err(RequestError::new(field, message))
        }
        valid => Ok(valid),
    }
}

struct RunTask {
    position: Position,
    limits: SearchLimits,
    top: usize,
    stream: bool,
}

fn run(call: &mut Call<'_>) -> CallResult {
    let fields = &mut call.fields;
    let position = position::take_position(fields, call.services.defaults.rules)?;
    let (visits, time) = (take_visits(fields)?, take_seconds(fields)?);
    let limits = SearchLimits {
        visits: visits.or(time.is_none().then_some(DEFAULT_VISITS)),
        time: Some(time.unwrap_or(limits::MAX_SEARCH_TIME)),
        ownership: fields.flag("ownership")?,
        ..SearchLimits::default()
    };
    let top = take_in_range(fields, "top", 1, limits::MAX_REPORTED_MOVES)?.unwrap_or(DEFAULT_TOP);
    let stream = fields.flag("stream")?;
    call.reject_unknown_fields()?;
    call.enqueue(RunTask {
        position,
        limits,
        top,
        stream,
    })
}

impl Work for RunTask {
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, ServiceError> {
        context
            .engine
            .set_record(Record::from_position(self.position.clone()))?;
        context.engine.start_search(self.limits);
        let mut last_update = Instant::now();
        context.wait_for_search(|context| {
            // There is no result to report before the first visit.
            if self.stream
                && last_update.elapsed() >= STREAM_INTERVAL
                && context.engine.report().visits > 0
            {
                last_update = Instant::now();
                context.send_update(self.response_fields(context.engine, false));
            }
        });
        context.engine.error().map_or(Ok(()), Err)?;
        Ok(Step::Done(self.response_fields(context.engine, true)))
    }
}

impl RunTask {
    fn response_fields(&self, engine: &Engine, done: bool) -> ResponseFields {
        let report = engine.report();
        let size = self.position.size();
        let mut moves: Vec<Value> = report
            .moves
            .iter()
            .take(self.top)
            .map(|move_report| move_json(size, move_report))
            .collect();
        // If more moves are requested than were visited, the unvisited ones follow in the order of their priors.
        let is_reported = |mv: Move| report.moves.iter().any(|move_report| move_report.mv == mv);
        let unvisited = engine
            .root_priors()
            .into_iter()
            .filter(|(mv, _)| !is_reported(*mv));
        let remaining = self.top.saturating_sub(moves.len());
        moves.extend(unvisited.take(remaining).map(|(mv, prior)| {
            let move_report = MoveReport {
                mv,
                visits: 0,
                values: report.values,
                prior,
                lcb: 0.0,
                utility_lcb: 0.0,
                pv: vec![mv],
                pv_visits: Vec::new(),
                stats: OwnershipStats::default(),
            };
            move_json(size, &move_report)
        }));
        let mut fields = object([
            ("color", report.to_move.to_string().into()),
            (
                "value",
                rounded(report.values.winrate, DECIMAL_PLACES).into(),
            ),
            (
                "scoreLead",
                rounded(report.values.score_lead, DECIMAL_PLACES).into(),
            ),
            ("visits", report.visits.into()),
            ("moves", moves.into()),
        ]);
        if self.stream {
            fields.insert("done".to_owned(), done.into());
        }
        if self.limits.ownership {
            fields.insert("ownership".to_owned(), ownership_matrix(size, &report));
        }
        fields
    }
}

fn move_json(size: BoardSize, move_report: &MoveReport) -> Value {
    let point = move_report.mv.point();
    let pv: Vec<String> = move_report
        .pv
        .iter()
        .map(|&mv| size.format_move(mv))
        .collect();
    json!({
        "x": point.map(|point| point.column() + 1),
        "y": point.map(|point| point.row() + 1),
        "vertex": size.format_move(move_report.mv),
        "policy": rounded(f64::from(move_report.prior), DECIMAL_PLACES),
        "visits": move_report.visits,
        "winrate": rounded(move_report.values.winrate, DECIMAL_PLACES),
        "scoreLead": rounded(move_report.values.score_lead, DECIMAL_PLACES),
        "pv": pv,
    })
}

/// Returns the expected ownership as a matrix of rows, topmost first. Values range from 1 (Black) to -1 (White).
fn ownership_matrix(size: BoardSize, report: &Report) -> Value {
    let rows = report.stats.ownership.chunks(size.width()).map(|row| {
        let cells = row.iter();
        let cells = cells.map(|&owner| {
            rounded(
                f64::from(report.to_move.to_perspective(owner)),
                DECIMAL_PLACES,
            )
        });
        Value::from(cells.collect::<Vec<f64>>())
    });
    rows.collect()
}
