//! Openings loaded from files. An opening is a sequence of moves from the empty board.
//!
//! In an SGF file, the main line of each game is an opening, and set-up stones count as moves. If Black has handicap
//! stones, the komi of the file applies to the games with this opening. In a text file, each
//! line is an opening: vertices (or `pass`) separated by spaces or commas, starting with a move by Black. `#` starts a
//! comment.

use std::fs;
use std::path::{Path, PathBuf};

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::record::{IllegalMove, Record};
use crate::game::rules::Rules;
use crate::io::error_text::excerpt;
use crate::io::file::read_bounded;
use crate::sgf::convert::read_komi;
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::points;
use crate::sgf::{self, GameTree, Node};

/// Error while loading openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// A file or folder cannot be read.
    #[error("{}: {cause}", path.display())]
    Unreadable {
        path: PathBuf,
        cause: std::io::Error,
    },
    /// A file is not valid SGF.
    #[error("{}: {cause}", path.display())]
    NotSgf {
        path: PathBuf,
        cause: sgf::ParseError,
    },
    /// An opening cannot be used in this match.
    #[error("{}, opening {number}: {cause}", path.display())]
    Invalid {
        path: PathBuf,
        /// Number of the opening within the file, starting at 1.
        number: usize,
        cause: InvalidOpening,
    },
    /// The file or folder contains no openings.
    #[error("{}: no openings found", path.display())]
    Empty { path: PathBuf },
}

/// Reason why an opening cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOpening {
    /// The board size differs from that of the match.
    #[error("the opening has board size {found}, but the match has board size {expected}")]
    Size {
        /// Board size of the match.
        expected: BoardSize,
        /// Board size of the opening, as written in the file.
        found: String,
    },
    /// A vertex in a text file is malformed or not on the board.
    #[error("{0:?} is neither a point on the board nor a pass")]
    Vertex(String),
    /// A point or move in an SGF file is malformed or not on the board.
    #[error(transparent)]
    Point(#[from] sgf::PointOrSizeError),
    /// The SGF file removes stones from the board, which cannot be expressed by moves.
    #[error("openings cannot remove stones (AE)")]
    RemovesStones,
    /// A move is illegal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The side that placed the last stone is also the side to move next.
    #[error("{0} placed the last stone and cannot also be next to move")]
    WrongTurn(Color),
    /// The game ends in the opening, by two consecutive passes or without a result.
    #[error("the opening ends the game (two passes, or a position that occurs three times)")]
    GameOver,
}

/// Loads the openings of a file, or of all `.sgf` and `.txt` files in a folder, sorted by file name. A file without the
/// extension `.sgf` is read as text. Each opening is replayed on a board of `size` under `rules`.
///
/// # Errors
/// Returns an error if a file cannot be read, an opening is invalid, or there are no openings.
pub fn load(path: &Path, size: BoardSize, rules: Rules) -> Result<Vec<Record>, OpeningError> {
    let unreadable = |cause| OpeningError::Unreadable {
        path: path.to_owned(),
        cause,
    };
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        files = entries
            .map_err(unreadable)?
            .iter()
            .map(fs::DirEntry::path)
            .collect();
        files.retain(|file| has_extension(file, "sgf") || has_extension(file, "txt"));
        files.sort();
    }
    let mut openings = Vec::new();
    for file in &files {
        openings.extend(load_file(file, size, rules)?);
    }
    if openings.is_empty() {
        return Err(OpeningError::Empty {
            path: path.to_owned(),
        });
    }
    Ok(openings)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|actual| actual.eq_ignore_ascii_case(extension))
}

