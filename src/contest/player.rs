//! GTP as spoken to a player: who it is, a new game, moves, the score.

use std::fmt;
use std::time::{Duration, Instant};

use super::opponent::{Opponent, OpponentError};
use super::verdict::Verdict;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::rules::Rules;

/// Time for every answer but that to `genmove`: loading a network and counting a large board included.
const ANSWER_LIMIT: Duration = Duration::from_secs(120);

/// What is said to the players about time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// Nothing: each program goes by its own settings.
    Unsaid,
    /// That there is no limit.
    Unlimited,
    /// Seconds for each move.
    PerMove(f64),
}

/// The conditions of a game, the same for both players.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The board.
    pub size: BoardSize,
    /// The rules with the komi.
    pub rules: Rules,
    /// Their name, told to programs that know `kata-set-rules`.
    pub rules_name: String,
    /// What is said about time.
    pub time: TimeControl,
    /// When a program that has not answered `genmove` counts as hung.
    pub move_limit: Duration,
    /// Moves after which a game ends without a result.
    pub max_moves: usize,
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
            name: say("name")?,
            version: say("version")?,
        };
        let commands = say("list_commands")?;
        Ok(Self {
            program,
            identity,
            commands: commands.split_whitespace().map(str::to_owned).collect(),
        })
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
            self.tell(&format!("kata-set-rules {}", terms.rules_name))?;
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
        self.tell(&format!("komi {}", terms.rules.komi))?;
        match terms.time {
            TimeControl::Unsaid => Ok(()),
            // A period of some length for no stones: the protocol's way to say so.
            TimeControl::Unlimited => self.tell("time_settings 0 1 0"),
            TimeControl::PerMove(seconds) => self.tell(&format!("time_settings 0 {seconds} 1")),
        }
    }

    /// Asks for a move; also says how long the answer took.
    ///
    /// # Errors
    /// When the program does not answer, refuses, or answers what is no vertex of this board.
    pub fn genmove(
        &mut self,
        color: Color,
        terms: &Terms,
    ) -> Result<(Choice, Duration), OpponentError> {
        let command = format!("genmove {color}");
        let asked = Instant::now();
        let answer = self.program.ask(&command, terms.move_limit)?;
        let taken = asked.elapsed();
        if answer.eq_ignore_ascii_case("resign") {
            return Ok((Choice::Resign, taken));
        }
        match terms.size.parse_move(&answer) {
            Some(mv) => Ok((Choice::Make(mv), taken)),
            None => Err(OpponentError::Garbage {
                command,
                expected: "a vertex of the board, pass or resign",
                found: answer,
            }),
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
                None => Err(OpponentError::Garbage {
                    command: command.to_owned(),
                    expected: "a result such as B+3.5, W+R or 0",
                    found: answer,
                }),
            },
        }
    }
}
