//! Answers: `= text` or `? text` with the command's number, ended by an empty line.
//!
//! The space after the sign is always there, because some clients take the text from behind the first space of the
//! whole answer.

use std::fmt;

use crate::eval::EvalError;

/// Why a command was refused. The text begins with the protocol's own words, then says what was expected and found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
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
    NoMove(String),
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
    TwoColors(String),
    /// The chain is not one that a ladder could take.
    #[error("string must have exactly 2 liberties: {0}")]
    NoLadder(String),
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

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        Self::Engine(error.to_string())
    }
}

/// A whole answer, with the empty line that ends it.
#[must_use]
pub fn text(id: Option<&str>, answer: &Result<String, Failure>) -> String {
    let id = id.unwrap_or_default();
    match answer {
        Ok(text) => format!("={id} {}\n\n", Body(text)),
        Err(failure) => format!("?{id} {}\n\n", Body(&failure.to_string())),
    }
}

/// The first line of an answer that follows line by line; an empty line ends it.
#[must_use]
pub fn opening(id: Option<&str>) -> String {
    format!("={}", id.unwrap_or_default())
}

/// Text without line breaks at its end; an empty line inside, which would end the answer, becomes a space.
struct Body<'a>(&'a str);

impl fmt::Display for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.0.trim_end().lines().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            let line = line.trim_end_matches('\r');
            f.write_str(if line.is_empty() && number > 0 {
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

    fn written(id: Option<&str>, answer: Result<&str, Failure>) -> String {
        text(id, &answer.map(str::to_owned))
    }

    #[test]
    fn answers_have_sign_id_space_and_an_empty_line() {
        assert_eq!(written(None, Ok("D4")), "= D4\n\n");
        assert_eq!(written(Some("12"), Ok("D4")), "=12 D4\n\n");
        assert_eq!(written(None, Ok("")), "= \n\n");
        let failure = Failure::Syntax("expected a colour".to_owned());
        assert_eq!(
            written(Some("7"), Err(failure)),
            "?7 syntax error: expected a colour\n\n"
        );
    }

    #[test]
    fn no_empty_line_stands_inside() {
        assert_eq!(
            written(None, Ok("\nA B\n\n\nC\r\n\n")),
            "= \nA B\n \n \nC\n\n"
        );
    }

    #[test]
    fn a_long_answer_opens_with_its_id() {
        assert_eq!(opening(Some("3")), "=3");
        assert_eq!(opening(None), "=");
    }
}
