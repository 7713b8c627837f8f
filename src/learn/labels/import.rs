//! Imports labels from files that other programs have written in the format `GOLABEL1`.
//!
//! A file may be compressed with `xz`. It contains the magic `GOLABEL1` and then the labels. All numbers are stored in
//! little-endian order. A point is stored as `row * side + column`, counted from the top left, and a pass as
//! `side * side`. Predictions are from the perspective of the side to move. Owners range from -1 (opponent) to 1 (side
//! to move). Scores are in points, and times are in turns. A label has these fields:
//!
//! | type | meaning |
//! |---|---|
//! | u8 | board side |
//! | u8 | number of the archive of games (`train-NN.kifu.xz`); 255 if the game starts on the empty board |
//! | u32, u16 | index of the game in the archive; number of initial moves to take from this game |
//! | u16 n, n x u16 | further moves (Black plays the first move of the game, and the colours alternate) |
//! | i8, u8 | komi * 2; rules: 0 Chinese, 1 Japanese, 2 Tromp-Taylor |
//! | u16, u16, i16 | probability of winning * 65,535; probability of no result * 65,535; lead in points * 64 |
//! | u16, u16, u16, u16 | score deviation * 64; win rate error * 65,535; score error * 64; variance time * 64 |
//! | u8 n, n x (u16, u16) | most probable moves, descending: point, probability * 65,535 |
//! | (area + 1) / 2 bytes | ownership: two points per byte, low four bits first, (owner + 1) * 7.5 |

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::label::{self, Label};
use super::labelled_game::{LabelStoreEntry, LabelledGame, LabelledGameError, Origin};
use super::little_endian::{read_array, read_u16};
use crate::eval::UncertaintyEstimates;
use crate::game::point::{BoardSize, Move};
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::learn::game::GameFileError;
use crate::learn::game_archive::ArchiveReader;
use crate::learn::xz;

const MAGIC: &[u8; 8] = b"GOLABEL1";
const NO_ARCHIVE: u8 = 255;
const RULE_SETS: [&str; 3] = ["chinese", "japanese", "tromp-taylor"];
/// Bit that is set in the [source IDs](Origin::source_id) of imported files, to distinguish these IDs from seeds.
pub const IMPORTED_SOURCE_BIT: u64 = 1 << 63;
/// Maximum number of bytes decompressed from a file. Any data beyond this limit is ignored.
const MAX_DECOMPRESSED_BYTES: u64 = 4 << 30;

/// Error while importing labels.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{}: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    /// The file does not start with the magic.
    #[error("{} is not a label file; it does not start with GOLABEL1", .0.display())]
    NotALabelFile(PathBuf),
    #[error("{}: label {number}: truncated or damaged", path.display())]
    Damaged {
        path: PathBuf,
        /// Number of the label in the file, starting at 0.
        number: u64,
    },
    /// A label refers to a game or move that the specified archives do not contain.
    #[error(
        "{}: label {number}: archive {archive} was not given or does not contain enough moves of game {game}",
        path.display()
    )]
    MissingGame {
        path: PathBuf,
        /// Number of the label in the file, starting at 0.
        number: u64,
        /// Index of the game in the archive.
        game: u32,
        /// File name of the archive, without extension.
        archive: String,
    },
    #[error(transparent)]
    Archive(#[from] GameFileError),
    /// The moves of a label are illegal, or the game cannot be written as SGF.
    #[error("{}: label {number}: {error}", path.display())]
    Unplayable {
        path: PathBuf,
        /// Number of the label in the file, starting at 0.
        number: u64,
        error: LabelledGameError,
    },
}

/// Iterator that converts each label of a file to an entry. The entries are numbered from 0. A truncated or damaged
/// label produces an error and ends the iteration.
///
/// The source ID of the entries consists of the first eight bytes of the SHA-256 of the file as stored (before
/// decompression), with [`IMPORTED_SOURCE_BIT`] set.
pub struct LabelImporter {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Offset of the next label in `bytes`.
    offset: usize,
    /// Number of the next label.
    number: u64,
    source: u64,
    archives: Archives,
}

/// [Packed archives](crate::learn::game_archive) of games. Each archive is read when a label first refers to it.
struct Archives {
    files: Vec<PathBuf>,
    games_by_archive: HashMap<u8, Vec<Vec<Move>>>,
}

impl LabelImporter {
    /// Opens a label file. `archives` contains the paths of the archives to which the labels refer.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a label file.
    pub fn open(path: &Path, archives: Vec<PathBuf>) -> Result<Self, ImportError> {
        let wrap = |cause| ImportError::Io {
            path: path.to_owned(),
            cause,
        };
        let mut bytes = std::fs::read(path).map_err(wrap)?;
        let digest = Sha256::digest(&bytes);
        let digest_prefix = *digest.first_chunk().expect("32 bytes");
        if path.extension().is_some_and(|extension| extension == "xz") {
            let mut decompressed = Vec::new();
            let reader = xz::decompress(bytes.as_slice());
            reader
                .take(MAX_DECOMPRESSED_BYTES)
                .read_to_end(&mut decompressed)
                .map_err(wrap)?;
            bytes = decompressed;
        }
        if !bytes.starts_with(MAGIC) {
            return Err(ImportError::NotALabelFile(path.to_owned()));
        }
        let archives = Archives {
            files: archives,
            games_by_archive: HashMap::new(),
        };
        Ok(Self {
            path: path.to_owned(),
            bytes,
            offset: MAGIC.len(),
            number: 0,
            source: IMPORTED_SOURCE_BIT | u64::from_be_bytes(digest_prefix),
            archives,
        })
    }

