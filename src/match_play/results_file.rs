//! The results file of a match: what a match that was broken off goes on from, in the form that gogui-twogtp's tools
//! read.
//!
//! `PREFIX.dat` is a table with tabs between its columns: the settings as `# Key: value`, a line `#`, the names of the
//! columns after a `#`, then a line a game. As with gogui-twogtp, `B` and `_B` mean the program named first whatever its
//! colour, `W` and `_W` the other, and `ALT` is 1 where the first had White. The result of the match stands for what both
//! players say, and for the referee's word where there is one; of games with `ERR` 1 gogui-twogtp counts nothing. `DUP`
//! names an earlier game with the same moves and colours; `ERR_MSG` begins with the letter of the program; processor time
//! is not measured. Four columns more than gogui-twogtp has tell the moves that were timed and the longest.
//! `PREFIX-N.sgf` is the record of game `N`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use super::game_record::GameRecord;
use super::game_sgf;
use super::player::EngineIdentity;
use super::results_row::{COLUMNS, ResultsRow, one_line};
use super::runner::{FinishedGame, MatchConfig, color_of_a};
use crate::game::record::Record;
use crate::io::error_text::truncated;
use crate::io::file;
use crate::random::stable_hash::StableHasher;
use crate::sgf::convert::{read_game, write_game};
use crate::sgf::{self, Collection};

/// The ending of the file that is there while a match goes on.
const LOCK: &str = ".lock";

/// Why a match cannot go on from a results file.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A file cannot be read.
    #[error("{}: {cause}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// The system's words.
        cause: io::Error,
    },
    /// Another process writes there.
    #[error("{}: expected a match of this process alone, found another writing to it", path.display())]
    Locked {
        /// The file that the other holds.
        path: PathBuf,
    },
    /// It was written by a match with other settings.
    #[error("{}: expected the {key} of its games, {expected:?}, found {found:?}; another prefix begins anew", path.display())]
    SettingsMismatch {
        /// The file.
        path: PathBuf,
        /// Which setting.
        key: String,
        /// The file's.
        expected: String,
        /// This match's.
        found: String,
    },
    /// A line is not as such a file has them.
    #[error("{}, line {line}: {message}", path.display())]
    InvalidLine {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What was expected and what was found.
        message: String,
    },
    /// A record does not fit the match.
    #[error("{}: {message}", path.display())]
    GameMismatch {
        /// The record.
        path: PathBuf,
        /// What was expected and what was found.
        message: String,
    },
}

/// The results file of a match, and the games in it.
#[derive(Debug)]
pub struct ResultsFile {
    prefix: PathBuf,
    /// Held by this process alone; the table itself is another file after each game.
    lock_file: File,
    /// The letters that faults name the programs by.
    letters: [char; 2],
    settings: Vec<(&'static str, String)>,
    rows: BTreeMap<usize, ResultsRow>,
}

impl ResultsFile {
    /// The results at that prefix: those of a match with the same settings that was broken off, or none yet. `referee` is
    /// the referee's command line.
    ///
    /// # Errors
    /// [`ResultsError`], so that nothing is overwritten that is not of this match.
    pub fn open(
        prefix: &Path,
        config: &MatchConfig,
        identities: &[EngineIdentity; 2],
        referee: Option<&str>,
    ) -> Result<Self, ResultsError> {
        let lock_path = with_suffix(prefix, LOCK);
        let lock_file = File::create(&lock_path).map_err(|cause| ResultsError::Unreadable {
            path: lock_path.clone(),
            cause,
        })?;
        if !file::try_lock(&lock_file) {
            return Err(ResultsError::Locked { path: lock_path });
        }
        let mut results = Self {
            prefix: prefix.to_owned(),
            lock_file,
            letters: config.letters,
            settings: match_settings(config, identities, referee),
            rows: BTreeMap::new(),
        };
        match fs::read_to_string(results.table_path()) {
            Ok(text) => results.load(&text, config)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => {
                let path = results.table_path();
                return Err(ResultsError::Unreadable { path, cause });
            }
        }
        Ok(results)
    }

