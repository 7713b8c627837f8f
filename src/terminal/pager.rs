//! More than fits beside the board: text that is read page by page before the game goes on.

use super::style::{Style, StyledLine, styled_line, truncate, wrap};

/// The last line of each page.
const CONTINUE_PROMPT: &str = "(any key goes on)";

/// What is still to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pager {
    lines: Vec<String>,
}

impl Pager {
    /// Lines, of which any may be longer than a screen is wide.
    #[must_use]
    pub const fn new(lines: Vec<String>) -> Self {
        Self { lines }
    }

    /// Whether nothing is left to be read.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.lines.is_empty()
    }

    /// The page at hand for a screen of so many columns and rows. It has all its rows, so that nothing stays below it of
    /// what the screen showed before, and none is longer than the screen is wide.
    #[must_use]
    pub fn page(&self, (width, height): (usize, usize)) -> Vec<StyledLine> {
        let rows = text_rows(height);
        let mut text = self.wrapped_lines(width);
        text.resize(rows, String::new());
        let mut page: Vec<StyledLine> = text
            .into_iter()
            .map(|row| styled_line(row, Style::Plain))
            .collect();
        page.push(styled_line(CONTINUE_PROMPT, Style::Dim));
        page.truncate(height.max(1));
        page.into_iter().map(|row| truncate(row, width)).collect()
    }

    /// Turns the page that a screen of this size shows.
    pub fn next_page(&mut self, (width, height): (usize, usize)) {
        let mut rows = self.wrapped_lines(width);
        rows.drain(..text_rows(height).min(rows.len()));
        self.lines = rows;
    }

    /// The lines folded.
    fn wrapped_lines(&self, width: usize) -> Vec<String> {
        let lines = self.lines.iter();
        lines.flat_map(|text| wrap_entry(text, width)).collect()
    }
}

/// Rows of a screen that hold text of a sheet: all but the last.
fn text_rows(height: usize) -> usize {
    height.saturating_sub(1).max(1)
}

/// A line in rows of at most that many characters. Of an entry, a name and behind two blanks or more its text, the text
/// stays in its own column if that leaves room for it.
fn wrap_entry(text: &str, width: usize) -> Vec<String> {
    let gap = text.find("  ").unwrap_or(0);
    let column = text.len() - text[gap..].trim_start().len();
    let (name, description) = text.split_at(column);
    let indent = name.chars().count();
    if 2 * indent > width {
        return wrap(text, width);
    }
    let mut rows = wrap(description, width - indent);
    for (index, row) in rows.iter_mut().enumerate() {
        let prefix = if index == 0 { name } else { "" };
        *row = format!("{prefix:indent$}{row}");
    }
    rows
}
