//! Games in files.

use std::fs;
use std::path::Path;

use crate::file;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::names;
use crate::notice;
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::record::{read_position, write_game};
use crate::sgf::{self, Collection};

/// Letters of a file's name that an error shows.
const LONGEST_SHOWN: usize = 300;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "loadsgf",
        "FILE [MOVE]",
        "Loads the main line of a game, to the end or to the position before that move.",
        load,
    ),
    Command::new(
        "printsgf",
        "[FILE]",
        "Answers the game as SGF, or writes it to the file.",
        print,
    ),
];

fn load(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let text = args.text();
    if text.is_empty() {
        args.word("the name of a file")?;
    }
    let (name, before) = split_move(text);
    let failed = |reason: String| {
        let shown = names::beginning(name, LONGEST_SHOWN);
        Failure::CannotLoadFile(format!("{shown:?}: {reason}"))
    };
    let bytes =
        file::read_file(Path::new(name), MAX_BYTES).map_err(|error| failed(error.to_string()))?;
    let parsed = sgf::parse(&bytes).map_err(|error| failed(error.to_string()))?;
    let moves = before.map(|number| number.saturating_sub(1));
    let rules = *context.engine.record().rules();
    let record =
        read_position(parsed.first(), moves, rules).map_err(|error| failed(error.to_string()))?;
    let taken_up = context.engine.set_record(record);
    taken_up.map_err(|error| failed(error.to_string()))?;
    if let Some(warning) = parsed.warning_summary() {
        let shown = names::beginning(name, LONGEST_SHOWN);
        notice::say(format_args!("honinbo: {shown:?}: {warning}"));
    }
    Ok(Answer::NOTHING)
}

/// The file's name, which may hold spaces, and the number after it. A number belongs to the name when there is a file
/// of the whole name.
fn split_move(text: &str) -> (&str, Option<usize>) {
    let numbered = text
        .rsplit_once(' ')
        .and_then(|(name, number)| Some((name.trim_end_matches(' '), number.parse().ok()?)));
    match numbered {
        Some((name, number)) if !fs::exists(text).unwrap_or(false) => (name, Some(number)),
        _ => (text, None),
    }
}

fn print(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.text();
    let collection = Collection {
        games: vec![write_game(context.engine.record())],
    };
    let text = sgf::write(&collection);
    // As KataGo takes it, `-` is no file.
    if matches!(name, "" | "-") {
        return Ok(Answer::Text(text));
    }
    file::put(Path::new(name), text)
        .map_err(|error| Failure::CannotSaveFile(format!("{name:?}: {error}")))?;
    Ok(Answer::NOTHING)
}
