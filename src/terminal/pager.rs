//! Page-by-page display of long text.

use super::style::{Style, StyledLine, styled_line, truncate, wrap};
use crate::io::error_text::printable;

/// Prompt in the last line of each page.
const CONTINUE_PROMPT: &str = "(press any key)";

/// A text displayed page by page. Holds the part that the user has not read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pager {
    lines: Vec<String>,
}

impl Pager {
    /// Creates a pager. Lines may be wider than the screen.
    pub fn new(lines: Vec<String>) -> Self {
        let lines = lines.into_iter().map(|line| printable(&line).into_owned());
        Self {
            lines: lines.collect(),
        }
    }

    /// Returns true if all text has been read.
    pub const fn is_done(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the current page for a screen of the given width and height. The page fills the screen, so it overwrites
    /// the previous one. No line is wider than the screen.
    pub fn current_page(&self, (width, height): (usize, usize)) -> Vec<StyledLine> {
        let rows = text_rows_per_page(height);
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

    /// Moves to the next page.
    pub fn advance(&mut self, (width, height): (usize, usize)) {
        let mut rows = self.wrapped_lines(width);
        rows.drain(..text_rows_per_page(height).min(rows.len()));
        self.lines = rows;
    }

    fn wrapped_lines(&self, width: usize) -> Vec<String> {
        let lines = self.lines.iter();
        lines.flat_map(|text| wrap_entry(text, width)).collect()
    }
}

/// Returns the number of text rows per page, which excludes the prompt.
fn text_rows_per_page(height: usize) -> usize {
    height.saturating_sub(1).max(1)
}

/// Wraps a line to `width` columns.
///
/// In a help entry, at least two spaces separate the name from the description. Continuation lines of the description
/// are indented to its column if there is enough space.
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
