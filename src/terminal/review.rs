//! Review of the current game: searches all its positions in the background and lists the mistakes.

use std::sync::Arc;
use std::time::Duration;

use super::board_view::Marks;
use super::error::TerminalError;
use super::game::{Game, SearchPurpose};
use super::output::color_name;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::io::plural::counted;
use crate::review::Review;
use crate::review::analysis::ReviewSettings;
use crate::review::background_review::BackgroundReview;
use crate::review::grading::{GRADES, Grade, ReviewedMove, worst_mistakes};
use crate::review::main_line::MainLine;
use crate::review::statistics::PlayerSummary;
use crate::search::limits::SearchLimits;
use crate::sgf::convert::write_game;

/// Maximum number of mistakes that are listed.
const MAX_MISTAKES: usize = 10;
/// Maximum length of the variation shown for a better move.
const MAX_BETTER_MOVES: usize = 4;

impl Game {
    /// Starts a review of the game with the given number of visits per position.
    ///
    /// # Errors
    /// Returns an error if the game has no moves or the thread cannot be started.
    pub(super) fn start_review(&mut self, visits: u64) -> Result<(), TerminalError> {
        let record = self.record();
        if record.moves().is_empty() {
            return Err(TerminalError::NothingToReview);
        }
        let main_line = MainLine::read(&write_game(record), *record.rules())?;
        let settings = self.engine.settings();
        let review_settings = ReviewSettings {
            limits: SearchLimits::with_visits(visits),
            params: settings.params.clone(),
            workers: settings.threads,
            batch_size: settings.batch_size,
            tree_bytes: settings.tree_mib << 20,
            seed: settings.seed,
        };
        let evaluator = Arc::clone(self.engine.search_evaluator());
        let review = BackgroundReview::start(main_line, evaluator, review_settings)?;
        self.review_in_progress = Some(review);
        self.search_purpose = Some(SearchPurpose::Review);
        Ok(())
    }

    /// Describes the progress of the review, if one is in progress.
    pub(super) fn review_progress_text(&self) -> String {
        let progress = (self.review_in_progress.as_ref()).map(BackgroundReview::progress);
        let (searched, positions) = progress.unwrap_or_default();
        format!("Reviewing the game ({searched} of {positions} positions).")
    }

    /// Waits up to `timeout` for the end of the review, and returns its summary. Returns `None` if the review is still
    /// running.
    ///
    /// # Errors
    /// Returns an error if an evaluation fails.
    pub(super) fn poll_review(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<Vec<String>>, TerminalError> {
        let review = self.review_in_progress.as_ref();
        let Some(result) = review.and_then(|review| review.wait_for(timeout)) else {
            return Ok(None);
        };
        self.review_in_progress = None;
        self.search_purpose = None;
        let review = self.review.insert(result?);
        Ok(Some(summary_lines(review)))
    }

    /// Returns the review of the move with this number, starting at 1. Returns `None` if the game has not been reviewed
    /// up to this move, or has changed since.
    pub(super) fn reviewed_move(&self, number: usize) -> Option<&ReviewedMove> {
        let reviewed_moves = self.review.as_ref()?.reviewed_moves.get(..number)?;
        let played = self.record().moves().iter();
        let mut pairs = reviewed_moves.iter().zip(played);
        let is_current =
            pairs.all(|(reviewed, &(color, mv))| (reviewed.color, reviewed.mv) == (color, mv));
        reviewed_moves.last().filter(|_| is_current)
    }

    /// Shows the position after the next mistake that follows the shown position, or after the first mistake of the
    /// game if none follows. The better move is marked.
    ///
    /// # Errors
    /// Returns an error if the game has not been reviewed or has no mistakes.
    pub(super) fn show_next_mistake(&mut self) -> Result<(), TerminalError> {
        let review = self.review.as_ref().ok_or(TerminalError::NotReviewed)?;
        let mistakes = worst_mistakes(&review.reviewed_moves, MAX_MISTAKES);
        let mut numbers: Vec<usize> = mistakes.iter().map(|mistake| mistake.number).collect();
        numbers.retain(|&number| self.reviewed_move(number).is_some());
        numbers.sort_unstable();
        let shown = self.shown_move_count();
        let following = numbers.iter().find(|&&number| number > shown);
        let next = following.or(numbers.first()).copied();
        let next = next.ok_or(TerminalError::NoMistakes)?;
        self.show_position(next);
        let best = self
            .reviewed_move(next)
            .and_then(|mistake| mistake.best_pv.first());
        if let Some(point) = best.and_then(|best| best.point()) {
            self.marks = Marks::Hints(vec![point]);
        }
        Ok(())
    }
}

/// Describes the loss of a move and the better one, or that it was the best move.
pub(super) fn verdict(reviewed_move: &ReviewedMove, size: BoardSize) -> String {
    if !reviewed_move.differs_from_engine() {
        return "The program would have played the same.".to_owned();
    }
    let better = better_moves_text(&reviewed_move.best_pv, size);
    let lost = reviewed_move.points_lost;
    format!("It lost {lost:.1} points; better: {better}.")
}

/// Formats the beginning of a better variation.
fn better_moves_text(pv: &[Move], size: BoardSize) -> String {
    size.format_moves(&pv[..pv.len().min(MAX_BETTER_MOVES)])
}

/// Returns a summary of each player's moves, and the list of the worst moves.
fn summary_lines(review: &Review) -> Vec<String> {
    let moves = &review.reviewed_moves;
    let summary = |color| player_line(color, &PlayerSummary::from_moves(moves, color));
    let mut lines = Color::BOTH.map(summary).to_vec();
    let mistakes = worst_mistakes(moves, MAX_MISTAKES);
    if mistakes.is_empty() {
        lines.push("No mistakes were found.".to_owned());
        return lines;
    }
    lines.push("Worst moves (points lost, better moves):".to_owned());
    let size = review.main_line.size();
    lines.extend(mistakes.iter().map(|mistake| {
        let played = size.format_move(mistake.mv);
        format!(
            "{:>3}  {} {played:<4} {:>5.1}  {}",
            mistake.number,
            color_name(mistake.color),
            -mistake.points_lost,
            better_moves_text(&mistake.best_pv, size)
        )
    }));
    lines.push("Type mistake to go to the next of them, or back and forward.".to_owned());
    lines
}

fn player_line(color: Color, summary: &PlayerSummary) -> String {
    let counts = GRADES.iter().zip(summary.grades).rev();
    let mistakes: Vec<String> = counts
        .filter(|(entry, count)| entry.grade > Grade::Good && *count > 0)
        .map(|(entry, count)| counted(count, entry.name))
        .collect();
    let mistakes = match mistakes.is_empty() {
        true => "no mistakes".to_owned(),
        false => mistakes.join(", "),
    };
    let accuracy = summary.losses.katrain_accuracy().unwrap_or(100.0);
    format!(
        "{}: {:.1} points lost per move, accuracy {accuracy:.0}% (KaTrain's formula), {mistakes}.",
        color_name(color),
        summary.losses.mean_points_lost(),
    )
}
