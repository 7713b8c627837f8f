//! How a review words chances, leads and moves.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};

/// A share of 1 in per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Who has the better chance to win, and how large it is, from Black's.
#[must_use]
pub fn chance(black: f64) -> String {
    if black >= 0.5 {
        format!("Black {} %", percent(black))
    } else {
        format!("White {} %", percent(1.0 - black))
    }
}

/// Who leads by how much, as results are written, from Black's lead.
#[must_use]
pub fn lead(black: f64) -> String {
    let letter = if black >= 0.0 { 'B' } else { 'W' };
    format!("{letter}+{:.1}", black.abs())
}

/// The name with a capital letter.
#[must_use]
pub fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A move as a player's: `B D4`.
#[must_use]
pub fn move_text(size: BoardSize, color: Color, mv: Move) -> String {
    format!("{} {}", color.letter(), size.move_text(mv))
}

/// Points with one digit, never a negative nothing.
#[must_use]
pub fn points(amount: f64) -> String {
    let text = format!("{amount:.1}");
    if text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    }
}
