//! Results of games, and a parser for the notations of game files and other programs.

use super::color::Color;
use super::score::Score;

/// Maximum accepted lead, in half points. It exceeds any possible lead.
const MAX_MARGIN_HALF_POINTS: f64 = 2_000.0;

/// Result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Winner, or `None` for a draw.
    pub winner: Option<Color>,
    pub reason: EndReason,
}

/// Reason for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The game was counted.
    Counted(Score),
    /// The loser resigned.
    Resigned,
    /// The loser ran out of time.
    OutOfTime,
    /// The loser broke the rules or did not show up.
    Forfeited,
    /// The reason is missing or not understood.
    Unknown,
}

impl GameResult {
    /// Parses a result such as `B+3.5`, `W+R`, `Black+Resign`, `W+Time`, `B+F`, `W+`, `0`, `Draw` or `Jigo`, ignoring
    /// case and any words that follow. A draw may also be written `B+0`. Returns `None` if the text names neither a
    /// winner nor a draw.
    pub fn parse(text: &str) -> Option<Self> {
        let first_word = text.split_whitespace().next()?;
        if is_one_of(first_word, &["0", "Draw", "Jigo"]) {
            return Some(Self::from_score(Score::default()));
        }
        let (winner, suffix) = text.split_once('+')?;
        let winner = Color::parse(winner.trim())?;
        let reason_word = suffix.split_whitespace().next().unwrap_or_default();
        if let Some(score) = parse_margin(reason_word, winner) {
            return Some(Self::from_score(score));
        }
        let reason = if is_one_of(reason_word, &["R", "Resign"]) {
            EndReason::Resigned
        } else if is_one_of(reason_word, &["T", "Time"]) {
            EndReason::OutOfTime
        } else if is_one_of(reason_word, &["F", "Forfeit"]) {
            EndReason::Forfeited
        } else {
            EndReason::Unknown
        };
        Some(Self {
            winner: Some(winner),
            reason,
        })
    }

    /// Creates the result of a game with the given score.
    pub const fn from_score(score: Score) -> Self {
        Self {
            winner: score.winner(),
            reason: EndReason::Counted(score),
        }
    }

    /// Returns the score, or `None` if the game was not counted.
    pub const fn score(&self) -> Option<Score> {
        match self.reason {
            EndReason::Counted(score) => Some(score),
            _ => None,
        }
    }
}

/// Parses a winning margin in points. Returns `None` unless the margin is a multiple of half a point. Some programs
/// give margins in stones (two points each), in steps of a quarter of a stone. Such margins are rejected if they are
/// not multiples of 0.5.
fn parse_margin(points: &str, winner: Color) -> Option<Score> {
    let half_points = 2.0 * points.parse::<f64>().ok()?;
    let is_valid =
        (0.0..=MAX_MARGIN_HALF_POINTS).contains(&half_points) && half_points.fract() == 0.0;
    is_valid.then(|| Score::from_half_points(winner.to_perspective(half_points as i32)))
}

fn is_one_of(word: &str, candidates: &[&str]) -> bool {
    candidates
        .iter()
        .any(|candidate| candidate.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<(Option<Color>, EndReason)> {
        GameResult::parse(text).map(|result| (result.winner, result.reason))
    }

    #[test]
    fn parses_scored_results() {
        let counted = |half_points| EndReason::Counted(Score::from_half_points(half_points));
        for (text, winner, half_points) in [
            ("B+3.5", Some(Color::Black), 7),
            ("w+12", Some(Color::White), -24),
            ("White+12.0", Some(Color::White), -24),
            ("B + 3.5 points", Some(Color::Black), 7),
            ("0", None, 0),
            ("Draw", None, 0),
            ("jigo", None, 0),
            ("B+0", None, 0),
            ("W+0.0", None, 0),
        ] {
            assert_eq!(parse(text), Some((winner, counted(half_points))), "{text}");
        }
    }

    #[test]
    fn parses_other_results() {
        for (text, winner, reason) in [
            ("B+R", Color::Black, EndReason::Resigned),
            ("black+resign", Color::Black, EndReason::Resigned),
            ("W+Time", Color::White, EndReason::OutOfTime),
            ("W+F", Color::White, EndReason::Forfeited),
            ("W+", Color::White, EndReason::Unknown),
            ("B+?", Color::Black, EndReason::Unknown),
            ("B+0.75", Color::Black, EndReason::Unknown),
            ("B+nan", Color::Black, EndReason::Unknown),
            ("B+1e9", Color::Black, EndReason::Unknown),
            ("B+-3", Color::Black, EndReason::Unknown),
        ] {
            assert_eq!(parse(text), Some((Some(winner), reason)), "{text}");
        }
    }

    #[test]
    fn rejects_text_without_winner() {
        for text in ["", " ", "?", "Void", "3.5", "X+2", "+2", "black wins"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
