//! Games kept in SQLite: the files byte for byte, the facts in columns, reviews beside them.
//!
//! Promise: what has been saved is on the disk, and stays there whatever becomes of the process. Any number of threads
//! and processes may use one file. Whoever writes keeps nobody from reading, and nobody waits for others who write longer
//! than a time, after which nothing has changed.

mod filter;
mod game_info;
mod schema;

use std::path::Path;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params,
    params_from_iter,
};
use sha2::{Digest, Sha256};

pub use filter::GameFilter;
pub use game_info::{GameInfo, read_single_game};

/// How long to wait for others, be they threads or processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such game.
    #[error("expected the id of a game that is kept, found {id}")]
    NotFound {
        /// The id.
        id: i64,
    },
    /// The file is that of a later version.
    #[error(
        "expected tables of version {supported} or earlier, found {found}: a later program made them"
    )]
    NewerVersion {
        /// The version of this program.
        supported: usize,
        /// That of the file.
        found: usize,
    },
    /// The file is another program's.
    #[error("expected a new file or games that this program keeps, found another program's tables")]
    ForeignFile,
    /// Others have been at the file for too long.
    #[error(
        "expected the games to be free within {} s, found others reading or writing them all that time",
        BUSY_TIMEOUT.as_secs()
    )]
    Busy,
    /// SQLite failed.
    #[error("the games cannot be read or written: {0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => Self::Busy,
            _ => Self::Sqlite(error),
        }
    }
}

/// A game that is kept: its number and its facts.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredGame {
    /// The number, never given to another game.
    pub id: i64,
    /// The facts.
    pub info: GameInfo,
    /// Whether there is a review of it.
    pub has_review: bool,
}

/// A review that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReview {
    /// Visits of each position: those asked for, or the least that time allowed one of them.
    pub visits: u64,
    /// The review as JSON.
    pub body: String,
}

/// The games kept.
#[derive(Debug)]
pub struct Store {
    writer: Mutex<Connection>,
    /// For reading alone, which need not wait for whoever writes. None where the games are in memory alone: no other
    /// connection would find them there.
    reader: Option<Mutex<Connection>>,
    /// How long to wait for others.
    busy_timeout: Duration,
}

const COLUMNS: &str = "id, black, white, date, result, width, height, komi, rules, moves, \
     EXISTS (SELECT 1 FROM reviews WHERE reviews.game = games.id)";

