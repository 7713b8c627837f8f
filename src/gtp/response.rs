//! Responses and errors, and their wire format.
//!
//! A response consists of `=` (success) or `?` (error), the command's ID if it has one, a space, the text, and an empty
//! line. The space is sent even if the text is empty, because some clients look for the text after the first space.

use std::fmt;

use crate::eval::EvalError;
use crate::game::point::{BoardSize, Point};

/// Response of a successful command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Text for the session to send.
    Text(String),
    /// The command has sent its response itself, line by line.
    Streamed,
    /// An empty response after which the session ends.
    Quit,
}

impl Response {
    /// Response without text.
    pub const EMPTY: Self = Self::Text(String::new());
}

/// Result of a command.
pub type CommandResult = Result<Response, GtpError>;

/// Returns a successful response with the given text.
pub fn text(text: impl ToString) -> CommandResult {
    Ok(Response::Text(text.to_string()))
}

/// Error response of a command. Messages start with the standard text of the GTP specification or of GNU Go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GtpError {
    #[error("unknown command: {0}")]
    UnknownCommand(String),
    /// An argument is missing, invalid or unexpected.
    #[error("syntax error: {0}")]
    Syntax(String),
    #[error("unacceptable size: {0}")]
    UnacceptableSize(String),
    #[error("illegal move: {0}")]
    IllegalMove(String),
    #[error("cannot undo: {0}")]
    CannotUndo(String),
    /// No move has been played.
    #[error("no previous move known: {0}")]
    NoPreviousMove(String),
    /// The command needs an empty board.
    #[error("board not empty: {0}")]
    BoardNotEmpty(String),
    /// The number of handicap stones is out of range.
    #[error("invalid number of stones: {0}")]
    InvalidNumberOfStones(String),
    /// Stones cannot be placed on the given points.
    #[error("bad vertex list: {0}")]
    BadVertexList(String),
    /// The command needs the vertex of a stone.
    #[error("vertex must not be empty: {0}")]
    EmptyVertex(String),
    /// The command needs two chains of the same colour.
    #[error("vertices must have same color: {0}")]
    DifferentColors(String),
    /// The command needs a chain with two liberties.
    #[error("string must have exactly 2 liberties: {0}")]
    NotTwoLiberties(String),
    /// The file cannot be read or does not contain a valid game.
    #[error("cannot load file: {0}")]
    CannotLoadFile(String),
    #[error("cannot save file: {0}")]
    CannotSaveFile(String),
    #[error("cannot score: {0}")]
    CannotScore(String),
    /// The evaluator failed, or the engine rejected a setting.
    #[error("engine failure: {0}")]
    Engine(String),
}

impl From<EvalError> for GtpError {
    fn from(error: EvalError) -> Self {
        Self::Engine(error.to_string())
    }
}

/// Formats vertices separated by spaces.
pub fn vertices_text(size: BoardSize, points: impl IntoIterator<Item = Point>) -> String {
    let vertices: Vec<_> = points.into_iter().map(|point| size.vertex(point)).collect();
    vertices.join(" ")
}

/// Formats a complete response, including the empty line that ends it.
pub fn format_response(id: Option<&str>, result: &Result<String, GtpError>) -> String {
    let id = id.unwrap_or_default();
    match result {
        Ok(text) => format!("={id} {}\n\n", ResponseBody(text)),
        Err(error) => format!("?{id} {}\n\n", ResponseBody(&error.to_string())),
    }
}

/// Text of a response in its wire format: trailing whitespace is removed, and each inner empty line, which would end
/// the response, is replaced with a line that contains a space.
struct ResponseBody<'a>(&'a str);

impl fmt::Display for ResponseBody<'_> {
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
        let error = GtpError::Syntax("missing argument: colour".to_owned());
        assert_eq!(
            formatted(Some("7"), Err(error)),
            "?7 syntax error: missing argument: colour\n\n"
        );
    }

    #[test]
    fn inner_empty_lines_become_spaces() {
        assert_eq!(
            formatted(None, Ok("\nA B\n\n\nC\r\n\n")),
            "= \nA B\n \n \nC\n\n"
        );
    }
}
