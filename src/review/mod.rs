//! A game looked at move by move: what each was worth, what would have been better, and how the game went.
//!
//! [`main_line`] finds the moves of the file's main line and their nodes, [`judge`] searches every position, and [`verdict`]
//! compares the positions before and after each move. What it finds is written into the game's tree by [`annotate`],
//! drawn by [`chart`], listed by [`table`] and told to programs by [`json`].

pub mod analysis;
pub mod annotate;
pub mod chart;
pub mod grading;
pub mod json;
pub mod main_line;
#[cfg(feature = "png")]
pub mod png;
pub mod table;
mod text_format;

use std::sync::Arc;

use crate::eval::Evaluator;
use crate::search::SearchError;
use analysis::{PositionAnalysis, ReviewSettings};
use grading::ReviewedMove;
use main_line::MainLine;

/// What was found of a game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The game: its positions, and where they stand in the tree.
    pub main_line: MainLine,
    /// What the searches say of the position before the first move and after each.
    pub analyses: Vec<PositionAnalysis>,
    /// The moves, one less.
    pub reviewed_moves: Vec<ReviewedMove>,
}

impl Review {
    /// Searches each position of the line. `progress` is told of every one that is done.
    ///
    /// # Errors
    /// When the evaluator fails, and when the system gives no threads.
    pub fn new(
        main_line: MainLine,
        evaluator: &Arc<dyn Evaluator>,
        settings: &ReviewSettings,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Self, SearchError> {
        let analyses = analysis::analyze_game(&main_line, evaluator, settings, progress)?;
        let reviewed_moves = grading::review_moves(&main_line, &analyses);
        Ok(Self {
            main_line,
            analyses,
            reviewed_moves,
        })
    }
}
