//! Reader for packed archives of recorded games (`.kifu`, `.kifu.xz`).
//!
//! An archive contains the magic `GOKIFU1\n`, the number of games as `u32`, the size of a game header in bytes (16) as
//! `u32`, and then the games. Each game consists of a header and the moves. A move is a `u16`: `row * 19 + column`,
//! counted from the top left, or 361 for a pass. All numbers are stored in little-endian order. The offset of a game in
//! the file depends on the lengths of all previous games, so reading ends at the first damaged game.
//!
//! The reader uses these bytes of a game header: the board side (byte 0), komi in half points (byte 1, signed), the
//! winner (byte 3; 1 for Black, 2 for White), a byte that is 0 if the game was scored (byte 4), the source of the game
//! (byte 5), the winning margin in half points (bytes 6 and 7), and the number of moves (bytes 14 and 15).

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use super::game::{GameFileError, TrainingGame};
use super::xz;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::rules::{KoRule, Komi, Rules, Scoring, Tax};

const MAGIC: &[u8; 8] = b"GOKIFU1\n";
/// Size of the file header in bytes.
const FILE_HEADER_BYTES: usize = 16;
/// Size of a game header in bytes.
const GAME_HEADER_BYTES: usize = 16;
const PASS_CODE: u16 = 361;
const MOVE_ROW_STRIDE: usize = 19;
/// Maximum number of moves per game. The format permits more, but real games are much shorter.
const MAX_MOVES: usize = 4_000;

/// Returns true if games from `source` are scored under Korean rules. These are TYGEM games between humans (source 0)
/// and TYGEM games between programs (sources 40 to 49). Games from all other sources use area scoring.
const fn source_uses_territory_scoring(source: u8) -> bool {
    matches!(source, 0 | 40..=49)
}

/// Returns the rules for scoring games from `source`. `komi` is in half points.
fn scoring_rules_of_source(source: u8, komi: i16) -> Rules {
    let (scoring, tax) = if source_uses_territory_scoring(source) {
        (Scoring::Territory, Tax::Seki)
    } else {
        (Scoring::Area, Tax::None)
    };
    Rules {
        ko: KoRule::Simple,
        scoring,
        tax,
        ..Rules::default().with_komi(Komi::from_half_points(komi))
    }
}

/// Reader for the games of a packed archive. As an iterator, it ends after the last game or the first error.
pub struct ArchiveReader {
    file: String,
    reader: Box<dyn Read + Send>,
    remaining: u32,
    /// Offset of the next game in the uncompressed file.
    offset: u64,
}

impl ArchiveReader {
    /// Opens the archive at `path` and decompresses it if the file name ends with `.xz`. The path `-` denotes standard
    /// input, which must be uncompressed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or does not start with the header of an archive.
    pub fn open(path: &Path) -> Result<Self, GameFileError> {
        let name = path.display().to_string();
        let wrap = |source| GameFileError::Io {
            file: name.clone(),
            source,
        };
        let raw: Box<dyn Read + Send> = if name == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(wrap)?)
        };
        let reader: Box<dyn Read + Send> = if name.ends_with(".xz") {
            Box::new(BufReader::with_capacity(1 << 16, xz::decompress(raw)))
        } else {
            Box::new(BufReader::with_capacity(1 << 16, raw))
        };
        Self::new(name, reader)
    }

    /// Creates a reader for the uncompressed archive that `reader` supplies. `file` is the file name for error
    /// messages.
    ///
    /// # Errors
    /// Returns an error if `reader` fails or does not start with the header of an archive.
    pub fn new(file: String, reader: Box<dyn Read + Send>) -> Result<Self, GameFileError> {
        let mut archive = Self {
            file,
            reader,
            remaining: 0,
            offset: 0,
        };
        let mut header = [0; FILE_HEADER_BYTES];
        archive.read_exact(&mut header)?;
        if header[..8] != *MAGIC {
            let found = format!("{:?}", &header[..8]);
            return Err(archive.format_error("an archive that begins with GOKIFU1", found));
        }
        archive.remaining = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        let game_header_bytes =
            u32::from_le_bytes([header[12], header[13], header[14], header[15]]);
        if game_header_bytes as usize != GAME_HEADER_BYTES {
            return Err(archive.format_error("game headers of 16 bytes", game_header_bytes));
        }
        archive.offset = FILE_HEADER_BYTES as u64;
        Ok(archive)
    }

    fn read_game(&mut self) -> Result<TrainingGame, GameFileError> {
        let mut header = [0; GAME_HEADER_BYTES];
        self.read_exact(&mut header)?;
        let count = usize::from(u16::from_le_bytes([header[14], header[15]]));
        if count > MAX_MOVES {
            return Err(self.format_error("at most 4000 moves", count));
        }
        let mut bytes = vec![0; 2 * count];
        self.read_exact(&mut bytes)?;
        let side = usize::from(header[0]);
        let size = BoardSize::new(side, side)
            .ok_or_else(|| self.format_error("a board side from 2 to 19", side))?;
        let winner = match header[3] {
            1 => Color::Black,
            2 => Color::White,
            other => return Err(self.format_error("winner 1 or 2", other)),
        };
        let moves = bytes
            .chunks_exact(2)
            .map(|pair| {
                let code = u16::from_le_bytes([pair[0], pair[1]]);
                read_move(size, code)
                    .ok_or_else(|| self.format_error("a move on the board or 361", code))
            })
            .collect::<Result<_, _>>()?;
        let margin = u16::from_le_bytes([header[6], header[7]]);
        self.offset += (GAME_HEADER_BYTES + bytes.len()) as u64;
        let scoring_rules = scoring_rules_of_source(header[5], i16::from(header[1].cast_signed()));
        Ok(TrainingGame {
            initial: Position::new(size, scoring_rules),
            scoring_rules,
            rules: None,
            winner: Some(winner),
            margin: (header[4] == 0 && margin > 0).then_some(margin),
            moves,
            search_targets: Vec::new(),
            final_ownership: None,
        })
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), GameFileError> {
        self.reader
            .read_exact(bytes)
            .map_err(|source| match source.raw_os_error() {
                Some(_) => GameFileError::Io {
                    file: self.file.clone(),
                    source,
                },
                None if source.kind() == ErrorKind::UnexpectedEof => {
                    self.format_error("more games", "the end of the file")
                }
                None if source.kind() == ErrorKind::OutOfMemory => {
                    let limit_mib = xz::MEMORY_LIMIT_KIB >> 10;
                    self.format_error(
                        &format!("data that can be decompressed within {limit_mib} MiB"),
                        "data that needs more memory",
                    )
                }
                // The decoder returns errors of various kinds for damaged data.
                None => self.format_error("games", source),
            })
    }

    /// Creates a format error at the offset of the next game.
    fn format_error(&self, expected: &str, found: impl ToString) -> GameFileError {
        GameFileError::Format {
            file: self.file.clone(),
            offset: self.offset,
            expected: expected.to_owned(),
            found: found.to_string(),
        }
    }
}

