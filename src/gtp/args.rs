//! A command's arguments, taken one by one as what they should be.
//!
//! Every failure says what was expected and what was found.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::reply::Failure;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::rules::Komi;
use crate::names;

/// The words after a command's name; taking goes from left to right.
#[derive(Clone, Debug)]
pub struct Args<'a> {
    rest: &'a str,
}

impl<'a> Args<'a> {
    /// The arguments in the text after the name.
    #[must_use]
    pub fn new(rest: &'a str) -> Self {
        Self {
            rest: rest.trim_matches(' '),
        }
    }

    /// Whether all have been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next word without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<&'a str> {
        self.rest.split(' ').next().filter(|word| !word.is_empty())
    }

    /// Takes the next word.
    ///
    /// # Errors
    /// When there is none; `expected` says what should have come.
    pub fn word(&mut self, expected: &str) -> Result<&'a str, Failure> {
        let word = self.peek().ok_or_else(|| missing(expected))?;
        self.rest = self.rest[word.len()..].trim_start_matches(' ');
        Ok(word)
    }

    /// Takes all that is left, as it was written.
    pub fn text(&mut self) -> &'a str {
        std::mem::take(&mut self.rest)
    }

    /// Takes all words that are left.
    pub fn words(&mut self) -> Vec<&'a str> {
        self.text()
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect()
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// When something is.
    pub fn end(&self) -> Result<(), Failure> {
        match self.rest {
            "" => Ok(()),
            rest => Err(unexpected("nothing more", rest)),
        }
    }

    /// Takes `b`, `w`, `black` or `white` in any case.
    ///
    /// # Errors
    /// When the next word is none of these.
    pub fn color(&mut self) -> Result<Color, Failure> {
        self.take("a colour (black or white)", Color::parse)
    }

    /// Takes a colour if the next word is one.
    pub fn color_if_any(&mut self) -> Option<Color> {
        let color = self.peek().and_then(Color::parse)?;
        self.word("a colour").ok().map(|_| color)
    }

    /// Takes a vertex of the board.
    ///
    /// # Errors
    /// When the next word is none.
    pub fn point(&mut self, size: BoardSize) -> Result<Point, Failure> {
        let expected = format!("a vertex of the {size} board");
        self.take(&expected, |word| size.parse_vertex(word))
    }

    /// Takes a vertex of the board or `pass`.
    ///
    /// # Errors
    /// When the next word is neither.
    pub fn mv(&mut self, size: BoardSize) -> Result<Move, Failure> {
        let expected = format!("a vertex of the {size} board, or pass");
        self.take(&expected, |word| size.parse_move(word))
    }

    /// Takes a number within bounds.
    ///
    /// # Errors
    /// When the next word is not a number of that type, or is out of bounds.
    pub fn number<T>(&mut self, what: &str, bounds: RangeInclusive<T>) -> Result<T, Failure>
    where
        T: FromStr + PartialOrd + Display,
    {
        let expected = format!("{what} ({} to {})", bounds.start(), bounds.end());
        self.take(&expected, |word| {
            word.parse().ok().filter(|number| bounds.contains(number))
        })
    }

    /// Takes a whole number of any size that fits.
    ///
    /// # Errors
    /// When the next word is none.
    pub fn integer(&mut self, expected: &str) -> Result<i64, Failure> {
        self.take(expected, |word| word.parse().ok())
    }

    /// Takes a komi.
    ///
    /// # Errors
    /// When the next word is not a multiple of one half within bounds.
    pub fn komi(&mut self) -> Result<Komi, Failure> {
        let expected = format!("a komi ({})", Komi::EXPECTED);
        self.take(&expected, |word| {
            word.parse().ok().and_then(Komi::from_points)
        })
    }

    /// Takes `true` or `false` in any case.
    ///
    /// # Errors
    /// When the next word is neither.
    pub fn flag(&mut self, what: &str) -> Result<bool, Failure> {
        let expected = format!("true or false for {what}");
        self.take(&expected, |word| {
            word.to_ascii_lowercase().parse::<bool>().ok()
        })
    }

    fn take<T>(
        &mut self,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        let word = self.word(expected)?;
        read(word).ok_or_else(|| unexpected(expected, word))
    }
}

/// The failure of arguments that end too early.
fn missing(expected: &str) -> Failure {
    Failure::Syntax(format!("expected {expected}, found the end of the line"))
}

/// The failure of an argument that is not what it should be. Long ones are cut.
#[must_use]
pub fn unexpected(expected: &str, found: &str) -> Failure {
    let shown = names::shortened(found);
    Failure::Syntax(format!("expected {expected}, found {shown:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_taken_in_order() {
        let size = BoardSize::new(9, 9).unwrap();
        let mut args = Args::new("W  d4 PASS 12 -0.5 True a  b c");
        assert_eq!(args.color(), Ok(Color::White));
        assert_eq!(args.color_if_any(), None);
        assert_eq!(args.point(size), Ok(Point::at(3, 5)));
        assert_eq!(args.mv(size), Ok(Move::Pass));
        assert_eq!(args.number("moves", 0..=99), Ok(12));
        assert_eq!(args.komi().map(Komi::half_points), Ok(-1));
        assert_eq!(args.flag("ownership"), Ok(true));
        assert!(args.end().is_err());
        assert_eq!(args.clone().words(), ["a", "b", "c"]);
        assert_eq!(args.text(), "a  b c");
        assert!(args.is_empty() && args.end().is_ok());
    }

    #[test]
    fn failures_say_what_was_expected_and_found() {
        let size = BoardSize::new(9, 9).unwrap();
        let text = |failure: Failure| failure.to_string();
        let mut args = Args::new("foo Z99 1e9 7.3 maybe 101");
        assert_eq!(
            text(args.color().unwrap_err()),
            r#"syntax error: expected a colour (black or white), found "foo""#
        );
        assert_eq!(
            text(args.mv(size).unwrap_err()),
            r#"syntax error: expected a vertex of the 9x9 board, or pass, found "Z99""#
        );
        assert_eq!(
            text(args.number("seconds", 0.0..=1e6).unwrap_err()),
            r#"syntax error: expected seconds (0 to 1000000), found "1e9""#
        );
        assert_eq!(
            text(args.komi().unwrap_err()),
            r#"syntax error: expected a komi (a multiple of 0.5 from -400 to 400), found "7.3""#
        );
        assert_eq!(
            text(args.flag("ownership").unwrap_err()),
            r#"syntax error: expected true or false for ownership, found "maybe""#
        );
        assert_eq!(
            text(args.end().unwrap_err()),
            r#"syntax error: expected nothing more, found "101""#
        );
        assert!(args.number("moves", 0..=100).is_err());
        assert_eq!(
            text(args.color().unwrap_err()),
            "syntax error: expected a colour (black or white), found the end of the line"
        );
    }

    #[test]
    fn long_arguments_are_cut() {
        let failure = unexpected("a colour", &"é".repeat(1000)).to_string();
        assert!(failure.chars().count() < 120 && failure.contains('…'));
    }
}