impl Store {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// When it cannot be opened, or is no store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut writer = Connection::open(path)?;
        schema::prepare(&mut writer)?;
        let reader = match writer.path() {
            None | Some("") => None,
            Some(_) => {
                let reader = Connection::open(path)?;
                reader.pragma_update(None, "query_only", true)?;
                Some(Mutex::new(reader))
            }
        };
        Ok(Self {
            writer: Mutex::new(writer),
            reader,
            busy_timeout: BUSY_TIMEOUT,
        })
    }

    /// The connection to read with.
    fn lock_reader(&self) -> Result<MutexGuard<'_, Connection>, StoreError> {
        self.lock(self.reader.as_ref().unwrap_or(&self.writer))
    }

    /// A connection for this thread alone. What waiting for it leaves of the time is what SQLite may wait for other
    /// processes: else each of many threads would begin to wait for those when the one before it has given up.
    fn lock<'a>(
        &self,
        connection: &'a Mutex<Connection>,
    ) -> Result<MutexGuard<'a, Connection>, StoreError> {
        let deadline = Instant::now() + self.busy_timeout;
        let connection = connection
            .try_lock_until(deadline)
            .ok_or(StoreError::Busy)?;
        connection.busy_timeout(deadline.saturating_duration_since(Instant::now()))?;
        Ok(connection)
    }

    /// Makes a change as a whole or not at all.
    fn write<T>(
        &self,
        operation: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock(&self.writer)?;
        // One that writes from its beginning, so that two of them wait for each other at once and not half-way.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = operation(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Keeps a game; its number, and whether it is new. The same text twice is one game.
    ///
    /// # Errors
    /// When it cannot be written; nothing has changed then.
    pub fn save(&self, sgf: &str, info: &GameInfo) -> Result<(i64, bool), StoreError> {
        let digest = Sha256::digest(sgf.as_bytes());
        self.write(|transaction| {
            let existing = transaction
                .prepare_cached("SELECT id FROM games WHERE digest = ?1")?
                .query_row([digest.as_slice()], |row| row.get(0))
                .optional()?;
            if let Some(id) = existing {
                return Ok((id, false));
            }
            let id = insert_game(transaction, &digest, info)?;
            transaction
                .prepare_cached("INSERT INTO files (game, sgf) VALUES (?1, ?2)")?
                .execute(params![id, sgf.as_bytes()])?;
            Ok((id, true))
        })
    }

    /// The games that the filter lets through, the newest first, at most so many.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn list(&self, filter: &GameFilter, limit: u32) -> Result<Vec<StoredGame>, StoreError> {
        let connection = self.lock_reader()?;
        let (query, values) = filter.query(&connection, COLUMNS, limit)?;
        let mut statement = connection.prepare_cached(&query)?;
        let rows = statement.query_map(params_from_iter(values), game_from_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A game: its facts, and its text as it was saved.
    ///
    /// # Errors
    /// When there is none of that number, or it cannot be read.
    pub fn load(&self, id: i64) -> Result<(StoredGame, String), StoreError> {
        let connection = self.lock_reader()?;
        let query =
            format!("SELECT {COLUMNS}, sgf FROM games JOIN files ON game = id WHERE id = ?1");
        let mut statement = connection.prepare_cached(&query)?;
        let row = statement
            .query_row([id], |row| {
                Ok((game_from_row(row)?, row.get::<_, Vec<u8>>("sgf")?))
            })
            .optional()?;
        let (game, sgf) = row.ok_or(StoreError::NotFound { id })?;
        // It was a text when it was saved.
        Ok((game, String::from_utf8_lossy(&sgf).into_owned()))
    }

    /// Forgets a game and its review.
    ///
    /// # Errors
    /// When there is none of that number, or it cannot be written.
    pub fn delete(&self, id: i64) -> Result<(), StoreError> {
        self.write(|transaction| {
            match transaction.execute("DELETE FROM games WHERE id = ?1", [id])? {
                0 => Err(StoreError::NotFound { id }),
                _ => Ok(()),
            }
        })
    }

    /// The review of a game, if it has one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load_review(&self, id: i64) -> Result<Option<StoredReview>, StoreError> {
        let connection = self.lock_reader()?;
        let mut statement =
            connection.prepare_cached("SELECT visits, body FROM reviews WHERE game = ?1")?;
        let review = statement.query_row([id], |row| {
            Ok(StoredReview {
                visits: row.get::<_, i64>(0)?.unsigned_abs(),
                body: row.get(1)?,
            })
        });
        Ok(review.optional()?)
    }

    /// Keeps the review of a game in place of one of as many visits or fewer, or of any where it was made `overwrite` though
    /// there was one: whoever asked for less may have waited longer.
    ///
    /// # Errors
    /// When there is no such game (any more), or it cannot be written.
    pub fn save_review(
        &self,
        id: i64,
        review: &StoredReview,
        overwrite: bool,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let game = transaction.query_row("SELECT 1 FROM games WHERE id = ?1", [id], |_| Ok(()));
            game.optional()?.ok_or(StoreError::NotFound { id })?;
            transaction.execute(
                "INSERT INTO reviews (game, visits, body) VALUES (?1, ?2, ?3)
                 ON CONFLICT (game) DO UPDATE SET visits = excluded.visits, body = excluded.body
                 WHERE ?4 OR excluded.visits >= reviews.visits",
                params![
                    id,
                    i64::try_from(review.visits).unwrap_or(i64::MAX),
                    review.body,
                    overwrite
                ],
            )?;
            Ok(())
        })
    }
}

/// Adds the facts of a game; its number.
fn insert_game(
    transaction: &Transaction<'_>,
    digest: &[u8],
    info: &GameInfo,
) -> Result<i64, rusqlite::Error> {
    transaction
        .prepare_cached(
            "INSERT INTO games (digest, black, white, date, result, width, height, komi, rules, moves)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            digest,
            info.black,
            info.white,
            info.date,
            info.result,
            info.width as i64,
            info.height as i64,
            info.komi,
            info.rules,
            info.moves as i64,
        ])?;
    Ok(transaction.last_insert_rowid())
}

fn game_from_row(row: &Row<'_>) -> Result<StoredGame, rusqlite::Error> {
    let number = |index| row.get::<_, i64>(index).map(|number| number as usize);
    Ok(StoredGame {
        id: row.get(0)?,
        info: GameInfo {
            black: row.get(1)?,
            white: row.get(2)?,
            date: row.get(3)?,
            result: row.get(4)?,
            width: number(5)?,
            height: number(6)?,
            komi: row.get(7)?,
            rules: row.get(8)?,
            moves: number(9)?,
        },
        has_review: row.get(10)?,
    })
}

#[cfg(test)]
mod list_tests;
#[cfg(test)]
mod tests;
