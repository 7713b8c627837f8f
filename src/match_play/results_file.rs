//! Results file of a match, from which an interrupted match can be resumed. The tools of gogui-twogtp can read it.
//!
//! `PREFIX.dat` is a table with tab-separated columns. It starts with one line `# Key: value` per setting, a line that
//! contains only `#`, and a line that contains `#` and the column names. One line per game follows.
//!
//! As in gogui-twogtp, `B` and `_B` in column names and results refer to the first program, and `W` and `_W` to the
//! second one, regardless of their colours. The columns have the following meaning:
//!
//! * `ALT` is 1 if the first program played White.
//! * `RES_B` and `RES_W` contain the result. `RES_R` also contains it if there is a referee, and `?` otherwise.
//! * `ERR` is 1 for games with a fault or without a result. The tools of gogui-twogtp ignore such games. `ERR_MSG` is a
//!   description, which starts with the letter of the program at fault, if there is one.
//! * `DUP` is the index of an earlier game with the same moves and colours.
//! * `CPU_B` and `CPU_W` are 0, because processor time is not measured.
//! * `MOVES_B`, `MOVES_W`, `LONG_B` and `LONG_W` are additional columns: the number of timed moves of each program, and
//!   the time of its slowest move in seconds.
//!
//! `PREFIX-N.sgf` is the record of game `N`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use super::finished_game::FinishedGame;
use super::game_summary::GameSummary;
use super::match_config::MatchConfig;
use super::player::EngineIdentity;
use super::results_row::{COLUMNS, ResultsRow, one_line};
use super::side::color_of_a;
use crate::game::record::Record;
use crate::io::error_text::excerpt;
use crate::io::file::{self, LockedFile};
use crate::io::plural::counted;
use crate::random::stable_hash::StableHasher;
use crate::sgf::convert::{read_game, write_game};
use crate::sgf::{self, Collection};

/// Suffix of the lock file, which exists while the match is running.
const LOCK_SUFFIX: &str = ".lock";

/// Error while opening a results file.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A file cannot be read.
    #[error("{}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    /// Another process is using the files with this prefix.
    #[error("{} is in use by another match; wait until it ends or use another prefix", path.display())]
    Locked {
        /// Path of the lock file.
        path: PathBuf,
    },
    /// The file contains games of a match with different settings.
    #[error("{}: {key} was {expected:?} in the saved games, but is {found:?} now; use another prefix for a new match", path.display())]
    SettingsMismatch {
        path: PathBuf,
        /// Name of the setting.
        key: String,
        /// Value in the file.
        expected: String,
        /// Value in this match.
        found: String,
    },
    /// A line is invalid.
    #[error("{}, line {line}: {message}", path.display())]
    InvalidLine {
        path: PathBuf,
        /// Line number, starting at 1.
        line: usize,
        /// Expected and actual content.
        message: String,
    },
    /// A game record does not belong to this match.
    #[error("{}: {message}", path.display())]
    GameMismatch {
        /// Path of the record.
        path: PathBuf,
        /// Expected and actual content.
        message: String,
    },
}

