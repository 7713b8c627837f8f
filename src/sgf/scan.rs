//! Lexical scanner for SGF text. Records warnings with their line and column.

use thiserror::Error;

use super::value::Value;

/// Maximum number of warnings recorded per file.
pub const MAX_WARNINGS: usize = 100;

/// A deviation from the SGF syntax, with its line and column.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct SyntaxError {
    /// Line, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1.
    pub column: usize,
    /// Description of the expected token.
    pub expected: &'static str,
    /// The character at this position, in quotation marks, or `the end of the file`.
    pub found: String,
}

/// Scanner state: the text, the current position, and the warnings recorded so far.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    /// Byte offset of the next character.
    pub(super) offset: usize,
    pub(super) warnings: Vec<SyntaxError>,
    line_tracker: LineColumnTracker,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            warnings: Vec::new(),
            line_tracker: LineColumnTracker::START,
        }
    }

    /// Reads a value from the `[` at the current position to the closing `]`. Returns `None` if there is no closing
    /// bracket.
    pub(super) fn parse_value(&mut self) -> Option<Value> {
        let opening = self.offset;
        let start = opening + 1;
        let mut is_escaped = false;
        let length = self.text.as_bytes()[start..].iter().position(|&byte| {
            let is_closing = byte == b']' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_closing
        });
        let Some(length) = length else {
            self.warn_at(opening, "a ']' to close the value that begins here");
            self.offset = self.text.len();
            return None;
        };
        self.offset = start + length + 1;
        Value::from_escaped(&self.text[start..start + length])
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    pub(super) fn skip_space(&mut self) {
        self.take_while(|byte| byte.is_ascii_whitespace() || byte == b'\x0b');
    }

    /// Moves past the bytes for which `predicate` is true, up to the first other byte, and returns them. The predicate
    /// must treat all non-ASCII bytes alike, so that no character is split.
    pub(super) fn take_while(&mut self, predicate: impl Fn(u8) -> bool) -> &'a str {
        let start = self.offset;
        let remaining = &self.text.as_bytes()[start..];
        self.offset += remaining
            .iter()
            .position(|&byte| !predicate(byte))
            .unwrap_or(remaining.len());
        &self.text[start..self.offset]
    }

    pub(super) fn warn(&mut self, expected: &'static str) {
        self.warn_at(self.offset, expected);
    }

    pub(super) fn warn_at(&mut self, offset: usize, expected: &'static str) {
        if self.warnings.len() < MAX_WARNINGS {
            let warning = self.error_at(offset, expected);
            self.warnings.push(warning);
        }
    }

    pub(super) fn error_at(&mut self, offset: usize, expected: &'static str) -> SyntaxError {
        let (line, column) = self.line_tracker.seek(self.text, offset);
        let found = match self.text[offset..].chars().next() {
            Some(character) => format!("{character:?}"),
            None => "the end of the file".to_owned(),
        };
        SyntaxError {
            line,
            column,
            expected,
            found,
        }
    }
}

/// Converter from byte offsets to lines and columns. Warnings are recorded almost in file order, so each lookup
/// continues from the previous one.
struct LineColumnTracker {
    offset: usize,
    line: usize,
    column: usize,
}

impl LineColumnTracker {
    const START: Self = Self {
        offset: 0,
        line: 1,
        column: 1,
    };

    /// Returns the line and column, both starting at 1, of the character at byte offset `offset`. LF, CR LF and CR end
    /// a line.
    fn seek(&mut self, text: &str, offset: usize) -> (usize, usize) {
        if offset < self.offset {
            *self = Self::START;
        }
        let bytes = text.as_bytes();
        for index in self.offset..offset {
            let is_cr_of_crlf = bytes[index] == b'\r' && bytes.get(index + 1) == Some(&b'\n');
            if matches!(bytes[index], b'\n' | b'\r') && !is_cr_of_crlf {
                self.line += 1;
                self.column = 1;
            } else if text.is_char_boundary(index + 1) {
                self.column += 1;
            }
        }
        self.offset = offset;
        (self.line, self.column)
    }
}
