//! GTP as spoken to a player: who it is, a new game, the time, moves, the score.

use std::fmt;
use std::time::Duration;

use super::adjudication::FinalScore;
use super::gtp_engine::{GtpEngine, GtpEngineError, Launcher, excerpt};
use super::time::{GRACE_SECONDS, MatchTime, TimeDialect};
use crate::clock::game_clock::Clock;
use crate::clock::time_control::TimeControl;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::rules::Rules;

/// Time for every answer but that to `genmove`: loading a network and counting a large board included.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// The conditions of a game, the same for both players.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The board.
    pub size: BoardSize,
    /// The rules with the komi.
    pub rules: Rules,
    /// Their name.
    pub rules_name: String,
    /// What is said about time, and whether the match keeps it.
    pub time: MatchTime,
    /// When a program that has not answered `genmove` counts as hung; a clock may let it count so earlier.
    pub move_limit: Duration,
    /// Moves after which a game ends without a result; a full record ends it earlier.
    pub max_moves: usize,
}

impl Conditions {
    /// How long a player is waited for when asked for a move: until its time has run out, and [`GRACE_SECONDS`], but
    /// never beyond the limit for all moves.
    #[must_use]
    pub fn genmove_timeout(&self, clock: &Clock, color: Color) -> Duration {
        clock.until_flag(color).map_or(self.move_limit, |seconds| {
            let limit = self.move_limit.as_secs_f64();
            Duration::from_secs_f64((seconds + GRACE_SECONDS).min(limit))
        })
    }
}

/// An answer to `genmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenmoveResponse {
    /// A move, not yet checked.
    Play(Move),
    /// The player gives up.
    Resign,
}

/// Who a program says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineIdentity {
    /// Its answer to `name`, `?` when it refuses.
    pub name: String,
    /// Its answer to `version`, likewise.
    pub version: String,
}

/// The name and, where it has one, the version.
impl fmt::Display for EngineIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(format!("{} {}", self.name, self.version).trim_end())
    }
}

/// A program at the board.
pub struct Player {
    engine: Box<dyn GtpEngine>,
    identity: EngineIdentity,
    commands: Vec<String>,
}

