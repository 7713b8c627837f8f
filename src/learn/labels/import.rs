//! Labels in the format `GOLABEL1`, which other programs write.
//!
//! Little endian, perhaps compressed by `xz`: the magic, then for each label, with points as `row * side + column` and
//! the pass as `side * side`:
//!
//! | type | meaning |
//! |---|---|
//! | u8 | side of the board |
//! | u8 | number of the archive of games (`train-NN.kifu.xz`); 255: the game starts on the empty board |
//! | u32, u16 | index of the game in the archive, number of its moves played |
//! | u16 n, n x u16 | moves played after them, Black first, colours alternating |
//! | i8, u8 | komi * 2; rules: 0 Chinese, 1 Japanese, 2 Tromp-Taylor |
//! | u16, u16, i16 | probabilities of winning and of no result * 65,535; lead * 64 |
//! | u16, u16, u16, u16 | score deviation * 64; errors of win rate * 65,535 and score * 64; variance time * 64 |
//! | u8 n, n x (u16, u16) | most probable moves, descending: point, probability * 65,535 |
//! | (area + 1) / 2 bytes | ownership: two points a byte, low half first, (owner + 1) * 7.5 |

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::game::{Entry, LabelledGame, LabelledGameError, Origin};
use super::label::{self, Label};
use super::wire::{array, word};
use crate::eval::Errors;
use crate::game::point::{BoardSize, Move};
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::learn::archive::{Archive, ArchiveError};

const MAGIC: &[u8; 8] = b"GOLABEL1";
const EMPTY_BOARD: u8 = 255;
const RULES: [&str; 3] = ["chinese", "japanese", "tromp-taylor"];
/// Largest file that is read, uncompressed.
const MAX_BYTES: u64 = 4 << 30;

/// Why labels cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What failed.
        cause: io::Error,
    },
    /// The file is not in this format.
    #[error("{}: not a file of labels (expected GOLABEL1)", .0.display())]
    Magic(PathBuf),
    /// A label is damaged.
    #[error("{}: label {number}: truncated or damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The label's number, from 0.
        number: u64,
    },
    /// A label refers to a game that was not given.
    #[error("label {number}: needs game {game} of {archive}; name that file as well")]
    Game {
        /// The label's number, from 0.
        number: u64,
        /// The game's index.
        game: u32,
        /// The file name of the archive, without its ending.
        archive: String,
    },
    /// An archive of games cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The moves of a label cannot be played, or not be stored.
    #[error("label {number}: {error}")]
    Unplayable {
        /// The label's number, from 0.
        number: u64,
        /// What is wrong.
        error: LabelledGameError,
    },
}

/// The labels of a file as entries, from number `first` on.
pub struct Import {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Position of the next label in `bytes`.
    at: usize,
    number: u64,
    source: u64,
    archives: Archives,
}

/// Packed archives of games, each read when a label first refers to it.
struct Archives {
    files: Vec<PathBuf>,
    read: HashMap<u8, Vec<Vec<Move>>>,
}

impl Import {
    /// Reads a file of labels of games in `archives`. `source` is its number in the store's entries, and the first
    /// `skipped` labels are left out.
    ///
    /// # Errors
    /// If the file cannot be read or one of the labels left out is damaged.
    pub fn open(
        path: &Path,
        archives: Vec<PathBuf>,
        source: u64,
        skipped: u64,
    ) -> Result<Self, ImportError> {
        let wrap = |cause| ImportError::Io {
            path: path.to_owned(),
            cause,
        };
        let mut bytes = std::fs::read(path).map_err(wrap)?;
        if path.extension().is_some_and(|ending| ending == "xz") {
            let mut unpacked = Vec::new();
            let reader = super::shard::decompressed(bytes.as_slice());
            reader
                .take(MAX_BYTES)
                .read_to_end(&mut unpacked)
                .map_err(wrap)?;
            bytes = unpacked;
        }
        if !bytes.starts_with(MAGIC) {
            return Err(ImportError::Magic(path.to_owned()));
        }
        let archives = Archives {
            files: archives,
            read: HashMap::new(),
        };
        let mut import = Self {
            path: path.to_owned(),
            bytes,
            at: MAGIC.len(),
            number: 0,
            source,
            archives,
        };
        for _ in 0..skipped {
            if import.advance().transpose()?.is_none() {
                break;
            }
        }
        Ok(import)
    }

    /// Reads the next label.
    fn advance(&mut self) -> Option<Result<Imported, ImportError>> {
        let mut rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let imported = Imported::read(&mut rest).ok_or_else(|| ImportError::Damaged {
            path: self.path.clone(),
            number: self.number,
        });
        self.at = match imported {
            Ok(_) => self.bytes.len() - rest.len(),
            Err(_) => self.bytes.len(),
        };
        self.number += 1;
        Some(imported)
    }

