//! Parsing of command arguments.
//!
//! The methods of [`Args`] consume the arguments from left to right. Parameters called `description` name the argument
//! in error messages; they are noun phrases without an article, such as "colour (black or white)".

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

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
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            remaining: text.trim_matches(' '),
        }
    }

    /// Returns true if no arguments remain.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.remaining.is_empty()
    }

    /// Returns the next word without consuming it.
    #[must_use]
    pub fn peek(&self) -> Option<&'a str> {
        self.remaining
            .split(' ')
            .next()
            .filter(|word| !word.is_empty())
    }

    /// Consumes the next word.
    ///
    /// # Errors
    /// Returns an error if no arguments remain.
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
    ///
    /// # Errors
    /// Returns an error that names the remaining text, if there is any.
    pub fn expect_end(&self) -> Result<(), GtpError> {
        match self.remaining {
            "" => Ok(()),
            remaining => {
                let excerpt = error_text::truncated(remaining);
                Err(GtpError::Syntax(format!("unexpected argument {excerpt:?}")))
            }
        }
    }

    /// Consumes `b`, `w`, `black` or `white`, ignoring case.
    ///
    /// # Errors
    /// Returns an error if the next word is not a colour.
    pub fn color(&mut self) -> Result<Color, GtpError> {
        self.parse_word("colour (black or white)", Color::parse)
    }

    /// Consumes the next word if it is a colour. Otherwise returns `None` and consumes nothing.
    pub fn optional_color(&mut self) -> Option<Color> {
        let color = self.peek().and_then(Color::parse)?;
        self.word("colour").ok().map(|_| color)
    }

    /// Consumes the vertex of a point on the board.
    ///
    /// # Errors
    /// Returns an error if the next word is not a vertex.
    pub fn point(&mut self, size: BoardSize) -> Result<Point, GtpError> {
        let description = format!("vertex of the {size} board");
        self.parse_word(&description, |word| size.parse_vertex(word))
    }

    /// Consumes the vertex of a stone, and returns the point and the stone's chain.
    ///
    /// # Errors
    /// Returns an error if the next word is not a vertex, or if the point is empty.
    pub fn chain(&mut self, position: &Position) -> Result<(Point, Chain), GtpError> {
        let point = self.point(position.size())?;
        let chain = position.board().chain_at(point).ok_or_else(|| {
            let vertex = position.size().vertex(point);
            GtpError::EmptyVertex(format!("no stone at {vertex}"))
        })?;
        Ok((point, *chain))
    }

    /// Consumes a move: a vertex or `pass`. Does not check that the move is legal.
    ///
    /// # Errors
    /// Returns an error if the next word is not a move.
    pub fn mv(&mut self, size: BoardSize) -> Result<Move, GtpError> {
        let description = format!("move on the {size} board (a vertex or pass)");
        self.parse_word(&description, |word| size.parse_move(word))
    }

    /// Consumes a number within `bounds`.
    ///
    /// # Errors
    /// Returns an error if the next word cannot be parsed as `T` or is out of bounds.
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
    ///
    /// # Errors
    /// Returns an error if the next word is not an integer.
    pub fn integer(&mut self, description: &str) -> Result<i64, GtpError> {
        self.parse_word(description, |word| word.parse().ok())
    }

    /// Consumes a komi in points.
    ///
    /// # Errors
    /// Returns an error if the next word is not a valid komi (see [`Komi::EXPECTED`]).
    pub fn komi(&mut self) -> Result<Komi, GtpError> {
        let description = format!("komi ({})", Komi::EXPECTED);
        self.parse_word(&description, |word| {
            word.parse().ok().and_then(Komi::from_points)
        })
    }

    /// Consumes `true` or `false`, ignoring case.
    ///
    /// # Errors
    /// Returns an error if the next word is neither.
    pub fn flag(&mut self, description: &str) -> Result<bool, GtpError> {
        let description = format!("value for {description} (true or false)");
        self.parse_word(&description, |word| {
            word.to_ascii_lowercase().parse::<bool>().ok()
        })
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
#[must_use]
pub fn invalid_argument(description: &str, found: &str) -> GtpError {
    let excerpt = error_text::truncated(found);
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
        assert_eq!(args.optional_color(), None);
        assert_eq!(args.point(size), Ok(Point::at(3, 5)));
        assert_eq!(args.mv(size), Ok(Move::Pass));
        assert_eq!(args.number("moves", 0..=99), Ok(12));
        assert_eq!(args.komi().map(Komi::half_points), Ok(-1));
        assert_eq!(args.flag("ownership"), Ok(true));
        assert!(args.expect_end().is_err());
        assert_eq!(args.clone().remaining_words(), ["a", "b", "c"]);
        assert_eq!(args.remaining_text(), "a  b c");
        assert!(args.is_empty() && args.expect_end().is_ok());
    }

    #[test]
    fn errors_name_the_invalid_argument() {
        let size = BoardSize::new(9, 9).unwrap();
        let message = |error: GtpError| error.to_string();
        let mut args = Args::new("foo Z99 1e9 7.3 maybe 101");
        assert_eq!(
            message(args.color().unwrap_err()),
            r#"syntax error: "foo" is not a valid colour (black or white)"#
        );
        assert_eq!(
            message(args.mv(size).unwrap_err()),
            r#"syntax error: "Z99" is not a valid move on the 9x9 board (a vertex or pass)"#
        );
        assert_eq!(
            message(args.number("number of seconds", 0.0..=1e6).unwrap_err()),
            r#"syntax error: "1e9" is not a valid number of seconds (0 to 1000000)"#
        );
        assert_eq!(
            message(args.komi().unwrap_err()),
            r#"syntax error: "7.3" is not a valid komi (a multiple of 0.5 from -400 to 400)"#
        );
        assert_eq!(
            message(args.flag("ownership").unwrap_err()),
            r#"syntax error: "maybe" is not a valid value for ownership (true or false)"#
        );
        assert_eq!(
            message(args.expect_end().unwrap_err()),
            r#"syntax error: unexpected argument "101""#
        );
        assert!(args.number("moves", 0..=100).is_err());
        assert_eq!(
            message(args.color().unwrap_err()),
            "syntax error: missing argument: colour (black or white)"
        );
    }

    #[test]
    fn long_arguments_are_truncated() {
        let message = invalid_argument("colour", &"é".repeat(1000)).to_string();
        assert!(message.chars().count() < 120 && message.contains('…'));
    }
}
