//! Plays one game between two players. Checks that every move is legal and, if the game is played with clocks, that
//! every move was made in time.
//!
//! A player loses by a fault if its process exits or hangs, or if it violates the protocol, exceeds its time, makes an
//! illegal move or rejects a legal one.

use std::fmt;
use std::time::Duration;

use super::conditions::Conditions;
use super::final_score::{self, Scorer, ScoringOutcome};
use super::gtp_engine::GtpEngineError;
use super::player::{GenmoveResponse, Player};
use crate::clock::game_clock::GameClock;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::position::{MAX_RECORD_MOVES, MoveError};
use crate::game::record::Record;
use crate::game::result::GameResult;

/// Fault by which a player loses a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The player made an illegal move.
    #[error("illegal move {vertex}: {reason}")]
    IllegalMove {
        vertex: String,
        /// Reason why the move is illegal.
        reason: MoveError,
    },
    /// The player exceeded its time on the clock.
    #[error("the move took {:.1} s, but only {:.1} s were left on the clock", elapsed.as_secs_f64(), allowed.as_secs_f64())]
    TimeExceeded {
        /// Time that was available for the move.
        allowed: Duration,
        elapsed: Duration,
    },
    /// The engine could not be started, exited, hung or violated the protocol.
    #[error("{0}")]
    Program(#[from] GtpEngineError),
}

/// Category of a fault, used for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The engine made an illegal move.
    Illegal,
    /// The engine exited, could not be started, or was interrupted.
    Crash,
    /// The engine exceeded its time or did not respond.
    Timeout,
    /// A command failed or is not supported, or a response was invalid.
    Protocol,
}

impl FaultKind {
    /// All kinds of faults, such that `kind as usize` is the index of `kind`.
    pub const ALL: [Self; 4] = [Self::Illegal, Self::Crash, Self::Timeout, Self::Protocol];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol",
        }
    }
}

impl Fault {
    pub const fn kind(&self) -> FaultKind {
        match self {
            Self::IllegalMove { .. } => FaultKind::Illegal,
            Self::TimeExceeded { .. } => FaultKind::Timeout,
            Self::Program(error) => match error {
                GtpEngineError::StartFailed { .. }
                | GtpEngineError::Exited { .. }
                | GtpEngineError::Interrupted => FaultKind::Crash,
                GtpEngineError::TimedOut { .. } => FaultKind::Timeout,
                GtpEngineError::CommandFailed { .. }
                | GtpEngineError::InvalidResponse { .. }
                | GtpEngineError::UnsupportedCommand { .. } => FaultKind::Protocol,
            },
        }
    }
}

/// Reason for a win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WinReason {
    /// The final score, and a description of its source.
    Score(GameResult, String),
    Resignation,
    /// A fault of the opponent.
    Fault(Fault),
}

/// Outcome of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameOutcome {
    Won {
        winner: Color,
        reason: WinReason,
    },
    /// The game was a draw by score. The text describes the source of the score.
    Drawn(String),
    /// The winner could not be determined, for the given reason.
    Disputed(String),
    /// The same situation occurred three times under rules without superko, so the game has no result.
    Repeated,
    /// The game reached the maximum number of moves and has no result.
    TooLong,
    /// The game was aborted because the match was stopped.
    Abandoned,
}

impl GameOutcome {
    /// Returns the player at fault and the fault, if a fault decided the game.
    pub fn fault(&self) -> Option<(Color, &Fault)> {
        match self {
            Self::Won {
                winner,
                reason: WinReason::Fault(fault),
            } => Some((winner.opposite(), fault)),
            _ => None,
        }
    }

    /// Returns true if an interrupt of the match may have caused this outcome, because an interrupt also ends the
    /// commands that engines are executing. A game with such an outcome is discarded if the match has been stopped.
    pub fn may_result_from_interrupt(&self) -> bool {
        let is_crash = |(_, fault): (Color, &Fault)| fault.kind() == FaultKind::Crash;
        matches!(self, Self::Abandoned | Self::Disputed(_)) || self.fault().is_some_and(is_crash)
    }

