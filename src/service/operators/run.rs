//! `run`: the best moves of a position.

use std::fmt::Display;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::Record;
use crate::json::fields::{Fault, Fields, object};
use crate::search::census::Census;
use crate::search::limits::Limits;
use crate::search::report::{MoveReport, Report, rounded};
use crate::service::dispatcher::{Call, Outcome, Reply};
use crate::service::failure::Failure;
use crate::service::limits;
use crate::service::position::{self, of_position};
use crate::service::table::Operator;
use crate::service::work::{Step, StepContext, Work};

/// Digits after the point that are told, more than a search knows.
pub const DIGITS: i32 = 4;

/// The group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "run",
    of_position!(" [visits] [seconds] [top] [ownership] [stream]"),
    "Searches a position and answers its best moves; as a stream also what is found on the way.",
    run,
)];

/// Visits of a request that names neither visits nor seconds.
const VISITS: u64 = 50;
/// Moves told unless another number is asked for.
const TOP: usize = 5;
/// How often a stream tells what has been found.
const TELL: Duration = Duration::from_millis(100);

/// Takes `visits`.
///
/// # Errors
/// When they are out of range.
pub fn take_visits(fields: &mut Fields) -> Result<Option<u64>, Fault> {
    in_range(fields, "visits", 1, limits::VISITS)
}

/// Takes `seconds`.
///
/// # Errors
/// When they are out of range.
pub fn take_seconds(fields: &mut Fields) -> Result<Option<Duration>, Fault> {
    let seconds = in_range(fields, "seconds", 0.001, limits::SEARCH.as_secs_f64())?;
    Ok(seconds.map(Duration::from_secs_f64))
}

fn in_range<T: DeserializeOwned + PartialOrd + Display>(
    fields: &mut Fields,
    field: &'static str,
    least: T,
    most: T,
) -> Result<Option<T>, Fault> {
    let expected = format!("a number from {least} to {most}");
    let told: Option<T> = fields.optional(field, &expected)?;
    match told {
        Some(told) if !(least..=most).contains(&told) => {
            let message = format!("expected {expected}, found {told}");
            Err(Fault::new(field, message))
        }
        fine => Ok(fine),
    }
}

struct Run {
    position: Position,
    limits: Limits,
    top: usize,
    stream: bool,
}

fn run(call: &mut Call<'_>) -> Outcome {
    let fields = &mut call.fields;
    let position = position::take(fields, call.dispatcher.defaults.rules)?;
    let (visits, time) = (take_visits(fields)?, take_seconds(fields)?);
    let limits = Limits {
        visits: visits.or(time.is_none().then_some(VISITS)),
        time: Some(time.unwrap_or(limits::SEARCH)),
        ownership: fields.flag("ownership")?,
        ..Limits::default()
    };
    let top = in_range(fields, "top", 1, limits::MOVES)?.unwrap_or(TOP);
    let stream = fields.flag("stream")?;
    call.end()?;
    call.enqueue(Run {
        position,
        limits,
        top,
        stream,
    })
}

impl Work for Run {
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, Failure> {
        context
            .engine
            .set_record(Record::starting_from(self.position.clone()))?;
        context.engine.begin(self.limits);
        let mut told = Instant::now();
        context.wait(|context| {
            // Before the first visit there is nothing to tell.
            if self.stream && told.elapsed() >= TELL && context.engine.report().visits > 0 {
                told = Instant::now();
                context.tell(self.found(context.engine, false));
            }
        });
        context.engine.failure().map_or(Ok(()), Err)?;
        Ok(Step::Done(self.found(context.engine, true)))
    }
}

impl Run {
    fn found(&self, engine: &Engine, done: bool) -> Reply {
        let report = engine.report();
        let size = self.position.size();
        let mut moves: Vec<Value> = report
            .moves
            .iter()
            .take(self.top)
            .map(|found| move_json(size, found))
            .collect();
        // Moves that the search has not looked at come after those it has, by their priors.
        let known = |mv: Move| report.moves.iter().any(|found| found.mv == mv);
        let others = engine.proposals().into_iter().filter(|(mv, _)| !known(*mv));
        let room = self.top.saturating_sub(moves.len());
        moves.extend(others.take(room).map(|(mv, prior)| {
            let unseen = MoveReport {
                mv,
                visits: 0,
                values: report.values,
                prior,
                lcb: 0.0,
                utility_lcb: 0.0,
                line: vec![mv],
                line_visits: Vec::new(),
                census: Census::default(),
            };
            move_json(size, &unseen)
        }));
        let mut all = object([
            ("color", report.to_move.to_string().into()),
            ("value", rounded(report.values.winrate, DIGITS).into()),
            (
                "scoreLead",
                rounded(report.values.score_lead, DIGITS).into(),
            ),
            ("visits", report.visits.into()),
            ("moves", moves.into()),
        ]);
        if self.stream {
            all.insert("done".to_owned(), done.into());
        }
        if self.limits.ownership {
            all.insert("ownership".to_owned(), owners(size, &report));
        }
        all
    }
}

fn move_json(size: BoardSize, found: &MoveReport) -> Value {
    let place = found.mv.point();
    let line: Vec<String> = found.line.iter().map(|&mv| size.move_text(mv)).collect();
    json!({
        "x": place.map(|point| point.column() + 1),
        "y": place.map(|point| point.row() + 1),
        "vertex": size.move_text(found.mv),
        "policy": rounded(f64::from(found.prior), DIGITS),
        "visits": found.visits,
        "winrate": rounded(found.values.winrate, DIGITS),
        "scoreLead": rounded(found.values.score_lead, DIGITS),
        "pv": line,
    })
}

/// The owners as a matrix like that of a board, from 1 (Black) to -1 (White).
fn owners(size: BoardSize, report: &Report) -> Value {
    let rows = report.census.ownership.chunks(size.width()).map(|row| {
        let cells = row.iter();
        let cells =
            cells.map(|&owner| rounded(f64::from(report.to_move.from_black(owner)), DIGITS));
        Value::from(cells.collect::<Vec<f64>>())
    });
    rows.collect()
}
