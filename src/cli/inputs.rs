//! Game files that commands read.

use std::path::Path;

use anyhow::Context;
use honinbo::io::file;
use honinbo::io::stderr;
use honinbo::sgf::parse::MAX_BYTES;
use honinbo::sgf::{ParsedSgf, parse};

/// Reads a game file, and tells what in it is not as the standard demands.
pub fn read_game_file(path: &Path) -> anyhow::Result<ParsedSgf> {
    let context = || path.display().to_string();
    let bytes = file::read_bounded(path, MAX_BYTES).with_context(context)?;
    let parsed = parse(&bytes).with_context(context)?;
    if let Some(warning) = parsed.warning_summary() {
        stderr::eprint_line(format_args!("honinbo: {}: {warning}", context()));
    }
    Ok(parsed)
}
