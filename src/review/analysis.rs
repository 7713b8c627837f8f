//! Parallel search of all positions of a game.
//!
//! Each position is searched by one thread, starting with an empty tree. With a single worker and a visit limit, the
//! result is reproducible. With several workers, the result may depend on the timing of the threads, because the
//! workers share the evaluator's cache: a cached evaluation may come from a different move order, and thus from
//! different history inputs of the network.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::main_line::MainLine;
use crate::engine::final_status::FinalCount;
use crate::eval::{EvalError, Evaluator};
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::game::score::Score;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::{Search, SearchConfig, SearchError, ThreadPoolError, default_batch_size};

/// Settings for the searches of a review.
#[derive(Clone, Debug)]
pub struct ReviewSettings {
    /// Limits for the search of each position.
    pub limits: SearchLimits,
    pub params: SearchParams,
    /// Number of positions searched in parallel.
    pub workers: usize,
    /// Maximum number of leaves that each search evaluates together. `None` uses the
    /// [default for the evaluator](default_batch_size).
    pub batch_size: Option<usize>,
    /// Maximum total size of all search trees, in bytes.
    pub tree_bytes: usize,
    /// Random seed of each search.
    pub seed: u64,
}

/// Search result for a position, from Black's perspective.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionAnalysis {
    /// Black's winning chance, from 0 to 1.
    pub winrate: f64,
    /// Black's expected lead in points, including komi.
    pub lead: f64,
    pub visits: u32,
    /// Candidate moves, best first. Empty if the game is over.
    pub moves: Vec<CandidateMove>,
    /// Expected owner of each point, row by row from the top: from 1 (Black) to -1 (White). Empty if the search did not
    /// collect it.
    pub ownership: Vec<f32>,
}

/// A candidate move and its evaluation from Black's perspective.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateMove {
    pub mv: Move,
    pub visits: u32,
    /// Policy prior, from 0 to 1.
    pub prior: f32,
    /// Black's winning chance after the move, from 0 to 1.
    pub winrate: f64,
    /// Black's expected lead after the move, in points, including komi.
    pub lead: f64,
    /// Principal variation, starting with the move.
    pub pv: Vec<Move>,
}

/// Search that evaluates one position of a game.
#[derive(Clone, Debug)]
pub struct AnalysisTask {
    pub position: Position,
    /// Moves allowed at the root.
    pub restriction: Restriction,
    /// Position after the last move if the game is over. `position` is then the position before the last move, the only
    /// allowed move.
    final_position: Option<Position>,
}

/// Searches all positions of a game: the initial position and the position after each move. When the search of a
/// position has finished, calls `progress` with the index of this position. If `progress` returns
/// [`Break`](ControlFlow::Break), searches no further positions, and returns the analyses before the first missing one.
///
/// # Errors
/// Returns an error if the evaluator fails or a thread cannot be started.
pub fn analyze_game(
    line: &MainLine,
    evaluator: &Arc<dyn Evaluator>,
    settings: &ReviewSettings,
    progress: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<Vec<PositionAnalysis>, SearchError> {
    let count = line.len() + 1;
    let workers = settings.workers.clamp(1, count);
    let default = || default_batch_size(&**evaluator, workers);
    let batch_size = settings.batch_size.unwrap_or_else(default);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; count]);
    let work = || -> Result<(), SearchError> {
        let setup = SearchConfig {
            threads: 1,
            batch_size,
            tree_bytes: settings.tree_bytes / workers,
            seed: settings.seed,
        };
        let first = line.position_after(0);
        let mut search = Search::new(
            Arc::clone(evaluator),
            first,
            settings.params.clone(),
            setup.clone(),
        )?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            let analysis = analyze_position(&mut search, &**evaluator, line, index, settings);
            let analysis = analysis.inspect_err(|_| {
                // Stops the other workers.
                next.store(count, Ordering::Relaxed);
            })?;
            let mut slots = results.lock();
            slots[index] = Some(analysis);
            drop(slots);
            if progress(index).is_break() {
                next.store(count, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, work);
        let threads: Vec<_> = (0..workers).map(start).collect();
        threads.into_iter().try_for_each(|thread| match thread {
            Ok(thread) => (thread.join()).unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => Err(ThreadPoolError::new(workers, &error).into()),
        })
    })?;
    let slots = results.into_inner();
    Ok(slots.into_iter().map_while(|slot| slot).collect())
}

