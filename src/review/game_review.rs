//! Review.

use std::sync::Arc;

use super::analysis::{PositionAnalysis, ReviewSettings, analyze_game};
use super::grading::{ReviewedMove, review_moves};
use super::main_line::MainLine;
use crate::eval::Evaluator;
use crate::search::SearchError;

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
        let analyses = analyze_game(&main_line, evaluator, settings, progress)?;
        let reviewed_moves = review_moves(&main_line, &analyses);
        Ok(Self {
            main_line,
            analyses,
            reviewed_moves,
        })
    }
}
