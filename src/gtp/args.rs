//! Parsing of command arguments.
//!
//! The methods of [`Args`] consume arguments from left to right. If the next argument is missing or invalid, a method
//! returns a syntax error that names the argument. Parameters called `description` contain the name of an argument for
//! error messages: a noun phrase without an article, such as "colour (black or white)".

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde_json::{Map, Value};

use super::response::GtpError;
use crate::game::board::Chain;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::position::Position;
use crate::game::rules::Komi;
use crate::io::error_text;

/// Arguments of a command that have not been consumed yet.
#[derive(Clone, Debug)]
pub struct Args<'a> {
    remaining: &'a str,
}

impl<'a> Args<'a> {
    /// Creates the arguments from the text after the command name.
    pub fn new(text: &'a str) -> Self {
        Self {
            remaining: text.trim_matches(' '),
        }
    }

    /// Returns true if no arguments remain.
    pub const fn is_empty(&self) -> bool {
        self.remaining.is_empty()
    }

    /// Returns the next word without consuming it, or `None` if no arguments remain.
    pub fn peek(&self) -> Option<&'a str> {
        self.remaining
            .split(' ')
            .next()
            .filter(|word| !word.is_empty())
    }

    /// Consumes the next word.
    pub fn word(&mut self, description: &str) -> Result<&'a str, GtpError> {
        let word = self.peek().ok_or_else(|| missing_argument(description))?;
        self.remaining = self.remaining[word.len()..].trim_start_matches(' ');
        Ok(word)
    }

    /// Consumes the remaining text, including its inner spaces.
    pub fn remaining_text(&mut self) -> &'a str {
        std::mem::take(&mut self.remaining)
    }

    /// Consumes all remaining words.
    pub fn remaining_words(&mut self) -> Vec<&'a str> {
        self.remaining_text()
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect()
    }

    /// Checks that all arguments have been consumed.
    pub fn expect_end(&self) -> Result<(), GtpError> {
        match self.remaining {
            "" => Ok(()),
            remaining => {
                let excerpt = error_text::excerpt(remaining);
                Err(GtpError::Syntax(format!("unexpected argument {excerpt:?}")))
            }
        }
    }

    /// Consumes the last argument with `parse`, and checks that no other arguments follow it.
    pub fn parse_last<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, GtpError>,
    ) -> Result<T, GtpError> {
        let value = parse(self)?;
        self.expect_end()?;
        Ok(value)
    }

    /// Consumes an argument with `parse`. Returns `None` if no arguments remain.
    pub fn optional<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, GtpError>,
    ) -> Result<Option<T>, GtpError> {
        (!self.is_empty()).then(|| parse(self)).transpose()
    }

    /// Consumes `b`, `w`, `black` or `white`, ignoring case.
    pub fn color(&mut self) -> Result<Color, GtpError> {
        self.parse_word("colour (black or white)", Color::parse)
    }

    /// Consumes the next word and returns true if the word is equal to `expected`, ignoring case. Otherwise, consumes
    /// nothing and returns false.
    pub fn accept_keyword(&mut self, expected: &str) -> bool {
        let is_next = (self.peek()).is_some_and(|word| word.eq_ignore_ascii_case(expected));
        is_next && self.word(expected).is_ok()
    }

    /// Consumes and returns the next word if it is a colour. Otherwise, consumes nothing and returns `None`.
    pub fn accept_color(&mut self) -> Option<Color> {
        let color = self.peek().and_then(Color::parse)?;
        self.word("colour").ok().map(|_| color)
    }

    /// Consumes the vertex of a point on the board.
    pub fn point(&mut self, size: BoardSize) -> Result<Point, GtpError> {
        let description = format!("vertex of the {size} board");
        self.parse_word(&description, |word| size.parse_vertex(word))
    }

    /// Consumes the vertex of a stone, and returns the point and the stone's chain.
    ///
    /// # Errors
    /// Returns an error if there is no next word, if the word is not a vertex of the board, or if the point is empty.
    pub fn chain(&mut self, position: &Position) -> Result<(Point, Chain), GtpError> {
        let point = self.point(position.size())?;
        let chain = position.board().chain_at(point).ok_or_else(|| {
            let vertex = position.size().vertex(point);
            GtpError::EmptyVertex(format!("no stone at {vertex}"))
        })?;
        Ok((point, *chain))
    }

    /// Consumes a move: a vertex or `pass`. Does not check that the move is legal.
    pub fn mv(&mut self, size: BoardSize) -> Result<Move, GtpError> {
        let description = format!("move on the {size} board (a vertex or pass)");
        self.parse_word(&description, |word| size.parse_move(word))
    }

    /// Consumes a number within `bounds`.
    pub fn number<T>(&mut self, description: &str, bounds: RangeInclusive<T>) -> Result<T, GtpError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let description = format!("{description} ({} to {})", bounds.start(), bounds.end());
        self.parse_word(&description, |word| {
            word.parse().ok().filter(|number| bounds.contains(number))
        })
    }

    /// Consumes an integer.
    pub fn integer(&mut self, description: &str) -> Result<i64, GtpError> {
        self.parse_word(description, |word| word.parse().ok())
    }

    /// Consumes a komi in points. A number with quarters from 2.75 to 3.75 is a komi in stones, which some clients pass
    /// on from Chinese files.
    pub fn komi(&mut self) -> Result<Komi, GtpError> {
        let description = format!("komi ({})", Komi::VALID_VALUES);
        self.parse_word(&description, |word| {
            let number = word.parse().ok()?;
            Komi::from_points(number).or_else(|| Komi::from_stones(number))
        })
    }

    /// Consumes `true` or `false`, ignoring case.
    pub fn boolean(&mut self, description: &str) -> Result<bool, GtpError> {
        let description = format!("value for {description} (true or false)");
        self.parse_word(&description, |word| {
            word.to_ascii_lowercase().parse::<bool>().ok()
        })
    }

    /// Consumes the remaining text as a JSON object and returns the names and values of its fields. String values are
    /// returned without quotes and escapes, other values as JSON text.
    pub fn json_fields(&mut self, description: &str) -> Result<Vec<(String, String)>, GtpError> {
        let object: Map<String, Value> =
            serde_json::from_str(self.remaining_text()).map_err(|error| {
                GtpError::Syntax(format!("the {description} must be a JSON object: {error}"))
            })?;
        let fields = object.into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, other.to_string()),
        });
        Ok(fields.collect())
    }

    fn parse_word<T>(
        &mut self,
        description: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, GtpError> {
        let word = self.word(description)?;
        parse(word).ok_or_else(|| invalid_argument(description, word))
    }
}

