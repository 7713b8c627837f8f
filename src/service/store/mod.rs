//! Storage of games in SQLite: the unchanged SGF text, metadata in columns, and reviews in a separate table.
//!
//! A saved game is on the disk when [`Store::save`] returns. Several threads and processes can use the same file.
//! Readers never wait for writers, unless the database is in memory. Writers wait for each other up to a time limit. A
//! write that would have to wait longer fails without changing anything.
//!
//! A damaged database is not opened. A database that cannot be written can be read. If the file is deleted or replaced
//! while it is open, writes fail.

mod error;
mod filter;
mod game_info;
mod opened_file;
mod schema;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::types::Value;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params,
    params_from_iter,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

pub use error::BUSY_TIMEOUT;
pub use error::StoreError;
pub use filter::GameFilter;
pub use game_info::{EventInfo, GameInfo, SingleGame, read_game, read_single_game};
use opened_file::OpenedFile;

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

/// A deleted game that can be restored.
#[derive(Debug)]
struct DeletedGame {
    game: StoredGameInfo,
    sgf: String,
    review: Option<StoredReview>,
}

/// Number of deleted games that can be restored.
const MAX_RESTORABLE: usize = 50;

/// Database of games, shared by all threads of the service.
#[derive(Debug)]
pub struct Store {
    writer: Mutex<Connection>,
    /// Separate connection for reading, so that readers do not wait for writers. `None` for a database in memory, which
    /// a second connection could not access.
    reader: Option<Mutex<Connection>>,
    /// The file; `None` if the database is in memory or read-only.
    file: Option<OpenedFile>,
    is_read_only: bool,
    /// The games that were deleted last, in the order of their deletion.
    deleted: Mutex<VecDeque<DeletedGame>>,
    /// Maximum time to wait for other threads or processes.
    busy_timeout: Duration,
}

const COLUMNS: &str = "id, black, white, date, result, width, height, komi, rules, moves, event, place, comment, \
     EXISTS (SELECT 1 FROM reviews WHERE reviews.game = games.id)";

