//! A game of a match as SGF.

use super::player::Terms;
use super::run::Finished;
use super::time::TimeControl;
use crate::clock::settings::TimeSettings;
use crate::clock::shown::{Left, full};
use crate::game::color::Color;
use crate::sgf::record::{sign, write_game};
use crate::sgf::{Collection, write};

/// The text of an SGF file: the players, the conditions, the moves, the result and its reason.
#[must_use]
pub fn sgf(finished: &Finished<'_>, terms: &Terms) -> String {
    let played = finished.played;
    let mut tree = write_game(&played.record);
    sign(&mut tree);
    let first = tree.root();
    let root = tree.node_mut(first);
    // As they were agreed on; two names may stand for the same rules.
    root.set("RU", terms.rules_name.as_str());
    root.set("PB", finished.name(Color::Black));
    root.set("PW", finished.name(Color::White));
    if let TimeControl::Clock(settings) = terms.time {
        if let Some(Left::Main(main)) = full(&settings) {
            root.set("TM", main.to_string());
        }
        if let Some(overtime) = overtime(&settings) {
            root.set("OT", overtime);
        }
    }
    root.set("RE", played.outcome.result_text());
    root.set("GN", format!("game {}", finished.game + 1));
    let opening = match played.opening_moves {
        0 => String::new(),
        moves => format!("\nThe first {moves} moves were given."),
    };
    let comment = format!(
        "Black: {}\nWhite: {}\nResult: {}{opening}",
        finished.label(Color::Black),
        finished.label(Color::White),
        played.outcome,
    );
    root.set("C", comment);
    let last = tree.main_line().last().filter(|&last| last != first);
    if let Some(last) = last {
        tree.node_mut(last).set("C", played.outcome.to_string());
    }
    write(&Collection { games: vec![tree] })
}

/// What follows or adds to the main time, in the words that game records use.
fn overtime(settings: &TimeSettings) -> Option<String> {
    match *settings {
        TimeSettings::Unlimited | TimeSettings::Absolute { .. } => None,
        TimeSettings::Canadian { period, stones, .. } => {
            Some(format!("{stones}/{period} Canadian"))
        }
        TimeSettings::ByoYomi {
            period, periods, ..
        } => Some(format!("{periods}x{period} byo-yomi")),
        TimeSettings::Fischer { increment, .. } => Some(format!("{increment} fischer")),
        TimeSettings::FischerCapped { .. } => Some(settings.to_string()),
    }
}
