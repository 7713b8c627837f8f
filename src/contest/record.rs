//! A game of a match as SGF.

use super::player::Terms;
use super::run::Finished;
use super::time::TimeControl;
use crate::clock::settings::TimeSettings;
use crate::game::color::Color;
use crate::sgf::points::{self, Coordinate};
use crate::sgf::{Collection, GameTree, write};

/// The text of an SGF file: the players, the conditions, the moves, the result and its reason.
#[must_use]
pub fn sgf(finished: &Finished<'_>, terms: &Terms) -> String {
    let played = finished.played;
    let mut tree = GameTree::new();
    let first = tree.root();
    let root = tree.node_mut(first);
    root.set("AP", concat!("Honinbo:", env!("CARGO_PKG_VERSION")));
    root.set_list("SZ", vec![points::write_size(terms.size.into())]);
    root.set("KM", terms.rules.komi.to_string());
    root.set("RU", terms.rules_name.as_str());
    root.set("PB", finished.name(Color::Black));
    root.set("PW", finished.name(Color::White));
    if let TimeControl::Clock(settings) = terms.time {
        if let Some(main) = main_time(&settings) {
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
    let mut id = first;
    for &(color, mv) in played.record.moves() {
        id = tree.add_child(id);
        let property = if color == Color::Black { "B" } else { "W" };
        let at = mv.point().map(Coordinate::from);
        tree.node_mut(id)
            .set_list(property, vec![points::write_move(at)]);
    }
    if id != first {
        tree.node_mut(id).set("C", played.outcome.to_string());
    }
    let mut collection = Collection::default();
    collection.games.push(tree);
    write(&collection)
}

/// Seconds of main time; `None` without a limit.
const fn main_time(settings: &TimeSettings) -> Option<f64> {
    match *settings {
        TimeSettings::Unlimited => None,
        TimeSettings::Absolute { main }
        | TimeSettings::Canadian { main, .. }
        | TimeSettings::ByoYomi { main, .. }
        | TimeSettings::Fischer { main, .. }
        | TimeSettings::FischerCapped { main, .. } => Some(main),
    }
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
