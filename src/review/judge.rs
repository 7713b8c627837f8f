//! Searching every position of a game, several at a time.
//!
//! Promise: each position is searched from nothing by one thread. With one worker the same game, settings and evaluator give
//! the same answers, as long as visits bound the searches; several share the evaluator's cache, in which a position may have
//! been met on another way, and with it another past, that the network sees.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::line::Line;
use crate::eval::{EvalError, Evaluator};
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::search::limits::Limits;
use crate::search::params::SearchParams;
use crate::search::report::Report;
use crate::search::root::Restriction;
use crate::search::{Search, SearchError, Setup, ThreadError};

/// How positions are searched.
#[derive(Clone, Debug)]
pub struct JudgeSettings {
    /// What ends the search of a position.
    pub limits: Limits,
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
pub struct Assessment {
    /// Black's chance to win, 0 to 1.
    pub winrate: f64,
    /// Black's lead in points, komi included.
    pub lead: f64,
    /// Visits of the search.
    pub visits: u32,
    /// The moves thought of, the best first.
    pub moves: Vec<Thought>,
}

/// A move thought of.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
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
    pub line: Vec<Move>,
}

/// Searches all positions of the line: the one before the first move, and the one after each.
///
/// # Errors
/// The evaluator's, and when the system gives no threads.
pub fn judge(
    line: &Line,
    evaluator: &Arc<dyn Evaluator>,
    settings: &JudgeSettings,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Assessment>, SearchError> {
    let count = line.len() + 1;
    let workers = settings.workers.clamp(1, count);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; count]);
    let work = || -> Result<(), SearchError> {
        let setup = Setup {
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
            let assessment = assess(&mut search, line, index, settings);
            let assessment = assessment.inspect_err(|_| {
                // The others need not go on.
                next.store(count, Ordering::Relaxed);
            })?;
            let mut slots = found.lock();
            slots[index] = Some(assessment);
            drop(slots);
            progress(index);
        }
    };
    thread::scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, work);
        let threads: Vec<_> = (0..workers).map(start).collect();
        threads.into_iter().try_for_each(|thread| match thread {
            Ok(thread) => (thread.join()).unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => Err(ThreadError::new(workers, &error).into()),
        })
    })?;
    let slots = found.into_inner();
    Ok(slots.into_iter().flatten().collect())
}

/// Searches the position after so many moves from nothing, with points felt most around its own lead: what a move costs shows
/// in lost games too. Where the game is over there is nothing to search: it is worth what the last pass was.
fn assess(
    search: &mut Search,
    line: &Line,
    moves: usize,
    settings: &JudgeSettings,
) -> Result<Assessment, EvalError> {
    let position = line.position(moves);
    if moves > 0 && position.ended() {
        let only = Restriction::Allow(vec![Move::Pass]);
        let mut before = run(search, &line.position(moves - 1), settings, only)?;
        if let Some(pass) = before.moves.pop() {
            (before.winrate, before.lead) = (pass.winrate, pass.lead);
            return Ok(before);
        }
    }
    run(search, &position, settings, Restriction::None)
}

fn run(
    search: &mut Search,
    position: &Position,
    settings: &JudgeSettings,
    restriction: Restriction,
) -> Result<Assessment, EvalError> {
    search.clear();
    search.set_root(position);
    search.params = SearchParams {
        aims: true,
        ..settings.params.clone()
    };
    let report = search.run(settings.limits, restriction)?;
    Ok(Assessment::of(&report))
}

impl Assessment {
    /// What a report says, turned to Black's side.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let to_move = report.to_move;
        Self {
            winrate: black_winrate(to_move, report.values.winrate),
            lead: to_move.from_black(report.values.score_lead),
            visits: report.visits,
            moves: report
                .moves
                .iter()
                .map(|found| Thought {
                    mv: found.mv,
                    visits: found.visits,
                    prior: found.prior,
                    winrate: black_winrate(to_move, found.values.winrate),
                    lead: to_move.from_black(found.values.score_lead),
                    line: found.line.clone(),
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
