//! Loading and writing SGF files.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text};
use crate::io::error_text;
use crate::io::file;
use crate::io::stderr;
use crate::sgf::convert::{read_until_move, write_game};
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::{self, Collection};

/// Maximum length of a file name in an error message, in characters.
const MAX_QUOTED_NAME_CHARS: usize = 300;

pub const COMMANDS: &[Command] = &[
    Command::new(
        "loadsgf",
        "FILE [MOVE]",
        "Loads the main line of an SGF file; with MOVE, only the moves before this move number.",
        load_sgf,
    ),
    Command::new(
        "printsgf",
        "[FILE]",
        "Returns the game as SGF, or writes it to a file.",
        print_sgf,
    ),
];

fn load_sgf(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    if args.is_empty() {
        args.word("file name")?;
    }
    let (name, move_number) = split_move_number(args.remaining_text());
    let excerpt = error_text::excerpt_up_to(name, MAX_QUOTED_NAME_CHARS);
    let load_error =
        |reason: &dyn Display| GtpError::CannotLoadFile(format!("{excerpt:?}: {reason}"));
    let bytes =
        file::read_regular_file(Path::new(name), MAX_BYTES).map_err(|error| load_error(&error))?;
    let parsed = sgf::parse(&bytes).map_err(|error| load_error(&error))?;
    let move_count = move_number.map(|number| number.saturating_sub(1));
    let rules = *context.engine.record().rules();
    let part = read_until_move(parsed.first_game(), move_count, rules)
        .map_err(|error| load_error(&error))?;
    let remarks = parsed.warning_summary().into_iter().chain(part.remarks());
    let remarks: Vec<String> = remarks.collect();
    let result = context.engine.set_record(part.record);
    result.map_err(|error| load_error(&error))?;
    for remark in remarks {
        stderr::eprint_line(format_args!("honinbo: {excerpt:?}: {remark}"));
    }
    Ok(Response::EMPTY)
}

/// Splits `FILE [MOVE_NUMBER]` into its parts. The file name may contain spaces. If the whole text is the name of an
/// existing file, its last word is not treated as a move number.
fn split_move_number(text: &str) -> (&str, Option<usize>) {
    let split = text
        .rsplit_once(' ')
        .and_then(|(name, number)| Some((name.trim_end_matches(' '), number.parse().ok()?)));
    match split {
        Some((name, number)) if !fs::exists(text).unwrap_or(false) => (name, Some(number)),
        _ => (text, None),
    }
}

fn print_sgf(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let name = args.remaining_text();
    let mut game = write_game(context.engine.record());
    let root = game.root();
    if context.engine.position().ended() && game.node(root).value("RE").is_none() {
        let count = context.engine.final_count();
        let count = count.map_err(|error| GtpError::CannotScore(error.to_string()))?;
        game.node_mut(root)
            .set("RE", count.score.to_string().as_str());
    }
    let collection = Collection { games: vec![game] };
    let game = sgf::write(&collection);
    // As in KataGo, `-` writes the game to the response instead of a file.
    if matches!(name, "" | "-") {
        return text(game);
    }
    file::write_atomic(Path::new(name), game)
        .map_err(|error| GtpError::CannotSaveFile(format!("{name:?}: {error}")))?;
    Ok(Response::EMPTY)
}
