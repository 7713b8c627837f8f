//! Worker loop: searches queued positions and sends reports and results.

use std::time::{Duration, Instant};

use super::query::{Query, QueryTurn};
use super::response::{Diagnostic, DiagnosticKind, Response, TurnAnalysis, no_results};
use super::response_writer::ResponseWriter;
use crate::eval::{EvalError, Evaluation, Request, evaluate_one};
use crate::game::position::Position;
use crate::parallel::job_queue::{Job, JobQueue};
use crate::search::Search;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::report::Report;

/// Interval at which a running search is checked for termination.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Runs jobs until the queue is closed and empty, or aborted. If writing to the client fails, aborts the queue.
pub fn run_worker(
    queue: &JobQueue<QueryTurn>,
    response_writer: &ResponseWriter,
    mut search: Search,
) {
    while let Some(job) = queue.next() {
        if !analyze_turn(&mut search, &job, response_writer) {
            queue.abort();
        }
        queue.finish(&job);
    }
}

/// Searches a position and sends the results. Returns false if writing failed.
fn analyze_turn(
    search: &mut Search,
    job: &Job<QueryTurn>,
    response_writer: &ResponseWriter,
) -> bool {
    if job.should_stop() {
        return response_writer.send(&no_results(&job.task));
    }
    let position = job.task.query.game.position_after(job.task.number);
    let result = search_turn(search, job, &position, response_writer);
    result.unwrap_or_else(|error| {
        response_writer.send(&Diagnostic {
            kind: DiagnosticKind::Error(format!("turn {}: {error}", job.task.number)),
            field: None,
            id: Some(&job.task.query.id),
        })
    })
}

fn search_turn(
    search: &mut Search,
    job: &Job<QueryTurn>,
    position: &Position,
    response_writer: &ResponseWriter,
) -> Result<bool, EvalError> {
    let query = &*job.task.query;
    let raw = evaluate_and_start_search(search, query, position)?;
    let send_report = |report: &Report, is_during_search: bool| {
        response_writer.send(&Response::new(&TurnAnalysis {
            turn: &job.task,
            position,
            report,
            raw: &raw,
            is_during_search,
        }))
    };
    let mut next_report =
        (query.first_report_after.or(query.report_interval)).and_then(instant_after);
    let mut is_connected = true;
    loop {
        let now = Instant::now();
        let timeout = next_report.map_or(POLL_INTERVAL, |due| due.saturating_duration_since(now));
        if search.wait_for(timeout.min(POLL_INTERVAL)) {
            break;
        }
        if job.should_stop() || !is_connected {
            search.stop();
            break;
        }
        if next_report.is_some_and(|due| Instant::now() >= due) {
            let report = search.report();
            // Before the first visit, there is nothing to report. Try again soon.
            let wait = if report.visits == 0 {
                Some(POLL_INTERVAL)
            } else {
                is_connected = send_report(&report, true);
                query.report_interval
            };
            next_report = wait.and_then(instant_after);
        }
    }
    search.error().map_or(Ok(()), Err)?;
    let report = search.report();
    // Either no move was allowed, or the search was stopped before its first visit.
    if report.visits == 0 {
        return Ok(response_writer.send(&no_results(&job.task)));
    }
    Ok(send_report(&report, false))
}

/// Evaluates the position, starts a search of it, and returns the raw evaluation.
fn evaluate_and_start_search(
    search: &mut Search,
    query: &Query,
    position: &Position,
) -> Result<Evaluation, EvalError> {
    let (settings, include) = (&query.settings, &query.include);
    let restriction = query.restriction(position.to_move());
    let needs_move_stats = include.moves_ownership || include.moves_ownership_stdev;
    let ownership = include.ownership || include.ownership_stdev || needs_move_stats;
    search.clear_tree_and_table();
    search.set_root(position);
    search.params = SearchParams {
        centers_lead: true,
        ..settings.params.clone()
    };
    // If the evaluator has a cache, the search reuses this evaluation for its root.
    let request = Request {
        ownership,
        ..Request::new(position)
    };
    let raw = evaluate_one(&**search.evaluator(), request)?;
    let limits = SearchLimits {
        visits: settings.max_visits,
        time: settings.max_time,
        time_target: None,
        ownership,
        per_move_stats: needs_move_stats || include.no_result,
    };
    search.start(limits, restriction);
    Ok(raw)
}

/// Returns the time after `wait`, or `None` if it is too far in the future to be reached.
fn instant_after(wait: Duration) -> Option<Instant> {
    Instant::now().checked_add(wait)
}