    /// Returns the result in SGF notation.
    pub fn result_text(&self) -> String {
        match self {
            Self::Won {
                winner,
                reason: how,
            } => match how {
                WinReason::Score(result, _) => final_score::result_text(result),
                WinReason::Resignation => format!("{}+R", winner.letter()),
                WinReason::Fault(fault) if fault.kind() == FaultKind::Timeout => {
                    format!("{}+T", winner.letter())
                }
                WinReason::Fault(_) => format!("{}+F", winner.letter()),
            },
            Self::Drawn(_) => "0".to_owned(),
            Self::Disputed(_) => "?".to_owned(),
            Self::Repeated | Self::TooLong | Self::Abandoned => "Void".to_owned(),
        }
    }
}

/// Writes the reason for the result.
impl fmt::Display for GameOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won {
                winner,
                reason: how,
            } => match how {
                WinReason::Score(_, counted_by) => f.write_str(counted_by),
                WinReason::Resignation => write!(f, "{} resigned", winner.opposite()),
                WinReason::Fault(fault) => write!(f, "{} failed: {fault}", winner.opposite()),
            },
            Self::Drawn(counted_by) => f.write_str(counted_by),
            Self::Disputed(reason) => write!(f, "disputed: {reason}"),
            Self::Repeated => f.write_str("no result: repeated position"),
            Self::TooLong => f.write_str("no result: too many moves"),
            Self::Abandoned => f.write_str("aborted"),
        }
    }
}

/// Thinking time of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingTimeStats {
    /// Number of moves, including resignations.
    pub moves: u32,
    /// Total thinking time.
    pub total: Duration,
    /// Thinking time of the slowest move.
    pub max_move_time: Duration,
}

impl ThinkingTimeStats {
    /// Adds a move that took `elapsed`.
    pub fn add(&mut self, elapsed: Duration) {
        self.merge(&Self {
            moves: 1,
            total: elapsed,
            max_move_time: elapsed,
        });
    }

    /// Adds the moves of `other` to the statistics.
    pub fn merge(&mut self, other: &Self) {
        // The sums saturate because results files can contain arbitrary numbers.
        self.moves = self.moves.saturating_add(other.moves);
        self.total = self.total.saturating_add(other.total);
        self.max_move_time = self.max_move_time.max(other.max_move_time);
    }
}

/// Game that has ended or was aborted.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// All moves, including the opening.
    pub record: Record,
    /// Number of moves in the opening.
    pub opening_moves: usize,
    pub outcome: GameOutcome,
    pub thinking_time: ByColor<ThinkingTimeStats>,
    /// For each player, the error from the previous engine if this engine had exited and was replaced before the game.
    pub restart_cause: ByColor<Option<GtpEngineError>>,
}

impl PlayedGame {
    /// Creates a game that `culprit` forfeits right after `opening`, because its engine could not start the game.
    pub fn forfeited(opening: &Record, culprit: Color, error: GtpEngineError) -> Self {
        Self {
            outcome: loss_by_fault(culprit)(error),
            ..Self::from_opening(opening)
        }
    }

    fn from_opening(opening: &Record) -> Self {
        Self {
            record: opening.clone(),
            opening_moves: opening.moves().len(),
            outcome: GameOutcome::Abandoned,
            thinking_time: ByColor::default(),
            restart_cause: ByColor::default(),
        }
    }
}

/// Plays a game that starts with the moves of `opening`.
///
/// The opening must have the board size and rules of `conditions`, and both players must already have received the
/// conditions and have an empty board. The game is aborted before the next move if `should_stop` returns true.
pub fn play_game(
    conditions: &Conditions,
    opening: &Record,
    mut players: ByColor<&mut Player>,
    scorer: Scorer<'_>,
    should_stop: &dyn Fn() -> bool,
) -> PlayedGame {
    let mut played_game = PlayedGame::from_opening(opening);
    let result = send_opening(&played_game.record, &mut players)
        .and_then(|()| play_moves(conditions, &mut played_game, &mut players, should_stop));
    played_game.outcome = match result {
        Err(outcome) => outcome,
        Ok(()) => {
            match final_score::score_game(scorer, &played_game.record, conditions, &mut players) {
                ScoringOutcome::Decided(score, counted_by) => match score.winner {
                    None => GameOutcome::Drawn(counted_by),
                    Some(winner) => GameOutcome::Won {
                        winner,
                        reason: WinReason::Score(score, counted_by),
                    },
                },
                ScoringOutcome::Undecided(reason) => GameOutcome::Disputed(reason),
                ScoringOutcome::PlayerFailed(color, error) => loss_by_fault(color)(error),
            }
        }
    };
    played_game
}