    /// The games in the file, by their numbers.
    #[must_use]
    pub fn entries(&self) -> Vec<GameRecord> {
        self.rows.values().map(|row| row.record.clone()).collect()
    }

    /// Keeps a game: its record first, then the table as a whole, so that a crash leaves no half of it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn append(&mut self, finished: &FinishedGame<'_>) -> io::Result<()> {
        let config = finished.config;
        let record = finished.record.clone();
        let is_same_game = |row: &&ResultsRow| {
            row.record.a_color == record.a_color && row.record.moves == record.moves
        };
        let duplicate_of = self
            .rows
            .values()
            .find(is_same_game)
            .map(|row| row.record.game_index);
        file::write_atomic(
            &self.record_path(record.game_index),
            game_sgf::to_sgf(finished, &config.conditions),
        )?;
        let row = ResultsRow {
            record,
            duplicate_of,
        };
        self.rows.insert(row.record.game_index, row);
        file::write_atomic(&self.table_path(), self.table_text(config.has_referee))
    }

    fn table_path(&self) -> PathBuf {
        with_suffix(&self.prefix, ".dat")
    }

    fn record_path(&self, game_index: usize) -> PathBuf {
        with_suffix(&self.prefix, &format!("-{game_index}.sgf"))
    }

    fn table_text(&self, has_referee: bool) -> String {
        let header = self
            .settings
            .iter()
            .map(|(key, value)| format!("# {key}: {value}\n"));
        let columns = format!("#\n#{}\n", COLUMNS.join("\t"));
        let rows = (self.rows.values()).map(|row| row.to_line(has_referee, self.letters) + "\n");
        header.chain([columns]).chain(rows).collect()
    }

    fn load(&mut self, text: &str, config: &MatchConfig) -> Result<(), ResultsError> {
        let mut file_settings = BTreeMap::new();
        let mut columns_seen = false;
        for (number, line) in (1..).zip(text.lines()) {
            let line_error = |message| ResultsError::InvalidLine {
                path: self.table_path(),
                line: number,
                message,
            };
            match line.strip_prefix('#') {
                Some("") => {}
                Some(columns) if columns == COLUMNS.join("\t") => {
                    columns_seen = true;
                    self.check_settings(&file_settings)?;
                }
                Some(setting) => {
                    let Some((key, value)) = setting.split_once(':').filter(|_| !columns_seen)
                    else {
                        let expected = COLUMNS.join(" ");
                        return Err(line_error(format!(
                            "expected the columns {expected}, found {:?}",
                            truncated(setting)
                        )));
                    };
                    file_settings.insert(key.trim().to_owned(), value.trim().to_owned());
                }
                None if columns_seen => {
                    let row = ResultsRow::parse(line, self.letters).map_err(line_error)?;
                    let row = self.check_row(row, config)?;
                    self.rows.insert(row.record.game_index, row);
                }
                None => {
                    return Err(line_error(format!(
                        "expected the columns' names first, found {:?}",
                        truncated(line)
                    )));
                }
            }
        }
        match columns_seen {
            true => Ok(()),
            false => Err(ResultsError::InvalidLine {
                path: self.table_path(),
                line: text.lines().count() + 1,
                message: "expected the columns' names, found the end of the file".to_owned(),
            }),
        }
    }

    /// The settings of the file must be those of this match.
    fn check_settings(&self, file_settings: &BTreeMap<String, String>) -> Result<(), ResultsError> {
        // Where nobody tells how many moves a game may have, that follows from the others.
        let is_derived = |key: &str| key == "MaxMoves";
        let explicit = self.settings.iter().filter(|(key, _)| !is_derived(key));
        let derived = self.settings.iter().filter(|(key, _)| is_derived(key));
        for (key, value) in explicit.chain(derived) {
            let expected = file_settings.get(*key).map_or("", String::as_str);
            if expected != value {
                return Err(ResultsError::SettingsMismatch {
                    path: self.table_path(),
                    key: (*key).to_owned(),
                    expected: expected.to_owned(),
                    found: value.clone(),
                });
            }
        }
        Ok(())
    }

