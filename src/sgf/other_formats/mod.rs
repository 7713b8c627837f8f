//! Game files of servers that do not use SGF: Tygem (`.gib`), WBaduk (`.ngf`) and Pandanet (`.ugf`, `.ugi`).
//!
//! A file is recognised by its contents. The readers are strict: at the first line of the moves that they do not
//! understand, the game ends with a warning.

mod builder;
mod gib;
mod ngf;
mod ugf;

pub(super) use builder::ServerGame;

use super::scan::SyntaxError;

/// Reads a game in one of the formats. Returns `None` if the text has none of them.
pub(super) fn read(text: &str) -> Option<Result<ServerGame, SyntaxError>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if gib::is_gib(&lines) {
        return Some(Ok(gib::read(&lines)));
    }
    if ugf::is_ugf(&lines) {
        return Some(ugf::read(&lines));
    }
    ngf::read(&lines).map(Ok)
}

/// Returns the games of a file as SGF without line breaks, and the number of warnings.
#[cfg(test)]
fn read_as_sgf(text: &str) -> (String, usize) {
    let parsed = super::parse(text.as_bytes()).unwrap();
    let games = parsed.collection.games;
    let text = super::write(&super::Collection { games });
    (text.replace('\n', ""), parsed.warnings.len())
}
