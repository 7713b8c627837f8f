//! One game between two players, every move checked against the rules and timed by the clocks that the game has.
//!
//! A player that fails loses: it died, hung, spoke no GTP, overstepped its time, made an illegal move or refused a
//! legal one.

use std::fmt;
use std::time::Duration;

use super::opponent::OpponentError;
use super::player::{Choice, Player, Terms};
use super::verdict::{self, Finding, Judge, Verdict};
use crate::clock::state::Clock;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::position::{Illegal, MOST_MOVES};
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
        reason: Illegal,
    },
    /// It made its move after its clock had run out.
    #[error("expected a move within {} s on its clock, found one after {} s", allowed.as_secs_f64(), taken.as_secs_f64())]
    Overstepped {
        /// The longest that the move could have taken.
        allowed: Duration,
        /// What it took.
        taken: Duration,
    },
    /// The program failed.
    #[error("{0}")]
    Program(#[from] OpponentError),
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
            Self::Overstepped { .. } => FaultKind::Timeout,
            Self::Program(error) => match error {
                OpponentError::NotStarted { .. }
                | OpponentError::Died { .. }
                | OpponentError::Interrupted => FaultKind::Crash,
                OpponentError::TimedOut { .. } => FaultKind::Timeout,
                OpponentError::Refused { .. }
                | OpponentError::Garbage { .. }
                | OpponentError::Lacks { .. } => FaultKind::Protocol,
            },
        }
    }
}

/// How a game was won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// By counting; the text says who counted.
    Count(Verdict, String),
    /// The loser gave up.
    Resignation,
    /// The loser failed.
    Fault(Fault),
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Somebody won.
    Won {
        /// Who.
        winner: Color,
        /// And how.
        how: How,
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

impl Outcome {
    /// The loser by a fault and what the fault was.
    #[must_use]
    pub fn fault(&self) -> Option<(Color, &Fault)> {
        match self {
            Self::Won {
                winner,
                how: How::Fault(fault),
            } => Some((winner.opposite(), fault)),
            _ => None,
        }
    }

    /// Whether an interrupt of the match, which may have reached its programs too, can have ended the game so.
    #[must_use]
    pub fn may_be_interrupted(&self) -> bool {
        let crashed = |(_, fault): (Color, &Fault)| fault.kind() == FaultKind::Crash;
        matches!(self, Self::Abandoned | Self::Disputed(_)) || self.fault().is_some_and(crashed)
    }

    /// The result as SGF writes it.
    #[must_use]
    pub fn result_text(&self) -> String {
        match self {
            Self::Won { winner, how } => match how {
                How::Count(verdict, _) => verdict.to_string(),
                How::Resignation => format!("{}+R", winner.letter()),
                How::Fault(fault) if fault.kind() == FaultKind::Timeout => {
                    format!("{}+T", winner.letter())
                }
                How::Fault(_) => format!("{}+F", winner.letter()),
            },
            Self::Drawn(_) => "0".to_owned(),
            Self::Disputed(_) => "?".to_owned(),
            Self::Repeated | Self::TooLong | Self::Abandoned => "Void".to_owned(),
        }
    }
}

/// Why it ended so.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won { winner, how } => match how {
                How::Count(_, who) => f.write_str(who),
                How::Resignation => write!(f, "{} resigned", winner.opposite()),
                How::Fault(fault) => write!(f, "{} failed: {fault}", winner.opposite()),
            },
            Self::Drawn(who) => f.write_str(who),
            Self::Disputed(why) => write!(f, "disputed: {why}"),
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
    pub longest: Duration,
}

impl Timing {
    /// Counts one move.
    pub fn add(&mut self, taken: Duration) {
        self.join(&Self {
            moves: 1,
            total: taken,
            longest: taken,
        });
    }

    /// Counts the moves of another game.
    pub fn join(&mut self, other: &Self) {
        // Files of results may hold any numbers.
        self.moves = self.moves.saturating_add(other.moves);
        self.total = self.total.saturating_add(other.total);
        self.longest = self.longest.max(other.longest);
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The moves, the opening's included.
    pub record: Record,
    /// How many of them are the opening's.
    pub opening_moves: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// The time each player took.
    pub timing: ByColor<Timing>,
    /// How a player's program, left from an earlier game, was found dead before this one, which another played.
    pub found_dead: ByColor<Option<OpponentError>>,
}

impl Played {
    /// A game that did not come about, because the program of one player could not be brought to the board.
    #[must_use]
    pub fn forfeited(opening: &Record, culprit: Color, error: OpponentError) -> Self {
        Self {
            outcome: lost_by(culprit)(error),
            ..Self::begun(opening)
        }
    }

