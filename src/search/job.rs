//! What the threads of a search have been given to do: grow the tree, or read by alpha-beta.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::alphabeta::AlphaBetaTask;
use super::ownership_stats::OwnershipStats;
use super::report::{self, Report};
use super::worker::SearchTask;
use crate::eval::EvalError;

/// One search under way, or ended; copies are of the same.
#[derive(Clone)]
pub enum Job {
    /// Of the tree, for any number of threads.
    Mcts(Arc<SearchTask>),
    /// By alpha-beta, for one thread.
    AlphaBeta(Arc<AlphaBetaTask>),
}

impl Job {
    /// Searches until a limit is reached, the search is stopped, or it fails. A panic ends this search, as a failure, and
    /// not the program.
    pub fn run(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| match self {
            Self::Mcts(task) => task.run(),
            Self::AlphaBeta(task) => {
                task.run();
                Ok(())
            }
        }));
        if let Err(error) = result.unwrap_or(Err(EvalError::Panicked)) {
            self.error_slot().lock().get_or_insert(error);
            self.stop();
        }
    }

    fn error_slot(&self) -> &Mutex<Option<EvalError>> {
        match self {
            Self::Mcts(task) => &task.error,
            Self::AlphaBeta(task) => &task.error,
        }
    }

    /// Asks the threads to end.
    pub fn stop(&self) {
        let stop = match self {
            Self::Mcts(task) => &task.stop,
            Self::AlphaBeta(task) => &task.stop,
        };
        stop.store(true, Ordering::Relaxed);
    }

    /// The failure that ended it, if one did.
    pub fn error(&self) -> Option<EvalError> {
        self.error_slot().lock().clone()
    }

    /// What has been found so far.
    pub fn report(&self) -> Report {
        match self {
            Self::Mcts(task) => mcts_report(task),
            Self::AlphaBeta(task) => task.report(),
        }
    }
}

fn mcts_report(task: &SearchTask) -> Report {
    let to_move = task.root.to_move();
    let mut report = report::report(&task.params, &task.tree, to_move, &task.restriction);
    report.collisions = task.collisions.load(Ordering::Relaxed);
    let stats = task.stats.lock();
    report.stats = stats.root_stats(to_move);
    if task.limits.per_move_stats {
        for move_report in &mut report.moves {
            let child = task.tree.descendant(&[move_report.mv]);
            move_report.stats =
                child.map_or_else(OwnershipStats::default, |id| stats.child_stats(id, to_move));
        }
    }
    report
}
