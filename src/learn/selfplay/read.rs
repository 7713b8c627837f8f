//! Reads the games back, with what the searches said and who owned what at the end.
//!
//! A line is read strictly: what cannot have been written as it stands is damaged, and costs its own game alone. What
//! follows the last line break is no game.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::line::{DEAD, is_torn, number};
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::game::record::Record;
use crate::game::result::{GameResult, How};
use crate::game::rules::Rules;
use crate::game::score::count;
use crate::learn::archive::{ArchiveError, Game};
use crate::learn::collection::from_record;
use crate::learn::target::{Target, TargetError};
use crate::names::shortened;
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::points::{self, PointError};
use crate::sgf::record::{GameError, read_game, write_game};
use crate::sgf::tree::{GameTree, Node};
use crate::sgf::{ParseError, parse};

/// Lines that are looked at to see what a file holds: the first may be damaged.
const LOOKED_AT: usize = 64;

/// Why a line is no game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// It is no SGF.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// Something in it is not as it was written.
    #[error("expected {expected}, found {found}")]
    Form {
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// The moves cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The dead stones are none of the board's.
    #[error(transparent)]
    Dead(#[from] PointError),
    /// What a search is to have said cannot be.
    #[error("move {number}: {fault}")]
    Target {
        /// The move's number from 1.
        number: usize,
        /// Why.
        fault: TargetError,
    },
}

/// The games of a file, one after another.
#[derive(Debug)]
pub struct LineGames {
    file: String,
    reader: BufReader<File>,
    text: Vec<u8>,
    /// Bytes before the next line.
    offset: u64,
}

impl LineGames {
    /// The games of a file of self-play; `None` when it is another kind of file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>, ArchiveError> {
        let mut looked_at = Self::begin(path)?;
        for line in 0..LOOKED_AT {
            let whole = looked_at.advance().transpose()?.is_some();
            let text = &looked_at.text;
            if (whole && number(text).is_some()) || (!whole && line == 0 && is_torn(text)) {
                return Self::begin(path).map(Some);
            }
            if !whole {
                break;
            }
        }
        Ok(None)
    }

    fn begin(path: &Path) -> Result<Self, ArchiveError> {
        let file = path.display().to_string();
        match File::open(path) {
            Ok(opened) => Ok(Self {
                file,
                reader: BufReader::with_capacity(1 << 16, opened),
                text: Vec::new(),
                offset: 0,
            }),
            Err(source) => Err(ArchiveError::Io { file, source }),
        }
    }

    /// How many games are left, damaged ones counted.
    ///
    /// # Errors
    /// When the file cannot be read any further.
    pub fn games(mut self) -> Result<u64, ArchiveError> {
        let mut games = 0;
        while let Some(line) = self.advance() {
            line?;
            games += 1;
        }
        Ok(games)
    }

    /// Goes on to the next whole line, and says how many bytes stand before it.
    fn advance(&mut self) -> Option<Result<u64, ArchiveError>> {
        self.text.clear();
        let mut reader = (&mut self.reader).take(MAX_BYTES as u64 + 1);
        let read = match reader.read_until(b'\n', &mut self.text) {
            Ok(read) => read,
            Err(source) => {
                let file = self.file.clone();
                return Some(Err(ArchiveError::Io { file, source }));
            }
        };
        let offset = self.offset;
        self.offset += read as u64;
        if read > MAX_BYTES {
            return Some(Err(ArchiveError::Format {
                file: self.file.clone(),
                offset,
                expected: format!("a game of at most {MAX_BYTES} bytes a line"),
                found: "a longer line".to_owned(),
            }));
        }
        (self.text.last() == Some(&b'\n')).then_some(Ok(offset))
    }
}

