//! Summary of a finished game, used for statistics and the results file.

use std::fmt;

use super::game::{FaultKind, GameOutcome, PlayedGame, ThinkingTimeStats};
use super::side::Side;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;

/// Summary of a finished game. Its result and fault refer to sides instead of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Game index, starting at 0.
    pub game_index: usize,
    pub a_color: Color,
    pub result: MatchGameResult,
    /// Fault that decided the game. If no fault decided the game, but an engine had exited and was replaced before the
    /// game, this is a crash of that engine's side (Black's side if both engines were replaced).
    pub fault: Option<(Side, FaultKind)>,
    /// Reason for the result, and notes on engines that were restarted before the game.
    pub reason: String,
    /// All moves, including the opening.
    pub moves: Vec<(Color, Move)>,
    /// Thinking times of A and B.
    pub thinking_time: [ThinkingTimeStats; 2],
}

/// Result of a game in terms of the sides of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchGameResult {
    /// The winner, and the SGF result after the `+`: a margin, `R` (resignation), `T` (time), `F` (forfeit) or nothing.
    Won(Side, String),
    Drawn,
    /// The game has no result, or its result is unknown.
    NoResult,
}

impl MatchGameResult {
    /// Returns the number of half points scored by A: 2 for a win, 1 for a draw, 0 for a loss. Returns `None` if there
    /// is no result.
    pub const fn half_points(&self) -> Option<usize> {
        match self {
            Self::Won(Side::A, _) => Some(2),
            Self::Drawn => Some(1),
            Self::Won(Side::B, _) => Some(0),
            Self::NoResult => None,
        }
    }

    /// Parses the format written by `Display`. Returns `None` if the text is not a result.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "0" => return Some(Self::Drawn),
            "?" => return Some(Self::NoResult),
            _ => {}
        }
        let (winner, detail) = text.split_once('+')?;
        let side = match winner {
            "B" => Side::A,
            "W" => Side::B,
            _ => return None,
        };
        let is_valid = ["", "R", "T", "F"].contains(&detail) || detail.parse::<f64>().is_ok();
        is_valid.then(|| Self::Won(side, detail.to_owned()))
    }
}

/// Writes an SGF result. As in gogui-twogtp, `B` denotes side A and `W` denotes side B, regardless of their colours.
impl fmt::Display for MatchGameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(Side::A, how) => write!(f, "B+{how}"),
            Self::Won(Side::B, how) => write!(f, "W+{how}"),
            Self::Drawn => f.write_str("0"),
            Self::NoResult => f.write_str("?"),
        }
    }
}

impl GameSummary {
    /// Creates the summary of a game in which A played `a_color`.
    pub fn new(game_index: usize, a_color: Color, played_game: &PlayedGame) -> Self {
        let side = |color| Side::of(color, a_color);
        let result = match &played_game.outcome {
            GameOutcome::Won { winner, .. } => {
                let text = played_game.outcome.result_text();
                let detail = text.split_once('+').map_or("", |(_, how)| how);
                MatchGameResult::Won(side(*winner), detail.to_owned())
            }
            GameOutcome::Drawn(_) => MatchGameResult::Drawn,
            GameOutcome::Disputed(_)
            | GameOutcome::Repeated
            | GameOutcome::TooLong
            | GameOutcome::Abandoned => MatchGameResult::NoResult,
        };
        let fault = played_game.outcome.fault();
        let fault = fault.map(|(color, fault)| (side(color), fault.kind()));
        let (replaced, note) = replaced_engine_and_note(played_game);
        let thinking_time: &ByColor<ThinkingTimeStats> = &played_game.thinking_time;
        Self {
            game_index,
            a_color,
            result,
            fault: fault.or(replaced.map(|color| (side(color), FaultKind::Crash))),
            reason: format!("{}{note}", played_game.outcome),
            moves: played_game.record.moves().to_vec(),
            thinking_time: [thinking_time[a_color], thinking_time[a_color.opposite()]],
        }
    }

    /// Returns true if the game had a fault or has no result.
    pub const fn is_incident(&self) -> bool {
        self.fault.is_some() || self.result.half_points().is_none()
    }
}

/// Returns the first colour with an engine that was replaced before the game, if any, and the note to append to the
/// reason for the result. The note is empty if no engine was replaced.
fn replaced_engine_and_note(played_game: &PlayedGame) -> (Option<Color>, String) {
    let (mut first_color, mut note) = (None, String::new());
    for color in Color::BOTH {
        if let Some(error) = &played_game.restart_cause[color] {
            first_color = first_color.or(Some(color));
            note += &format!(
                "; {color}'s program had exited and was restarted before the game: {error}"
            );
        }
    }
    (first_color, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_round_trip() {
        for (text, half_points) in [
            ("B+3.5", Some(2)),
            ("B+R", Some(2)),
            ("W+", Some(0)),
            ("W+T", Some(0)),
            ("0", Some(1)),
            ("?", None),
        ] {
            let result = MatchGameResult::parse(text).unwrap();
            assert_eq!(
                (result.to_string().as_str(), result.half_points()),
                (text, half_points)
            );
        }
        for bad in ["", "b+3.5", "B+X", "B", "Void"] {
            assert_eq!(MatchGameResult::parse(bad), None, "{bad}");
        }
    }
}