/// Returns a function that converts a fault of `culprit` to the outcome of the game.
fn loss_by_fault<F: Into<Fault>>(culprit: Color) -> impl Fn(F) -> GameOutcome {
    move |fault| GameOutcome::Won {
        winner: culprit.opposite(),
        reason: WinReason::Fault(fault.into()),
    }
}

/// Sends the moves of the opening to both players. If a player rejects a move or fails, it loses the game, and the
/// outcome is returned as an error.
fn send_opening(opening: &Record, players: &mut ByColor<&mut Player>) -> Result<(), GameOutcome> {
    for receiver in Color::BOTH {
        let result = players[receiver].play_opening(opening);
        result.map_err(loss_by_fault(receiver))?;
    }
    Ok(())
}

fn send_move(
    players: &mut ByColor<&mut Player>,
    receiver: Color,
    color: Color,
    mv: Move,
    size: BoardSize,
) -> Result<(), GameOutcome> {
    players[receiver]
        .play(color, mv, size)
        .map_err(loss_by_fault(receiver))
}

/// Deducts `elapsed` from a player's clock. Returns an error if the player has exceeded its time.
fn check_and_deduct_time(
    clock: &mut GameClock,
    color: Color,
    elapsed: Duration,
) -> Result<(), Fault> {
    let seconds = elapsed.as_secs_f64();
    match clock.seconds_until_flag(color) {
        Some(allowed) if seconds > allowed => Err(Fault::TimeExceeded {
            allowed: Duration::from_secs_f64(allowed),
            elapsed,
        }),
        _ => {
            clock.record_move_time(color, seconds);
            Ok(())
        }
    }
}

/// Requests moves from the players in turn until both have passed. If the game ends in any other way, returns its
/// outcome as an error.
fn play_moves(
    conditions: &Conditions,
    played_game: &mut PlayedGame,
    players: &mut ByColor<&mut Player>,
    should_stop: &dyn Fn() -> bool,
) -> Result<(), GameOutcome> {
    let mut clock = conditions.time.clock();
    // A record can hold at most `MAX_RECORD_MOVES` moves.
    let max_moves = conditions.max_moves.min(MAX_RECORD_MOVES);
    while !played_game.record.ended() {
        if should_stop() {
            return Err(GameOutcome::Abandoned);
        }
        if played_game.record.moves().len() >= max_moves {
            return Err(GameOutcome::TooLong);
        }
        let color = played_game.record.position().to_move();
        players[color]
            .send_time_left(&clock)
            .map_err(loss_by_fault(color))?;
        let (response, elapsed) = players[color]
            .genmove(
                color,
                conditions.size,
                conditions.genmove_timeout(&clock, color),
            )
            .map_err(loss_by_fault(color))?;
        played_game.thinking_time[color].add(elapsed);
        check_and_deduct_time(&mut clock, color, elapsed).map_err(loss_by_fault(color))?;
        let GenmoveResponse::Play(mv) = response else {
            return Err(GameOutcome::Won {
                winner: color.opposite(),
                reason: WinReason::Resignation,
            });
        };
        played_game.record.play(color, mv).map_err(|reason| {
            loss_by_fault(color)(Fault::IllegalMove {
                vertex: conditions.size.format_move(mv),
                reason,
            })
        })?;
        if played_game.record.position().has_no_result() {
            return Err(GameOutcome::Repeated);
        }
        send_move(players, color.opposite(), color, mv, conditions.size)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timing_sums_saturate() {
        let maximal = ThinkingTimeStats {
            moves: u32::MAX,
            total: Duration::MAX,
            max_move_time: Duration::MAX,
        };
        let mut sum = maximal;
        sum.merge(&maximal);
        assert_eq!((sum.moves, sum.total), (u32::MAX, Duration::MAX));
    }
}
