//! What the threads of a search have been given to do: grow the tree, or read by alpha-beta.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::alphabeta::Reading;
use super::census::Census;
use super::report::{self, Report};
use super::worker::Task;
use crate::eval::EvalError;

/// One search under way, or ended; copies are of the same.
#[derive(Clone)]
pub enum Job {
    /// Of the tree, for any number of threads.
    Growth(Arc<Task>),
    /// By alpha-beta, for one thread.
    Reading(Arc<Reading>),
}

impl Job {
    /// Searches until a limit is reached, the search is stopped, or it fails. A panic ends this search, as a failure, and
    /// not the program.
    pub fn work(&self) {
        let worked = catch_unwind(AssertUnwindSafe(|| match self {
            Self::Growth(task) => task.work(),
            Self::Reading(reading) => {
                reading.work();
                Ok(())
            }
        }));
        if let Err(error) = worked.unwrap_or(Err(EvalError::Stopped)) {
            self.error().lock().get_or_insert(error);
            self.stop();
        }
    }

    fn error(&self) -> &Mutex<Option<EvalError>> {
        match self {
            Self::Growth(task) => &task.error,
            Self::Reading(reading) => &reading.error,
        }
    }

    /// Asks the threads to end.
    pub fn stop(&self) {
        let stop = match self {
            Self::Growth(task) => &task.stop,
            Self::Reading(reading) => &reading.stop,
        };
        stop.store(true, Ordering::Relaxed);
    }

    /// The failure that ended it, if one did.
    pub fn failure(&self) -> Option<EvalError> {
        self.error().lock().clone()
    }

    /// What has been found so far.
    pub fn report(&self) -> Report {
        match self {
            Self::Growth(task) => growth_report(task),
            Self::Reading(reading) => reading.report(),
        }
    }
}

fn growth_report(task: &Task) -> Report {
    let to_move = task.root.to_move();
    let mut report = report::report(&task.params, &task.tree, to_move, &task.restriction);
    report.collisions = task.collisions.load(Ordering::Relaxed);
    let counts = task.counts.lock();
    report.census = counts.whole(to_move);
    if task.limits.by_move {
        for found in &mut report.moves {
            let after = task.tree.descendant(&[found.mv]);
            found.census = after.map_or_else(Census::default, |id| counts.after(id, to_move));
        }
    }
    report
}