/// Returns the error for a missing argument.
fn missing_argument(description: &str) -> GtpError {
    GtpError::Syntax(format!("missing argument: {description}"))
}

/// Returns the error for an invalid argument. A long argument is truncated in the message.
pub fn invalid_argument(description: &str, found: &str) -> GtpError {
    let excerpt = error_text::excerpt(found);
    GtpError::Syntax(format!("{excerpt:?} is not a valid {description}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed_in_order() {
        let size = BoardSize::new(9, 9).unwrap();
        let mut args = Args::new("W  d4 PASS 12 -0.5 True a  b c");
        assert_eq!(args.color(), Ok(Color::White));
        assert_eq!(args.accept_color(), None);
        assert_eq!(args.point(size), Ok(Point::at(3, 5)));
        assert_eq!(args.mv(size), Ok(Move::Pass));
        assert_eq!(args.number("moves", 0..=99), Ok(12));
        assert_eq!(args.komi().map(Komi::half_points), Ok(-1));
        assert_eq!(args.boolean("ownership"), Ok(true));
        let komi = |text: &str| Args::new(text).komi().ok().map(Komi::half_points);
        assert_eq!(
            ["3.75", "3.5", "7.25", "7,50"].map(komi),
            [Some(15), Some(7), None, None]
        );
        assert!(args.expect_end().is_err());
        assert_eq!(args.clone().remaining_words(), ["a", "b", "c"]);
        assert_eq!(args.remaining_text(), "a  b c");
        assert!(args.is_empty() && args.expect_end().is_ok());
    }

    #[test]
    fn errors_name_the_invalid_argument() {
        let size = BoardSize::new(9, 9).unwrap();
        let mut args = Args::new("foo Z99 1e9 7.3 maybe 101");
        let errors = [
            args.color().err(),
            args.mv(size).err(),
            args.number("number of seconds", 0.0..=1e6).err(),
            args.komi().err(),
            args.boolean("ownership").err(),
            args.expect_end().err(),
            args.number("number of moves", 0..=100).err(),
            args.color().err(),
        ];
        assert_eq!(
            errors.map(|error| error.unwrap().to_string()),
            [
                r#"syntax error: "foo" is not a valid colour (black or white)"#,
                r#"syntax error: "Z99" is not a valid move on the 9x9 board (a vertex or pass)"#,
                r#"syntax error: "1e9" is not a valid number of seconds (0 to 1000000)"#,
                r#"syntax error: "7.3" is not a valid komi (a multiple of 0.5 from -400 to 400)"#,
                r#"syntax error: "maybe" is not a valid value for ownership (true or false)"#,
                r#"syntax error: unexpected argument "101""#,
                r#"syntax error: "101" is not a valid number of moves (0 to 100)"#,
                "syntax error: missing argument: colour (black or white)",
            ]
        );
    }

    #[test]
    fn long_arguments_are_truncated() {
        let message = invalid_argument("colour", &"é".repeat(1000)).to_string();
        assert!(message.chars().count() < 120 && message.contains('…'));
    }
}
