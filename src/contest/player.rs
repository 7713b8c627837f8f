//! GTP as spoken to a player: who it is, a new game, the time, moves, the score.

use std::fmt;
use std::time::Duration;

use super::opponent::{Launch, Opponent, OpponentError, excerpt};
use super::time::{Dialect, GRACE_SECONDS, TimeControl};
use super::verdict::Verdict;
use crate::clock::settings::TimeSettings;
use crate::clock::state::Clock;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::rules::Rules;

/// Time for every answer but that to `genmove`: loading a network and counting a large board included.
const ANSWER_LIMIT: Duration = Duration::from_secs(120);

/// The conditions of a game, the same for both players.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The board.
    pub size: BoardSize,
    /// The rules with the komi.
    pub rules: Rules,
    /// Their name.
    pub rules_name: String,
    /// What is said about time, and whether the match keeps it.
    pub time: TimeControl,
    /// When a program that has not answered `genmove` counts as hung; a clock may let it count so earlier.
    pub move_limit: Duration,
    /// Moves after which a game ends without a result; a full record ends it earlier.
    pub max_moves: usize,
}

impl Terms {
    /// How long a player is waited for when asked for a move: until its time has run out, and [`GRACE_SECONDS`], but
    /// never beyond the limit for all moves.
    #[must_use]
    pub fn patience(&self, clock: &Clock, color: Color) -> Duration {
        clock.until_flag(color).map_or(self.move_limit, |seconds| {
            let limit = self.move_limit.as_secs_f64();
            Duration::from_secs_f64((seconds + GRACE_SECONDS).min(limit))
        })
    }
}

/// An answer to `genmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A move, not yet checked.
    Make(Move),
    /// The player gives up.
    Resign,
}

/// Who a program says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its answer to `name`, `?` when it refuses.
    pub name: String,
    /// Its answer to `version`, likewise.
    pub version: String,
}

/// The name and, where it has one, the version.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(format!("{} {}", self.name, self.version).trim_end())
    }
}

/// A program at the board.
pub struct Player {
    program: Box<dyn Opponent>,
    identity: Identity,
    commands: Vec<String>,
}

impl Player {
    /// Asks the program who it is and what it understands. A program that refuses to say is called `?`.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn seat(mut program: Box<dyn Opponent>) -> Result<Self, OpponentError> {
        let mut say = |command| match program.ask(command, ANSWER_LIMIT) {
            Err(OpponentError::Refused { .. }) => Ok("?".to_owned()),
            answer => answer,
        };
        let identity = Identity {
            name: excerpt(&say("name")?),
            version: excerpt(&say("version")?),
        };
        let commands = say("list_commands")?;
        Ok(Self {
            program,
            identity,
            commands: commands.split_whitespace().map(str::to_owned).collect(),
        })
    }

    /// The player at a place; a program is called and [seated](Self::seat) there if nobody is.
    ///
    /// # Errors
    /// When it does not start or does not answer; the place stays empty then.
    pub fn at<'p>(
        place: &'p mut Option<Self>,
        launch: &Launch<'_>,
    ) -> Result<&'p mut Self, OpponentError> {
        match place {
            Some(player) => Ok(player),
            None => Ok(place.insert(Self::seat(launch()?)?)),
        }
    }

    /// Who it says it is.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    fn tell(&mut self, command: &str) -> Result<(), OpponentError> {
        self.program.ask(command, ANSWER_LIMIT).map(drop)
    }

    /// Sets up an empty board under these terms.
    ///
    /// # Errors
    /// When the program does not answer or refuses.
    pub fn new_game(&mut self, terms: &Terms) -> Result<(), OpponentError> {
        let (width, height) = (terms.size.width(), terms.size.height());
        if self.knows("kata-set-rules") {
            // By their axes: not every program has every name.
            self.tell(&format!("kata-set-rules {}", terms.rules.axes()))?;
        }
        if width == height {
            self.tell(&format!("boardsize {width}"))?;
        } else if self.knows("rectangular_boardsize") {
            self.tell(&format!("rectangular_boardsize {width} {height}"))?;
        } else {
            self.tell(&format!("boardsize {width} {height}"))?;
        }
        self.tell("clear_board")?;
        // After the size and the rules, which some programs let change the komi.
        self.tell(&format!("komi {}", terms.rules.komi))
    }

    /// Tells the program how the game is timed.
    ///
    /// # Errors
    /// When the program does not answer or refuses, or knows no command for this.
    pub fn set_time(&mut self, time: &TimeControl) -> Result<(), OpponentError> {
        let command = match time {
            TimeControl::Unsaid => return Ok(()),
            TimeControl::Unlimited => Dialect::Standard.settings(&TimeSettings::Unlimited)?,
            TimeControl::PerMove(seconds) => Dialect::of(&self.commands).per_move(*seconds)?,
            TimeControl::Clock(settings) => Dialect::of(&self.commands).settings(settings)?,
        };
        self.tell(&command)
    }

    /// Tells the program what both clocks show, if it can be told and there is a limit.
    ///
    /// # Errors
    /// When the program does not answer or refuses.
    pub fn show_clock(&mut self, clock: &Clock) -> Result<(), OpponentError> {
        if !self.knows("time_left") {
            return Ok(());
        }
        let dialect = Dialect::of(&self.commands);
        let shown = Color::BOTH.map(|color| dialect.time_left(clock, color));
        shown
            .iter()
            .flatten()
            .try_for_each(|command| self.tell(command))
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
    ) -> Result<(Choice, Duration), OpponentError> {
        let command = format!("genmove {color}");
        let (answer, taken) = self.program.ask_timed(&command, limit)?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok((Choice::Resign, taken));
        }
        match size.parse_move(&answer) {
            Some(mv) => Ok((Choice::Make(mv), taken)),
            None => {
                let expected = "a vertex of the board, pass or resign";
                Err(OpponentError::garbage(&command, expected, &answer))
            }
        }
    }

    /// Tells the program of a move.
    ///
    /// # Errors
    /// When the program does not answer or refuses.
    pub fn play(&mut self, color: Color, mv: Move, size: BoardSize) -> Result<(), OpponentError> {
        self.tell(&format!("play {color} {}", size.move_text(mv)))
    }

    /// Asks for the score of the position; `None` when the program cannot tell.
    ///
    /// # Errors
    /// When the program does not answer, or answers what is no result.
    pub fn final_score(&mut self) -> Result<Option<Verdict>, OpponentError> {
        let command = "final_score";
        match self.program.ask(command, ANSWER_LIMIT) {
            Err(OpponentError::Refused { .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(answer) => match Verdict::parse(&answer) {
                Some(verdict) => Ok(Some(verdict)),
                None => {
                    let expected = "a result such as B+3.5, W+R or 0";
                    Err(OpponentError::garbage(command, expected, &answer))
                }
            },
        }
    }
}
