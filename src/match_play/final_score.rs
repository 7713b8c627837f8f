//! The score of a finished game as reported by an engine.

use std::fmt;

use crate::game::color::Color;
use crate::game::result::GameResult;
use crate::game::score::Score;

/// Outcome of a game, as reported in response to `final_score`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalScore {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Winning margin. `None` if the engine reports none or if it is not a multiple of half a point.
    pub margin: Option<Score>,
}

impl FinalScore {
    /// Parses a result in one of the forms accepted by [`GameResult::parse`].
    pub fn parse(text: &str) -> Option<Self> {
        let result = GameResult::parse(text)?;
        Some(Self {
            winner: result.winner,
            margin: result.score(),
        })
    }
}

/// Writes the result in SGF notation.
impl fmt::Display for FinalScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.winner, self.margin) {
            (_, Some(score)) => score.fmt(f),
            (Some(color), None) => write!(f, "{}+", color.letter()),
            (None, None) => f.write_str("0"),
        }
    }
}
