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

use super::entry::Entry;
use super::player::Identity;
use super::record;
use super::row::{COLUMNS, Row, one_line};
use super::run::{Contest, Finished, a_color};
use crate::file;
use crate::game::hasher::StableHasher;
use crate::game::record::Record;
use crate::names::shortened;
use crate::sgf::record::{read_game, write_game};
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
    Taken {
        /// The file that the other holds.
        path: PathBuf,
    },
    /// It was written by a match with other settings.
    #[error("{}: expected the {key} of its games, {expected:?}, found {found:?}; another prefix begins anew", path.display())]
    Settings {
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
    #[error("{}, line {line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What was expected and what was found.
        fault: String,
    },
    /// A record does not fit the match.
    #[error("{}: {fault}", path.display())]
    Game {
        /// The record.
        path: PathBuf,
        /// What was expected and what was found.
        fault: String,
    },
}

/// The results file of a match, and the games in it.
#[derive(Debug)]
pub struct Results {
    prefix: PathBuf,
    /// Held by this process alone; the table itself is another file after each game.
    lock: File,
    /// The letters that faults name the programs by.
    letters: [char; 2],
    settings: Vec<(&'static str, String)>,
    rows: BTreeMap<usize, Row>,
}

impl Results {
    /// The results at that prefix: those of a match with the same settings that was broken off, or none yet. `referee` is
    /// the referee's command line.
    ///
    /// # Errors
    /// [`ResultsError`], so that nothing is overwritten that is not of this match.
    pub fn open(
        prefix: &Path,
        contest: &Contest,
        identities: &[Identity; 2],
        referee: Option<&str>,
    ) -> Result<Self, ResultsError> {
        let path = ended(prefix, LOCK);
        let lock = File::create(&path).map_err(|cause| ResultsError::Unreadable {
            path: path.clone(),
            cause,
        })?;
        if !file::hold(&lock) {
            return Err(ResultsError::Taken { path });
        }
        let mut results = Self {
            prefix: prefix.to_owned(),
            lock,
            letters: contest.letters,
            settings: settings(contest, identities, referee),
            rows: BTreeMap::new(),
        };
        match fs::read_to_string(results.table_path()) {
            Ok(text) => results.read(&text, contest)?,
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
    pub fn entries(&self) -> Vec<Entry> {
        self.rows.values().map(|row| row.entry.clone()).collect()
    }

    /// Keeps a game: its record first, then the table as a whole, so that a crash leaves no half of it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add(&mut self, finished: &Finished<'_>) -> io::Result<()> {
        let contest = finished.contest;
        let entry = finished.entry.clone();
        let same =
            |row: &&Row| row.entry.a_color == entry.a_color && row.entry.moves == entry.moves;
        let duplicate_of = self.rows.values().find(same).map(|row| row.entry.game);
        file::put(
            &self.record_path(entry.game),
            record::sgf(finished, &contest.terms),
        )?;
        let row = Row {
            entry,
            duplicate_of,
        };
        self.rows.insert(row.entry.game, row);
        file::put(&self.table_path(), self.table(contest.referee))
    }

    fn table_path(&self) -> PathBuf {
        ended(&self.prefix, ".dat")
    }

    fn record_path(&self, game: usize) -> PathBuf {
        ended(&self.prefix, &format!("-{game}.sgf"))
    }

    fn table(&self, refereed: bool) -> String {
        let head = self
            .settings
            .iter()
            .map(|(key, value)| format!("# {key}: {value}\n"));
        let columns = format!("#\n#{}\n", COLUMNS.join("\t"));
        let rows = (self.rows.values()).map(|row| row.write(refereed, self.letters) + "\n");
        head.chain([columns]).chain(rows).collect()
    }

    fn read(&mut self, text: &str, contest: &Contest) -> Result<(), ResultsError> {
        let mut kept = BTreeMap::new();
        let mut columns_seen = false;
        for (number, line) in (1..).zip(text.lines()) {
            let broken = |fault| ResultsError::Line {
                path: self.table_path(),
                line: number,
                fault,
            };
            match line.strip_prefix('#') {
                Some("") => {}
                Some(columns) if columns == COLUMNS.join("\t") => {
                    columns_seen = true;
                    self.compare(&kept)?;
                }
                Some(setting) => {
                    let Some((key, value)) = setting.split_once(':').filter(|_| !columns_seen)
                    else {
                        let expected = COLUMNS.join(" ");
                        return Err(broken(format!(
                            "expected the columns {expected}, found {:?}",
                            shortened(setting)
                        )));
                    };
                    kept.insert(key.trim().to_owned(), value.trim().to_owned());
                }
                None if columns_seen => {
                    let row = Row::read(line, self.letters).map_err(broken)?;
                    let row = self.checked(row, contest)?;
                    self.rows.insert(row.entry.game, row);
                }
                None => {
                    return Err(broken(format!(
                        "expected the columns' names first, found {:?}",
                        shortened(line)
                    )));
                }
            }
        }
        match columns_seen {
            true => Ok(()),
            false => Err(ResultsError::Line {
                path: self.table_path(),
                line: text.lines().count() + 1,
                fault: "expected the columns' names, found the end of the file".to_owned(),
            }),
        }
    }

    /// The settings of the file must be those of this match.
    fn compare(&self, kept: &BTreeMap<String, String>) -> Result<(), ResultsError> {
        // Where nobody tells how many moves a game may have, that follows from the others.
        let follows = |key: &str| key == "MaxMoves";
        let told = self.settings.iter().filter(|(key, _)| !follows(key));
        let followed = self.settings.iter().filter(|(key, _)| follows(key));
        for (key, value) in told.chain(followed) {
            let expected = kept.get(*key).map_or("", String::as_str);
            if expected != value {
                return Err(ResultsError::Settings {
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
    fn checked(&self, mut row: Row, contest: &Contest) -> Result<Row, ResultsError> {
        let game = row.entry.game;
        let path = self.record_path(game);
        let unfit = |fault| ResultsError::Game {
            path: path.clone(),
            fault,
        };
        if game >= contest.games {
            let fault = format!(
                "expected at most {} games, found game {}",
                contest.games,
                game.saturating_add(1)
            );
            return Err(unfit(fault));
        }
        if row.entry.a_color != a_color(game) {
            return Err(unfit(format!(
                "expected the first program to be {}",
                a_color(game)
            )));
        }
        let bytes = fs::read(&path).map_err(|cause| ResultsError::Unreadable {
            path: path.clone(),
            cause,
        })?;
        let record = read_record(&bytes, contest).map_err(unfit)?;
        let opening = contest.opening(game);
        if record.size() != contest.terms.size || !record.moves().starts_with(opening.moves()) {
            return Err(unfit(
                "expected the opening of this match, found other moves".to_owned(),
            ));
        }
        row.entry.moves = record.moves().to_vec();
        Ok(row)
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        // Whoever opens it from now on finds it held by nobody, or makes it anew.
        let _ = fs::remove_file(ended(&self.prefix, LOCK));
        let _ = self.lock.unlock();
    }
}

/// The path that a prefix and an ending make.
fn ended(prefix: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(prefix);
    path.push(ending);
    path.into()
}

fn read_record(bytes: &[u8], contest: &Contest) -> Result<Record, String> {
    let parsed = sgf::parse(bytes).map_err(|error| error.to_string())?;
    read_game(parsed.first(), contest.terms.rules).map_err(|error| error.to_string())
}

/// What must be the same for games to be of one match, by gogui-twogtp's names where it has some. How many games are
/// played at most may grow, how many at once may change.
fn settings(
    contest: &Contest,
    [black, white]: &[Identity; 2],
    referee: Option<&str>,
) -> Vec<(&'static str, String)> {
    let terms = &contest.terms;
    let [black_command, white_command] = &contest.labels;
    let all = [
        ("Black", black.name.clone()),
        ("BlackCommand", black_command.clone()),
        ("BlackLabel", black.to_string()),
        ("BlackVersion", black.version.clone()),
        ("Komi", terms.rules.komi.to_string()),
        ("MaxMoves", terms.max_moves.to_string()),
        ("MoveLimit", terms.move_limit.as_secs_f64().to_string()),
        ("Openings", openings_text(contest)),
        ("Referee", referee.unwrap_or("-").to_owned()),
        ("Rules", terms.rules.name_or_short()),
        ("Size", size_text(contest)),
        ("Time", terms.time.to_string()),
        ("White", white.name.clone()),
        ("WhiteCommand", white_command.clone()),
        ("WhiteLabel", white.to_string()),
        ("WhiteVersion", white.version.clone()),
        ("Xml", "0".to_owned()),
    ];
    // A value is one line, and without spaces around it.
    all.map(|(key, value)| (key, one_line(&value))).to_vec()
}

/// How many openings there are, and a number that tells them from others.
fn openings_text(contest: &Contest) -> String {
    let mut hasher = StableHasher::default();
    for opening in &contest.openings {
        let games = vec![write_game(opening)];
        sgf::write(&Collection { games }).hash(&mut hasher);
    }
    match contest.openings.len() {
        0 => "0".to_owned(),
        count => format!("{count} ({:016x})", hasher.finish()),
    }
}

fn size_text(contest: &Contest) -> String {
    let size = contest.terms.size;
    if size.width() == size.height() {
        size.width().to_string()
    } else {
        size.to_string()
    }
}
