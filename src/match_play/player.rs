//! A GTP engine with typed methods for the commands that a game needs.

use std::fmt;
use std::time::Duration;

use super::conditions::Conditions;
use super::gtp_engine::{GtpEngine, GtpEngineError, Launcher, excerpt};
use super::time_settings::{MatchTime, TimeCommand};
use crate::clock::game_clock::GameClock;
use crate::clock::time_control::TimeControl;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::record::Record;
use crate::game::result::GameResult;

/// Time limit for the response to any command except `genmove`. Long enough for an engine to load its network or to
/// score a large board.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// Response to `genmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenmoveResponse {
    /// A move, which may be illegal.
    Play(Move),
    Resign,
}

/// Name and version of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineIdentity {
    /// Response to `name`, or `?` if the command fails.
    pub name: String,
    /// Response to `version`, or `?` if the command fails.
    pub version: String,
}

impl fmt::Display for EngineIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(format!("{} {}", self.name, self.version).trim_end())
    }
}

/// GTP engine with its identity and its list of supported commands.
pub struct Player {
    engine: Box<dyn GtpEngine>,
    identity: EngineIdentity,
    commands: Vec<String>,
}

impl Player {
    /// Creates a player from a running engine, after requesting its name, version and list of commands.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond. Error responses are accepted, because not every engine supports
    /// these commands.
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

    /// Returns the player in `slot`. If the slot is empty, starts an engine and [connects](Self::connect) to it.
    ///
    /// # Errors
    /// Returns an error, leaving `slot` empty, if the engine does not start or respond.
    pub fn get_or_launch<'p>(
        slot: &'p mut Option<Self>,
        launcher: &Launcher<'_>,
    ) -> Result<&'p mut Self, GtpEngineError> {
        match slot {
            Some(player) => Ok(player),
            None => Ok(slot.insert(Self::connect(launcher()?)?)),
        }
    }

    pub const fn identity(&self) -> &EngineIdentity {
        &self.identity
    }

    fn supports(&self, command: &str) -> bool {
        self.commands.iter().any(|supported| supported == command)
    }

    fn send(&mut self, command: &str) -> Result<(), GtpEngineError> {
        self.engine.send(command, RESPONSE_TIMEOUT).map(drop)
    }

    /// Starts a new game on an empty board: sends the board size, the komi and, if the engine supports
    /// `kata-set-rules`, the rules.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond or rejects a command.
    pub fn new_game(&mut self, conditions: &Conditions) -> Result<(), GtpEngineError> {
        let (width, height) = (conditions.size.width(), conditions.size.height());
        if self.supports("kata-set-rules") {
            // Individual rules are sent instead of a name, because engines support different names.
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
        // The komi is sent last, because some engines change it on `boardsize` or when the rules are set.
        self.send(&format!("komi {}", conditions.rules.komi))
    }

    /// Sends the time settings of the match, unless they are unspecified.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond, rejects the command, or supports no command for these settings.
    pub fn set_time(&mut self, time: &MatchTime) -> Result<(), GtpEngineError> {
        let command = match time {
            MatchTime::Unspecified => return Ok(()),
            MatchTime::Unlimited => {
                TimeCommand::Standard.settings_command(&TimeControl::UNLIMITED)?
            }
            MatchTime::PerMove(seconds) => {
                TimeCommand::from_commands(&self.commands).time_per_move_command(*seconds)?
            }
            MatchTime::Clock(settings) => {
                TimeCommand::from_commands(&self.commands).settings_command(settings)?
            }
        };
        self.send(&command)
    }

    /// Sends the remaining time of both clocks if there is a time limit and the engine supports `time_left`.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond or rejects the command.
    pub fn send_time_left(&mut self, clock: &GameClock) -> Result<(), GtpEngineError> {
        if !self.supports("time_left") {
            return Ok(());
        }
        let time_command = TimeCommand::from_commands(&self.commands);
        let commands = Color::BOTH.map(|color| time_command.time_left_command(clock, color));
        commands
            .iter()
            .flatten()
            .try_for_each(|command| self.send(command))
    }

    /// Requests a move with `genmove`. Returns the response and the time that the engine took.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond within `limit`, rejects the command or returns an invalid
    /// vertex.
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
                let expected = "a vertex on the board, pass or resign";
                Err(GtpEngineError::invalid_response(
                    &command, expected, &response,
                ))
            }
        }
    }

    /// Sends a move of either player to the engine.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond or rejects the move.
    pub fn play(&mut self, color: Color, mv: Move, size: BoardSize) -> Result<(), GtpEngineError> {
        self.send(&format!("play {color} {}", size.format_move(mv)))
    }

    /// Sends the moves of a game to the engine, which must have an empty board. Handicap stones are sent with
    /// `set_free_handicap` if the engine supports it, so that it knows the handicap, and otherwise as moves.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond or rejects a move.
    pub fn play_opening(&mut self, opening: &Record) -> Result<(), GtpEngineError> {
        let size = opening.size();
        let handicap = opening.position().handicap();
        let is_placed = handicap > 1
            && handicap == opening.leading_black_moves()
            && self.supports("set_free_handicap");
        let (stones, moves) = (opening.moves()).split_at(if is_placed { handicap } else { 0 });
        if is_placed {
            let vertices = stones.iter().map(|&(_, mv)| size.format_move(mv));
            let vertices = vertices.collect::<Vec<_>>().join(" ");
            self.send(&format!("set_free_handicap {vertices}"))?;
        }
        (moves.iter()).try_for_each(|&(color, mv)| self.play(color, mv, size))
    }

    /// Requests the final score with `final_score`. Returns `None` if the engine returns an error response.
    ///
    /// # Errors
    /// Returns an error if the engine does not respond or returns an invalid result.
    pub fn final_score(&mut self) -> Result<Option<GameResult>, GtpEngineError> {
        let command = "final_score";
        match self.engine.send(command, RESPONSE_TIMEOUT) {
            Err(GtpEngineError::CommandFailed { .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(response) => match GameResult::parse(&response) {
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
