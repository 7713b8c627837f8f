//! Styled text: width, wrapping, and conversion to terminal escape sequences.

use unicode_width::UnicodeWidthChar;

/// Style of a text, named after the role of the text. Determines the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// Less important text.
    Dim,
    /// Heading.
    Bold,
    /// Error message.
    Error,
    /// Lines and empty points of the board.
    Board,
    /// Black stone or territory.
    Black,
    /// White stone or territory.
    White,
    /// Mark of the last move.
    LastMove,
    Cursor,
    /// Suggested move.
    Hint,
    /// Best suggested move.
    BestHint,
}

/// Line of text, as a list of segments that each have a style.
pub type StyledLine = Vec<(String, Style)>;

/// Creates a line with a single style.
pub fn styled_line(text: impl Into<String>, style: Style) -> StyledLine {
    vec![(text.into(), style)]
}

/// Returns the text of a line without its styles.
pub fn plain_text(line: &StyledLine) -> String {
    line.iter().map(|(text, _)| text.as_str()).collect()
}

/// Returns the width of a line in columns.
pub fn line_width(line: &StyledLine) -> usize {
    line.iter().map(|(text, _)| text_width(text)).sum()
}

/// Returns the width of a text in columns. Some characters, such as East Asian characters in file names, are two
/// columns wide.
pub fn text_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Returns the width of a character in columns.
pub fn char_width(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// Returns the escape sequence that starts a style, which ends at [`RESET`]. The sequence for plain text is empty.
pub const fn ansi_sequence(style: Style) -> &'static str {
    match style {
        Style::Plain => "",
        Style::Dim => "\x1b[2m",
        Style::Bold => "\x1b[1m",
        Style::Error => "\x1b[31m",
        Style::Board => "\x1b[38;5;94;48;5;179m",
        Style::Black => "\x1b[38;5;16;48;5;179m",
        Style::White => "\x1b[38;5;231;48;5;179m",
        Style::LastMove => "\x1b[1;38;5;160;48;5;179m",
        Style::Cursor => "\x1b[1;38;5;21;48;5;179m",
        Style::Hint => "\x1b[38;5;16;48;5;150m",
        Style::BestHint => "\x1b[1;38;5;16;48;5;46m",
    }
}

/// Escape sequence that ends a style.
pub const RESET: &str = "\x1b[0m";

/// Renders a line for a terminal, with escape sequences if `use_color` is true.
pub fn render(line: &StyledLine, use_color: bool) -> String {
    if !use_color {
        return plain_text(line);
    }
    let mut output = String::new();
    for (text, style) in line {
        match ansi_sequence(*style) {
            "" => output.push_str(text),
            sequence => output.extend([sequence, text, RESET]),
        }
    }
    output
}

/// Returns the byte index and the value of the character at which a text exceeds `columns` columns, if there is one.
fn find_overflow(text: &str, columns: usize) -> Option<(usize, char)> {
    let mut used = 0;
    text.char_indices().find(|&(_, character)| {
        used += char_width(character);
        used > columns
    })
}

/// Wraps a text into rows of at most `columns` columns. Breaks rows at spaces if possible. Breaks words that are wider
/// than a row. A row has at least one character, even if the character is too wide.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut remaining = text.trim_end();
    let min_columns = |text: &str| text.chars().next().map_or(1, char_width);
    while let Some((end, next)) = find_overflow(remaining, columns.max(min_columns(remaining))) {
        let (row, _) = remaining.split_at(end);
        let break_at = row.rfind(' ').filter(|_| next != ' ');
        // A break within leading spaces would produce an empty row.
        let break_at = break_at.filter(|&at| !row[..at].trim().is_empty());
        let (row, tail) = remaining.split_at(break_at.unwrap_or(end));
        rows.push(row.trim_end().to_owned());
        remaining = tail.trim_start();
    }
    rows.push(remaining.to_owned());
    rows
}

/// Truncates a line to `columns` columns.
pub fn truncate(row: StyledLine, columns: usize) -> StyledLine {
    if line_width(&row) <= columns {
        return row;
    }
    let mut remaining = columns;
    let mut truncated = StyledLine::new();
    for (mut text, style) in row {
        let end = find_overflow(&text, remaining).map(|(end, _)| end);
        text.truncate(end.unwrap_or(text.len()));
        remaining -= text_width(&text);
        truncated.push((text, style));
        if end.is_some() {
            break;
        }
    }
    truncated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_render_with_and_without_color() {
        let styled: StyledLine = vec![
            ("a●".to_owned(), Style::Black),
            (" b".to_owned(), Style::Plain),
        ];
        assert_eq!(
            (render(&styled, false).as_str(), line_width(&styled)),
            ("a● b", 4)
        );
        assert_eq!(render(&styled, true), "\x1b[38;5;16;48;5;179ma●\x1b[0m b");
    }

    #[test]
    fn east_asian_characters_take_two_columns() {
        for (text, columns) in [("é●┼", 3), ("棋譜.sgf", 8), ("바둑", 4), ("ａ", 2)] {
            assert_eq!(text_width(text), columns, "{text}");
        }
    }
}
