//! Writes a match game as SGF.

use super::finished_game::FinishedGame;
use super::time_settings::MatchTime;
use crate::clock::time_control::{Overtime, TimeControl};
use crate::game::color::Color;
use crate::sgf::convert::write_game;
use crate::sgf::write::set_application;
use crate::sgf::{Collection, write};

/// Returns the SGF text of a game, with its players, conditions, moves and result, and the reason for the result.
pub fn to_sgf(finished: &FinishedGame<'_>) -> String {
    let played_game = finished.played_game;
    let conditions = &finished.config.conditions;
    let mut tree = write_game(&played_game.record);
    set_application(&mut tree);
    let root_id = tree.root();
    let root = tree.node_mut(root_id);
    // The name specified by the user is written because several names can denote the same rules.
    root.set("RU", conditions.rules_name.as_str());
    root.set("PB", finished.player_name(Color::Black));
    root.set("PW", finished.player_name(Color::White));
    if let MatchTime::Clock(settings) = conditions.time {
        if let Some(main) = settings.main {
            root.set("TM", main.to_string());
        }
        if let Some(overtime) = overtime_text(&settings) {
            root.set("OT", overtime);
        }
    }
    root.set("RE", played_game.outcome.result_text());
    root.set("GN", format!("game {}", finished.summary.game_index + 1));
    let opening_note = match played_game.opening_moves {
        0 => String::new(),
        moves => format!("\nOpening moves: {moves}"),
    };
    let comment = format!(
        "Black: {}\nWhite: {}\nResult: {}{opening_note}",
        finished.player_letter_and_label(Color::Black),
        finished.player_letter_and_label(Color::White),
        played_game.outcome,
    );
    root.set("C", comment);
    let last = tree.main_line().last().filter(|&last| last != root_id);
    if let Some(last) = last {
        tree.node_mut(last)
            .set("C", played_game.outcome.to_string());
    }
    write(&Collection { games: vec![tree] })
}

/// Returns the overtime in the notation commonly used in the SGF property `OT`, or `None` if there is no overtime.
/// Capped Fischer time has no common notation, so the complete time settings are returned.
fn overtime_text(settings: &TimeControl) -> Option<String> {
    match settings.overtime {
        Overtime::None => None,
        Overtime::Canadian { period, stones } => Some(format!("{stones}/{period} Canadian")),
        Overtime::ByoYomi { period, periods } => Some(format!("{periods}x{period} byo-yomi")),
        Overtime::Fischer {
            increment,
            clock_limit: None,
            move_limit: None,
        } => Some(format!("{increment} fischer")),
        Overtime::Fischer { .. } => Some(settings.to_string()),
    }
}