    fn entry(&mut self, imported: Imported, number: u64) -> Result<Entry, ImportError> {
        let unplayable = |error| ImportError::Unplayable { number, error };
        let prefix: &[Move] = match imported.archive {
            EMPTY_BOARD => &[],
            archive => {
                let games = self.archives.games(archive)?;
                let game = games.get(imported.game as usize);
                let moves = game.and_then(|moves| moves.get(..usize::from(imported.prefix)));
                moves.ok_or_else(|| ImportError::Game {
                    number,
                    game: imported.game,
                    archive: archive_name(archive),
                })?
            }
        };
        let mut record = Record::new(imported.size, imported.rules);
        for &mv in prefix.iter().chain(&imported.played) {
            let color = record.position().to_move();
            let illegal = |_| unplayable(LabelledGameError::Damaged);
            record.replay(color, mv).map_err(illegal)?;
        }
        let labels = vec![(record.moves().len() as u16, imported.label)];
        let games = vec![LabelledGame::new(&record, labels).map_err(unplayable)?];
        let source = self.source;
        let origin = Origin { source, number };
        Ok(Entry { origin, games })
    }
}

impl Iterator for Import {
    type Item = Result<Entry, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.number;
        let imported = self.advance()?;
        Some(imported.and_then(|imported| self.entry(imported, number)))
    }
}

impl Archives {
    /// The moves of all games of archive `number`; none if it is not among the files.
    fn games(&mut self, number: u8) -> Result<&[Vec<Move>], ArchiveError> {
        if !self.read.contains_key(&number) {
            let name = archive_name(number);
            let named = |path: &&PathBuf| {
                let file = path.file_name().and_then(|file| file.to_str());
                file.is_some_and(|file| file.split('.').next() == Some(&name))
            };
            let games = match self.files.iter().find(named) {
                Some(path) => {
                    let games = Archive::open(path)?.map(|game| Ok(game?.moves));
                    games.collect::<Result<_, ArchiveError>>()?
                }
                None => Vec::new(),
            };
            self.read.insert(number, games);
        }
        Ok(&self.read[&number])
    }
}

fn archive_name(number: u8) -> String {
    format!("train-{number:02}")
}

/// One label of the file.
struct Imported {
    size: BoardSize,
    archive: u8,
    game: u32,
    prefix: u16,
    played: Vec<Move>,
    rules: Rules,
    label: Label,
}

impl Imported {
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let [side, archive] = array(bytes)?;
        let size = BoardSize::new(usize::from(side), usize::from(side))?;
        let game = u32::from_le_bytes(array(bytes)?);
        let prefix = word(bytes)?;
        let count = word(bytes)?;
        let played = (0..count).map(|_| read_move(size, word(bytes)?));
        let played = played.collect::<Option<_>>()?;
        let [komi] = array(bytes)?;
        let [rules] = array(bytes)?;
        let rules = Rules::named(RULES.get(usize::from(rules))?)?;
        let komi = Komi::from_half_points(i16::from(komi.cast_signed()));
        Some(Self {
            size,
            archive,
            game,
            prefix,
            played,
            rules: rules.with_komi(komi),
            label: read_label(bytes, size)?,
        })
    }
}

fn read_label(bytes: &mut &[u8], size: BoardSize) -> Option<Label> {
    let probability = |word: u16| f32::from(word) / 65_535.0;
    let points = |word: u16| f32::from(word) / 64.0;
    let (win, no_result) = (probability(word(bytes)?), probability(word(bytes)?));
    let lead = f32::from(word(bytes)?.cast_signed()) / 64.0;
    let score_deviation = points(word(bytes)?);
    let errors = Errors {
        // The win rate varies half as much as win minus loss.
        value: 2.0 * probability(word(bytes)?),
        score: points(word(bytes)?),
        variance_time: points(word(bytes)?),
    };
    let [count] = array(bytes)?;
    let policy = (0..count).map(|_| {
        let index = word(bytes).filter(|&index| usize::from(index) <= size.area())?;
        Some((index, probability(word(bytes)?)))
    });
    Some(Label {
        win,
        no_result,
        lead: Some(lead),
        score_deviation: Some(score_deviation),
        errors: Some(errors),
        policy: policy.collect::<Option<_>>()?,
        ownership: label::decode_ownership(bytes, size.area())?,
    })
}

fn read_move(size: BoardSize, index: u16) -> Option<Move> {
    let index = usize::from(index);
    match index == size.area() {
        true => Some(Move::Pass),
        false => (index < size.area()).then(|| Move::Play(size.point_at(index))),
    }
}