    /// Returns the source ID of the entries.
    pub const fn source_id(&self) -> u64 {
        self.source
    }

    /// Skips `count` labels, or all remaining ones if there are fewer.
    ///
    /// # Errors
    /// Returns an error if one of the skipped labels is truncated or damaged.
    pub fn skip_labels(&mut self, count: u64) -> Result<(), ImportError> {
        for _ in 0..count {
            if self.next_label().transpose()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn next_label(&mut self) -> Option<Result<ImportedLabel, ImportError>> {
        let mut remaining = &self.bytes[self.offset..];
        if remaining.is_empty() {
            return None;
        }
        let imported = ImportedLabel::read(&mut remaining).ok_or_else(|| ImportError::Damaged {
            path: self.path.clone(),
            number: self.number,
        });
        self.offset = match imported {
            Ok(_) => self.bytes.len() - remaining.len(),
            Err(_) => self.bytes.len(),
        };
        self.number += 1;
        Some(imported)
    }

    fn entry(
        &mut self,
        imported: ImportedLabel,
        number: u64,
    ) -> Result<LabelStoreEntry, ImportError> {
        let path = self.path.clone();
        let unplayable = |error| ImportError::Unplayable {
            path: path.clone(),
            number,
            error,
        };
        let prefix_moves: &[Move] = match imported.archive {
            NO_ARCHIVE => &[],
            archive => {
                let games = self.archives.games(archive)?;
                let game = games.get(imported.game as usize);
                let moves = game.and_then(|moves| moves.get(..usize::from(imported.prefix_len)));
                moves.ok_or_else(|| ImportError::MissingGame {
                    path: path.clone(),
                    number,
                    game: imported.game,
                    archive: game_archive_name(archive),
                })?
            }
        };
        let mut record = Record::new(imported.size, imported.rules);
        for &mv in prefix_moves.iter().chain(&imported.moves) {
            let color = record.position().to_move();
            let illegal = |_| unplayable(LabelledGameError::Damaged);
            record.play_lenient(color, mv).map_err(illegal)?;
        }
        let labels = vec![(record.moves().len() as u16, imported.label)];
        let games = vec![LabelledGame::new(&record, labels).map_err(unplayable)?];
        let source = self.source;
        let origin = Origin {
            source_id: source,
            number,
        };
        Ok(LabelStoreEntry { origin, games })
    }
}

impl Iterator for LabelImporter {
    type Item = Result<LabelStoreEntry, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.number;
        let imported = self.next_label()?;
        Some(imported.and_then(|imported| self.entry(imported, number)))
    }
}

impl Archives {
    /// Returns the moves of each game in archive `number`, or an empty list if `files` does not contain this archive.
    fn games(&mut self, number: u8) -> Result<&[Vec<Move>], GameFileError> {
        if !self.games_by_archive.contains_key(&number) {
            let name = game_archive_name(number);
            let has_name = |path: &&PathBuf| {
                let file = path.file_name().and_then(|file| file.to_str());
                file.is_some_and(|file| file.split('.').next() == Some(&name))
            };
            let games = match self.files.iter().find(has_name) {
                Some(path) => {
                    let games = ArchiveReader::open(path)?.map(|game| Ok(game?.moves));
                    games.collect::<Result<_, GameFileError>>()?
                }
                None => Vec::new(),
            };
            self.games_by_archive.insert(number, games);
        }
        Ok(&self.games_by_archive[&number])
    }
}

fn game_archive_name(number: u8) -> String {
    format!("train-{number:02}")
}

/// Label read from a file, with the moves and the rules of the labelled position.
struct ImportedLabel {
    size: BoardSize,
    archive: u8,
    game: u32,
    prefix_len: u16,
    moves: Vec<Move>,
    rules: Rules,
    label: Label,
}

impl ImportedLabel {
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let [side, archive] = read_array(bytes)?;
        let size = BoardSize::new(usize::from(side), usize::from(side))?;
        let game = u32::from_le_bytes(read_array(bytes)?);
        let prefix_len = read_u16(bytes)?;
        let count = read_u16(bytes)?;
        let moves = (0..count).map(|_| read_move(size, read_u16(bytes)?));
        let moves = moves.collect::<Option<_>>()?;
        let [komi] = read_array(bytes)?;
        let [rules] = read_array(bytes)?;
        let rules = Rules::parse(RULE_SETS.get(usize::from(rules))?)?;
        let komi = Komi::from_half_points(i16::from(komi.cast_signed()));
        Some(Self {
            size,
            archive,
            game,
            prefix_len,
            moves,
            rules: rules.with_komi(komi),
            label: read_label(bytes, size)?,
        })
    }
}

fn read_label(bytes: &mut &[u8], size: BoardSize) -> Option<Label> {
    let probability = |word: u16| f32::from(word) / 65_535.0;
    let points = |word: u16| f32::from(word) / 64.0;
    let (win, no_result) = (probability(read_u16(bytes)?), probability(read_u16(bytes)?));
    let lead = f32::from(read_u16(bytes)?.cast_signed()) / 64.0;
    let score_deviation = points(read_u16(bytes)?);
    let errors = UncertaintyEstimates {
        // The file contains the error of the win rate. The error of win minus loss is twice as large.
        value: 2.0 * probability(read_u16(bytes)?),
        score: points(read_u16(bytes)?),
        variance_time: points(read_u16(bytes)?),
    };
    let [count] = read_array(bytes)?;
    let policy = (0..count).map(|_| {
        let index = read_u16(bytes).filter(|&index| usize::from(index) <= size.area())?;
        Some((index, probability(read_u16(bytes)?)))
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
