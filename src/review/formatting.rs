//! Formatting of winning chances, leads and moves in reviews.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};

/// Formats a fraction as a percentage with one decimal place, without a percent sign.
pub fn percent_text(fraction: f64) -> String {
    format!("{:.1}", 100.0 * fraction)
}

/// Formats Black's winning chance and lead from the perspective of the player who leads, such as `Black 54.7%, B+3.5`. If
/// the lead is even, the player with the higher chance is named: `White 51.0%, even`.
pub fn winrate_and_lead_text(black_winrate: f64, black_lead: f64) -> String {
    let is_black = match one_decimal_text(black_lead).as_str() {
        "0.0" => black_winrate >= 0.5,
        lead => !lead.starts_with('-'),
    };
    let (name, winrate) = match is_black {
        true => ("Black", black_winrate),
        false => ("White", 1.0 - black_winrate),
    };
    format!(
        "{name} {}%, {}",
        percent_text(winrate),
        lead_text(black_lead)
    )
}

/// Formats a lead like a game result, such as `B+3.5`, or as `even`.
pub fn lead_text(black_lead: f64) -> String {
    let points = one_decimal_text(black_lead);
    match points.strip_prefix('-') {
        _ if points == "0.0" => "even".to_owned(),
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
    fn chance_and_lead_are_those_of_one_player() {
        for (winrate, lead, text) in [
            (0.547, 3.5, "Black 54.7%, B+3.5"),
            (0.53, -0.3, "White 47.0%, W+0.3"),
            (0.49, 0.01, "White 51.0%, even"),
        ] {
            assert_eq!(winrate_and_lead_text(winrate, lead), text);
        }
    }

    #[test]
    fn leads_have_no_negative_zero() {
        for (lead, text) in [(3.5, "B+3.5"), (-0.04, "even"), (-12.06, "W+12.1")] {
            assert_eq!(lead_text(lead), text);
        }
        assert_eq!(one_decimal_text(-0.04), "0.0");
    }
}
