//! Who won a game that ended by passes.
//!
//! The referee's word holds, when there is one; a referee that fails is replaced once. Without, both players are asked:
//! the same winner is the result (with the margin, when they agree on that too); else the word of the trusted player,
//! when one is trusted.

use std::fmt;

use super::gtp_engine::{GtpEngineError, Launcher};
use super::player::{Conditions, Player};
use crate::game::color::{ByColor, Color};
use crate::game::record::Record;
use crate::game::result::GameResult;
use crate::game::score::Score;

/// A result as `final_score` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalScore {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// By how much, when said in half points.
    pub margin: Option<Score>,
}

impl FinalScore {
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
impl fmt::Display for FinalScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.winner, self.margin) {
            (_, Some(score)) => score.fmt(f),
            (Some(color), None) => write!(f, "{}+", color.letter()),
            (None, None) => f.write_str("0"),
        }
    }
}

/// Who decides.
pub enum Adjudicator<'a> {
    /// A third program.
    Referee {
        /// Where it sits; empty once it has failed.
        slot: &'a mut Option<Player>,
        /// Starts it, and another in its place.
        launcher: &'a Launcher<'a>,
    },
    /// The players; when they differ, the one trusted.
    Players {
        /// Whose word holds then, if anyone's.
        trusted: Option<Color>,
    },
}

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adjudication {
    /// A result, and how it was reached.
    Decided(FinalScore, String),
    /// None, and why.
    Undecided(String),
    /// A player failed when asked.
    PlayerFailed(Color, GtpEngineError),
}

/// Asks for the result of a game that both players have followed to its end.
pub fn adjudicate(
    adjudicator: Adjudicator<'_>,
    record: &Record,
    conditions: &Conditions,
    players: &mut ByColor<&mut Player>,
) -> Adjudication {
    match adjudicator {
        Adjudicator::Referee { slot, launcher } => {
            query_referee(slot, launcher, record, conditions)
        }
        Adjudicator::Players { trusted } => query_players(players, trusted),
    }
}

/// Asks the referee. One that fails may have died since it counted last, so another is asked once.
fn query_referee(
    slot: &mut Option<Player>,
    launcher: &Launcher<'_>,
    record: &Record,
    conditions: &Conditions,
) -> Adjudication {
    let mut result = count_with_referee(slot, launcher, record, conditions);
    if result.is_err() && slot.is_none() {
        result = count_with_referee(slot, launcher, record, conditions);
    }
    match result {
        Ok(Some(score)) => Adjudication::Decided(score, "counted by the referee".to_owned()),
        Ok(None) => Adjudication::Undecided("the referee refused to count".to_owned()),
        Err(error) => Adjudication::Undecided(format!("the referee failed: {error}")),
    }
}

/// Has the referee count. After a failure other than a refusal its place is empty.
fn count_with_referee(
    slot: &mut Option<Player>,
    launcher: &Launcher<'_>,
    record: &Record,
    conditions: &Conditions,
) -> Result<Option<FinalScore>, GtpEngineError> {
    let result = replay_and_score(Player::get_or_launch(slot, launcher)?, record, conditions);
    match result {
        Ok(_) | Err(GtpEngineError::CommandFailed { .. }) => {}
        Err(_) => *slot = None,
    }
    result
}

/// Shows the whole game to a program that has not followed it, and asks for the score.
fn replay_and_score(
    referee: &mut Player,
    record: &Record,
    conditions: &Conditions,
) -> Result<Option<FinalScore>, GtpEngineError> {
    referee.new_game(conditions)?;
    for &(color, mv) in record.moves() {
        referee.play(color, mv, conditions.size)?;
    }
    referee.final_score()
}

fn query_players(players: &mut ByColor<&mut Player>, trusted: Option<Color>) -> Adjudication {
    let mut scores = ByColor::new(None, None);
    for color in Color::BOTH {
        match players[color].final_score() {
            Ok(score) => scores[color] = score,
            Err(error) => return Adjudication::PlayerFailed(color, error),
        }
    }
    let score_text =
        |score: Option<FinalScore>| score.map_or("nothing".to_owned(), |v| v.to_string());
    let black = score_text(scores[Color::Black]);
    let white = score_text(scores[Color::White]);
    let both_scores = scores[Color::Black].zip(scores[Color::White]);
    if let Some((one, other)) = both_scores.filter(|(one, other)| one.winner == other.winner) {
        if one.margin == other.margin {
            return Adjudication::Decided(one, "counted by both players".to_owned());
        }
        let winner_only = FinalScore {
            winner: one.winner,
            margin: None,
        };
        let reason = format!("Black counted {black}, White {white}: the same winner");
        return Adjudication::Decided(winner_only, reason);
    }
    match trusted.and_then(|color| scores[color].map(|score| (color, score))) {
        Some((color, score)) => Adjudication::Decided(
            score,
            format!("Black counted {black}, White {white}: {color} is trusted"),
        ),
        None => Adjudication::Undecided(format!("Black counted {black}, White {white}")),
    }
}