fn read_move(size: BoardSize, code: u16) -> Option<Move> {
    if code == PASS_CODE {
        return Some(Move::Pass);
    }
    let code = usize::from(code);
    size.point(code % MOVE_ROW_STRIDE, code / MOVE_ROW_STRIDE)
        .map(Move::Play)
}

impl Iterator for ArchiveReader {
    type Item = Result<TrainingGame, GameFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        let game = self.read_game();
        if game.is_err() {
            self.remaining = 0;
        }
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Result<Vec<Result<TrainingGame, GameFileError>>, GameFileError> {
        let reader = Box::new(io::Cursor::new(bytes.to_vec()));
        ArchiveReader::new("a.kifu".to_owned(), reader).map(Iterator::collect)
    }

    /// Returns an archive of three 9x9 games with two moves (20 bytes) each.
    fn three_games() -> Vec<u8> {
        let mut bytes = b"GOKIFU1\n".to_vec();
        bytes.extend([3_u32, 16].iter().flat_map(|number| number.to_le_bytes()));
        for _ in 0..3 {
            bytes.extend([9, 13, 0, 1, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0]);
            bytes.extend(
                [40_u16, PASS_CODE]
                    .iter()
                    .flat_map(|code| code.to_le_bytes()),
            );
        }
        bytes
    }

    #[test]
    fn source_determines_scoring() {
        let mut bytes = three_games();
        for (game, source) in [0, 49, 50].into_iter().enumerate() {
            bytes[FILE_HEADER_BYTES + 20 * game + 5] = source;
        }
        let games = read_all(&bytes).unwrap();
        let scorings: Vec<Scoring> = games
            .iter()
            .flatten()
            .map(|game| game.scoring_rules.scoring)
            .collect();
        let territory = Scoring::Territory;
        assert_eq!(scorings, [territory, territory, Scoring::Area]);
    }

    #[test]
    fn games_before_damage_are_read() {
        let archive = three_games();
        let games = read_all(&archive).unwrap();
        assert!(games.len() == 3 && games.iter().all(Result::is_ok));
        let read_until_error = |bytes: &[u8]| {
            let games = read_all(bytes).unwrap();
            let intact = games.iter().take_while(|game| game.is_ok()).count();
            assert_eq!(games.len(), intact + 1, "nothing follows the damage");
            let error = games[intact].as_ref().unwrap_err();
            assert!(error.is_damaged());
            (intact, error.to_string())
        };
        for cut in 16..archive.len() {
            let (intact, error) = read_until_error(&archive[..cut]);
            assert_eq!(intact, (cut - 16) / 20);
            let prefix = format!("a.kifu, byte {}: expected more games", 16 + 20 * intact);
            assert!(error.starts_with(&prefix), "{error}");
        }
        // An invalid board side, an invalid winner, an invalid move, and too many moves.
        for (offset, value) in [(36, 20), (39, 3), (52, 10), (51, 255)] {
            let mut bytes = archive.clone();
            bytes[offset] = value;
            let (intact, error) = read_until_error(&bytes);
            assert_eq!(intact, 1);
            assert!(error.starts_with("a.kifu, byte 36: expected"), "{error}");
        }
    }

    #[test]
    fn xz_memory_is_limited() {
        // The start of an `xz` file, with the dictionary size changed from 8 MiB to the maximum.
        let header = b"\xfd7zXZ\0\0\x01i\"\xde6\x02\0!\x01(\0\0\0\xe6\xa0\x11\xb3";
        let error = ArchiveReader::new(
            "a.kifu.xz".to_owned(),
            Box::new(xz::decompress(&header[..])),
        );
        let error = error.err().expect("nothing is in it").to_string();
        assert_eq!(
            error,
            "a.kifu.xz, byte 0: expected data that can be decompressed within 256 MiB, found data that needs more memory"
        );
    }

    #[test]
    fn other_files_are_rejected() {
        let archive = three_games();
        for bytes in [&archive[..0], &archive[..15], b"(;GM[1]SZ[19];B[pd])"] {
            assert!(read_all(bytes).unwrap_err().is_damaged());
        }
    }
}
