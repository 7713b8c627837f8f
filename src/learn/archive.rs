//! Game files to learn from: packed archives (`.kifu`, `.kifu.xz`) and single games.
//!
//! A packed archive is little endian: the magic `GOKIFU1\n`, a `u32` number of games, a `u32` header size (16); then
//! the games, each a 16-byte header and its moves as `u16`: `row * 19 + column` from the top left, 361 for a pass. What
//! follows a damaged game cannot be told apart, and is lost with it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{Komi, Rules, Scoring, Tax};
use crate::learn::selfplay::read::LineError;
use crate::learn::target::Target;

const MAGIC: &[u8; 8] = b"GOKIFU1\n";
/// Bytes before the first game.
const START: usize = 16;
/// Bytes of a game before its moves.
const HEADER: usize = 16;
const PASS: u16 = 361;
const RECORD_STRIDE: usize = 19;
/// Longer games are refused: the count is a `u16`, and no game of Go comes near.
const MAX_MOVES: usize = 4_000;
/// Memory for unpacking an archive in KiB, four times what `xz -9` asks for: a damaged one may ask for any.
const UNPACKING_KIB: u32 = 256 << 10;

/// Whether games of this source are counted by Korean rules: TYGEM's between people, and from 40 to 49 those of programs
/// there. The others count area.
const fn counts_territory(source: u8) -> bool {
    matches!(source, 0 | 40..=49)
}

/// How games of a source are counted, with that komi in half points.
fn counted(source: u8, komi: i16) -> Rules {
    let (scoring, tax) = if counts_territory(source) {
        (Scoring::Territory, Tax::Seki)
    } else {
        (Scoring::Area, Tax::None)
    };
    Rules {
        scoring,
        tax,
        ..Rules::default().with_komi(Komi::from_half_points(komi))
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The position before the first move, whoever makes that to move, with the handicap and earlier prisoners. Its rules
    /// are anything.
    pub initial: Position,
    /// Komi, scoring, tax and bonus as far as the source is known to tell them. The rest is anything.
    pub counted: Rules,
    /// The rules and the komi, where the record is known to tell all of them.
    pub rules: Option<Rules>,
    /// Who won; nobody in a drawn game.
    pub winner: Option<Color>,
    /// By how many half points, where it was counted.
    pub margin: Option<u16>,
    /// The moves, colours alternating.
    pub moves: Vec<Move>,
    /// For each move what a search said before it, if there was one to learn from; empty where there was none at all.
    pub targets: Vec<Option<Target>>,
    /// Whose each point is at the end, where that is known; nobody's the others.
    pub owners: Option<ByColor<PointSet>>,
}

impl Game {
    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// The position before the first move, under these rules.
    #[must_use]
    pub fn start(&self, rules: Rules) -> Position {
        let mut position = self.initial.clone();
        position.set_rules(rules);
        position
    }

    /// Black's lead at the end in half points, where it was counted.
    #[must_use]
    pub fn lead(&self) -> Option<i32> {
        let margin = self.margin.map(i32::from);
        margin.map(|margin| self.winner.map_or(0, |winner| winner.from_black(margin)))
    }
}

/// Why a game file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Reading or decompressing failed.
    #[error("{file}: {source}")]
    Io {
        /// The file's name.
        file: String,
        /// What happened.
        source: io::Error,
    },
    /// It is not a file of games, or is damaged from some place on.
    #[error("{file}, byte {offset}: expected {expected}, found {found}")]
    Format {
        /// The file's name.
        file: String,
        /// Bytes before the damage, unpacked.
        offset: u64,
        /// What should stand there.
        expected: String,
        /// What does.
        found: String,
    },
    /// One game of several is damaged; those behind it can be read.
    #[error("{file}, byte {offset}: {fault}")]
    Game {
        /// The file's name.
        file: String,
        /// Bytes before the game.
        offset: u64,
        /// What is wrong with it.
        fault: Box<LineError>,
    },
}

impl ArchiveError {
    /// Whether the fault is the file's, so that other files may do instead, and not one of reading.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }
}

