//! Output of a review as plain text: a summary of each player's moves, the losses by phase, and a list of the
//! worst moves.

use super::formatting::{capitalised, colored_move_text, lead_text, one_decimal_text};
use super::game_review::Review;
use super::grading::{GRADES, Grade, worst_mistakes};
use super::phase::PHASE_NAMES;
use super::statistics::PlayerSummary;
use crate::game::color::Color;
use crate::io::plural::pluralise;

/// Returns a review as text, with up to `count` entries in the list of the worst moves.
pub fn text_report(review: &Review, count: usize) -> String {
    let players = Color::BOTH.map(|color| {
        (
            color,
            PlayerSummary::from_moves(&review.reviewed_moves, color),
        )
    });
    let mut text = summaries(&players);
    text += &phases(&players);
    let worst_moves = worst_mistakes(&review.reviewed_moves, count);
    if !worst_moves.is_empty() {
        text += "\nmove  played    grade       points   win %  before   better\n";
    }
    let size = review.main_line.size();
    for reviewed_move in worst_moves {
        let analysis = &review.analyses[reviewed_move.number - 1];
        let pv = &reviewed_move.best_pv;
        text += &format!(
            "{:>4}  {:<8}  {:<10}  {:>6}  {:>6}  {:<7}  {}\n",
            reviewed_move.number,
            colored_move_text(size, reviewed_move.color, reviewed_move.mv),
            reviewed_move.grade.entry().name,
            one_decimal_text(-reviewed_move.points_lost),
            one_decimal_text(-100.0 * reviewed_move.winrate_lost),
            lead_text(analysis.lead),
            size.format_moves(&pv[..pv.len().min(5)])
        );
    }
    text
}

fn summaries(players: &[(Color, PlayerSummary)]) -> String {
    let mut text = String::from("side   moves  same as engine  points lost per move");
    for entry in &GRADES {
        if entry.grade > Grade::Good {
            text += &format!("  {:>10}", pluralise(entry.name));
        }
    }
    text += "  KaTrain accuracy\n";
    for (color, summary) in players {
        let percentage = 100.0 * summary.first_choice_share().unwrap_or(0.0);
        text += &format!(
            "{:<5}  {:>5}  {:>13.0}%  {:>20.2}",
            capitalised(&color.to_string()),
            summary.losses.moves,
            percentage,
            summary.losses.mean_points_lost()
        );
        for (entry, count) in GRADES.iter().zip(summary.grades) {
            if entry.grade > Grade::Good {
                text += &format!("  {count:>10}");
            }
        }
        let accuracy = summary.losses.katrain_accuracy();
        let accuracy =
            accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.0}%"));
        text += &format!("  {accuracy:>16}\n");
    }
    text
}

/// Returns a table with the mean loss of each player in each phase of the game.
fn phases(players: &[(Color, PlayerSummary)]) -> String {
    let mut text = String::from("\npoints lost per move");
    for name in PHASE_NAMES {
        text += &format!("  {name:>10}");
    }
    text.push('\n');
    for (color, summary) in players {
        text += &format!("{:<20}", capitalised(&color.to_string()));
        for phase in summary.phases {
            let mean = match phase.moves {
                0 => "-".to_owned(),
                _ => format!("{:.2}", phase.mean_points_lost()),
            };
            text += &format!("  {mean:>10}");
        }
        text.push('\n');
    }
    text
}
