//! A game looked at move by move: what each was worth, what would have been better, and how the game went.
//!
//! [`line`] finds the moves of the file's main line and their nodes, [`judge`] searches every position, and [`verdict`]
//! compares the positions before and after each move. What it finds is written into the game's tree by [`annotate`],
//! drawn by [`chart`], listed by [`table`] and told to programs by [`json`].

pub mod annotate;
pub mod chart;
pub mod json;
pub mod judge;
pub mod line;
#[cfg(feature = "png")]
pub mod png;
pub mod table;
pub mod verdict;
mod words;

use std::sync::Arc;

use crate::eval::Evaluator;
use crate::search::SearchError;
use judge::{Assessment, JudgeSettings};
use line::Line;
use verdict::Turn;

/// What was found of a game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The game: its positions, and where they stand in the tree.
    pub line: Line,
    /// What the searches say of the position before the first move and after each.
    pub assessments: Vec<Assessment>,
    /// The moves, one less.
    pub turns: Vec<Turn>,
}

impl Review {
    /// Searches each position of the line. `progress` is told of every one that is done.
    ///
    /// # Errors
    /// When the evaluator fails, and when the system gives no threads.
    pub fn new(
        line: Line,
        evaluator: &Arc<dyn Evaluator>,
        settings: &JudgeSettings,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Self, SearchError> {
        let assessments = judge::judge(&line, evaluator, settings, progress)?;
        let turns = verdict::turns(&line, &assessments);
        Ok(Self {
            line,
            assessments,
            turns,
        })
    }
}
