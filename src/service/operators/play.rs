//! What a board on a screen asks for: how a position stands, a move, a count, where handicap stones go.

use std::time::Duration;

use serde_json::{Value, json};

use super::run::{DIGITS, take_seconds, take_visits};
use crate::engine::genmove::Wish;
use crate::engine::level::{LEVELS, Level};
use crate::engine::tune::Change;
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::score::count;
use crate::json::fields::{Fault, Fields, object};
use crate::search::report::rounded;
use crate::service::dispatcher::{Call, Outcome, Reply, Taken};
use crate::service::failure::{Code, Failure};
use crate::service::limits;
use crate::service::position::{self, of_position, take_size};
use crate::service::table::Operator;
use crate::service::work::{Step, StepContext, Work};

/// The group.
pub const OPERATORS: &[Operator] = &[
    Operator::new(
        "position",
        of_position!(""),
        "Tells how a position stands: stones, whose turn, prisoners, where no move is allowed, whether play has ended.",
        stands,
    ),
    Operator::new(
        "genmove",
        of_position!(" [level] [visits] [seconds] [lostTurns]"),
        "Answers the move that the engine makes as whoever's turn it is.",
        genmove,
    ),
    Operator::new(
        "score",
        of_position!(" [dead]"),
        "Counts a position with these stones dead, or those that the engine thinks dead.",
        score,
    ),
    Operator::new(
        "handicap",
        "size [stones]",
        "Answers the points of that many handicap stones, and how many a board of that size has places for.",
        handicap_points,
    ),
];

fn stands(call: &mut Call<'_>) -> Outcome {
    let position = position::take(&mut call.fields, call.dispatcher.defaults.rules)?;
    call.end()?;
    let forbidden = position.board().empty() - position.legal_points();
    Ok(Taken::Answered(object([
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

/// Rows from the top: 1 where Black's point set has the point, -1 where White's does, else 0.
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

struct Genmove {
    position: Position,
    level: &'static Level,
    visits: Option<u64>,
    time: Option<Duration>,
    lost_turns: u32,
}

fn genmove(call: &mut Call<'_>) -> Outcome {
    let fields = &mut call.fields;
    let defaults = &call.dispatcher.defaults;
    let position = position::take(fields, defaults.rules)?;
    let level = take_level(fields)?.unwrap_or(defaults.level);
    let visits = take_visits(fields)?.or(defaults.visits);
    let time = take_seconds(fields)?.or(defaults.time);
    // The number of visits may be one that is never reached.
    let time = time.or_else(|| visits.is_some().then_some(limits::SEARCH));
    let lost_turns = fields.optional("lostTurns", "the number that the last answer told")?;
    call.end()?;
    call.enqueue(Genmove {
        position,
        level,
        visits,
        time,
        lost_turns: lost_turns.unwrap_or(0),
    })
}

fn take_level(fields: &mut Fields) -> Result<Option<&'static Level>, Fault> {
    let expected = format!("a number from 1 to {}", LEVELS.len());
    let told: Option<u8> = fields.optional("level", &expected)?;
    let level = |number| {
        let unknown = || Fault::new("level", format!("expected {expected}, found {number}"));
        Level::numbered(number).ok_or_else(unknown)
    };
    told.map(level).transpose()
}

impl Work for Genmove {
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, Failure> {
        let size = self.position.size();
        let color = self.position.to_move();
        let engine = &mut context.engine;
        for change in [
            Change::Level(self.level),
            Change::Visits(self.visits),
            Change::Time(self.time),
        ] {
            let changed = engine.change(change);
            changed.map_err(|error| Failure::new(Code::Search, error.to_string()))?;
        }
        engine.set_record(Record::starting_from(self.position.clone()))?;
        engine.recall_lost_turns(color, self.lost_turns);
        engine.begin_genmove(color, Wish::default());
        context.wait(|_| {});
        let decision = context.engine.finish_genmove()?;
        let lost_turns = context.engine.lost_turns(color);
        let values = context.engine.seen().map(|seen| seen.report.values);
        let values = values.unwrap_or_default();
        Ok(Step::Done(object([
            ("color", color.to_string().into()),
            ("move", decision.text(size).into()),
            ("value", rounded(values.winrate, DIGITS).into()),
            ("scoreLead", rounded(values.score_lead, DIGITS).into()),
            ("lostTurns", lost_turns.into()),
        ])))
    }
}

struct Scoring {
    position: Position,
}

fn score(call: &mut Call<'_>) -> Outcome {
    let position = position::take(&mut call.fields, call.dispatcher.defaults.rules)?;
    let size = position.size();
    let expected = "a vertex";
    let told: Option<Vec<String>> = call.fields.list("dead", expected)?;
    call.end()?;
    let Some(told) = told else {
        return call.enqueue(Scoring { position });
    };
    let points = told.iter().map(|text| {
        let wrong = || Fault::new("dead", format!("expected {expected}, found {text:?}"));
        size.parse_vertex(text).ok_or_else(wrong)
    });
    let dead: PointSet = points.collect::<Result<Vec<_>, _>>()?.into_iter().collect();
    Ok(Taken::Answered(counted(&position, dead)))
}

impl Work for Scoring {
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, Failure> {
        let record = Record::starting_from(self.position.clone());
        context.engine.set_record(record)?;
        let dead = context.engine.status()?.dead;
        Ok(Step::Done(counted(&self.position, dead)))
    }
}

fn counted(position: &Position, dead: PointSet) -> Reply {
    let size = position.size();
    let found = count(position, &dead);
    let dead = dead & position.board().occupied();
    let white = f64::from(position.white_half_points()) / 2.0;
    object([
        ("score", found.score.to_string().into()),
        ("points", by_color(|color| found.points[color].into())),
        ("whiteExtra", white.into()),
        ("dead", vertices(size, &dead)),
        ("owned", matrix(size, &found.owned)),
    ])
}

fn handicap_points(call: &mut Call<'_>) -> Outcome {
    let size = take_size(&mut call.fields)?;
    let size = size.ok_or_else(|| Fault::new("size", "expected a size, found nothing"))?;
    let stones: usize = call.fields.optional("stones", "a number")?.unwrap_or(0);
    call.end()?;
    let most = handicap::most_fixed(size);
    let points = match stones {
        0 => Some(Vec::new()),
        _ => handicap::fixed(size, stones),
    };
    let points = points.ok_or_else(|| {
        let told = match most {
            2.. => format!("expected 2 to {most} stones on a board of {size}, found {stones}"),
            _ => format!(
                "expected a larger board than {size} for stones of handicap, found {stones}"
            ),
        };
        Fault::new("stones", told)
    })?;
    let set: PointSet = points.into_iter().collect();
    Ok(Taken::Answered(object([
        ("points", vertices(size, &set)),
        ("most", most.into()),
    ])))
}