impl Player {
    /// Asks the program who it is and what it understands. A program that refuses to say is called `?`.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn connect(mut engine: Box<dyn GtpEngine>) -> Result<Self, GtpEngineError> {
        let mut query = |command| match engine.send(command, RESPONSE_TIMEOUT) {
            Err(GtpEngineError::CommandFailed { .. }) => Ok("?".to_owned()),
            result => result,
        };
        let identity = EngineIdentity {
            name: excerpt(&query("name")?),
            version: excerpt(&query("version")?),
        };
        let commands = query("list_commands")?;
        Ok(Self {
            engine,
            identity,
            commands: commands.split_whitespace().map(str::to_owned).collect(),
        })
    }

    /// The player at a place; a program is called and [seated](Self::seat) there if nobody is.
    ///
    /// # Errors
    /// When it does not start or does not answer; the place stays empty then.
    pub fn get_or_launch<'p>(
        slot: &'p mut Option<Self>,
        launcher: &Launcher<'_>,
    ) -> Result<&'p mut Self, GtpEngineError> {
        match slot {
            Some(player) => Ok(player),
            None => Ok(slot.insert(Self::connect(launcher()?)?)),
        }
    }

    /// Who it says it is.
    #[must_use]
    pub const fn identity(&self) -> &EngineIdentity {
        &self.identity
    }

    fn supports(&self, command: &str) -> bool {
        self.commands.iter().any(|supported| supported == command)
    }

    fn send(&mut self, command: &str) -> Result<(), GtpEngineError> {
        self.engine.send(command, RESPONSE_TIMEOUT).map(drop)
    }

    /// Sets up an empty board under these terms.
    ///
    /// # Errors
    /// When the program does not answer or refuses.
    pub fn new_game(&mut self, conditions: &Conditions) -> Result<(), GtpEngineError> {
        let (width, height) = (conditions.size.width(), conditions.size.height());
        if self.supports("kata-set-rules") {
            // By their axes: not every program has every name.
            self.send(&format!(
                "kata-set-rules {}",
                conditions.rules.fields_json()
            ))?;
        }
        if width == height {
            self.send(&format!("boardsize {width}"))?;
        } else if self.supports("rectangular_boardsize") {
            self.send(&format!("rectangular_boardsize {width} {height}"))?;
        } else {
            self.send(&format!("boardsize {width} {height}"))?;
        }
        self.send("clear_board")?;
        // After the size and the rules, which some programs let change the komi.
        self.send(&format!("komi {}", conditions.rules.komi))
    }

    /// Tells the program how the game is timed.
    ///
    /// # Errors
    /// When the program does not answer or refuses, or knows no command for this.
    pub fn set_time(&mut self, time: &MatchTime) -> Result<(), GtpEngineError> {
        let command = match time {
            MatchTime::Unspecified => return Ok(()),
            MatchTime::Unlimited => {
                TimeDialect::Standard.settings_command(&TimeControl::Unlimited)?
            }
            MatchTime::PerMove(seconds) => {
                TimeDialect::from_commands(&self.commands).per_move_command(*seconds)?
            }
            MatchTime::Clock(settings) => {
                TimeDialect::from_commands(&self.commands).settings_command(settings)?
            }
        };
        self.send(&command)
    }

    /// Tells the program what both clocks show, if it can be told and there is a limit.
    ///
    /// # Errors
    /// When the program does not answer or refuses.
    pub fn send_time_left(&mut self, clock: &Clock) -> Result<(), GtpEngineError> {
        if !self.supports("time_left") {
            return Ok(());
        }
        let dialect = TimeDialect::from_commands(&self.commands);
        let commands = Color::BOTH.map(|color| dialect.time_left_command(clock, color));
        commands
            .iter()
            .flatten()
            .try_for_each(|command| self.send(command))
    }

    /// Asks for a move; also says how long the answer took.
    ///
    /// # Errors
    /// When the program does not answer within `limit`, refuses, or answers what is no vertex of this board.
    pub fn genmove(
        &mut self,
        color: Color,
        size: BoardSize,
        limit: Duration,
    ) -> Result<(GenmoveResponse, Duration), GtpEngineError> {
        let command = format!("genmove {color}");
        let (response, elapsed) = self.engine.send_timed(&command, limit)?;
        if response.eq_ignore_ascii_case("resign") {
            return Ok((GenmoveResponse::Resign, elapsed));
        }
        match size.parse_move(&response) {
            Some(mv) => Ok((GenmoveResponse::Play(mv), elapsed)),
            None => {
                let expected = "a vertex of the board, pass or resign";
                Err(GtpEngineError::invalid_response(
                    &command, expected, &response,
                ))
            }
        }
    }

    /// Tells the program of a move.
    ///
    /// # Errors
    /// When the program does not answer or refuses.
    pub fn play(&mut self, color: Color, mv: Move, size: BoardSize) -> Result<(), GtpEngineError> {
        self.send(&format!("play {color} {}", size.format_move(mv)))
    }

    /// Asks for the score of the position; `None` when the program cannot tell.
    ///
    /// # Errors
    /// When the program does not answer, or answers what is no result.
    pub fn final_score(&mut self) -> Result<Option<FinalScore>, GtpEngineError> {
        let command = "final_score";
        match self.engine.send(command, RESPONSE_TIMEOUT) {
            Err(GtpEngineError::CommandFailed { .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(response) => match FinalScore::parse(&response) {
                Some(score) => Ok(Some(score)),
                None => {
                    let expected = "a result such as B+3.5, W+R or 0";
                    Err(GtpEngineError::invalid_response(
                        command, expected, &response,
                    ))
                }
            },
        }
    }
}
