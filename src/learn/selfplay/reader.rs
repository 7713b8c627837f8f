//! Reads self-play games with their search results and final ownership.
//!
//! Lines are validated strictly: a line that [`sgf_line`](super::sgf_line) cannot have written counts as damaged and
//! produces an error instead of a game. An incomplete last line is ignored.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::sgf_line::{DEAD_PROPERTY, game_number, is_line_prefix};
use crate::game::point::BoardSize;
use crate::game::record::{IllegalMove, Record};
use crate::game::result::{EndReason, GameResult};
use crate::game::rules::Rules;
use crate::game::score::count;
use crate::io::error_text::excerpt;
use crate::learn::game::{GameFileError, SelfplayLineError, TrainingGame, game_from_record};
use crate::learn::search_target::SearchTarget;
use crate::sgf::convert::{GameError, read_game, write_game};
use crate::sgf::parse;
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::points;
use crate::sgf::tree::{GameTree, Node};

/// Maximum number of lines examined to recognise a self-play file. Several lines are examined, because the first ones
/// may be damaged.
const MAX_PROBED_LINES: usize = 64;

/// Iterator over the games of a self-play file. After an error for a damaged game, it continues with the next game.
#[derive(Debug)]
pub struct SelfplayReader {
    file: String,
    reader: BufReader<File>,
    /// Line read most recently.
    text: Vec<u8>,
    /// Byte offset of the next line.
    offset: u64,
}

impl SelfplayReader {
    /// Opens a self-play file. Returns `None` if the file has another format.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or one of its first lines is too long.
    pub fn open(path: &Path) -> Result<Option<Self>, GameFileError> {
        let mut probe = Self::open_file(path)?;
        for index in 0..MAX_PROBED_LINES {
            let is_complete = probe.next_line().transpose()?.is_some();
            let text = &probe.text;
            if (is_complete && game_number(text).is_some())
                || (!is_complete && index == 0 && is_line_prefix(text))
            {
                return Self::open_file(path).map(Some);
            }
            if !is_complete {
                break;
            }
        }
        Ok(None)
    }

    fn open_file(path: &Path) -> Result<Self, GameFileError> {
        let file = path.display().to_string();
        match File::open(path) {
            Ok(opened) => Ok(Self {
                file,
                reader: BufReader::with_capacity(1 << 16, opened),
                text: Vec::new(),
                offset: 0,
            }),
            Err(source) => Err(GameFileError::Io { file, source }),
        }
    }

    /// Counts the remaining games, including damaged ones.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or a line is too long.
    pub fn count_games(mut self) -> Result<u64, GameFileError> {
        let mut games = 0;
        while let Some(line) = self.next_line() {
            line?;
            games += 1;
        }
        Ok(games)
    }

    /// Reads the next complete line into `text` and returns its byte offset. Returns `None` if no complete line
    /// remains.
    fn next_line(&mut self) -> Option<Result<u64, GameFileError>> {
        self.text.clear();
        let mut reader = (&mut self.reader).take(MAX_BYTES as u64 + 1);
        let line_len = match reader.read_until(b'\n', &mut self.text) {
            Ok(line_len) => line_len,
            Err(source) => {
                let file = self.file.clone();
                return Some(Err(GameFileError::Io { file, source }));
            }
        };
        let offset = self.offset;
        self.offset += line_len as u64;
        if line_len > MAX_BYTES {
            return Some(Err(GameFileError::Format {
                file: self.file.clone(),
                offset,
                expected: format!("at most {MAX_BYTES} bytes per line"),
                found: "a longer line".to_owned(),
            }));
        }
        (self.text.last() == Some(&b'\n')).then_some(Ok(offset))
    }
}

impl Iterator for SelfplayReader {
    type Item = Result<TrainingGame, GameFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = match self.next_line()? {
            Ok(offset) => offset,
            Err(error) => return Some(Err(error)),
        };
        Some(parse_line(&self.text).map_err(|error| GameFileError::Game {
            file: self.file.clone(),
            offset,
            error: Box::new(error),
        }))
    }

    /// Skips `n` games without parsing them and returns the next one.
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        for _ in 0..n {
            if let Err(error) = self.next_line()? {
                return Some(Err(error));
            }
        }
        self.next()
    }
}