    /// The row with the moves of its record, which must begin as this match has that game begin.
    fn check_row(
        &self,
        mut row: ResultsRow,
        config: &MatchConfig,
    ) -> Result<ResultsRow, ResultsError> {
        let game_index = row.record.game_index;
        let path = self.record_path(game_index);
        let game_error = |message| ResultsError::GameMismatch {
            path: path.clone(),
            message,
        };
        if game_index >= config.max_games {
            let message = format!(
                "expected at most {} games, found game {}",
                config.max_games,
                game_index.saturating_add(1)
            );
            return Err(game_error(message));
        }
        if row.record.a_color != color_of_a(game_index) {
            return Err(game_error(format!(
                "expected the first program to be {}",
                color_of_a(game_index)
            )));
        }
        let bytes = fs::read(&path).map_err(|cause| ResultsError::Unreadable {
            path: path.clone(),
            cause,
        })?;
        let record = read_record(&bytes, config).map_err(game_error)?;
        let opening = config.opening(game_index);
        if record.size() != config.conditions.size || !record.moves().starts_with(opening.moves()) {
            return Err(game_error(
                "expected the opening of this match, found other moves".to_owned(),
            ));
        }
        row.record.moves = record.moves().to_vec();
        Ok(row)
    }
}

impl Drop for ResultsFile {
    fn drop(&mut self) {
        // Whoever opens it from now on finds it held by nobody, or makes it anew.
        let _ = fs::remove_file(with_suffix(&self.prefix, LOCK));
        let _ = self.lock_file.unlock();
    }
}

/// The path that a prefix and an ending make.
fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(prefix);
    path.push(suffix);
    path.into()
}

fn read_record(bytes: &[u8], config: &MatchConfig) -> Result<Record, String> {
    let parsed = sgf::parse(bytes).map_err(|error| error.to_string())?;
    read_game(parsed.first_game(), config.conditions.rules).map_err(|error| error.to_string())
}

/// What must be the same for games to be of one match, by gogui-twogtp's names where it has some. How many games are
/// played at most may grow, how many at once may change.
fn match_settings(
    config: &MatchConfig,
    [black, white]: &[EngineIdentity; 2],
    referee: Option<&str>,
) -> Vec<(&'static str, String)> {
    let conditions = &config.conditions;
    let [black_command, white_command] = &config.labels;
    let pairs = [
        ("Black", black.name.clone()),
        ("BlackCommand", black_command.clone()),
        ("BlackLabel", black.to_string()),
        ("BlackVersion", black.version.clone()),
        ("Komi", conditions.rules.komi.to_string()),
        ("MaxMoves", conditions.max_moves.to_string()),
        ("MoveLimit", conditions.move_limit.as_secs_f64().to_string()),
        ("Openings", openings_text(config)),
        ("Referee", referee.unwrap_or("-").to_owned()),
        ("Rules", conditions.rules.name_or_katago_string()),
        ("Size", size_text(config)),
        ("Time", conditions.time.to_string()),
        ("White", white.name.clone()),
        ("WhiteCommand", white_command.clone()),
        ("WhiteLabel", white.to_string()),
        ("WhiteVersion", white.version.clone()),
        ("Xml", "0".to_owned()),
    ];
    // A value is one line, and without spaces around it.
    pairs.map(|(key, value)| (key, one_line(&value))).to_vec()
}

/// How many openings there are, and a number that tells them from others.
fn openings_text(config: &MatchConfig) -> String {
    let mut hasher = StableHasher::default();
    for opening in &config.openings {
        let games = vec![write_game(opening)];
        sgf::write(&Collection { games }).hash(&mut hasher);
    }
    match config.openings.len() {
        0 => "0".to_owned(),
        count => format!("{count} ({:016x})", hasher.finish()),
    }
}

fn size_text(config: &MatchConfig) -> String {
    let size = config.conditions.size;
    if size.width() == size.height() {
        size.width().to_string()
    } else {
        size.to_string()
    }
}
