//! Review of a complete game.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::analysis::{PositionAnalysis, ReviewSettings, analyze_game};
use super::grading::{ReviewedMove, review_moves};
use super::main_line::MainLine;
use crate::eval::Evaluator;
use crate::search::SearchError;

/// Review of a game: its moves, the analyses of its positions, and the grades of its moves.
#[derive(Clone, Debug)]
pub struct Review {
    /// Moves of the game and their nodes in the game tree.
    pub main_line: MainLine,
    /// Analyses of the initial position and of the position after each move.
    pub analyses: Vec<PositionAnalysis>,
    /// Graded moves. The move at index `i` leads from `analyses[i]` to `analyses[i + 1]`.
    pub reviewed_moves: Vec<ReviewedMove>,
}

impl Review {
    /// Searches all positions of a game and grades the moves. When the search of a position has finished, calls
    /// `progress` with the index of this position. If `progress` returns [`Break`](ControlFlow::Break), reviews only the
    /// moves before the first position that has not been searched.
    ///
    /// # Errors
    /// Returns an error if the evaluator fails or a thread cannot be started.
    pub fn search_and_grade(
        main_line: MainLine,
        evaluator: &Arc<dyn Evaluator>,
        settings: &ReviewSettings,
        progress: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
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
