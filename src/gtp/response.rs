//! Answers: `= format_response` or `? format_response` with the command's number, ended by an empty line.
//!
//! The space after the sign is always there, because some clients take the text from behind the first space of the
//! whole answer.

use std::fmt;

use crate::eval::EvalError;
use crate::game::point::{BoardSize, Move, Point};

/// The response of a command that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Text that the session still has to send.
    Text(String),
    /// The command has sent its response itself, line by line.
    Sent,
    /// An empty response after which the session ends.
    Quit,
}

impl Response {
    /// Response without text.
    pub const EMPTY: Self = Self::Text(String::new());
}

/// Result of a command.
pub type CommandResult = Result<Response, GtpError>;

/// Why a command was refused. The text begins with the protocol's own words, then says what was expected and found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GtpError {
    /// No such command.
    #[error("unknown command: {0}")]
    UnknownCommand(String),
    /// The arguments are not of the expected form.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// The board cannot have that size.
    #[error("unacceptable size: {0}")]
    UnacceptableSize(String),
    /// The move breaks a rule.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// There is no move to take back.
    #[error("cannot undo: {0}")]
    CannotUndo(String),
    /// Nobody has moved yet.
    #[error("no previous move known: {0}")]
    NoPreviousMove(String),
    /// Stones are set up on an empty board.
    #[error("board not empty: {0}")]
    BoardNotEmpty(String),
    /// That many handicap stones cannot be placed.
    #[error("invalid number of stones: {0}")]
    InvalidNumberOfStones(String),
    /// The points cannot take the stones.
    #[error("bad vertex list: {0}")]
    BadVertexList(String),
    /// A stone is asked about where there is none.
    #[error("vertex must not be empty: {0}")]
    EmptyVertex(String),
    /// Chains of one owner are asked about.
    #[error("vertices must have same color: {0}")]
    DifferentColors(String),
    /// The chain is not one that a ladder could take.
    #[error("string must have exactly 2 liberties: {0}")]
    NotTwoLiberties(String),
    /// The file cannot be read, or holds no such game.
    #[error("cannot load file: {0}")]
    CannotLoadFile(String),
    /// The file cannot be written.
    #[error("cannot save file: {0}")]
    CannotSaveFile(String),
    /// The game cannot be counted.
    #[error("cannot score: {0}")]
    CannotScore(String),
    /// The engine could not do its part.
    #[error("engine failure: {0}")]
    Engine(String),
}

impl From<EvalError> for GtpError {
    fn from(error: EvalError) -> Self {
        Self::Engine(error.to_string())
    }
}

/// Formats moves separated by spaces.
pub fn moves_text(size: BoardSize, moves: &[Move]) -> String {
    let vertices: Vec<_> = moves.iter().map(|&mv| size.format_move(mv)).collect();
    vertices.join(" ")
}

/// Formats vertices separated by spaces.
pub fn vertices_text(size: BoardSize, points: impl IntoIterator<Item = Point>) -> String {
    let vertices: Vec<_> = points.into_iter().map(|point| size.vertex(point)).collect();
    vertices.join(" ")
}

/// A whole answer, with the empty line that ends it.
#[must_use]
pub fn format_response(id: Option<&str>, result: &Result<String, GtpError>) -> String {
    let id = id.unwrap_or_default();
    match result {
        Ok(text) => format!("={id} {}\n\n", Body(text)),
        Err(error) => format!("?{id} {}\n\n", Body(&error.to_string())),
    }
}

/// The first line of an answer that follows line by line; an empty line ends it.
#[must_use]
pub fn format_header(id: Option<&str>) -> String {
    format!("={}", id.unwrap_or_default())
}

/// Text without line breaks at its end; an empty line inside, which would end the answer, becomes a space.
struct Body<'a>(&'a str);

impl fmt::Display for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.0.trim_end().lines().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            let line = line.trim_end_matches('\r');
            f.write_str(if line.is_empty() && index > 0 {
                " "
            } else {
                line
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(id: Option<&str>, result: Result<&str, GtpError>) -> String {
        format_response(id, &result.map(str::to_owned))
    }

    #[test]
    fn responses_have_status_id_and_empty_line() {
        assert_eq!(formatted(None, Ok("D4")), "= D4\n\n");
        assert_eq!(formatted(Some("12"), Ok("D4")), "=12 D4\n\n");
        assert_eq!(formatted(None, Ok("")), "= \n\n");
        let error = GtpError::Syntax("expected a colour".to_owned());
        assert_eq!(
            formatted(Some("7"), Err(error)),
            "?7 syntax error: expected a colour\n\n"
        );
    }

    #[test]
    fn inner_empty_lines_become_spaces() {
        assert_eq!(
            formatted(None, Ok("\nA B\n\n\nC\r\n\n")),
            "= \nA B\n \n \nC\n\n"
        );
    }

    #[test]
    fn streamed_response_header_has_id() {
        assert_eq!(format_header(Some("3")), "=3");
        assert_eq!(format_header(None), "=");
    }
}
