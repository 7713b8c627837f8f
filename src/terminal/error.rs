//! Errors of the terminal interface.

use std::io;
use std::path::{Path, PathBuf};

use crate::engine::setting_change::SettingError;
use crate::eval::{EvalError, UnsupportedSizeError};
use crate::game::board::NoLibertiesError;
use crate::game::point::BoardSize;
use crate::game::position::MoveError;
use crate::game::record::HandicapError;
use crate::search::SearchError;
use crate::sgf::convert::GameError;

/// Error of a command, shown to the user in one line. Unless an evaluation failed, the command has not changed the
/// game.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The line is neither a command nor a point.
    #[error("unknown command {found:?}; {}", suggestion_text(*suggestion))]
    UnknownCommand {
        found: String,
        /// Name of a similar command, if there is one.
        suggestion: Option<&'static str>,
    },
    /// The point is not on the board.
    #[error("{found} is not on the {size} board")]
    OffBoard { found: String, size: BoardSize },
    /// An argument is missing or invalid. `description` describes valid arguments as a noun phrase without an article.
    #[error("{}", argument_error_text(description, found))]
    Argument { description: String, found: String },
    /// The command received an argument that it does not take.
    #[error("unexpected argument {0:?}")]
    UnexpectedArgument(String),
    /// The line is longer than this number of bytes.
    #[error("the line is longer than {0} bytes")]
    LineTooLong(usize),
    #[error("{vertex}: {reason}")]
    Illegal { vertex: String, reason: MoveError },
    /// The command needs a game in progress.
    #[error("the game is over; type new to start another one, or undo to continue this one")]
    GameOver,
    /// The user entered a move although it is the program's turn.
    #[error(
        "it is the program's turn; type go to let it move, or color black or color white to choose your side"
    )]
    ProgramsTurn,
    /// The command is not available while a position is being set up.
    #[error(
        "a position is being set up; type done to play from it, or cancel to go back to the game"
    )]
    SetupInProgress,
    /// The command is only available while a position is being set up.
    #[error("no position is being set up; type setup to start")]
    NotSettingUp,
    /// The command needs the latest position, but an earlier one is shown.
    #[error(
        "move {shown} of {total} is shown; type end to return to the game, or undo to continue from here"
    )]
    EarlierPosition { shown: usize, total: usize },
    /// There is no move by a human player to take back.
    #[error("you have no move to take back")]
    NothingToUndo,
    /// No move has been taken back since the last move was played.
    #[error("there are no moves to play again")]
    NothingToRedo,
    /// The game has no moves.
    #[error("there are no moves to review")]
    NothingToReview,
    /// The game has not been reviewed.
    #[error("the game has not been reviewed; type review first")]
    NotReviewed,
    /// The review found no mistakes in the moves of the game.
    #[error("the review found no mistakes")]
    NoMistakes,
    /// The game cannot be reviewed.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The search of a position failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The thread of a review cannot be started.
    #[error("cannot start the review: {0}")]
    Thread(#[from] io::Error),
    /// The user cannot resign, because the program plays both colours.
    #[error("you cannot resign; the program plays both colours")]
    NoHumanPlayer,
    /// The level applies to the tree search only.
    #[error("only the tree search has levels; use --depth to weaken the search")]
    NoLevels,
    /// A chain in the set-up position has no liberties.
    #[error(transparent)]
    NoLiberties(#[from] NoLibertiesError),
    /// The handicap stones cannot be placed.
    #[error(transparent)]
    Handicap(#[from] HandicapError),
    /// A file cannot be read or written, or is invalid.
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    /// The evaluator failed.
    #[error(transparent)]
    Engine(#[from] EvalError),
    /// The evaluator does not support this board size.
    #[error(transparent)]
    UnplayableBoard(#[from] UnsupportedSizeError),
    /// The engine rejected a setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Returns the hint that follows an unknown command.
fn suggestion_text(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(
        || "type help for a list of commands".to_owned(),
        |name| format!("did you mean {name:?}?"),
    )
}

fn argument_error_text(description: &str, found: &str) -> String {
    if found.is_empty() {
        format!("missing argument: {description}")
    } else {
        format!("{found:?} is not a valid {description}")
    }
}

impl TerminalError {
    /// Creates a [`File`](Self::File) error.
    pub fn file(path: &Path, reason: impl ToString) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// Creates an [`Argument`](Self::Argument) error. `found` is empty if the argument is missing.
    pub fn argument(description: impl Into<String>, found: &str) -> Self {
        Self::Argument {
            description: description.into(),
            found: found.to_owned(),
        }
    }
}