/// Parses one line of a self-play file.
///
/// # Errors
/// Returns an error if the line is not a valid self-play game.
pub fn parse_line(line: &[u8]) -> Result<TrainingGame, SelfplayLineError> {
    let parsed = parse(line)?;
    let (warning, trees) = (parsed.warnings.first(), &parsed.collection.games);
    if let Some(warning) = warning {
        return Err(format_error("valid SGF", warning.to_string()));
    }
    let [tree] = trees.as_slice() else {
        return Err(format_error("one game", trees.len().to_string()));
    };
    let root = tree.node(tree.root());
    let record = read_game(tree, Rules::default())?;
    check_rules_and_komi(root, &record)?;
    check_moves_legal(&record).map_err(GameError::from)?;
    let text = root.value("RE").map(|value| value.simple_text());
    let text = text.unwrap_or_default();
    let result =
        GameResult::parse(&text).ok_or_else(|| format_error("a result", format!("{text:?}")))?;
    let mut game = game_from_record(&record, &result);
    if game.moves.len() != record.moves().len() {
        return Err(format_error(
            "alternating colours",
            "two moves of one side in a row".to_owned(),
        ));
    }
    game.rules = Some(*record.rules());
    game.search_targets = read_targets(tree, record.size())?;
    match result.reason {
        EndReason::Counted(_) => recount_final_position(tree, &record, &text, &mut game)?,
        EndReason::Resigned if !record.ended() => {}
        _ => return Err(format_error("a score or a resignation", text)),
    }
    Ok(game)
}

/// Checks that all moves are legal under the rules of the game. The SGF reader also accepts some illegal moves.
fn check_moves_legal(record: &Record) -> Result<(), IllegalMove> {
    record.illegal_moves().next().map_or(Ok(()), Err)
}

/// Checks that the rules and komi were parsed correctly: writing them again must produce the same text.
fn check_rules_and_komi(root: &Node, record: &Record) -> Result<(), SelfplayLineError> {
    let rewritten = write_game(record);
    let rewritten = rewritten.node(rewritten.root());
    for (name, expected) in [("RU", "a known rule set"), ("KM", "a komi")] {
        let text = |node: &Node| node.value(name).map(|value| value.simple_text());
        if text(root).is_none() || text(root) != text(rewritten) {
            return Err(format_error(
                expected,
                format!("{:?}", text(root).unwrap_or_default()),
            ));
        }
    }
    Ok(())
}

fn read_targets(
    tree: &GameTree,
    size: BoardSize,
) -> Result<Vec<Option<SearchTarget>>, SelfplayLineError> {
    let nodes = tree.main_line().skip(1).enumerate();
    nodes
        .map(|(index, id)| {
            SearchTarget::read(tree.node(id), size).map_err(|error| SelfplayLineError::Target {
                number: index + 1,
                error,
            })
        })
        .collect()
}

/// Scores the final position with the recorded dead stones and checks that the score equals the recorded result. Sets
/// the final ownership of `game`.
fn recount_final_position(
    tree: &GameTree,
    record: &Record,
    recorded_result: &str,
    game: &mut TrainingGame,
) -> Result<(), SelfplayLineError> {
    let last = tree.main_line().last().unwrap_or(tree.root());
    let dead = points::read_points(tree.node(last).values(DEAD_PROPERTY), record.size())?;
    let recount = count(record.position(), &dead);
    let score = recount.score.to_string();
    if !record.ended() || score != recorded_result {
        return Err(format_error(
            "a score that matches the final position",
            format!("{recorded_result} instead of {score}"),
        ));
    }
    game.final_ownership = Some(recount.owned);
    Ok(())
}

fn format_error(expected: &'static str, found: String) -> SelfplayLineError {
    SelfplayLineError::Format {
        expected,
        found: excerpt(&found),
    }
}
