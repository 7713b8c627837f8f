//! More than fits beside the board: text that is read page by page before the game goes on.

use super::ink::{Ink, Line, line};
use super::page::{cut, folded};

/// The last line of each page.
const GO_ON: &str = "(any key goes on)";

/// What is still to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    lines: Vec<String>,
}

impl Sheet {
    /// Lines, of which any may be longer than a screen is wide.
    #[must_use]
    pub const fn new(lines: Vec<String>) -> Self {
        Self { lines }
    }

    /// Whether nothing is left to be read.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        self.lines.is_empty()
    }

    /// The page at hand for a screen of so many columns and rows. It has all its rows, so that nothing stays below it of
    /// what the screen showed before, and none is longer than the screen is wide.
    #[must_use]
    pub fn page(&self, (wide, high): (usize, usize)) -> Vec<Line> {
        let rows = rows_of_text(high);
        let mut text = self.rows(wide);
        text.resize(rows, String::new());
        let mut page: Vec<Line> = text.into_iter().map(|row| line(row, Ink::Plain)).collect();
        page.push(line(GO_ON, Ink::Faint));
        page.truncate(high.max(1));
        page.into_iter().map(|row| cut(row, wide)).collect()
    }

    /// Turns the page that a screen of this size shows.
    pub fn turn(&mut self, (wide, high): (usize, usize)) {
        let mut rows = self.rows(wide);
        rows.drain(..rows_of_text(high).min(rows.len()));
        self.lines = rows;
    }

    /// The lines folded.
    fn rows(&self, wide: usize) -> Vec<String> {
        let lines = self.lines.iter();
        lines.flat_map(|text| folded_entry(text, wide)).collect()
    }
}

/// Rows of a screen that hold text of a sheet: all but the last.
fn rows_of_text(high: usize) -> usize {
    high.saturating_sub(1).max(1)
}

/// A line in rows of at most that many characters. Of an entry, a name and behind two blanks or more its text, the text
/// stays in its own column if that leaves room for it.
fn folded_entry(text: &str, wide: usize) -> Vec<String> {
    let blanks = text.find("  ").unwrap_or(0);
    let column = text.len() - text[blanks..].trim_start().len();
    let (name, words) = text.split_at(column);
    let taken = name.chars().count();
    if 2 * taken > wide {
        return folded(text, wide);
    }
    let mut rows = folded(words, wide - taken);
    for (number, row) in rows.iter_mut().enumerate() {
        let before = if number == 0 { name } else { "" };
        *row = format!("{before:taken$}{row}");
    }
    rows
}
