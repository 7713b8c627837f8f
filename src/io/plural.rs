//! Plural forms of nouns in messages.

use std::fmt::Display;

/// Formats a count followed by `noun` (given in the singular) in the right number: `1 visit`, `2 visits`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    match count == N::from(1) {
        true => format!("{count} {noun}"),
        false => format!("{count} {}", pluralise(noun)),
    }
}

/// Returns the plural of a regular noun: `visits` for `visit`. A final `y` always becomes `ies`.
pub fn pluralise(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    }
}