/// A packed archive, read game after game.
pub struct Archive {
    file: String,
    reader: Box<dyn Read + Send>,
    remaining: u32,
    /// Bytes before the game that is read next.
    offset: u64,
}

impl Archive {
    /// Opens `.kifu` or, by its ending, `.kifu.xz`; `-` is standard input, unpacked.
    ///
    /// # Errors
    /// When the file cannot be read or does not begin as an archive does.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let name = path.display().to_string();
        let wrap = |source| ArchiveError::Io {
            file: name.clone(),
            source,
        };
        let raw: Box<dyn Read + Send> = if name == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(wrap)?)
        };
        let reader: Box<dyn Read + Send> = if name.ends_with(".xz") {
            Box::new(BufReader::with_capacity(1 << 16, unpacked(raw)))
        } else {
            Box::new(BufReader::with_capacity(1 << 16, raw))
        };
        Self::new(name, reader)
    }

    /// An archive from any reader; `file` names it in errors.
    ///
    /// # Errors
    /// When it cannot be read or does not begin as an archive does.
    pub fn new(file: String, reader: Box<dyn Read + Send>) -> Result<Self, ArchiveError> {
        let mut archive = Self {
            file,
            reader,
            remaining: 0,
            offset: 0,
        };
        let mut head = [0; START];
        archive.fill(&mut head)?;
        if head[..8] != *MAGIC {
            let found = format!("{:?}", &head[..8]);
            return Err(archive.format("an archive that begins with GOKIFU1", found));
        }
        archive.remaining = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        let header = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
        if header as usize != HEADER {
            return Err(archive.format("game headers of 16 bytes", header));
        }
        archive.offset = START as u64;
        Ok(archive)
    }

    fn read(&mut self) -> Result<Game, ArchiveError> {
        let mut head = [0; HEADER];
        self.fill(&mut head)?;
        let count = usize::from(u16::from_le_bytes([head[14], head[15]]));
        if count > MAX_MOVES {
            return Err(self.format("at most 4000 moves", count));
        }
        let mut bytes = vec![0; 2 * count];
        self.fill(&mut bytes)?;
        let side = usize::from(head[0]);
        let size = BoardSize::new(side, side)
            .ok_or_else(|| self.format("a board side from 2 to 19", side))?;
        let winner = match head[3] {
            1 => Color::Black,
            2 => Color::White,
            other => return Err(self.format("winner 1 or 2", other)),
        };
        let moves = bytes
            .chunks_exact(2)
            .map(|pair| {
                let code = u16::from_le_bytes([pair[0], pair[1]]);
                read_move(size, code).ok_or_else(|| self.format("a move on the board or 361", code))
            })
            .collect::<Result<_, _>>()?;
        let margin = u16::from_le_bytes([head[6], head[7]]);
        self.offset += (HEADER + bytes.len()) as u64;
        let counted = counted(head[5], i16::from(head[1].cast_signed()));
        Ok(Game {
            initial: Position::new(size, counted),
            counted,
            rules: None,
            winner: Some(winner),
            margin: (head[4] == 0 && margin > 0).then_some(margin),
            moves,
            targets: Vec::new(),
            owners: None,
        })
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ArchiveError> {
        self.reader
            .read_exact(bytes)
            .map_err(|source| match source.raw_os_error() {
                Some(_) => ArchiveError::Io {
                    file: self.file.clone(),
                    source,
                },
                None if source.kind() == ErrorKind::UnexpectedEof => {
                    self.format("more games", "the end of the file")
                }
                None if source.kind() == ErrorKind::OutOfMemory => {
                    let most = UNPACKING_KIB >> 10;
                    self.format(
                        &format!("games that {most} MiB are enough to unpack"),
                        "such as need more",
                    )
                }
                // Packed bytes that cannot be unpacked, whichever kind of error that is called.
                None => self.format("games", source),
            })
    }

    /// Damage to the game that is read next, or before it.
    fn format(&self, expected: &str, found: impl ToString) -> ArchiveError {
        ArchiveError::Format {
            file: self.file.clone(),
            offset: self.offset,
            expected: expected.to_owned(),
            found: found.to_string(),
        }
    }
}

