//! `reviewGoban`: every position of a kept game searched, and what comes of it kept beside the game.

use std::sync::Mutex;

use serde_json::Value;

use super::games::take_id;
use super::run::take_visits;
use crate::game::record::Record;
use crate::game::rules::Rules;
use crate::json::outbox::lock;
use crate::review::Review;
use crate::review::json::json;
use crate::review::judge::Assessment;
use crate::review::line::Line;
use crate::review::verdict::turns;
use crate::search::limits::Limits;
use crate::service::desk::{Call, Outcome, Reply, Taken, reply};
use crate::service::failure::{Code, Failure};
use crate::service::limits;
use crate::service::store::{KeptReview, read};
use crate::service::table::Operator;
use crate::service::work::{Bench, Step, Work};

/// The group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "reviewGoban",
    "gobanId [visits] [again] [stream]",
    "Reviews a kept game move by move and keeps the review; one with as many visits is not made again.",
    review,
)];

/// Visits of a position unless another number is asked for.
const VISITS: u64 = 50;

/// A review under way.
struct Reviewing {
    id: i64,
    line: Line,
    visits: u64,
    stream: bool,
    found: Mutex<Vec<Assessment>>,
}

fn review(call: &mut Call<'_>) -> Outcome {
    let id = take_id(&mut call.fields)?;
    let visits = take_visits(&mut call.fields)?.unwrap_or(VISITS);
    let again = call.fields.flag("again")?;
    let stream = call.fields.flag("stream")?;
    call.end()?;
    let store = &call.desk.store;
    if let Some(known) = store
        .review(id)?
        .filter(|known| !again && known.visits >= visits)
        && let Ok(body) = serde_json::from_str(&known.body)
    {
        return Ok(Taken::Answered(done(body, stream)));
    }
    let (_, sgf) = store.load(id)?;
    let (tree, _) = read(&sgf)?;
    let line = Line::read(&tree, Rules::default())
        .map_err(|error| Failure::new(Code::Game, error.to_string()))?;
    call.enqueue(Reviewing {
        id,
        line,
        visits,
        stream,
        found: Mutex::default(),
    })
}

fn done(body: Value, stream: bool) -> Reply {
    let mut told = reply([("review", body)]);
    if stream {
        told.insert("done".to_owned(), true.into());
    }
    told
}

impl Work for Reviewing {
    /// Searches one position, so that others need not wait for a whole game.
    fn step(&self, bench: &mut Bench<'_>) -> Result<Step, Failure> {
        let mut found = lock(&self.found);
        let position = self.line.position(found.len());
        bench.engine.set_record(Record::starting_from(position));
        let part = limits::REVIEW / (self.line.len() as u32 + 1);
        bench.engine.begin(Limits {
            time: Some(part.min(limits::SEARCH)),
            ..Limits::visits(self.visits)
        });
        bench.wait(|_| {});
        if bench.is_stopped() {
            return Ok(Step::More);
        }
        bench.engine.failure().map_or(Ok(()), Err)?;
        found.push(Assessment::of(&bench.engine.report()));
        if found.len() <= self.line.len() {
            if self.stream {
                bench.tell(reply([
                    ("done", false.into()),
                    ("positions", found.len().into()),
                    ("of", (self.line.len() + 1).into()),
                ]));
            }
            return Ok(Step::More);
        }
        let assessments = std::mem::take(&mut *found);
        let body = json(&Review {
            turns: turns(&self.line, &assessments),
            line: self.line.clone(),
            assessments,
        });
        let review = KeptReview {
            visits: self.visits,
            body: body.to_string(),
        };
        bench.desk.store.save_review(self.id, &review)?;
        Ok(Step::Done(done(body, self.stream)))
    }
}
