//! A game as the match counts it and as its results file keeps it: what is left when the players have gone home.

use std::fmt;

use super::game::{FaultKind, GameOutcome, PlayedGame, Timing};
use super::match_stats::Side;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;

/// A game that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Its number, from 0.
    pub game_index: usize,
    /// A's colour.
    pub a_color: Color,
    /// Who won.
    pub result: MatchGameResult,
    /// Who failed, and how: the loser by its fault, or a side whose program was found dead before the game and replaced.
    pub fault: Option<(Side, FaultKind)>,
    /// Why the game ended so, and whose program was replaced before it.
    pub reason: String,
    /// The moves, the opening's included.
    pub moves: Vec<(Color, Move)>,
    /// The time each side took.
    pub timing: [Timing; 2],
}

/// The result of a game for the sides of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchGameResult {
    /// This side won; what stands after the `+` of an SGF result says how: points, `R`, `T`, `F` or nothing.
    Won(Side, String),
    /// Nobody did.
    Drawn,
    /// That is not known.
    NoResult,
}

impl MatchGameResult {
    /// Half points of A: 2, 1, 0, or `None` when there is no result.
    #[must_use]
    pub const fn half_points(&self) -> Option<usize> {
        match self {
            Self::Won(Side::A, _) => Some(2),
            Self::Drawn => Some(1),
            Self::Won(Side::B, _) => Some(0),
            Self::NoResult => None,
        }
    }

    /// Reads what `Display` writes.
    #[must_use]
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

/// As gogui-twogtp has it: like an SGF result, with `B` for the side named first whatever its colour, `W` for the other.
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

impl GameRecord {
    /// The entry of a game that was played.
    #[must_use]
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
        let (replaced, note) = replaced_engines(played_game);
        let timing: &ByColor<Timing> = &played_game.timing;
        Self {
            game_index,
            a_color,
            result,
            fault: fault.or(replaced.map(|color| (side(color), FaultKind::Crash))),
            reason: format!("{}{note}", played_game.outcome),
            moves: played_game.record.moves().to_vec(),
            timing: [timing[a_color], timing[a_color.opposite()]],
        }
    }

    /// Whether it was not as games should be: there was a fault, or there is no result.
    #[must_use]
    pub const fn is_incident(&self) -> bool {
        self.fault.is_some() || self.result.half_points().is_none()
    }
}

/// Whose program was found dead before the game, Black's first, and what to add to the game's reason.
fn replaced_engines(played_game: &PlayedGame) -> (Option<Color>, String) {
    let (mut first_color, mut note) = (None, String::new());
    for color in Color::BOTH {
        if let Some(error) = &played_game.restart_cause[color] {
            first_color = first_color.or(Some(color));
            note += &format!("; {color}'s program was found dead and replaced before: {error}");
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
