//! Determines the final score of a game that ended with two passes.
//!
//! If there is a referee, its score decides. A referee that fails is restarted once. Without a referee, the score is
//! requested from both players with `final_score`. If they report the same winner, that player wins, and the margin is
//! recorded if both report the same margin. If only one player reports a score, it decides. If they disagree, the score
//! of the trusted player decides. If there is no trusted player, or if neither reports a score, the game has no result.

use super::conditions::Conditions;
use super::gtp_engine::{GtpEngineError, Launcher};
use super::player::Player;
use crate::game::color::{ByColor, Color};
use crate::game::record::Record;
use crate::game::result::{EndReason, GameResult};

/// Source of the final score.
pub enum Scorer<'a> {
    /// A third engine determines the score.
    Referee {
        /// The running referee; `None` if it has not been started or has failed.
        slot: &'a mut Option<Player>,
        /// Starts a new referee process.
        launcher: &'a Launcher<'a>,
    },
    /// The two players determine the score.
    Players {
        /// Player that determines the score if the players disagree on the winner. If `None`, such a game has no
        /// result.
        trusted: Option<Color>,
    },
}

/// Outcome of scoring a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScoringOutcome {
    /// The result, and a description of its source.
    Decided(GameResult, String),
    /// The score could not be determined, for the given reason.
    Undecided(String),
    /// A player failed when its score was requested.
    PlayerFailed(Color, GtpEngineError),
}

/// Determines the score of a game that has ended with two passes. Both players must have received all moves.
pub fn score_game(
    scorer: Scorer<'_>,
    record: &Record,
    conditions: &Conditions,
    players: &mut ByColor<&mut Player>,
) -> ScoringOutcome {
    match scorer {
        Scorer::Referee { slot, launcher } => query_referee(slot, launcher, record, conditions),
        Scorer::Players { trusted } => query_players(players, trusted),
    }
}

/// Queries the referee. If it fails (it may have exited since the last game), restarts it and retries once.
fn query_referee(
    slot: &mut Option<Player>,
    launcher: &Launcher<'_>,
    record: &Record,
    conditions: &Conditions,
) -> ScoringOutcome {
    let mut result = query_referee_once(slot, launcher, record, conditions);
    if result.is_err() && slot.is_none() {
        result = query_referee_once(slot, launcher, record, conditions);
    }
    match result {
        Ok(Some(score)) => ScoringOutcome::Decided(score, "counted by the referee".to_owned()),
        Ok(None) => ScoringOutcome::Undecided("the referee did not return a score".to_owned()),
        Err(error) => ScoringOutcome::Undecided(format!("the referee failed: {error}")),
    }
}

/// Requests the score from the referee. Starts a referee if `slot` is empty. After any error other than an error
/// response, removes the referee from `slot`.
fn query_referee_once(
    slot: &mut Option<Player>,
    launcher: &Launcher<'_>,
    record: &Record,
    conditions: &Conditions,
) -> Result<Option<GameResult>, GtpEngineError> {
    let result = request_referee_score(Player::get_or_launch(slot, launcher)?, record, conditions);
    match result {
        Ok(_) | Err(GtpEngineError::CommandFailed { .. }) => {}
        Err(_) => *slot = None,
    }
    result
}

/// Sends all moves of the game to the referee and requests the score.
fn request_referee_score(
    referee: &mut Player,
    record: &Record,
    conditions: &Conditions,
) -> Result<Option<GameResult>, GtpEngineError> {
    referee.new_game(conditions)?;
    referee.play_opening(record)?;
    referee.final_score()
}

fn query_players(players: &mut ByColor<&mut Player>, trusted: Option<Color>) -> ScoringOutcome {
    let mut scores = ByColor::new(None, None);
    for color in Color::BOTH {
        match players[color].final_score() {
            Ok(score) => scores[color] = score,
            Err(error) => return ScoringOutcome::PlayerFailed(color, error),
        }
    }
    let score_text =
        |score: Option<GameResult>| score.map_or("none".to_owned(), |v| result_text(&v));
    let counts = format!(
        "Black's score: {}, White's score: {}",
        score_text(scores[Color::Black]),
        score_text(scores[Color::White])
    );
    let both_scores = scores[Color::Black].zip(scores[Color::White]);
    if let Some((one, other)) = both_scores.filter(|(one, other)| one.winner == other.winner) {
        if one.score() == other.score() {
            return ScoringOutcome::Decided(one, "counted by both players".to_owned());
        }
        let winner_only = GameResult {
            winner: one.winner,
            reason: EndReason::Unknown,
        };
        let reason = format!("{counts}; both agree on the winner");
        return ScoringOutcome::Decided(winner_only, reason);
    }
    let (decisive, remark) = match (both_scores, trusted) {
        (None, _) => (scores[Color::Black].or(scores[Color::White]), String::new()),
        (Some(_), None) => (None, "; no agreement on the winner".to_owned()),
        (Some(_), Some(color)) => (scores[color], format!("; {color}'s program is trusted")),
    };
    match decisive {
        Some(score) => ScoringOutcome::Decided(score, counts + &remark),
        None => ScoringOutcome::Undecided(counts + &remark),
    }
}

/// Returns the SGF notation of a result that an engine reported, with the margin if it is known.
pub fn result_text(result: &GameResult) -> String {
    match (result.score(), result.winner) {
        (Some(score), _) => score.to_string(),
        (None, Some(winner)) => format!("{}+", winner.letter()),
        (None, None) => "0".to_owned(),
    }
}
