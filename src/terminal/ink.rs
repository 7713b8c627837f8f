//! Text with a purpose: what is drawn, before anybody knows whether there are colours.

use unicode_width::UnicodeWidthChar;

/// What a piece of text is, so that colours can be found for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Ordinary text.
    Plain,
    /// Text that matters less.
    Faint,
    /// A heading.
    Bold,
    /// Something went wrong.
    Alarm,
    /// Lines and empty points of the board.
    Wood,
    /// Black's stone or point.
    Black,
    /// White's stone or point.
    White,
    /// The mark of the last move.
    Last,
    /// The cursor.
    Cursor,
    /// A move that is proposed.
    Hint,
    /// The best of them.
    BestHint,
}

/// A line of the screen, piece by piece.
pub type Line = Vec<(String, Ink)>;

/// The line of one piece.
#[must_use]
pub fn line(text: impl Into<String>, ink: Ink) -> Line {
    vec![(text.into(), ink)]
}

/// The characters of a line.
#[must_use]
pub fn text(line: &Line) -> String {
    line.iter().map(|(text, _)| text.as_str()).collect()
}

/// The columns that a line takes.
#[must_use]
pub fn width(line: &Line) -> usize {
    line.iter().map(|(text, _)| text_columns(text)).sum()
}

/// The columns that a text takes: names of files may have characters of two, all that is drawn here takes one each.
#[must_use]
pub fn text_columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

/// The columns that a character takes.
#[must_use]
pub fn char_columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// The escape sequences of a terminal for an ink: before the text. After it goes [`RESET`].
#[must_use]
pub const fn ansi(ink: Ink) -> &'static str {
    match ink {
        Ink::Plain => "",
        Ink::Faint => "\x1b[2m",
        Ink::Bold => "\x1b[1m",
        Ink::Alarm => "\x1b[31m",
        Ink::Wood => "\x1b[38;5;94;48;5;179m",
        Ink::Black => "\x1b[38;5;16;48;5;179m",
        Ink::White => "\x1b[38;5;231;48;5;179m",
        Ink::Last => "\x1b[1;38;5;160;48;5;179m",
        Ink::Cursor => "\x1b[1;38;5;21;48;5;179m",
        Ink::Hint => "\x1b[38;5;16;48;5;150m",
        Ink::BestHint => "\x1b[1;38;5;16;48;5;46m",
    }
}

/// The escape sequence that ends every ink.
pub const RESET: &str = "\x1b[0m";

/// The line as a terminal shows it, with colours or without.
#[must_use]
pub fn painted(line: &Line, colours: bool) -> String {
    if !colours {
        return text(line);
    }
    let mut painted = String::new();
    for (text, ink) in line {
        match ansi(*ink) {
            "" => painted.push_str(text),
            start => painted.extend([start, text, RESET]),
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_colours_are_their_text() {
        let drawn: Line = vec![("a●".to_owned(), Ink::Black), (" b".to_owned(), Ink::Plain)];
        assert_eq!(
            (painted(&drawn, false).as_str(), width(&drawn)),
            ("a● b", 4)
        );
        assert_eq!(painted(&drawn, true), "\x1b[38;5;16;48;5;179ma●\x1b[0m b");
    }

    #[test]
    fn characters_of_east_asia_take_two_columns() {
        for (text, columns) in [("é●┼", 3), ("棋譜.sgf", 8), ("바둑", 4), ("ａ", 2)] {
            assert_eq!(text_columns(text), columns, "{text}");
        }
    }
}