impl Iterator for LineGames {
    type Item = Result<Game, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = match self.advance()? {
            Ok(offset) => offset,
            Err(error) => return Some(Err(error)),
        };
        Some(read_line(&self.text).map_err(|fault| ArchiveError::Game {
            file: self.file.clone(),
            offset,
            fault: Box::new(fault),
        }))
    }

    /// Passes over games without looking into them.
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        for _ in 0..n {
            if let Err(error) = self.advance()? {
                return Some(Err(error));
            }
        }
        self.next()
    }
}

/// The game of a line.
///
/// # Errors
/// When the line is damaged.
pub fn read_line(line: &[u8]) -> Result<Game, LineError> {
    let parsed = parse(line)?;
    let (warning, trees) = (parsed.warnings.first(), &parsed.collection.games);
    if let Some(warning) = warning {
        return Err(form("SGF without a fault", warning.to_string()));
    }
    let [tree] = trees.as_slice() else {
        return Err(form("one game", trees.len().to_string()));
    };
    let root = tree.node(tree.root());
    let record = read_game(tree, Rules::default())?;
    check_heading(root, &record)?;
    check_moves(&record)?;
    let text = root.value("RE").map(|value| value.simple_text());
    let text = text.unwrap_or_default();
    let result = GameResult::parse(&text).ok_or_else(|| form("a result", format!("{text:?}")))?;
    let mut game = from_record(&record, &result);
    if game.moves.len() != record.moves().len() {
        return Err(form("moves in turn", "two of one side".to_owned()));
    }
    game.rules = Some(*record.rules());
    game.targets = read_targets(tree, record.size())?;
    match result.how {
        How::Counted(_) => count_again(tree, &record, &text, &mut game)?,
        How::Resigned if !record.ended() => {}
        _ => return Err(form("a score or a resignation", text)),
    }
    Ok(game)
}

/// Every move was legal under the rules of the game, which readers of records do not ask for.
fn check_moves(record: &Record) -> Result<(), GameError> {
    let mut position = record.initial().clone();
    for (at, &(color, mv)) in record.moves().iter().enumerate() {
        let played = position.play(color, mv);
        played.map_err(|reason| GameError::Illegal {
            number: at + 1,
            color,
            vertex: record.size().move_text(mv),
            reason,
        })?;
    }
    Ok(())
}

/// Rules that the reader did not understand would be others when they are written again.
fn check_heading(root: &Node, record: &Record) -> Result<(), LineError> {
    let again = write_game(record);
    let again = again.node(again.root());
    for (name, expected) in [("RU", "rules with a name"), ("KM", "a komi")] {
        let text = |node: &Node| node.value(name).map(|value| value.simple_text());
        if text(root).is_none() || text(root) != text(again) {
            return Err(form(
                expected,
                format!("{:?}", text(root).unwrap_or_default()),
            ));
        }
    }
    Ok(())
}

fn read_targets(tree: &GameTree, size: BoardSize) -> Result<Vec<Option<Target>>, LineError> {
    let nodes = tree.main_line().skip(1).enumerate();
    nodes
        .map(|(index, id)| {
            Target::read(tree.node(id), size).map_err(|fault| LineError::Target {
                number: index + 1,
                fault,
            })
        })
        .collect()
}

/// Counts the game with the dead stones that its last node names: the result must come out as it is written.
fn count_again(
    tree: &GameTree,
    record: &Record,
    written: &str,
    game: &mut Game,
) -> Result<(), LineError> {
    let last = tree.main_line().last().unwrap_or(tree.root());
    let dead = points::read_points(tree.node(last).values(DEAD), record.size().into())?;
    let dead: PointSet = dead.into_iter().map(Point::from).collect();
    let counted = count(record.position(), &dead);
    let score = counted.score.to_string();
    if !record.ended() || score != written {
        return Err(form(
            "a game that ends as it is counted",
            format!("{written}, counted {score}"),
        ));
    }
    game.owners = Some(counted.owned);
    Ok(())
}

fn form(expected: &'static str, found: String) -> LineError {
    LineError::Form {
        expected,
        found: shortened(&found),
    }
}
