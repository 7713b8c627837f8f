//! `run`: the best moves of a position.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::Record;
use crate::json::fields::{Fault, Fields};
use crate::search::limits::Limits;
use crate::search::report::{MoveReport, Report};
use crate::service::desk::{Call, Outcome, Reply, reply};
use crate::service::failure::Failure;
use crate::service::limits;
use crate::service::position;
use crate::service::table::Operator;
use crate::service::work::{Bench, Step, Work};

/// The group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "run",
    "board|size [history] [moves] [color] [rules] [komi] [handicap] [visits] [seconds] [top] [ownership] [stream]",
    "Searches a position and answers its best moves; as a stream also what is found on the way.",
    run,
)];

/// Visits of a request that names neither visits nor seconds.
pub const VISITS: u64 = 50;
/// Moves told unless another number is asked for.
const TOP: usize = 5;
/// How often a search looks whether it is to end early.
pub const LISTEN: Duration = Duration::from_millis(10);
/// How often a stream tells what has been found.
const TELL: Duration = Duration::from_millis(100);

/// What ends a search, as requests say it.
///
/// # Errors
/// When `visits` or `seconds` is out of range.
pub fn take_limits(fields: &mut Fields, usual: u64) -> Result<Limits, Fault> {
    let expected = format!("a number from 1 to {}", limits::VISITS);
    let visits: Option<u64> = fields.optional("visits", &expected)?;
    if let Some(visits) = visits
        && !(1..=limits::VISITS).contains(&visits)
    {
        let told = format!("expected {expected}, found {visits}");
        return Err(Fault::new("visits", told));
    }
    let most = limits::SEARCH.as_secs_f64();
    let expected = format!("a number from 0.001 to {most}");
    let seconds: Option<f64> = fields.optional("seconds", &expected)?;
    if let Some(seconds) = seconds
        && !(0.001..=most).contains(&seconds)
    {
        let told = format!("expected {expected}, found {seconds}");
        return Err(Fault::new("seconds", told));
    }
    let unlimited = visits.is_none() && seconds.is_none();
    Ok(Limits {
        visits: if unlimited { Some(usual) } else { visits },
        time: Some(seconds.map_or(limits::SEARCH, Duration::from_secs_f64)),
        ..Limits::default()
    })
}

struct Run {
    position: Position,
    limits: Limits,
    top: usize,
    stream: bool,
}

fn run(call: &mut Call<'_>) -> Outcome {
    let fields = &mut call.fields;
    let position = position::take(fields)?;
    let limits = Limits {
        ownership: fields.flag("ownership")?,
        ..take_limits(fields, VISITS)?
    };
    let expected = format!("a number from 1 to {}", limits::MOVES);
    let top: usize = fields.optional("top", &expected)?.unwrap_or(TOP);
    if !(1..=limits::MOVES).contains(&top) {
        let told = format!("expected {expected}, found {top}");
        return Err(Fault::new("top", told).into());
    }
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
    fn step(&self, bench: &mut Bench<'_>) -> Result<Step, Failure> {
        bench
            .engine
            .set_record(Record::starting_from(self.position.clone()));
        // The first visit tells which lead the search is to be centred at.
        for limits in [Limits::visits(1), self.limits] {
            bench.engine.begin(limits);
            self.wait(bench);
            bench.engine.failure().map_or(Ok(()), Err)?;
        }
        let mut found = self.found(bench.engine);
        if self.stream {
            found.insert("done".to_owned(), true.into());
        }
        Ok(Step::Done(found))
    }
}

impl Run {
    /// Waits for the search, and tells meanwhile what it finds.
    fn wait(&self, bench: &mut Bench<'_>) {
        let mut told = Instant::now();
        while !bench.engine.wait_for(LISTEN) {
            if bench.is_stopped() {
                bench.engine.hurry();
            } else if self.stream && told.elapsed() >= TELL {
                told = Instant::now();
                let mut found = self.found(bench.engine);
                found.insert("done".to_owned(), false.into());
                bench.tell(found);
            }
        }
    }

    fn found(&self, engine: &Engine) -> Reply {
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
            };
            move_json(size, &unseen)
        }));
        let mut all = reply([
            ("color", report.to_move.to_string().into()),
            ("value", rounded(report.values.winrate).into()),
            ("scoreLead", rounded(report.values.score_lead).into()),
            ("visits", report.visits.into()),
            ("moves", moves.into()),
        ]);
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
        "policy": rounded(f64::from(found.prior)),
        "visits": found.visits,
        "winrate": rounded(found.values.winrate),
        "scoreLead": rounded(found.values.score_lead),
        "pv": line,
    })
}

/// The owners as a matrix like that of a board, from 1 (Black) to -1 (White).
fn owners(size: BoardSize, report: &Report) -> Value {
    let rows = report.ownership.chunks(size.width()).map(|row| {
        let cells = row.iter();
        let cells = cells.map(|&owner| rounded(f64::from(report.to_move.from_black(owner))));
        Value::from(cells.collect::<Vec<f64>>())
    });
    rows.collect()
}

/// Four digits after the point, more than a search knows.
pub fn rounded(number: f64) -> f64 {
    // Adding zero takes the sign off it.
    (number * 1e4).round() / 1e4 + 0.0
}