/// What is packed by `xz`.
fn unpacked<R: Read>(packed: R) -> impl Read + use<R> {
    lzma_rust2::XzReader::new_mem_limit(BufReader::new(packed), true, UNPACKING_KIB)
}

fn read_move(size: BoardSize, code: u16) -> Option<Move> {
    if code == PASS {
        return Some(Move::Pass);
    }
    let code = usize::from(code);
    size.point(code % RECORD_STRIDE, code / RECORD_STRIDE)
        .map(Move::Play)
}

/// Ends after the last game or the first error.
impl Iterator for Archive {
    type Item = Result<Game, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        let game = self.read();
        if game.is_err() {
            self.remaining = 0;
        }
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Result<Game, ArchiveError>>, ArchiveError> {
        let reader = Box::new(io::Cursor::new(bytes.to_vec()));
        Archive::new("a.kifu".to_owned(), reader).map(Iterator::collect)
    }

    /// Three games on 9x9 of two moves each, 20 bytes a game.
    fn three_games() -> Vec<u8> {
        let mut bytes = b"GOKIFU1\n".to_vec();
        bytes.extend([3_u32, 16].iter().flat_map(|number| number.to_le_bytes()));
        for _ in 0..3 {
            bytes.extend([9, 13, 0, 1, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0]);
            bytes.extend([40_u16, PASS].iter().flat_map(|code| code.to_le_bytes()));
        }
        bytes
    }

    #[test]
    fn the_source_tells_how_a_game_was_counted() {
        let mut bytes = three_games();
        for (game, source) in [0, 49, 50].into_iter().enumerate() {
            bytes[START + 20 * game + 5] = source;
        }
        let games = read(&bytes).unwrap();
        let counted: Vec<Scoring> = games
            .iter()
            .flatten()
            .map(|game| game.counted.scoring)
            .collect();
        let territory = Scoring::Territory;
        assert_eq!(counted, [territory, territory, Scoring::Area]);
    }

    #[test]
    fn what_stands_before_the_damage_is_read_and_the_damage_is_placed() {
        let whole = three_games();
        let games = read(&whole).unwrap();
        assert!(games.len() == 3 && games.iter().all(Result::is_ok));
        let said = |bytes: &[u8]| {
            let games = read(bytes).unwrap();
            let sound = games.iter().take_while(|game| game.is_ok()).count();
            assert_eq!(games.len(), sound + 1, "nothing follows the damage");
            let error = games[sound].as_ref().unwrap_err();
            assert!(error.is_damage());
            (sound, error.to_string())
        };
        for cut in 16..whole.len() {
            let (sound, error) = said(&whole[..cut]);
            assert_eq!(sound, (cut - 16) / 20);
            let place = format!("a.kifu, byte {}: expected more games", 16 + 20 * sound);
            assert!(error.starts_with(&place), "{error}");
        }
        // A side, a winner, a move beyond the edge, and more moves than any game has.
        for (place, value) in [(36, 20), (39, 3), (52, 10), (51, 255)] {
            let mut bytes = whole.clone();
            bytes[place] = value;
            let (sound, error) = said(&bytes);
            assert_eq!(sound, 1);
            assert!(error.starts_with("a.kifu, byte 36: expected"), "{error}");
        }
    }

    #[test]
    fn an_archive_that_asks_for_memory_without_end_gets_none() {
        // The beginning of what `xz` writes, with the largest window there is in place of 8 MiB.
        let header = b"\xfd7zXZ\0\0\x01i\"\xde6\x02\0!\x01(\0\0\0\xe6\xa0\x11\xb3";
        let error = Archive::new("a.kifu.xz".to_owned(), Box::new(unpacked(&header[..])));
        let error = error.err().expect("nothing is in it").to_string();
        assert_eq!(
            error,
            "a.kifu.xz, byte 0: expected games that 256 MiB are enough to unpack, found such as need more"
        );
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let whole = three_games();
        for bad in [&whole[..0], &whole[..15], b"(;GM[1]SZ[19];B[pd])"] {
            assert!(read(bad).unwrap_err().is_damage());
        }
    }
}
