//! Formatting of winning chances, leads and moves in reviews.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};

/// Formats a fraction as a percentage with one decimal place, without a percent sign.
pub fn percent_text(fraction: f64) -> String {
    format!("{:.1}", 100.0 * fraction)
}

/// Formats the winning chance of the player who is ahead, such as `Black 54.7%`. If the chances are equal, the result
/// is `Black 50.0%`.
pub fn leader_winrate_text(black_winrate: f64) -> String {
    if black_winrate >= 0.5 {
        format!("Black {}%", percent_text(black_winrate))
    } else {
        format!("White {}%", percent_text(1.0 - black_winrate))
    }
}

/// Formats a lead like a game result, such as `B+3.5`. An even score is `B+0.0`.
pub fn lead_text(black_lead: f64) -> String {
    let points = one_decimal_text(black_lead);
    match points.strip_prefix('-') {
        Some(white_lead) => format!("W+{white_lead}"),
        None => format!("B+{points}"),
    }
}

/// Returns the name with its first letter in upper case.
pub fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Formats a move with its colour, such as `B D4`.
pub fn colored_move_text(size: BoardSize, color: Color, mv: Move) -> String {
    format!("{} {}", color.letter(), size.format_move(mv))
}

/// Formats an amount in points or percent with one decimal place. Never returns `-0.0`.
pub fn one_decimal_text(amount: f64) -> String {
    let text = format!("{amount:.1}");
    if text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_have_no_negative_zero() {
        for (lead, text) in [(3.5, "B+3.5"), (-0.04, "B+0.0"), (-12.06, "W+12.1")] {
            assert_eq!(lead_text(lead), text);
        }
        assert_eq!(one_decimal_text(-0.04), "0.0");
    }
}
