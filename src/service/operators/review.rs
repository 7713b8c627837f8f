//! `reviewGoban`: analyses every position of a stored game and stores the review.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::search::VisitsField;
use super::stored_games::GameIdField;
use crate::game::record::Record;
use crate::json_analysis::fields::BoundedInteger;
use crate::review::Review;
use crate::review::analysis::{AnalysisTask, PositionAnalysis};
use crate::review::grading::review_moves;
use crate::review::json::{review_json, review_update_json};
use crate::review::main_line::MainLine;
use crate::search::limits::SearchLimits;
use crate::service::call::{Call, CallReply, CallResult, Operator, StepContext, StepOutcome, Work};
use crate::service::error::ServiceError;
use crate::service::limits;
use crate::service::sgf_input::GameSource;
use crate::service::store::{StoredReview, read_single_game};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "reviewGoban",
    "gobanId [visits] [again] [ownership] [stream]",
    "Reviews a stored game move by move and stores the review; a stored review with enough visits is reused.",
    review,
)];

/// Default number of visits per position.
const DEFAULT_VISITS: u64 = 50;

/// A review in progress.
struct ReviewWork {
    id: i64,
    line: MainLine,
    visits: u64,
    overwrite: bool,
    ownership: bool,
    stream: bool,
    progress: Mutex<PartialReview>,
}

/// Results of a review for the positions analysed so far, in game order.
struct PartialReview {
    analyses: Vec<PositionAnalysis>,
    /// Number of analyses that the client has received.
    sent: usize,
    /// Number of visits per position to store with the review: the requested number or, if any search ran out of time,
    /// the smallest number that such a search reached.
    visits: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReviewFields {
    goban_id: GameIdField,
    visits: Option<VisitsField>,
    #[serde(default)]
    again: bool,
    #[serde(default)]
    ownership: bool,
    #[serde(default)]
    stream: bool,
}

fn review(call: &mut Call<'_>) -> CallResult {
    let fields: ReviewFields = call.take_remaining_fields()?;
    let ReviewFields {
        again,
        ownership,
        stream,
        ..
    } = fields;
    let BoundedInteger(id) = fields.goban_id;
    let visits = fields
        .visits
        .map_or(DEFAULT_VISITS, |BoundedInteger(visits)| visits);
    let store = &call.service.store;
    let mut overwrite = again;
    if let Some(stored) = store
        .load_review(id)?
        .filter(|stored| !again && stored.visits >= visits)
    {
        match serde_json::from_str(&stored.body) {
            Ok(body) if has_fields(&body, ownership) => {
                return Ok(CallReply::Completed(review_response(body, stream)));
            }
            // Otherwise, the stored review would prevent that a complete one with fewer visits is stored, and every
            // request would search again.
            _ => overwrite = true,
        }
    }
    let (_, sgf) = store.load(id)?;
    let rules = call.service.defaults.rules;
    let game = read_single_game(&GameSource::Text(sgf), rules)?;
    let line = MainLine::read(&game.tree, rules)?;
    call.warnings = game.warnings;
    call.enqueue(ReviewWork {
        id,
        line,
        visits,
        overwrite,
        ownership,
        stream,
        progress: Mutex::new(PartialReview {
            analyses: Vec::new(),
            sent: 0,
            visits,
        }),
    })
}

/// Returns true if a stored review has all fields. Earlier versions stored reviews without `turningPoints`, and
/// `ownership` is stored only if it was requested.
fn has_fields(body: &Value, ownership: bool) -> bool {
    body.get("turningPoints").is_some()
        && (!ownership || body["positions"][0].get("ownership").is_some())
}

fn review_response(body: Value, stream: bool) -> Value {
    match stream {
        true => json!({"review": body, "done": true}),
        false => json!({"review": body}),
    }
}

/// Returns the number of visits to store with a review, updated after a search.
///
/// `previous` is the number before the search, and `visits` is the number of visits that the search reached. The result
/// is the smaller of the two if the search ran out of time, and `previous` otherwise.
fn visits_to_store(previous: u64, visits: u32, elapsed: Duration, time_limit: Duration) -> u64 {
    // A search that runs out of time can end before the time limit. The difference is at most the duration of an
    // evaluation, and at most half of the limit.
    if elapsed < time_limit / 2 {
        previous
    } else {
        previous.min(u64::from(visits))
    }
}

impl Work for ReviewWork {
    /// Analyses one position per step, so that other requests do not have to wait for a complete game.
    fn run_step(&self, context: &mut StepContext<'_>) -> Result<StepOutcome, ServiceError> {
        let mut progress = self.progress.lock();
        let pending_analysis = AnalysisTask::new(&self.line, progress.analyses.len());
        let time_limit = limits::MAX_REVIEW_TIME / (self.line.len() as u32 + 1);
        let time_limit = time_limit.min(limits::MAX_SEARCH_TIME);
        let started = Instant::now();
        let limits = SearchLimits {
            time: Some(time_limit),
            ownership: self.ownership,
            ..SearchLimits::with_visits(self.visits)
        };
        start_search(context, &pending_analysis, limits)?;
        context.wait_for_search(|_| true);
        let elapsed = started.elapsed();
        if context.should_stop() {
            return Ok(StepOutcome::More);
        }
        context.engine.search_error().map_or(Ok(()), Err)?;
        let report = context.engine.search_report();
        progress.visits = visits_to_store(progress.visits, report.visits, elapsed, time_limit);
        let score = match pending_analysis.position_to_count() {
            Some(position) => {
                let record = Record::from_position(position.clone());
                context.engine.set_record(record)?;
                Some(context.engine.final_count()?.score)
            }
            None => None,
        };
        let analysis = pending_analysis.analysis_from_report(&report, score);
        progress.analyses.push(analysis);
        if progress.analyses.len() > self.line.len() {
            return self.save(context, &mut progress);
        }
        if self.stream {
            self.send_update(context, &mut progress);
        }
        Ok(StepOutcome::More)
    }
}

/// Starts the search of a position.
fn start_search(
    context: &mut StepContext<'_>,
    pending_analysis: &AnalysisTask,
    limits: SearchLimits,
) -> Result<(), ServiceError> {
    let (position, engine) = (&pending_analysis.position, &mut context.engine);
    engine.set_record(Record::from_position(position.clone()))?;
    if pending_analysis.restriction.is_unrestricted() {
        engine.start_search(limits);
    } else {
        engine.analyze(
            position.to_move(),
            pending_analysis.restriction.clone(),
            limits,
        );
    }
    Ok(())
}

impl ReviewWork {
    /// Sends the results that the client has not received yet. If there is no room for them, the next update contains
    /// them.
    fn send_update(&self, context: &StepContext<'_>, progress: &mut PartialReview) {
        let count = progress.analyses.len();
        let mut update = review_update_json(&self.line, &progress.analyses, progress.sent);
        update["done"] = false.into();
        update["positions"] = count.into();
        update["of"] = (self.line.len() + 1).into();
        if context.send_update_if_room(update) {
            progress.sent = count;
        }
    }

