//! One game between two players, every move checked against the rules and timed by the clocks that the game has.
//!
//! A player that fails loses: it died, hung, spoke no GTP, overstepped its time, made an illegal move or refused a
//! legal one.

use std::fmt;
use std::time::Duration;

use super::adjudication::{self, Adjudication, Adjudicator, FinalScore};
use super::gtp_engine::GtpEngineError;
use super::player::{Conditions, GenmoveResponse, Player};
use crate::clock::game_clock::Clock;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::position::{MAX_MOVES, MoveError};
use crate::game::record::Record;

/// What a player did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It made a move that the rules forbid.
    #[error("illegal move {vertex}: {reason}")]
    IllegalMove {
        /// The move.
        vertex: String,
        /// The rule it breaks.
        reason: MoveError,
    },
    /// It made its move after its clock had run out.
    #[error("expected a move within {} s on its clock, found one after {} s", allowed.as_secs_f64(), elapsed.as_secs_f64())]
    TimeExceeded {
        /// The longest that the move could have taken.
        allowed: Duration,
        /// What it took.
        elapsed: Duration,
    },
    /// The program failed.
    #[error("{0}")]
    Program(#[from] GtpEngineError),
}

/// Kinds of faults, as they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An illegal move.
    Illegal,
    /// A program that died or did not start.
    Crash,
    /// A program that overstepped its time, or did not answer at all.
    Timeout,
    /// A refused or missing command, or an answer that is no GTP.
    Protocol,
}

impl FaultKind {
    /// All, in the order of their columns.
    pub const ALL: [Self; 4] = [Self::Illegal, Self::Crash, Self::Timeout, Self::Protocol];

    /// In one word.
    #[must_use]
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
    /// Which kind it is of.
    #[must_use]
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

/// How a game was won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WinReason {
    /// By counting; the text says who counted.
    Score(FinalScore, String),
    /// The loser gave up.
    Resignation,
    /// The loser failed.
    Fault(Fault),
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameOutcome {
    /// Somebody won.
    Won {
        /// Who.
        winner: Color,
        /// And how.
        reason: WinReason,
    },
    /// A draw by counting; the text says who counted.
    Drawn(String),
    /// Nobody could say who won.
    Disputed(String),
    /// Without superko, the same situation came so often that it has no result.
    Repeated,
    /// It went on beyond the agreed number of moves.
    TooLong,
    /// It was broken off from outside.
    Abandoned,
}

impl GameOutcome {
    /// The loser by a fault and what the fault was.
    #[must_use]
    pub fn fault(&self) -> Option<(Color, &Fault)> {
        match self {
            Self::Won {
                winner,
                reason: WinReason::Fault(fault),
            } => Some((winner.opposite(), fault)),
            _ => None,
        }
    }

    /// Whether an interrupt of the match, which may have reached its programs too, can have ended the game so.
    #[must_use]
    pub fn may_be_interrupted(&self) -> bool {
        let is_crash = |(_, fault): (Color, &Fault)| fault.kind() == FaultKind::Crash;
        matches!(self, Self::Abandoned | Self::Disputed(_)) || self.fault().is_some_and(is_crash)
    }

    /// The result as SGF writes it.
    #[must_use]
    pub fn result_text(&self) -> String {
        match self {
            Self::Won {
                winner,
                reason: how,
            } => match how {
                WinReason::Score(verdict, _) => verdict.to_string(),
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

/// Why it ended so.
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
            Self::Repeated => f.write_str("no result: the same situation came again and again"),
            Self::TooLong => f.write_str("too many moves"),
            Self::Abandoned => f.write_str("broken off"),
        }
    }
}

/// The time a player took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Moves asked for and answered.
    pub moves: u32,
    /// For all of them.
    pub total: Duration,
    /// For the slowest.
    pub max_move_time: Duration,
}

impl Timing {
    /// Counts one move.
    pub fn add(&mut self, elapsed: Duration) {
        self.merge(&Self {
            moves: 1,
            total: elapsed,
            max_move_time: elapsed,
        });
    }

