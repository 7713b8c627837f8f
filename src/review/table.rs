//! A review as lines of text: how each side played, and the worst mistakes.

use super::Review;
use super::grading::{GRADES, Grade, ReviewedMove, worst_moves};
use super::text_format::{capitalised, lead_text, move_text, points_text};
use crate::game::color::Color;

/// How one side played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerSummary {
    /// Its moves.
    pub moves: usize,
    /// How many of them the search would have played, too.
    pub engine_matches: usize,
    /// Points lost in all.
    pub points_lost: f64,
    /// Moves of each grade, as the table of grades orders them.
    pub grades: [usize; GRADES.len()],
}

impl PlayerSummary {
    /// The moves of `color`.
    #[must_use]
    pub fn from_moves(moves: &[ReviewedMove], color: Color) -> Self {
        let player_moves = moves
            .iter()
            .filter(|reviewed_move| reviewed_move.color == color);
        player_moves.fold(Self::default(), |mut summary, reviewed_move| {
            summary.moves += 1;
            summary.engine_matches += usize::from(!reviewed_move.differs_from_engine());
            summary.points_lost += reviewed_move.points_lost;
            let index = GRADES
                .iter()
                .position(|entry| entry.grade == reviewed_move.grade);
            if let Some(index) = index {
                summary.grades[index] += 1;
            }
            summary
        })
    }

    /// Points lost by a move on average.
    #[must_use]
    pub fn mean_loss(&self) -> f64 {
        self.points_lost / self.moves.max(1) as f64
    }
}

/// The whole text; the `count` worst moves are listed.
#[must_use]
pub fn table(review: &Review, count: usize) -> String {
    let mut text = summaries(review);
    let worst_moves = worst_moves(&review.reviewed_moves, count);
    if !worst_moves.is_empty() {
        text += "\nmove  played    grade       points   win %  before   better\n";
    }
    let size = review.main_line.size();
    let first = review.main_line.move_number(0);
    for reviewed_move in worst_moves {
        let analysis = &review.analyses[reviewed_move.number - first];
        let pv: Vec<String> = reviewed_move
            .best_pv
            .iter()
            .take(5)
            .map(|&mv| size.format_move(mv))
            .collect();
        text += &format!(
            "{:>4}  {:<8}  {:<10}  {:>6}  {:>6}  {:<7}  {}\n",
            reviewed_move.number,
            move_text(size, reviewed_move.color, reviewed_move.mv),
            reviewed_move.grade.entry().name,
            points_text(-reviewed_move.points_lost),
            points_text(-100.0 * reviewed_move.winrate_lost),
            lead_text(analysis.lead),
            pv.join(" ")
        );
    }
    text
}

fn summaries(review: &Review) -> String {
    let mut text = String::from("side   moves  same as engine  points lost a move");
    for entry in &GRADES {
        if entry.grade > Grade::Good {
            text += &format!("  {:>10}", plural(entry.name));
        }
    }
    text.push('\n');
    for color in Color::BOTH {
        let summary = PlayerSummary::from_moves(&review.reviewed_moves, color);
        let percentage = 100.0 * summary.engine_matches as f64 / summary.moves.max(1) as f64;
        text += &format!(
            "{:<5}  {:>5}  {:>12.0} %  {:>18.2}",
            capitalised(&color.to_string()),
            summary.moves,
            percentage,
            summary.mean_loss()
        );
        for (entry, count) in GRADES.iter().zip(summary.grades) {
            if entry.grade > Grade::Good {
                text += &format!("  {count:>10}");
            }
        }
        text.push('\n');
    }
    text
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{name}s"),
    }
}
