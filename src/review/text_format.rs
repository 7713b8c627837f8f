//! How a review words chances, leads and moves.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};

/// A share of 1 in per cent.
pub fn percent_text(fraction: f64) -> String {
    format!("{:.1}", 100.0 * fraction)
}

/// Who has the better chance to win, and how large it is, from Black's.
pub fn winrate_text(black_winrate: f64) -> String {
    if black_winrate >= 0.5 {
        format!("Black {} %", percent_text(black_winrate))
    } else {
        format!("White {} %", percent_text(1.0 - black_winrate))
    }
}

/// Who leads by how much, as results are written, from Black's lead.
pub fn lead_text(black_lead: f64) -> String {
    let letter = if black_lead >= 0.0 { 'B' } else { 'W' };
    format!("{letter}+{:.1}", black_lead.abs())
}

/// The name with a capital letter.
pub fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A move as a player's: `B D4`.
pub fn move_text(size: BoardSize, color: Color, mv: Move) -> String {
    format!("{} {}", color.letter(), size.format_move(mv))
}

/// Points with one digit, never a negative nothing.
pub fn points_text(amount: f64) -> String {
    let text = format!("{amount:.1}");
    if text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    }
}
