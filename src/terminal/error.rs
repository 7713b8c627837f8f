//! Why something that the player asked for was not done.

use std::path::{Path, PathBuf};

use crate::engine::setting_change::SettingError;
use crate::eval::{EvalError, UnsupportedSizeError};
use crate::game::board::NoLibertiesError;
use crate::game::position::MoveError;
use crate::game::record::HandicapError;

/// What is wrong, in a line. The game is as it was.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// There is no such command.
    #[error("no such command or point: {found:?}{} (help lists them all)", suggestion_text(*suggestion))]
    UnknownCommand {
        /// What was typed.
        found: String,
        /// The command that it may have been meant to be.
        suggestion: Option<&'static str>,
    },
    /// It looks like a point but is on no board of this size.
    #[error("expected a point from {first} to {last}, found {found:?}")]
    OffBoard {
        /// What was typed.
        found: String,
        /// The lower left corner.
        first: String,
        /// The upper right corner.
        last: String,
    },
    /// The words after a command make no sense.
    #[error("expected {expected}, found {found:?}")]
    Argument {
        /// What would.
        expected: String,
        /// What was typed.
        found: String,
    },
    /// It has more bytes than this.
    #[error("expected a line of at most {0} bytes, found a longer one")]
    LineTooLong(usize),
    /// A move breaks the rules.
    #[error("{vertex}: {reason}")]
    Illegal {
        /// The move.
        vertex: String,
        /// Why.
        reason: MoveError,
    },
    /// The command needs a game in progress.
    #[error("the game is over; new starts another one, undo takes back the last move")]
    GameOver,
    /// A move was entered while the program is to move.
    #[error("it is the program's turn; press Esc to make it move now, or change sides with color")]
    ProgramsTurn,
    /// The command is not available while a position is being set up.
    #[error("a position is being set up; type done to play from it, or cancel to go back to the game")]
    SetupInProgress,
    /// The command is only available while a position is being set up.
    #[error("no position is being set up; type setup to start")]
    NotSettingUp,
    /// No move of a human player can be taken back.
    #[error("you have no move to take back")]
    NothingToUndo,
    /// The program plays both colours.
    #[error("you cannot resign; the program plays both colours")]
    NoHumanPlayer,
    /// The level does not apply to alpha-beta search.
    #[error("alpha-beta search has no levels; use --depth to make it weaker")]
    NoLevels,
    /// The stones cannot stand so.
    #[error(transparent)]
    NoLiberties(#[from] NoLibertiesError),
    /// The handicap cannot be placed.
    #[error(transparent)]
    Handicap(#[from] HandicapError),
    /// A file could not be read, written or understood.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The engine cannot judge a position.
    #[error(transparent)]
    Engine(#[from] EvalError),
    /// It judges no positions on such a board.
    #[error(transparent)]
    UnplayableBoard(#[from] UnsupportedSizeError),
    /// The engine cannot be set so.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// What may have been meant, to stand behind what was found.
fn suggestion_text(suggestion: Option<&str>) -> String {
    suggestion.map_or(String::new(), |name| format!("; did you mean {name:?}?"))
}

impl TerminalError {
    /// Of a file.
    #[must_use]
    pub fn file(path: &Path, reason: impl ToString) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// Of words after a command.
    #[must_use]
    pub fn argument(expected: impl Into<String>, found: &str) -> Self {
        Self::Argument {
            expected: expected.into(),
            found: found.to_owned(),
        }
    }
}
