//! How a game ended, as game files and programs write it.

use super::color::Color;
use super::score::Score;

/// No board and komi give a larger lead, in half points.
const LARGEST_LEAD: f64 = 2_000.0;

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How it was won, or drawn.
    pub how: How,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It was counted.
    Counted(Score),
    /// The loser resigned.
    Resigned,
    /// The loser had no time left.
    OutOfTime,
    /// The loser broke the rules or did not come.
    Forfeited,
    /// It is not said, or in words and numbers unknown.
    Unsaid,
}

impl GameResult {
    /// Reads `B+3.5`, `W+R`, `Black+Resign`, `W+Time`, `B+F`, `W+`, `0`, `Draw` or `Jigo`, in any case; a draw may be
    /// `B+0` too, and words may follow. `None` for what names no winner.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let first = text.split_whitespace().next()?;
        if is_one_of(first, &["0", "Draw", "Jigo"]) {
            return Some(Self::counted(Score::default()));
        }
        let (winner, how) = text.split_once('+')?;
        let winner = Color::parse(winner.trim())?;
        let how = how.split_whitespace().next().unwrap_or_default();
        if let Some(score) = lead(how, winner) {
            return Some(Self::counted(score));
        }
        let how = if is_one_of(how, &["R", "Resign"]) {
            How::Resigned
        } else if is_one_of(how, &["T", "Time"]) {
            How::OutOfTime
        } else if is_one_of(how, &["F", "Forfeit"]) {
            How::Forfeited
        } else {
            How::Unsaid
        };
        Some(Self {
            winner: Some(winner),
            how,
        })
    }

    /// That of a game with this score.
    #[must_use]
    pub const fn counted(score: Score) -> Self {
        Self {
            winner: score.winner(),
            how: How::Counted(score),
        }
    }

    /// The score, if it is told.
    #[must_use]
    pub const fn score(&self) -> Option<Score> {
        match self.how {
            How::Counted(score) => Some(score),
            _ => None,
        }
    }
}

/// The score of a game that was won by so many points, if they are half points; quarters are not, which some programs
/// write where stones are counted, of two points each.
fn lead(points: &str, winner: Color) -> Option<Score> {
    let half_points = 2.0 * points.parse::<f64>().ok()?;
    let is_lead = (0.0..=LARGEST_LEAD).contains(&half_points) && half_points.fract() == 0.0;
    is_lead.then(|| Score::from_half_points(winner.from_black(half_points as i32)))
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Option<Color>, How)> {
        GameResult::parse(text).map(|result| (result.winner, result.how))
    }

    #[test]
    fn counted_games() {
        let black_leads = |half_points| How::Counted(Score::from_half_points(half_points));
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
            assert_eq!(
                read(text),
                Some((winner, black_leads(half_points))),
                "{text}"
            );
        }
    }

    #[test]
    fn games_won_otherwise() {
        for (text, winner, how) in [
            ("B+R", Color::Black, How::Resigned),
            ("black+resign", Color::Black, How::Resigned),
            ("W+Time", Color::White, How::OutOfTime),
            ("W+F", Color::White, How::Forfeited),
            ("W+", Color::White, How::Unsaid),
            ("B+?", Color::Black, How::Unsaid),
            ("B+0.75", Color::Black, How::Unsaid),
            ("B+nan", Color::Black, How::Unsaid),
            ("B+1e9", Color::Black, How::Unsaid),
            ("B+-3", Color::Black, How::Unsaid),
        ] {
            assert_eq!(read(text), Some((Some(winner), how)), "{text}");
        }
    }

    #[test]
    fn what_names_no_winner_is_no_result() {
        for bad in ["", " ", "?", "Void", "3.5", "X+2", "+2", "black wins"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
