//! A game as the match counts it and as its results file keeps it: what is left when the players have gone home.

use std::fmt;

use super::game::{FaultKind, Outcome, Played, Timing};
use super::tally::Side;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;

/// A game that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 0.
    pub game: usize,
    /// A's colour.
    pub a_color: Color,
    /// Who won.
    pub result: Ending,
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
pub enum Ending {
    /// This side won; what stands after the `+` of an SGF result says how: points, `R`, `T`, `F` or nothing.
    Won(Side, String),
    /// Nobody did.
    Drawn,
    /// That is not known.
    Open,
}

impl Ending {
    /// Half points of A: 2, 1, 0, or `None` when there is no result.
    #[must_use]
    pub const fn half_points(&self) -> Option<usize> {
        match self {
            Self::Won(Side::A, _) => Some(2),
            Self::Drawn => Some(1),
            Self::Won(Side::B, _) => Some(0),
            Self::Open => None,
        }
    }

    /// Reads what `Display` writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "0" => return Some(Self::Drawn),
            "?" => return Some(Self::Open),
            _ => {}
        }
        let (winner, how) = text.split_once('+')?;
        let side = match winner {
            "B" => Side::A,
            "W" => Side::B,
            _ => return None,
        };
        let known = ["", "R", "T", "F"].contains(&how) || how.parse::<f64>().is_ok();
        known.then(|| Self::Won(side, how.to_owned()))
    }
}

/// As gogui-twogtp has it: like an SGF result, with `B` for the side named first whatever its colour, `W` for the other.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(Side::A, how) => write!(f, "B+{how}"),
            Self::Won(Side::B, how) => write!(f, "W+{how}"),
            Self::Drawn => f.write_str("0"),
            Self::Open => f.write_str("?"),
        }
    }
}

impl Entry {
    /// The entry of a game that was played.
    #[must_use]
    pub fn new(game: usize, a_color: Color, played: &Played) -> Self {
        let side = |color| Side::of(color, a_color);
        let result = match &played.outcome {
            Outcome::Won { winner, .. } => {
                let text = played.outcome.result_text();
                let how = text.split_once('+').map_or("", |(_, how)| how);
                Ending::Won(side(*winner), how.to_owned())
            }
            Outcome::Drawn(_) => Ending::Drawn,
            Outcome::Disputed(_) | Outcome::Repeated | Outcome::TooLong | Outcome::Abandoned => {
                Ending::Open
            }
        };
        let loser = played.outcome.fault();
        let loser = loser.map(|(color, fault)| (side(color), fault.kind()));
        let (replaced, note) = found_dead(played);
        let timing: &ByColor<Timing> = &played.timing;
        Self {
            game,
            a_color,
            result,
            fault: loser.or(replaced.map(|color| (side(color), FaultKind::Crash))),
            reason: format!("{}{note}", played.outcome),
            moves: played.record.moves().to_vec(),
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
fn found_dead(played: &Played) -> (Option<Color>, String) {
    let (mut first, mut note) = (None, String::new());
    for color in Color::BOTH {
        if let Some(error) = &played.found_dead[color] {
            first = first.or(Some(color));
            note += &format!("; {color}'s program was found dead and replaced before: {error}");
        }
    }
    (first, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_are_written() {
        for (text, half_points) in [
            ("B+3.5", Some(2)),
            ("B+R", Some(2)),
            ("W+", Some(0)),
            ("W+T", Some(0)),
            ("0", Some(1)),
            ("?", None),
        ] {
            let result = Ending::parse(text).unwrap();
            assert_eq!(
                (result.to_string().as_str(), result.half_points()),
                (text, half_points)
            );
        }
        for bad in ["", "b+3.5", "B+X", "B", "Void"] {
            assert_eq!(Ending::parse(bad), None, "{bad}");
        }
    }
}