    /// Counts the moves of another game.
    pub fn merge(&mut self, other: &Self) {
        // Files of results may hold any numbers.
        self.moves = self.moves.saturating_add(other.moves);
        self.total = self.total.saturating_add(other.total);
        self.max_move_time = self.max_move_time.max(other.max_move_time);
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves, the opening's included.
    pub record: Record,
    /// How many of them are the opening's.
    pub opening_moves: usize,
    /// How it ended.
    pub outcome: GameOutcome,
    /// The time each player took.
    pub timing: ByColor<Timing>,
    /// How a player's program, left from an earlier game, was found dead before this one, which another played.
    pub restart_cause: ByColor<Option<GtpEngineError>>,
}

impl PlayedGame {
    /// A game that did not come about, because the program of one player could not be brought to the board.
    #[must_use]
    pub fn forfeited(opening: &Record, culprit: Color, error: GtpEngineError) -> Self {
        Self {
            outcome: loss_by_fault(culprit)(error),
            ..Self::started(opening)
        }
    }

    fn started(opening: &Record) -> Self {
        Self {
            record: opening.clone(),
            opening_moves: opening.moves().len(),
            outcome: GameOutcome::Abandoned,
            timing: ByColor::default(),
            restart_cause: ByColor::default(),
        }
    }
}

/// Plays a game on from `opening`, a record under the same size and rules, between players who have set up an empty board
/// under these terms. It is broken off after the move being made once `should_stop` tells so.
pub fn play_game(
    conditions: &Conditions,
    opening: &Record,
    mut players: ByColor<&mut Player>,
    adjudicator: Adjudicator<'_>,
    should_stop: &dyn Fn() -> bool,
) -> PlayedGame {
    let mut played_game = PlayedGame::started(opening);
    let result = send_opening(&played_game.record, conditions.size, &mut players)
        .and_then(|()| play_moves(conditions, &mut played_game, &mut players, should_stop));
    played_game.outcome = match result {
        Err(outcome) => outcome,
        Ok(()) => match adjudication::adjudicate(
            adjudicator,
            &played_game.record,
            conditions,
            &mut players,
        ) {
            Adjudication::Decided(score, counted_by) => match score.winner {
                None => GameOutcome::Drawn(counted_by),
                Some(winner) => GameOutcome::Won {
                    winner,
                    reason: WinReason::Score(score, counted_by),
                },
            },
            Adjudication::Undecided(reason) => GameOutcome::Disputed(reason),
            Adjudication::PlayerFailed(color, error) => loss_by_fault(color)(error),
        },
    };
    played_game
}

/// The game is lost by the failure of a player.
fn loss_by_fault<F: Into<Fault>>(culprit: Color) -> impl Fn(F) -> GameOutcome {
    move |fault| GameOutcome::Won {
        winner: culprit.opposite(),
        reason: WinReason::Fault(fault.into()),
    }
}

/// Tells both players the opening's moves.
fn send_opening(
    opening: &Record,
    size: BoardSize,
    players: &mut ByColor<&mut Player>,
) -> Result<(), GameOutcome> {
    for receiver in Color::BOTH {
        for &(color, mv) in opening.moves() {
            send_move(players, receiver, color, mv, size)?;
        }
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

/// Stops the clock of a player that has answered, in time or not.
fn stop_clock(clock: &mut Clock, color: Color, elapsed: Duration) -> Result<(), Fault> {
    let seconds = elapsed.as_secs_f64();
    match clock.until_flag(color) {
        Some(allowed) if seconds > allowed => Err(Fault::TimeExceeded {
            allowed: Duration::from_secs_f64(allowed),
            elapsed,
        }),
        _ => {
            clock.charge(color, seconds);
            Ok(())
        }
    }
}

/// Takes moves in turn until both have passed; anything else is an end of its own.
fn play_moves(
    conditions: &Conditions,
    played_game: &mut PlayedGame,
    players: &mut ByColor<&mut Player>,
    should_stop: &dyn Fn() -> bool,
) -> Result<(), GameOutcome> {
    let mut clock = conditions.time.clock();
    // A full record takes no move of anybody.
    let max_moves = conditions.max_moves.min(MAX_MOVES);
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
        played_game.timing[color].add(elapsed);
        stop_clock(&mut clock, color, elapsed).map_err(loss_by_fault(color))?;
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
        if played_game.record.position().has_no_result(0) {
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
        let maximal = Timing {
            moves: u32::MAX,
            total: Duration::MAX,
            max_move_time: Duration::MAX,
        };
        let mut sum = maximal;
        sum.merge(&maximal);
        assert_eq!((sum.moves, sum.total), (u32::MAX, Duration::MAX));
    }
}