impl Store {
    /// Opens the database at `path`. Creates it if it does not exist. If it cannot be written, opens it for reading.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, is damaged or is not a game store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let result = Self::open_writable(path);
        match &result {
            Err(error) if error.is_denied() && path.is_file() => {
                Self::open_read_only(path).or(result)
            }
            _ => result,
        }
    }

    fn open_writable(path: &Path) -> Result<Self, StoreError> {
        let mut writer = Connection::open(path)?;
        if writer.is_readonly("main")? {
            return Err(StoreError::ReadOnly);
        }
        schema::configure_and_migrate(&mut writer)?;
        schema::check_content(&writer)?;
        filter::add_sql_functions(&writer)?;
        let (mut reader, mut file) = (None, None);
        if !matches!(writer.path(), None | Some("")) {
            let connection = Connection::open(path)?;
            connection.pragma_update(None, "query_only", true)?;
            filter::add_sql_functions(&connection)?;
            // Opens all files of the database, so that games can be read even after they have been deleted.
            schema::check_tables(&connection)?;
            reader = Some(Mutex::new(connection));
            file = Some(OpenedFile::new(path));
        }
        Ok(Self {
            writer: Mutex::new(writer),
            reader,
            file,
            is_read_only: false,
            deleted: Mutex::default(),
            busy_timeout: BUSY_TIMEOUT,
        })
    }

    /// Opens a database that cannot be written.
    fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        let open = |path: &Path, flags| {
            let connection =
                Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | flags)?;
            schema::check_version(&connection)?;
            Ok::<_, StoreError>(connection)
        };
        let connection = open(path, OpenFlags::empty()).or_else(|_| {
            // Without write access to the folder, SQLite cannot create the files with which processes coordinate.
            open(&immutable_uri(path), OpenFlags::SQLITE_OPEN_URI)
        })?;
        schema::check_content(&connection)?;
        filter::add_sql_functions(&connection)?;
        Ok(Self {
            writer: Mutex::new(connection),
            reader: None,
            file: None,
            is_read_only: true,
            deleted: Mutex::default(),
            busy_timeout: BUSY_TIMEOUT,
        })
    }

    /// Returns true if the database cannot be written.
    pub const fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns an error if the database cannot be written, or if its file has been deleted or replaced.
    fn check_writable(&self) -> Result<(), StoreError> {
        match &self.file {
            _ if self.is_read_only => Err(StoreError::ReadOnly),
            Some(file) if !file.is_in_place() => Err(StoreError::Missing),
            _ => Ok(()),
        }
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
        self.check_writable()?;
        let mut connection = self.lock(&self.writer)?;
        // An immediate transaction waits for other writers at its start. A deferred transaction could fail at its first
        // write.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = operation(&transaction)?;
        self.check_writable()?;
        transaction.commit()?;
        if let Some(file) = &self.file {
            // Another process may have removed the reserve at its end.
            file.fill_reserve();
        }
        Ok(result)
    }

    /// Saves a game and returns its id. The second value is true if the game is new, and false if the same text was
    /// already stored.
    ///
    /// # Errors
    /// Returns an error, leaving the store unchanged, if the game cannot be written.
    pub fn save(&self, sgf: &str, info: &GameInfo) -> Result<(i64, bool), StoreError> {
        self.write(|transaction| save_game(transaction, sgf, info))
    }

    /// Saves several games at once, and returns the number of those that are new.
    ///
    /// # Errors
    /// Returns an error, leaving the store unchanged, if a game cannot be written.
    pub fn save_all(&self, games: &[(String, GameInfo)]) -> Result<usize, StoreError> {
        self.write(|transaction| {
            let mut new_count = 0;
            for (sgf, info) in games {
                let (_, is_new) = save_game(transaction, sgf, info)?;
                new_count += usize::from(is_new);
            }
            Ok(new_count)
        })
    }

    /// Replaces the text of a game. Removes its review unless `keeps_review` is true. If another game has the same text
    /// already, changes nothing and returns the id of that game. The second value is true if anything has changed.
    ///
    /// # Errors
    /// Returns an error, leaving the store unchanged, if the game does not exist or cannot be written.
    pub fn update(
        &self,
        id: i64,
        sgf: &str,
        info: &GameInfo,
        keeps_review: bool,
    ) -> Result<(i64, bool), StoreError> {
        let digest = Sha256::digest(sgf.as_bytes());
        self.write(|transaction| {
            let known = id_with_digest(transaction, &digest)?;
            if let Some(known) = known {
                return Ok((known, false));
            }
            if update_game(transaction, id, &digest, info)? == 0 {
                return Err(StoreError::NotFound { id });
            }
            let text = params![id, sgf.as_bytes()];
            transaction.execute("UPDATE files SET sgf = ?2 WHERE game = ?1", text)?;
            if !keeps_review {
                transaction.execute("DELETE FROM reviews WHERE game = ?1", [id])?;
            }
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

    /// Deletes a game and its review. As long as the store is open, [`Store::restore`] can restore the games that were
    /// deleted last. Succeeds even if the disk is full, unless the reserve of disk space is missing.
    ///
    /// # Errors
    /// Returns an error if the game does not exist or cannot be deleted.
    pub fn delete(&self, id: i64) -> Result<(), StoreError> {
        // A game that cannot be read is deleted for good.
        let game = self.load(id).ok();
        let review = self.load_review(id).ok().flatten();
        self.delete_row(id)?;
        if let Some((game, sgf)) = game {
            let mut deleted = self.deleted.lock();
            if deleted.len() == MAX_RESTORABLE {
                deleted.pop_front();
            }
            deleted.push_back(DeletedGame { game, sgf, review });
        }
        Ok(())
    }

    /// Restores a deleted game with its id and its review, and returns the id. If another game has the same text by now,
    /// changes nothing and returns the id of that game.
    ///
    /// # Errors
    /// Returns an error if the game cannot be restored or written.
    pub fn restore(&self, id: i64) -> Result<i64, StoreError> {
        let mut deleted = self.deleted.lock();
        let index = deleted.iter().rposition(|deleted| deleted.game.id == id);
        let index = index.ok_or(StoreError::NotFound { id })?;
        let DeletedGame { game, sgf, review } = &deleted[index];
        let restored = self.write(|transaction| {
            let digest = Sha256::digest(sgf.as_bytes());
            if let Some(known) = id_with_digest(transaction, &digest)? {
                return Ok(known);
            }
            insert_game(transaction, Some(id), &digest, &game.info)?;
            insert_text(transaction, id, sgf)?;
            if let Some(review) = review {
                insert_review(transaction, id, review, false)?;
            }
            Ok(id)
        })?;
        deleted.remove(index);
        Ok(restored)
    }

    fn delete_row(&self, id: i64) -> Result<(), StoreError> {
        let delete = || {
            self.write(|transaction| {
                match transaction.execute("DELETE FROM games WHERE id = ?1", [id])? {
                    0 => Err(StoreError::NotFound { id }),
                    _ => Ok(()),
                }
            })
        };
        match (delete(), &self.file) {
            (Err(StoreError::Full), Some(file)) if file.release_reserve() => {
                let result = delete();
                // Shortens the write-ahead log, so that the reserve fits again.
                let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
                if let Ok(connection) = self.lock(&self.writer) {
                    drop(connection.execute_batch(checkpoint));
                }
                file.fill_reserve();
                result
            }
            (result, _) => result,
        }
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
            Ok(insert_review(transaction, id, review, overwrite)?)
        })
    }
}

