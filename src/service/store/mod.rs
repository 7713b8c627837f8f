//! Storage of games in SQLite: the unchanged SGF text, metadata in columns, and reviews in a separate table.
//!
//! A saved game is on the disk when [`Store::save`] returns. Several threads and processes can use the same file.
//! Readers never wait for writers, unless the database is in memory. Writers wait for each other up to a time limit. A
//! write that would have to wait longer fails without changing anything.

mod error;
mod filter;
mod game_info;
mod schema;

use std::path::Path;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{
    Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params, params_from_iter,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use error::BUSY_TIMEOUT;
pub use error::StoreError;
pub use filter::GameFilter;
pub use game_info::{GameInfo, SingleGame, read_single_game};

/// A stored game without its SGF text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredGameInfo {
    /// Id of the game. Ids are never reused, even after a game has been deleted.
    #[serde(rename = "gobanId")]
    pub id: i64,
    #[serde(flatten)]
    pub info: GameInfo,
    /// True if a review of the game is stored.
    #[serde(rename = "reviewed")]
    pub has_review: bool,
}

/// A stored review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReview {
    /// Number of visits per position: the requested number or, if any search ran out of time, the smallest number that
    /// such a search reached.
    pub visits: u64,
    /// The review as JSON.
    pub body: String,
}

/// Database of games, shared by all threads of the service.
#[derive(Debug)]
pub struct Store {
    writer: Mutex<Connection>,
    /// Separate connection for reading, so that readers do not wait for writers. `None` for a database in memory, which
    /// a second connection could not access.
    reader: Option<Mutex<Connection>>,
    /// Maximum time to wait for other threads or processes.
    busy_timeout: Duration,
}

const COLUMNS: &str = "id, black, white, date, result, width, height, komi, rules, moves, \
     EXISTS (SELECT 1 FROM reviews WHERE reviews.game = games.id)";

impl Store {
    /// Opens the database at `path`. Creates it if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or is not a game store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut writer = Connection::open(path)?;
        schema::configure_and_migrate(&mut writer)?;
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

    /// Locks the connection that is used for reading.
    fn lock_reader(&self) -> Result<MutexGuard<'_, Connection>, StoreError> {
        self.lock(self.reader.as_ref().unwrap_or(&self.writer))
    }

    /// Locks a connection. The time spent waiting for the lock is deducted from the time that SQLite waits for other
    /// processes. Otherwise, each waiting thread would wait for the full time limit after the previous thread had
    /// failed.
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

    /// Runs `operation` in a write transaction. Commits the transaction if the operation succeeds, and rolls it back
    /// otherwise.
    fn write<T>(
        &self,
        operation: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock(&self.writer)?;
        // An immediate transaction waits for other writers at its start. A deferred transaction could fail at its first
        // write.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = operation(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Saves a game and returns its id. The second value is true if the game is new, and false if the same text was
    /// already stored.
    ///
    /// # Errors
    /// Returns an error, leaving the store unchanged, if the game cannot be written.
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

    /// Lists up to `limit` games that match the filter, newest first.
    ///
    /// # Errors
    /// Returns an error if the games cannot be read.
    pub fn list(&self, filter: &GameFilter, limit: u32) -> Result<Vec<StoredGameInfo>, StoreError> {
        let connection = self.lock_reader()?;
        let (query, values) = filter.query(&connection, COLUMNS, limit)?;
        let mut statement = connection.prepare_cached(&query)?;
        let rows = statement.query_map(params_from_iter(values), game_from_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the metadata of a game and its SGF text, exactly as it was saved.
    ///
    /// # Errors
    /// Returns an error if the game does not exist or cannot be read.
    pub fn load(&self, id: i64) -> Result<(StoredGameInfo, String), StoreError> {
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
        // The text was valid UTF-8 when it was saved.
        Ok((game, String::from_utf8_lossy(&sgf).into_owned()))
    }

    /// Deletes a game and its review.
    ///
    /// # Errors
    /// Returns an error if the game does not exist or cannot be deleted.
    pub fn delete(&self, id: i64) -> Result<(), StoreError> {
        self.write(|transaction| {
            match transaction.execute("DELETE FROM games WHERE id = ?1", [id])? {
                0 => Err(StoreError::NotFound { id }),
                _ => Ok(()),
            }
        })
    }

    /// Returns the review of a game, if there is one.
    ///
    /// # Errors
    /// Returns an error if the review cannot be read.
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

    /// Stores the review of a game. An existing review that has more visits is replaced only if `overwrite` is true.
    ///
    /// # Errors
    /// Returns an error if the game does not exist, for example because it has been deleted, or if the review cannot be
    /// written.
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

/// Inserts the metadata of a game and returns its id.
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
            info.size.0 as i64,
            info.size.1 as i64,
            info.komi,
            info.rules,
            info.moves as i64,
        ])?;
    Ok(transaction.last_insert_rowid())
}

fn game_from_row(row: &Row<'_>) -> Result<StoredGameInfo, rusqlite::Error> {
    let number = |index| row.get::<_, i64>(index).map(|number| number as usize);
    Ok(StoredGameInfo {
        id: row.get(0)?,
        info: GameInfo {
            black: row.get(1)?,
            white: row.get(2)?,
            date: row.get(3)?,
            result: row.get(4)?,
            size: (number(5)?, number(6)?),
            komi: row.get(7)?,
            rules: row.get(8)?,
            moves: number(9)?,
        },
        has_review: row.get(10)?,
    })
}

#[cfg(test)]
mod tests;