    /// Stores the completed review and returns the response.
    fn save(
        &self,
        context: &StepContext<'_>,
        progress: &mut PartialReview,
    ) -> Result<StepOutcome, ServiceError> {
        let analyses = std::mem::take(&mut progress.analyses);
        let body = review_json(&Review {
            reviewed_moves: review_moves(&self.line, &analyses),
            main_line: self.line.clone(),
            analyses,
        });
        let review = StoredReview {
            visits: progress.visits,
            body: body.to_string(),
        };
        context
            .service
            .store
            .save_review(self.id, &review, self.overwrite)?;
        Ok(StepOutcome::Done(review_response(body, self.stream)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn review_visits_are_limited_by_time() {
        let time_limit = Duration::from_secs(10);
        for (visits, seconds, expected) in [
            // The search reached the requested visits quickly or slowly, or ended early because nothing was left to
            // search.
            (50, 0.1, 50),
            (51, 9.9, 50),
            (1, 0.1, 50),
            // The time limit ended the search.
            (20, 10.0, 20),
            (20, 9.8, 20),
            (0, 12.0, 0),
        ] {
            let elapsed = Duration::from_secs_f64(seconds);
            let completed = visits_to_store(50, visits, elapsed, time_limit);
            assert_eq!(completed, expected, "{visits} in {seconds} s");
        }
        // The minimum over several positions.
        assert_eq!(visits_to_store(20, 30, time_limit, time_limit), 20);
        assert_eq!(visits_to_store(20, 10, time_limit, time_limit), 10);
    }
}