/// Returns the URI with which SQLite opens a file that no process can change.
fn immutable_uri(path: &Path) -> PathBuf {
    let path = path.to_string_lossy();
    let escaped = path
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    PathBuf::from(format!("file:{escaped}?immutable=1"))
}

/// Returns the id of the game with the given hash of its text.
fn id_with_digest(
    transaction: &Transaction<'_>,
    digest: &[u8],
) -> Result<Option<i64>, rusqlite::Error> {
    transaction
        .prepare_cached("SELECT id FROM games WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()
}

/// Inserts a game unless its text is stored already. Returns its id, and true if it is new.
fn save_game(
    transaction: &Transaction<'_>,
    sgf: &str,
    info: &GameInfo,
) -> Result<(i64, bool), StoreError> {
    let digest = Sha256::digest(sgf.as_bytes());
    if let Some(id) = id_with_digest(transaction, &digest)? {
        return Ok((id, false));
    }
    let id = insert_game(transaction, None, &digest, info)?;
    insert_text(transaction, id, sgf)?;
    Ok((id, true))
}

/// Replaces the metadata of a game. Returns the number of games changed: 0 if the game does not exist.
fn update_game(
    transaction: &Transaction<'_>,
    id: i64,
    digest: &[u8],
    info: &GameInfo,
) -> Result<usize, rusqlite::Error> {
    let values = metadata_values(digest, info);
    transaction
        .prepare_cached(
            "UPDATE games SET (digest, black, white, date, result, width, height, komi, rules, moves, event, place, comment)
             = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) WHERE id = ?14",
        )?
        .execute(params_from_iter(values.into_iter().chain([id.into()])))
}

/// Inserts the metadata of a game, by default with a new id, and returns the id.
fn insert_game(
    transaction: &Transaction<'_>,
    id: Option<i64>,
    digest: &[u8],
    info: &GameInfo,
) -> Result<i64, rusqlite::Error> {
    transaction
        .prepare_cached(
            "INSERT INTO games (digest, black, white, date, result, width, height, komi, rules, moves, event, place, comment, id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params_from_iter(
            metadata_values(digest, info).into_iter().chain([id.into()]),
        ))?;
    Ok(transaction.last_insert_rowid())
}

/// Inserts the text of a game.
fn insert_text(transaction: &Transaction<'_>, id: i64, sgf: &str) -> Result<(), rusqlite::Error> {
    transaction
        .prepare_cached("INSERT INTO files (game, sgf) VALUES (?1, ?2)")?
        .execute(params![id, sgf.as_bytes()])?;
    Ok(())
}

/// Inserts the review of a game. An existing review that has more visits is replaced only if `overwrite` is true.
fn insert_review(
    transaction: &Transaction<'_>,
    id: i64,
    review: &StoredReview,
    overwrite: bool,
) -> Result<(), rusqlite::Error> {
    let visits = i64::try_from(review.visits).unwrap_or(i64::MAX);
    transaction.execute(
        "INSERT INTO reviews (game, visits, body) VALUES (?1, ?2, ?3)
         ON CONFLICT (game) DO UPDATE SET visits = excluded.visits, body = excluded.body
         WHERE ?4 OR excluded.visits >= reviews.visits",
        params![id, visits, review.body, overwrite],
    )?;
    Ok(())
}

/// Returns the values of the columns of `games` from `digest` to `comment`.
fn metadata_values(digest: &[u8], info: &GameInfo) -> [Value; 13] {
    [
        digest.to_vec().into(),
        info.black.clone().into(),
        info.white.clone().into(),
        info.date.clone().into(),
        info.result.clone().into(),
        (info.size.0 as i64).into(),
        (info.size.1 as i64).into(),
        info.komi.into(),
        info.rules.clone().into(),
        (info.moves as i64).into(),
        info.event.event.clone().into(),
        info.event.place.clone().into(),
        info.event.comment.clone().into(),
    ]
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
            event: EventInfo {
                event: row.get(10)?,
                place: row.get(11)?,
                comment: row.get(12)?,
            },
        },
        has_review: row.get(13)?,
    })
}

#[cfg(test)]
mod tests;