    fn begun(opening: &Record) -> Self {
        Self {
            record: opening.clone(),
            opening_moves: opening.moves().len(),
            outcome: Outcome::Abandoned,
            timing: ByColor::default(),
            found_dead: ByColor::default(),
        }
    }
}

/// Plays a game on from `opening`, a record under the same size and rules, between players who have set up an empty board
/// under these terms. It is broken off after the move being made once `stop` tells so.
pub fn play(
    terms: &Terms,
    opening: &Record,
    mut players: ByColor<&mut Player>,
    judge: Judge<'_>,
    stop: &dyn Fn() -> bool,
) -> Played {
    let mut played = Played::begun(opening);
    let ended = show(&played.record, terms.size, &mut players)
        .and_then(|()| alternate(terms, &mut played, &mut players, stop));
    played.outcome = match ended {
        Err(outcome) => outcome,
        Ok(()) => match verdict::find(judge, &played.record, terms, &mut players) {
            Finding::Agreed(verdict, who) => match verdict.winner {
                None => Outcome::Drawn(who),
                Some(winner) => Outcome::Won {
                    winner,
                    how: How::Count(verdict, who),
                },
            },
            Finding::Open(why) => Outcome::Disputed(why),
            Finding::Failed(color, error) => lost_by(color)(error),
        },
    };
    played
}

/// The game is lost by the failure of a player.
fn lost_by<F: Into<Fault>>(culprit: Color) -> impl Fn(F) -> Outcome {
    move |fault| Outcome::Won {
        winner: culprit.opposite(),
        how: How::Fault(fault.into()),
    }
}

/// Tells both players the opening's moves.
fn show(
    opening: &Record,
    size: BoardSize,
    players: &mut ByColor<&mut Player>,
) -> Result<(), Outcome> {
    for side in Color::BOTH {
        for &(color, mv) in opening.moves() {
            tell(players, side, color, mv, size)?;
        }
    }
    Ok(())
}

fn tell(
    players: &mut ByColor<&mut Player>,
    side: Color,
    color: Color,
    mv: Move,
    size: BoardSize,
) -> Result<(), Outcome> {
    players[side].play(color, mv, size).map_err(lost_by(side))
}

/// Stops the clock of a player that has answered, in time or not.
fn stop_clock(clock: &mut Clock, color: Color, taken: Duration) -> Result<(), Fault> {
    let seconds = taken.as_secs_f64();
    match clock.until_flag(color) {
        Some(allowed) if seconds > allowed => Err(Fault::Overstepped {
            allowed: Duration::from_secs_f64(allowed),
            taken,
        }),
        _ => {
            clock.charge(color, seconds);
            Ok(())
        }
    }
}

/// Takes moves in turn until both have passed; anything else is an end of its own.
fn alternate(
    terms: &Terms,
    played: &mut Played,
    players: &mut ByColor<&mut Player>,
    stop: &dyn Fn() -> bool,
) -> Result<(), Outcome> {
    let mut clock = terms.time.clock();
    // A full record takes no move of anybody.
    let most = terms.max_moves.min(MOST_MOVES);
    while !played.record.ended() {
        if stop() {
            return Err(Outcome::Abandoned);
        }
        if played.record.moves().len() >= most {
            return Err(Outcome::TooLong);
        }
        let color = played.record.position().to_move();
        players[color].show_clock(&clock).map_err(lost_by(color))?;
        let (choice, taken) = players[color]
            .genmove(color, terms.size, terms.patience(&clock, color))
            .map_err(lost_by(color))?;
        played.timing[color].add(taken);
        stop_clock(&mut clock, color, taken).map_err(lost_by(color))?;
        let Choice::Make(mv) = choice else {
            return Err(Outcome::Won {
                winner: color.opposite(),
                how: How::Resignation,
            });
        };
        played.record.play(color, mv).map_err(|reason| {
            lost_by(color)(Fault::IllegalMove {
                vertex: terms.size.move_text(mv),
                reason,
            })
        })?;
        if played.record.position().has_no_result(0) {
            return Err(Outcome::Repeated);
        }
        tell(players, color.opposite(), color, mv, terms.size)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_length_are_added() {
        let longest = Timing {
            moves: u32::MAX,
            total: Duration::MAX,
            longest: Duration::MAX,
        };
        let mut sum = longest;
        sum.join(&longest);
        assert_eq!((sum.moves, sum.total), (u32::MAX, Duration::MAX));
    }
}
