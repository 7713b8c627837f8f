//! One position after the other: search it, tell what was found on the way and at the end.

use std::time::{Duration, Instant};

use super::answer::{Answer, Complaint, Found, NoResults};
use super::outbox::Outbox;
use super::query::{Turn, Wish};
use crate::eval::{EvalError, Evaluation, Request, evaluate_one};
use crate::game::position::Position;
use crate::job_queue::{Job, JobQueue};
use crate::search::Search;
use crate::search::limits::Limits;
use crate::search::params::SearchParams;
use crate::search::report::Report;

/// How often a search looks whether it is to end early.
const LISTEN: Duration = Duration::from_millis(10);

/// Works until there is nothing more to do, or the client is gone.
pub fn work(queue: &JobQueue<Turn>, outbox: &Outbox, mut search: Search) {
    while let Some(job) = queue.next() {
        if !analyse(&mut search, &job, outbox) {
            queue.abort();
        }
        queue.done(&job);
    }
}

/// The answer to a turn that ended before it began; false once the output has failed.
pub fn no_results(job: &Job<Turn>, outbox: &Outbox) -> bool {
    outbox.send(&NoResults {
        id: &job.task.query.id,
        is_during_search: false,
        no_results: true,
        turn_number: job.task.number,
    })
}

/// Searches a position and answers; false once the output has failed.
fn analyse(search: &mut Search, job: &Job<Turn>, outbox: &Outbox) -> bool {
    if job.is_stopped() {
        return no_results(job, outbox);
    }
    let position = job.task.query.game.position(job.task.number);
    let answered = searched(search, job, &position, outbox);
    answered.unwrap_or_else(|error| {
        outbox.send(&Complaint {
            error: Some(format!("turn {}: {error}", job.task.number)),
            warning: None,
            field: None,
            id: Some(job.task.query.id.clone()),
        })
    })
}

fn searched(
    search: &mut Search,
    job: &Job<Turn>,
    position: &Position,
    outbox: &Outbox,
) -> Result<bool, EvalError> {
    let wish = &job.task.query.wish;
    let raw = begin(search, wish, position)?;
    let tell = |report: &Report, during: bool| {
        let found = Found {
            position,
            wish,
            report,
            raw: &raw,
        };
        outbox.send(&Answer::new(
            &job.task.query.id,
            job.task.number,
            during,
            found,
        ))
    };
    let mut due = (wish.report_after.or(wish.report_every)).map(|wait| Instant::now() + wait);
    let mut heard = true;
    loop {
        let now = Instant::now();
        let left = due.map_or(LISTEN, |due| due.saturating_duration_since(now));
        if search.wait_for(left.min(LISTEN)) {
            break;
        }
        if job.is_stopped() || !heard {
            search.stop();
            break;
        }
        if due.is_some_and(|due| Instant::now() >= due) {
            let report = search.report();
            // What is due before the first visit is told as soon as there is one.
            let wait = if report.visits == 0 {
                Some(LISTEN)
            } else {
                heard = tell(&report, true);
                wish.report_every
            };
            due = wait.map(|wait| Instant::now() + wait);
        }
    }
    search.failure().map_or(Ok(()), Err)?;
    let report = search.report();
    // No move was allowed, or it was stopped before the first one.
    if report.visits == 0 {
        return Ok(no_results(job, outbox));
    }
    Ok(tell(&report, false))
}

/// Sets the search off, and gives back what the evaluator says of the position.
fn begin(search: &mut Search, wish: &Wish, position: &Position) -> Result<Evaluation, EvalError> {
    let settings = &wish.settings;
    let restriction = wish.restriction(position.to_move());
    let parts = &wish.parts;
    let by_move = parts.moves_ownership || parts.moves_ownership_deviation;
    let ownership = parts.ownership || parts.ownership_deviation || by_move;
    search.clear();
    search.set_root(position);
    search.params = SearchParams {
        centers_lead: true,
        ..settings.params.clone()
    };
    // Where there is a cache the answer is in it.
    let raw = evaluate(search, position, ownership)?;
    let limits = Limits {
        visits: settings.visits,
        time: settings.time,
        pace: None,
        ownership,
        by_move: by_move || parts.no_result,
    };
    search.start(limits, restriction);
    Ok(raw)
}

fn evaluate(
    search: &Search,
    position: &Position,
    ownership: bool,
) -> Result<Evaluation, EvalError> {
    let request = Request {
        ownership,
        ..Request::new(position)
    };
    evaluate_one(&**search.evaluator(), request)
}
