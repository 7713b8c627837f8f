//! A command's arguments, taken one by one as what they should be.
//!
//! Every failure says what was expected and what was found.

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

/// The words after a command's name; taking goes from left to right.
#[derive(Clone, Debug)]
pub struct Args<'a> {
    remaining: &'a str,
}

impl<'a> Args<'a> {
    /// The arguments in the text after the name.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            remaining: text.trim_matches(' '),
        }
    }

    /// Whether all have been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.remaining.is_empty()
    }

    /// The next word without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<&'a str> {
        self.remaining
            .split(' ')
            .next()
            .filter(|word| !word.is_empty())
    }

    /// Takes the next word.
    ///
    /// # Errors
    /// When there is none; `expected` says what should have come.
    pub fn word(&mut self, expected: &str) -> Result<&'a str, GtpError> {
        let word = self.peek().ok_or_else(|| missing_argument(expected))?;
        self.remaining = self.remaining[word.len()..].trim_start_matches(' ');
        Ok(word)
    }

    /// Takes all that is left, as it was written.
    pub fn remaining_text(&mut self) -> &'a str {
        std::mem::take(&mut self.remaining)
    }

    /// Takes all words that are left.
    pub fn remaining_words(&mut self) -> Vec<&'a str> {
        self.remaining_text()
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect()
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// When something is.
    pub fn expect_end(&self) -> Result<(), GtpError> {
        match self.remaining {
            "" => Ok(()),
            remaining => Err(unexpected_argument("nothing more", remaining)),
        }
    }

    /// Takes `b`, `w`, `black` or `white` in any case.
    ///
    /// # Errors
    /// When the next word is none of these.
    pub fn color(&mut self) -> Result<Color, GtpError> {
        self.parse_word("a colour (black or white)", Color::parse)
    }

    /// Takes a colour if the next word is one.
    pub fn optional_color(&mut self) -> Option<Color> {
        let color = self.peek().and_then(Color::parse)?;
        self.word("a colour").ok().map(|_| color)
    }

    /// Takes a vertex of the board.
    ///
    /// # Errors
    /// When the next word is none.
    pub fn point(&mut self, size: BoardSize) -> Result<Point, GtpError> {
        let expected = format!("a vertex of the {size} board");
        self.parse_word(&expected, |word| size.parse_vertex(word))
    }

    /// Takes the vertex of a stone and returns it with its chain.
    ///
    /// # Errors
    /// Fails if the next argument is not a vertex, or if there is no stone.
    pub fn chain(&mut self, position: &Position) -> Result<(Point, Chain), GtpError> {
        let point = self.point(position.size())?;
        let chain = position.board().chain_at(point).ok_or_else(|| {
            let vertex = position.size().vertex(point);
            GtpError::EmptyVertex(format!("no stone at {vertex}"))
        })?;
        Ok((point, *chain))
    }

    /// Takes a vertex of the board or `pass`.
    ///
    /// # Errors
    /// When the next word is neither.
    pub fn mv(&mut self, size: BoardSize) -> Result<Move, GtpError> {
        let expected = format!("a vertex of the {size} board, or pass");
        self.parse_word(&expected, |word| size.parse_move(word))
    }

    /// Takes a number within bounds.
    ///
    /// # Errors
    /// When the next word is not a number of that type, or is out of bounds.
    pub fn number<T>(&mut self, description: &str, bounds: RangeInclusive<T>) -> Result<T, GtpError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let expected = format!("{description} ({} to {})", bounds.start(), bounds.end());
        self.parse_word(&expected, |word| {
            word.parse().ok().filter(|number| bounds.contains(number))
        })
    }

    /// Takes a whole number of any size that fits.
    ///
    /// # Errors
    /// When the next word is none.
    pub fn integer(&mut self, expected: &str) -> Result<i64, GtpError> {
        self.parse_word(expected, |word| word.parse().ok())
    }

    /// Takes a komi.
    ///
    /// # Errors
    /// When the next word is not a multiple of one half within bounds.
    pub fn komi(&mut self) -> Result<Komi, GtpError> {
        let expected = format!("a komi ({})", Komi::EXPECTED);
        self.parse_word(&expected, |word| {
            word.parse().ok().and_then(Komi::from_points)
        })
    }

    /// Takes `true` or `false` in any case.
    ///
    /// # Errors
    /// When the next word is neither.
    pub fn flag(&mut self, description: &str) -> Result<bool, GtpError> {
        let expected = format!("true or false for {description}");
        self.parse_word(&expected, |word| {
            word.to_ascii_lowercase().parse::<bool>().ok()
        })
    }

    fn parse_word<T>(
        &mut self,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, GtpError> {
        let word = self.word(expected)?;
        parse(word).ok_or_else(|| unexpected_argument(expected, word))
    }
}

/// The failure of arguments that end too early.
fn missing_argument(expected: &str) -> GtpError {
    GtpError::Syntax(format!("expected {expected}, found the end of the line"))
}

/// The failure of an argument that is not what it should be. Long ones are cut.
#[must_use]
pub fn unexpected_argument(expected: &str, found: &str) -> GtpError {
    let excerpt = error_text::truncated(found);
    GtpError::Syntax(format!("expected {expected}, found {excerpt:?}"))
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
    fn errors_name_expected_and_found() {
        let size = BoardSize::new(9, 9).unwrap();
        let message = |error: GtpError| error.to_string();
        let mut args = Args::new("foo Z99 1e9 7.3 maybe 101");
        assert_eq!(
            message(args.color().unwrap_err()),
            r#"syntax error: expected a colour (black or white), found "foo""#
        );
        assert_eq!(
            message(args.mv(size).unwrap_err()),
            r#"syntax error: expected a vertex of the 9x9 board, or pass, found "Z99""#
        );
        assert_eq!(
            message(args.number("seconds", 0.0..=1e6).unwrap_err()),
            r#"syntax error: expected seconds (0 to 1000000), found "1e9""#
        );
        assert_eq!(
            message(args.komi().unwrap_err()),
            r#"syntax error: expected a komi (a multiple of 0.5 from -400 to 400), found "7.3""#
        );
        assert_eq!(
            message(args.flag("ownership").unwrap_err()),
            r#"syntax error: expected true or false for ownership, found "maybe""#
        );
        assert_eq!(
            message(args.expect_end().unwrap_err()),
            r#"syntax error: expected nothing more, found "101""#
        );
        assert!(args.number("moves", 0..=100).is_err());
        assert_eq!(
            message(args.color().unwrap_err()),
            "syntax error: expected a colour (black or white), found the end of the line"
        );
    }

    #[test]
    fn long_arguments_are_truncated() {
        let message = unexpected_argument("a colour", &"é".repeat(1000)).to_string();
        assert!(message.chars().count() < 120 && message.contains('…'));
    }
}
