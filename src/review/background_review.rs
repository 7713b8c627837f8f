//! Review of a game on a separate thread.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Review;
use super::analysis::ReviewSettings;
use super::main_line::MainLine;
use crate::eval::Evaluator;
use crate::search::SearchError;

/// A review in progress. Dropping it stops the review after the positions that are being searched.
pub struct BackgroundReview {
    /// Number of positions that have been searched.
    searched: Arc<AtomicUsize>,
    /// Number of positions of the game.
    positions: usize,
    is_cancelled: Arc<AtomicBool>,
    receiver: Receiver<Result<Review, SearchError>>,
}

impl BackgroundReview {
    /// Starts a review.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(
        main_line: MainLine,
        evaluator: Arc<dyn Evaluator>,
        settings: ReviewSettings,
    ) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let review = Self {
            searched: Arc::default(),
            positions: main_line.len() + 1,
            is_cancelled: Arc::default(),
            receiver,
        };
        let searched = Arc::clone(&review.searched);
        let is_cancelled = Arc::clone(&review.is_cancelled);
        let work = move || {
            let progress = |_| {
                searched.fetch_add(1, Ordering::Relaxed);
                match is_cancelled.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let result = Review::search_and_grade(main_line, &evaluator, &settings, &progress);
            // The receiver of a cancelled review may have been dropped.
            let _ = sender.send(result);
        };
        thread::Builder::new()
            .name("review".to_owned())
            .spawn(work)?;
        Ok(review)
    }

    /// Returns the number of positions that have been searched and the number of all positions.
    pub fn progress(&self) -> (usize, usize) {
        (self.searched.load(Ordering::Relaxed), self.positions)
    }

    /// Waits up to `timeout` for the end of the review and returns its result. Returns `None` if the review is still
    /// running. Must not be called again after it has returned a result.
    ///
    /// # Panics
    /// Panics if the review has panicked, or if its result has been returned before.
    pub fn wait_for(&self, timeout: Duration) -> Option<Result<Review, SearchError>> {
        match self.receiver.recv_timeout(timeout) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the review has no result"),
        }
    }
}

impl Drop for BackgroundReview {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}
