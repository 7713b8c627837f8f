//! Determines the winner of a game that ended by two passes.
//!
//! If there is a referee, its score decides; a referee that fails is restarted once. Without a referee, both players
//! are queried. If they report the same winner, that is the result (with the margin, if it is the same too); otherwise
//! the score of the trusted player, if any, decides.

use super::conditions::Conditions;
use super::final_score::FinalScore;
use super::gtp_engine::{GtpEngineError, Launcher};
use super::player::Player;
use crate::game::color::{ByColor, Color};
use crate::game::record::Record;

/// The source of the final score.
pub enum Adjudicator<'a> {
    /// A third engine.
    Referee {
        /// The running referee; empty after a failure.
        slot: &'a mut Option<Player>,
        /// Starts a referee.
        launcher: &'a Launcher<'a>,
    },
    /// Both players.
    Players {
        /// Player whose score decides if the two scores differ.
        trusted: Option<Color>,
    },
}

/// The outcome of an adjudication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adjudication {
    /// The score and how it was determined.
    Decided(FinalScore, String),
    /// The reason why there is no score.
    Undecided(String),
    /// A player failed while it was queried.
    PlayerFailed(Color, GtpEngineError),
}

/// Determines the score of a game. Both players must have received all moves.
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

/// Queries the referee. If it fails (it may have exited since the last game), restarts it and retries once.
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

/// Lets the referee score the game. Empties `slot` if the referee fails other than by an error response.
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

/// Sends the whole game to the referee and requests the score.
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
        |score: Option<FinalScore>| score.map_or("no score".to_owned(), |v| v.to_string());
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
