//! Who won a game that ended by passes.
//!
//! The referee's word holds, when there is one; a referee that fails is replaced once. Without, both players are asked:
//! the same winner is the result (with the margin, when they agree on that too); else the word of the trusted player,
//! when one is trusted.

use std::fmt;

use super::opponent::{Launch, OpponentError};
use super::player::{Player, Terms};
use crate::game::color::{ByColor, Color};
use crate::game::record::Record;
use crate::game::result::GameResult;
use crate::game::score::Score;

/// A result as `final_score` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// By how much, when said in half points.
    pub margin: Option<Score>,
}

impl Verdict {
    /// Reads a [result](GameResult::parse).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let result = GameResult::parse(text)?;
        Some(Self {
            winner: result.winner,
            margin: result.score(),
        })
    }
}

/// As SGF writes results.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.winner, self.margin) {
            (_, Some(score)) => score.fmt(f),
            (Some(color), None) => write!(f, "{}+", color.letter()),
            (None, None) => f.write_str("0"),
        }
    }
}

/// Who decides.
pub enum Judge<'a> {
    /// A third program.
    Referee {
        /// Where it sits; empty once it has failed.
        place: &'a mut Option<Player>,
        /// Starts it, and another in its place.
        launch: &'a Launch<'a>,
    },
    /// The players; when they differ, the one trusted.
    Players {
        /// Whose word holds then, if anyone's.
        trusted: Option<Color>,
    },
}

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A result, and how it was reached.
    Agreed(Verdict, String),
    /// None, and why.
    Open(String),
    /// A player failed when asked.
    Failed(Color, OpponentError),
}

/// Asks for the result of a game that both players have followed to its end.
pub fn find(
    judge: Judge<'_>,
    record: &Record,
    terms: &Terms,
    players: &mut ByColor<&mut Player>,
) -> Finding {
    match judge {
        Judge::Referee { place, launch } => ask_referee(place, launch, record, terms),
        Judge::Players { trusted } => ask_both(players, trusted),
    }
}

/// Asks the referee. One that fails may have died since it counted last, so another is asked once.
fn ask_referee(
    place: &mut Option<Player>,
    launch: &Launch<'_>,
    record: &Record,
    terms: &Terms,
) -> Finding {
    let mut counted = count_by(place, launch, record, terms);
    if counted.is_err() && place.is_none() {
        counted = count_by(place, launch, record, terms);
    }
    match counted {
        Ok(Some(verdict)) => Finding::Agreed(verdict, "counted by the referee".to_owned()),
        Ok(None) => Finding::Open("the referee refused to count".to_owned()),
        Err(error) => Finding::Open(format!("the referee failed: {error}")),
    }
}

/// Has the referee count. After a failure other than a refusal its place is empty.
fn count_by(
    place: &mut Option<Player>,
    launch: &Launch<'_>,
    record: &Record,
    terms: &Terms,
) -> Result<Option<Verdict>, OpponentError> {
    let counted = show(Player::at(place, launch)?, record, terms);
    match counted {
        Ok(_) | Err(OpponentError::Refused { .. }) => {}
        Err(_) => *place = None,
    }
    counted
}

/// Shows the whole game to a program that has not followed it, and asks for the score.
fn show(
    referee: &mut Player,
    record: &Record,
    terms: &Terms,
) -> Result<Option<Verdict>, OpponentError> {
    referee.new_game(terms)?;
    for &(color, mv) in record.moves() {
        referee.play(color, mv, terms.size)?;
    }
    referee.final_score()
}

fn ask_both(players: &mut ByColor<&mut Player>, trusted: Option<Color>) -> Finding {
    let mut said = ByColor::new(None, None);
    for color in Color::BOTH {
        match players[color].final_score() {
            Ok(verdict) => said[color] = verdict,
            Err(error) => return Finding::Failed(color, error),
        }
    }
    let text = |verdict: Option<Verdict>| verdict.map_or("nothing".to_owned(), |v| v.to_string());
    let black = text(said[Color::Black]);
    let white = text(said[Color::White]);
    let both = said[Color::Black].zip(said[Color::White]);
    if let Some((one, other)) = both.filter(|(one, other)| one.winner == other.winner) {
        if one.margin == other.margin {
            return Finding::Agreed(one, "counted by both players".to_owned());
        }
        let winner_alone = Verdict {
            winner: one.winner,
            margin: None,
        };
        let how = format!("Black counted {black}, White {white}: the same winner");
        return Finding::Agreed(winner_alone, how);
    }
    match trusted.and_then(|color| said[color].map(|verdict| (color, verdict))) {
        Some((color, verdict)) => Finding::Agreed(
            verdict,
            format!("Black counted {black}, White {white}: {color} is trusted"),
        ),
        None => Finding::Open(format!("Black counted {black}, White {white}")),
    }
}