fn load_file(path: &Path, size: BoardSize, rules: Rules) -> Result<Vec<Record>, OpeningError> {
    let bytes = read_bounded(path, MAX_BYTES).map_err(|cause| OpeningError::Unreadable {
        path: path.to_owned(),
        cause,
    })?;
    let records: Vec<Result<Record, InvalidOpening>> = if has_extension(path, "sgf") {
        let parsed = sgf::parse(&bytes).map_err(|cause| OpeningError::NotSgf {
            path: path.to_owned(),
            cause,
        })?;
        let games = parsed.collection.games.iter();
        games.map(|game| from_tree(game, size, rules)).collect()
    } else {
        let text = String::from_utf8_lossy(&bytes);
        let lines = text
            .trim_start_matches('\u{feff}')
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default());
        lines
            .filter(|line| !line.trim().is_empty())
            .map(|line| replay(&parse_line(line, size)?, size, rules))
            .collect()
    };
    let numbered = records.into_iter().enumerate().map(|(index, record)| {
        record.map_err(|cause| OpeningError::Invalid {
            path: path.to_owned(),
            number: index + 1,
            cause,
        })
    });
    numbered.collect()
}

type MoveSequence = Vec<(Color, Move)>;

fn parse_line(line: &str, size: BoardSize) -> Result<MoveSequence, InvalidOpening> {
    let vertices = line
        .split([' ', '\t', ','])
        .filter(|vertex| !vertex.is_empty());
    vertices
        .zip(Color::BOTH.into_iter().cycle())
        .map(|(vertex, color)| match size.parse_move(vertex) {
            Some(mv) => Ok((color, mv)),
            None => Err(InvalidOpening::Vertex(excerpt(vertex))),
        })
        .collect()
}

fn from_tree(game: &GameTree, size: BoardSize, rules: Rules) -> Result<Record, InvalidOpening> {
    let root = game.node(game.root());
    let size_text = root
        .value("SZ")
        .map_or("19".to_owned(), sgf::Value::simple_text);
    if points::read_size(&size_text.as_str().into()) != Ok(size) {
        return Err(InvalidOpening::Size {
            expected: size,
            found: excerpt(&size_text),
        });
    }
    let mut sequence = MoveSequence::new();
    for id in game.main_line() {
        read_node(game.node(id), size, &mut sequence)?;
    }
    let record = replay(&sequence, size, rules)?;
    match read_komi(game) {
        Some(komi) if record.position().handicap() > 1 => {
            replay(&sequence, size, rules.with_komi(komi))
        }
        _ => Ok(record),
    }
}

fn read_node(
    node: &Node,
    size: BoardSize,
    sequence: &mut MoveSequence,
) -> Result<(), InvalidOpening> {
    let side_to_move = node
        .value("PL")
        .and_then(|value| Color::parse(&value.simple_text()));
    if node.has("AE") {
        return Err(InvalidOpening::RemovesStones);
    }
    // The stones of the side to move come first, so that the opponent makes the last move of the opening.
    let mut setup = [("AB", Color::Black), ("AW", Color::White)];
    if side_to_move == Some(Color::White) {
        setup.reverse();
    }
    for (property, color) in setup {
        let stones = points::read_points(node.values(property), size)?;
        sequence.extend(stones.into_iter().map(|point| (color, Move::Play(point))));
    }
    for (property, color) in [("B", Color::Black), ("W", Color::White)] {
        if let Some(value) = node.value(property) {
            let mv = points::read_move(value, size)?;
            sequence.push((color, mv));
        }
    }
    let last = sequence.last().map(|&(color, _)| color);
    match side_to_move {
        Some(color) if last == Some(color) => Err(InvalidOpening::WrongTurn(color)),
        _ => Ok(()),
    }
}

fn replay(
    sequence: &MoveSequence,
    size: BoardSize,
    rules: Rules,
) -> Result<Record, InvalidOpening> {
    let mut record = Record::new(size, rules);
    for (index, &(color, mv)) in sequence.iter().enumerate() {
        record.play(color, mv).map_err(|reason| IllegalMove {
            number: index + 1,
            color,
            vertex: size.format_move(mv),
            reason,
        })?;
        if record.ended() {
            return Err(InvalidOpening::GameOver);
        }
    }
    Ok(record)
}
