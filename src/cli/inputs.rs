//! Game files that commands read.

use std::path::Path;

use anyhow::Context;
use honinbo::file;
use honinbo::notice;
use honinbo::sgf::parse::MAX_BYTES;
use honinbo::sgf::{Parsed, parse};

/// Reads a game file, and tells what in it is not as the standard demands.
pub fn game_file(path: &Path) -> anyhow::Result<Parsed> {
    let place = || path.display().to_string();
    let bytes = file::read_at_most(path, MAX_BYTES).with_context(place)?;
    let parsed = parse(&bytes).with_context(place)?;
    if let Some(warning) = parsed.warning_summary() {
        notice::say(format_args!("honinbo: {}: {warning}", place()));
    }
    Ok(parsed)
}
