//! The characters of a file and a place among them: the lexical half of reading, and the list of what was wrong.

use thiserror::Error;

use super::value::Value;

/// Number of faults kept; a file that earns more is damaged beyond the use of listing all.
pub const MAX_FAULTS: usize = 100;

/// A place in the text where one thing was expected and another found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct Fault {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What would have been right here.
    pub expected: &'static str,
    /// The character that stands here, or the end of the file.
    pub found: String,
}

/// A text, the place reached in it, and the faults noted on the way.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    /// Byte offset of the next character.
    pub(super) at: usize,
    pub(super) faults: Vec<Fault>,
    located: Located,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            faults: Vec::new(),
            located: Located::START,
        }
    }

    /// Reads a value from its `[` to its `]`; `None` when the file ends within it.
    pub(super) fn value(&mut self) -> Option<Value> {
        let opening = self.at;
        let inside = opening + 1;
        let mut backslash = false;
        let length = self.text.as_bytes()[inside..].iter().position(|&byte| {
            let closes = byte == b']' && !backslash;
            backslash = byte == b'\\' && !backslash;
            closes
        });
        let Some(length) = length else {
            self.note_at(opening, "a ']' to close the value that begins here");
            self.at = self.text.len();
            return None;
        };
        self.at = inside + length + 1;
        Value::from_escaped(&self.text[inside..inside + length])
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn skip_space(&mut self) {
        self.take_while(|byte| byte.is_ascii_whitespace() || byte == b'\x0b');
    }

    /// Takes bytes as long as they pass. The test must treat all bytes beyond ASCII alike, so that no character is split.
    pub(super) fn take_while(&mut self, passes: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        self.at += rest
            .iter()
            .position(|&byte| !passes(byte))
            .unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    pub(super) fn note(&mut self, expected: &'static str) {
        self.note_at(self.at, expected);
    }

    pub(super) fn note_at(&mut self, offset: usize, expected: &'static str) {
        if self.faults.len() < MAX_FAULTS {
            let fault = self.fault_at(offset, expected);
            self.faults.push(fault);
        }
    }

    pub(super) fn fault_at(&mut self, offset: usize, expected: &'static str) -> Fault {
        let (line, column) = self.located.seek(self.text, offset);
        let found = match self.text[offset..].chars().next() {
            Some(character) => format!("{character:?}"),
            None => "the end of the file".to_owned(),
        };
        Fault {
            line,
            column,
            expected,
            found,
        }
    }
}

/// The place asked for last: faults come nearly in order, so each search continues from the one before.
struct Located {
    offset: usize,
    line: usize,
    column: usize,
}

impl Located {
    const START: Self = Self {
        offset: 0,
        line: 1,
        column: 1,
    };

    /// Line and column of a byte that begins a character. Lines end at LF, CR LF or CR.
    fn seek(&mut self, text: &str, offset: usize) -> (usize, usize) {
        if offset < self.offset {
            *self = Self::START;
        }
        let bytes = text.as_bytes();
        for at in self.offset..offset {
            let within_break = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if matches!(bytes[at], b'\n' | b'\r') && !within_break {
                self.line += 1;
                self.column = 1;
            } else if text.is_char_boundary(at + 1) {
                self.column += 1;
            }
        }
        self.offset = offset;
        (self.line, self.column)
    }
}