/// Searches the position after `moves` moves, starting with an empty tree.
///
/// Centres the score utility on the expected lead, so that the search also values points in decided games.
fn analyze_position(
    search: &mut Search,
    evaluator: &dyn Evaluator,
    line: &MainLine,
    moves: usize,
    settings: &ReviewSettings,
) -> Result<PositionAnalysis, EvalError> {
    let task = AnalysisTask::new(line, moves);
    search.clear_tree_and_table();
    search.set_root(&task.position);
    search.params = SearchParams {
        centers_lead: true,
        ..settings.params.clone()
    };
    let report = search.run(settings.limits, task.restriction.clone())?;
    let score = match task.position_to_count() {
        Some(position) => Some(FinalCount::evaluate(evaluator, position)?.count.score),
        None => None,
    };
    Ok(task.analysis_from_report(&report, score))
}

impl AnalysisTask {
    /// Creates the task for the position after `moves` moves. If the game is over after these moves, the task searches
    /// the position before the last move, with this move as the only one.
    ///
    /// # Panics
    /// Panics if the game has fewer moves.
    pub fn new(line: &MainLine, moves: usize) -> Self {
        let position = line.position_after(moves);
        let before_last_move = moves.checked_sub(1).filter(|_| position.ended());
        let Some(before_last_move) = before_last_move else {
            return Self {
                position,
                restriction: Restriction::none(),
                final_position: None,
            };
        };
        let (_, last_move) = line.moves()[before_last_move];
        Self {
            position: line.position_after(before_last_move),
            restriction: Restriction::only(vec![last_move]),
            final_position: Some(position),
        }
    }

    /// Returns the final position if the game ended with two passes and therefore has to be counted. Otherwise, returns
    /// `None`.
    pub fn position_to_count(&self) -> Option<&Position> {
        (self.final_position.as_ref()).filter(|position| !position.has_no_result())
    }

    /// Converts the report of the search to an analysis of the position. `score` is the counted score if there is a
    /// [position to count](Self::position_to_count).
    pub fn analysis_from_report(&self, report: &Report, score: Option<Score>) -> PositionAnalysis {
        let mut analysis = PositionAnalysis::from_report(report);
        if self.final_position.is_some() {
            // The last move was the only allowed one. The list is empty if the search has not evaluated the root.
            if let Some(last_move) = analysis.moves.first() {
                (analysis.winrate, analysis.lead) = (last_move.winrate, last_move.lead);
            }
            analysis.moves.clear();
        }
        if let Some(score) = score {
            (analysis.winrate, analysis.lead) =
                (winrate_of_score(score), score.black_lead_points().into());
        }
        analysis
    }
}

/// Returns Black's winning chance in a counted game.
fn winrate_of_score(score: Score) -> f64 {
    match score.winner() {
        Some(Color::Black) => 1.0,
        Some(Color::White) => 0.0,
        None => 0.5,
    }
}

impl PositionAnalysis {
    /// Converts a report to Black's perspective.
    fn from_report(report: &Report) -> Self {
        let to_move = report.to_move;
        Self {
            winrate: black_winrate(to_move, report.values.winrate),
            lead: to_move.to_perspective(report.values.score_lead),
            visits: report.visits,
            ownership: (report.stats.ownership.iter())
                .map(|&owner| to_move.to_perspective(owner))
                .collect(),
            moves: report
                .moves
                .iter()
                .map(|candidate| CandidateMove {
                    mv: candidate.mv,
                    visits: candidate.visits,
                    prior: candidate.prior,
                    winrate: black_winrate(to_move, candidate.values.winrate),
                    lead: to_move.to_perspective(candidate.values.score_lead),
                    pv: candidate.pv.clone(),
                })
                .collect(),
        }
    }
}

fn black_winrate(to_move: Color, winrate: f64) -> f64 {
    match to_move {
        Color::Black => winrate,
        Color::White => 1.0 - winrate,
    }
}
