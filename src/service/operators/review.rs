//! `reviewGoban`: every position of a kept game searched, and what comes of it kept beside the game.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use super::games::take_id;
use super::run::take_visits;
use crate::game::record::Record;
use crate::json::fields::object;
use crate::review::Review;
use crate::review::json::json;
use crate::review::judge::{Assessment, Question};
use crate::review::line::Line;
use crate::review::verdict::turns;
use crate::search::limits::Limits;
use crate::service::dispatcher::{Call, Outcome, Reply, Taken};
use crate::service::failure::{Code, Failure};
use crate::service::limits;
use crate::service::store::{KeptReview, read};
use crate::service::table::Operator;
use crate::service::work::{Step, StepContext, Work};

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
    again: bool,
    stream: bool,
    found: Mutex<Found>,
}

/// What a review has found so far.
struct Found {
    assessments: Vec<Assessment>,
    /// Visits that it counts as one of so far: those asked for, or the least where time ended a search.
    visits: u64,
}

fn review(call: &mut Call<'_>) -> Outcome {
    let id = take_id(&mut call.fields)?;
    let visits = take_visits(&mut call.fields)?.unwrap_or(VISITS);
    let again = call.fields.flag("again")?;
    let stream = call.fields.flag("stream")?;
    call.end()?;
    let store = &call.dispatcher.store;
    if let Some(known) = store
        .review(id)?
        .filter(|known| !again && known.visits >= visits)
        && let Ok(body) = serde_json::from_str(&known.body)
    {
        return Ok(Taken::Answered(done(body, stream)));
    }
    let (_, sgf) = store.load(id)?;
    let (tree, _) = read(&sgf, call.dispatcher.defaults.rules)?;
    let line = Line::read(&tree, call.dispatcher.defaults.rules)
        .map_err(|error| Failure::new(Code::Game, error.to_string()))?;
    call.enqueue(Reviewing {
        id,
        line,
        visits,
        again,
        stream,
        found: Mutex::new(Found {
            assessments: Vec::new(),
            visits,
        }),
    })
}

fn done(body: Value, stream: bool) -> Reply {
    let mut told = object([("review", body)]);
    if stream {
        told.insert("done".to_owned(), true.into());
    }
    told
}

/// The visits that a review counts as one of, after `before`, when another position had `visits` in the time that it
/// `took`: no more than these if its search ended because its `part` of the time was over.
fn reached(before: u64, visits: u32, took: Duration, part: Duration) -> u64 {
    // A search ends before its time by what an evaluation takes, and by half of it at most.
    if took < part / 2 {
        before
    } else {
        before.min(u64::from(visits))
    }
}

impl Work for Reviewing {
    /// Searches one position, so that others need not wait for a whole game.
    fn step(&self, context: &mut StepContext<'_>) -> Result<Step, Failure> {
        let mut found = self.found.lock();
        let question = Question::new(&self.line, found.assessments.len());
        let part = limits::REVIEW / (self.line.len() as u32 + 1);
        let part = part.min(limits::SEARCH);
        let began = Instant::now();
        let limits = Limits {
            time: Some(part),
            ..Limits::visits(self.visits)
        };
        begin(context, &question, limits)?;
        context.wait(|_| {});
        let took = began.elapsed();
        if context.is_stopped() {
            return Ok(Step::More);
        }
        context.engine.failure().map_or(Ok(()), Err)?;
        let report = context.engine.report();
        found.visits = reached(found.visits, report.visits, took, part);
        found.assessments.push(question.answer(&report));
        if found.assessments.len() > self.line.len() {
            return self.keep(context, &mut found);
        }
        if self.stream {
            context.tell(object([
                ("done", false.into()),
                ("positions", found.assessments.len().into()),
                ("of", (self.line.len() + 1).into()),
            ]));
        }
        Ok(Step::More)
    }
}

/// Sets the search for an answer off.
fn begin(
    context: &mut StepContext<'_>,
    question: &Question,
    limits: Limits,
) -> Result<(), Failure> {
    let (position, engine) = (&question.position, &mut context.engine);
    engine.set_record(Record::starting_from(position.clone()))?;
    if question.restriction.is_none() {
        engine.begin(limits);
    } else {
        engine.analyze(position.to_move(), question.restriction.clone(), limits);
    }
    Ok(())
}

impl Reviewing {
    /// Keeps the review, of which everything has been found, and answers it.
    fn keep(&self, context: &StepContext<'_>, found: &mut Found) -> Result<Step, Failure> {
        let assessments = std::mem::take(&mut found.assessments);
        let body = json(&Review {
            turns: turns(&self.line, &assessments),
            line: self.line.clone(),
            assessments,
        });
        let review = KeptReview {
            visits: found.visits,
            body: body.to_string(),
        };
        context
            .dispatcher
            .store
            .save_review(self.id, &review, self.again)?;
        Ok(Step::Done(done(body, self.stream)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_has_the_visits_that_time_allowed() {
        let part = Duration::from_secs(10);
        for (visits, seconds, expected) in [
            // All that were asked for, soon or late; or fewer because there was nothing more to search.
            (50, 0.1, 50),
            (51, 9.9, 50),
            (1, 0.1, 50),
            // Ended by its time.
            (20, 10.0, 20),
            (20, 9.8, 20),
            (0, 12.0, 0),
        ] {
            let took = Duration::from_secs_f64(seconds);
            let reached = reached(50, visits, took, part);
            assert_eq!(reached, expected, "{visits} in {seconds} s");
        }
        // The least of several.
        assert_eq!(reached(20, 30, part, part), 20);
        assert_eq!(reached(20, 10, part, part), 10);
    }
}