/// The results file of a running match.
#[derive(Debug)]
pub struct ResultsFile {
    prefix: PathBuf,
    /// Lock on all files of the match. A separate file is locked, because the table is replaced after each game.
    _lock: LockedFile,
    /// Letters that denote the programs in fault messages.
    letters: [char; 2],
    settings: Vec<(&'static str, String)>,
    rows: BTreeMap<usize, ResultsRow>,
}

impl ResultsFile {
    /// Opens the results file at `prefix` to resume a match with the same settings. If there are no results, starts a
    /// new match.
    ///
    /// `referee` is the command line of the referee, if there is one.
    ///
    /// # Errors
    /// Returns an error, leaving the files unchanged, if they cannot be read, are invalid, are in use, or belong to
    /// another match.
    pub fn open(
        prefix: &Path,
        config: &MatchConfig,
        identities: &[EngineIdentity; 2],
        referee: Option<&str>,
    ) -> Result<Self, ResultsError> {
        let lock_path = with_suffix(prefix, LOCK_SUFFIX);
        let lock =
            LockedFile::open_and_lock(&lock_path).map_err(|cause| ResultsError::Unreadable {
                path: lock_path.clone(),
                cause,
            })?;
        let Some(lock) = lock else {
            return Err(ResultsError::Locked { path: lock_path });
        };
        let mut results = Self {
            prefix: prefix.to_owned(),
            _lock: lock,
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

    /// Returns the stored games, ordered by index.
    pub fn games(&self) -> Vec<GameSummary> {
        self.rows.values().map(|row| row.summary.clone()).collect()
    }

    /// Adds a game. First writes `sgf_text` to the SGF file of the game, then replaces the table, so that even after a
    /// crash every game in the table has a complete SGF file.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn append(&mut self, finished: &FinishedGame<'_>, sgf_text: &str) -> io::Result<()> {
        let summary = finished.summary.clone();
        let is_same_game = |row: &&ResultsRow| {
            row.summary.a_color == summary.a_color && row.summary.moves == summary.moves
        };
        let duplicate_of = self
            .rows
            .values()
            .find(is_same_game)
            .map(|row| row.summary.game_index);
        file::write_atomic(&self.record_path(summary.game_index), sgf_text)?;
        let row = ResultsRow {
            summary,
            duplicate_of,
        };
        self.rows.insert(row.summary.game_index, row);
        file::write_atomic(
            &self.table_path(),
            self.table_text(finished.config.has_referee),
        )
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
                        let found = excerpt(setting);
                        return Err(line_error(if columns_seen {
                            format!("unexpected # line after the column names: {found:?}")
                        } else {
                            let columns = COLUMNS.join(" ");
                            format!(
                                "expected `key: value` or the columns {columns}, found {found:?}"
                            )
                        }));
                    };
                    file_settings.insert(key.trim().to_owned(), value.trim().to_owned());
                }
                None if columns_seen => {
                    let row = ResultsRow::parse(line, self.letters).map_err(line_error)?;
                    let row = self.check_row(row, config)?;
                    self.rows.insert(row.summary.game_index, row);
                }
                None => {
                    return Err(line_error(format!(
                        "expected the column names first, found {:?}",
                        excerpt(line)
                    )));
                }
            }
        }
        match columns_seen {
            true => Ok(()),
            false => Err(ResultsError::InvalidLine {
                path: self.table_path(),
                line: text.lines().count() + 1,
                message: "expected the column names, found the end of the file".to_owned(),
            }),
        }
    }

    /// Checks that the settings in the file equal the settings of this match.
    fn check_settings(&self, file_settings: &BTreeMap<String, String>) -> Result<(), ResultsError> {
        // By default, MaxMoves depends on other settings. The other settings are compared first, so that the error
        // names the cause.
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

    /// Checks that a row belongs to this match: its game index, its colours, and the opening in its SGF file. Returns
    /// the row with the moves from the SGF file.
    fn check_row(
        &self,
        mut row: ResultsRow,
        config: &MatchConfig,
    ) -> Result<ResultsRow, ResultsError> {
        let game_index = row.summary.game_index;
        let path = self.record_path(game_index);
        let game_error = |message| ResultsError::GameMismatch {
            path: path.clone(),
            message,
        };
        if game_index >= config.max_games {
            let message = format!(
                "the saved match has a game {}, but this match has only {}; \
                 increase the number of games or use another prefix",
                game_index.saturating_add(1),
                counted(config.max_games, "game")
            );
            return Err(game_error(message));
        }
        if row.summary.a_color != color_of_a(game_index) {
            return Err(game_error(format!(
                "the first program played {} in game {} of the saved match, but would play {} in this match; use another prefix",
                row.summary.a_color,
                game_index + 1,
                color_of_a(game_index)
            )));
        }
        let bytes = fs::read(&path).map_err(|cause| ResultsError::Unreadable {
            path: path.clone(),
            cause,
        })?;
        let record = parse_game_record(&bytes, config).map_err(game_error)?;
        let opening = config.opening(game_index);
        if record.size() != config.conditions.size || !record.moves().starts_with(opening.moves()) {
            return Err(game_error(
                "the game does not start with the opening of this match; use the same openings or another prefix"
                    .to_owned(),
            ));
        }
        row.summary.moves = record.moves().to_vec();
        Ok(row)
    }
}

impl Drop for ResultsFile {
    fn drop(&mut self) {
        // The file is removed before the lock is released. Another process therefore finds it locked or creates a new
        // one.
        let _ = fs::remove_file(with_suffix(&self.prefix, LOCK_SUFFIX));
    }
}

/// Appends a suffix to a path prefix.
fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(prefix);
    path.push(suffix);
    path.into()
}

fn parse_game_record(bytes: &[u8], config: &MatchConfig) -> Result<Record, String> {
    let parsed = sgf::parse(bytes).map_err(|error| error.to_string())?;
    read_game(parsed.first_game(), config.conditions.rules).map_err(|error| error.to_string())
}

/// Returns the names and values of the settings that all games of a match have in common. Settings that gogui-twogtp
/// also writes have the same names in both programs. The number of games and the number of concurrent games are
/// omitted, because they can change when a match is resumed.
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
        (
            "MoveLimit",
            conditions.hang_timeout.as_secs_f64().to_string(),
        ),
        ("Openings", openings_fingerprint(config)),
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
    // Values must be single lines without surrounding spaces.
    pairs.map(|(key, value)| (key, one_line(&value))).to_vec()
}

/// Returns the number of openings and a hash of their moves.
fn openings_fingerprint(config: &MatchConfig) -> String {
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
