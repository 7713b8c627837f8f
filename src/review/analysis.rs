//! Searching every position of a game, several at a time.
//!
//! Promise: each position is searched from nothing by one thread. With one worker the same game, settings and evaluator
//! give the same answers, as long as visits bound the searches; several share the evaluator's cache, in which a position
//! may have been met on another way, and with it another past, that the network sees.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::main_line::MainLine;
use crate::eval::{EvalError, Evaluator};
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::{Search, SearchConfig, SearchError, ThreadPoolError};

/// How positions are searched.
#[derive(Clone, Debug)]
pub struct ReviewSettings {
    /// What ends the search of a position.
    pub limits: SearchLimits,
    /// The search's parameters.
    pub params: SearchParams,
    /// Positions at the same time.
    pub workers: usize,
    /// Bytes that the trees may take together.
    pub tree_bytes: usize,
    /// Seed of everything random.
    pub seed: u64,
}

/// What a search says of a position, from Black's side.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionAnalysis {
    /// Black's chance to win, 0 to 1.
    pub winrate: f64,
    /// Black's lead in points, komi included.
    pub lead: f64,
    /// Visits of the search.
    pub visits: u32,
    /// The moves thought of, the best first.
    pub moves: Vec<CandidateMove>,
}

/// A move thought of.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateMove {
    /// The move.
    pub mv: Move,
    /// Its visits.
    pub visits: u32,
    /// Its prior, 0 to 1.
    pub prior: f32,
    /// Black's chance to win after it.
    pub winrate: f64,
    /// Black's lead after it.
    pub lead: f64,
    /// The continuation, the move itself first.
    pub pv: Vec<Move>,
}

/// What is to be searched so that a position of a line can be assessed.
#[derive(Clone, Debug)]
pub struct AnalysisTask {
    /// The position to search.
    pub position: Position,
    /// What may be played there.
    pub restriction: Restriction,
    /// Whether it is the last pass that is to be assessed, and not the position.
    is_game_over: bool,
}

/// Searches all positions of the line: the one before the first move, and the one after each.
///
/// # Errors
/// The evaluator's, and when the system gives no threads.
pub fn analyze_game(
    line: &MainLine,
    evaluator: &Arc<dyn Evaluator>,
    settings: &ReviewSettings,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<PositionAnalysis>, SearchError> {
    let count = line.len() + 1;
    let workers = settings.workers.clamp(1, count);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; count]);
    let work = || -> Result<(), SearchError> {
        let setup = SearchConfig {
            threads: 1,
            tree_bytes: settings.tree_bytes / workers,
            seed: settings.seed,
        };
        let first = line.position(0);
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
            let analysis = analyze_position(&mut search, line, index, settings);
            let analysis = analysis.inspect_err(|_| {
                // The others need not go on.
                next.store(count, Ordering::Relaxed);
            })?;
            let mut slots = results.lock();
            slots[index] = Some(analysis);
            drop(slots);
            progress(index);
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
    Ok(slots.into_iter().flatten().collect())
}

/// Answers the question of the position after so many moves, from nothing, with points felt most around its own lead:
/// what a move costs shows in lost games too.
fn analyze_position(
    search: &mut Search,
    line: &MainLine,
    moves: usize,
    settings: &ReviewSettings,
) -> Result<PositionAnalysis, EvalError> {
    let task = AnalysisTask::new(line, moves);
    search.clear();
    search.set_root(&task.position);
    search.params = SearchParams {
        centers_lead: true,
        ..settings.params.clone()
    };
    let report = search.run(settings.limits, task.restriction.clone())?;
    Ok(task.analysis(&report))
}

impl AnalysisTask {
    /// The question of the position after so many moves. Where the game is over then there is nothing to search there: it
    /// is worth what the last pass was.
    ///
    /// # Panics
    /// When there are not so many moves.
    pub fn new(line: &MainLine, moves: usize) -> Self {
        let position = line.position(moves);
        let before_last_pass = moves.checked_sub(1).filter(|_| position.ended());
        let (position, restriction) = match before_last_pass {
            None => (position, Restriction::none()),
            Some(before_last_pass) => (
                line.position(before_last_pass),
                Restriction::only(vec![Move::Pass]),
            ),
        };
        Self {
            position,
            restriction,
            is_game_over: before_last_pass.is_some(),
        }
    }

    /// What a search of the position under the restriction has found.
    pub fn analysis(&self, report: &Report) -> PositionAnalysis {
        let mut analysis = PositionAnalysis::from_report(report);
        if self.is_game_over {
            // Nothing else was allowed. Where time allowed no visit there is not even that.
            if let Some(pass) = analysis.moves.first() {
                (analysis.winrate, analysis.lead) = (pass.winrate, pass.lead);
            }
            analysis.moves.clear();
        }
        analysis
    }
}

impl PositionAnalysis {
    /// What a report says, turned to Black's side.
    fn from_report(report: &Report) -> Self {
        let to_move = report.to_move;
        Self {
            winrate: black_winrate(to_move, report.values.winrate),
            lead: to_move.to_perspective(report.values.score_lead),
            visits: report.visits,
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
