//! Games kept in SQLite: the files byte for byte, the facts in columns, reviews beside them.
//!
//! Promise: what has been saved is on the disk, and stays there whatever becomes of the process. Any number of threads
//! and processes may use one file.

mod facts;
mod filter;
mod schema;

use std::path::Path;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params, params_from_iter};
use sha2::{Digest, Sha256};

pub use facts::{Facts, read};
pub use filter::Filter;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such game.
    #[error("expected the id of a game that is kept, found {id}")]
    Missing {
        /// The id.
        id: i64,
    },
    /// The file is that of a later version.
    #[error(
        "expected tables of version {known} or earlier, found {found}: a later program made them"
    )]
    Later {
        /// The version of this program.
        known: usize,
        /// That of the file.
        found: usize,
    },
    /// The file is another program's.
    #[error("expected a new file or games that this program keeps, found another program's tables")]
    Foreign,
    /// SQLite failed.
    #[error("the games cannot be read or written: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// A game that is kept: its number and its facts.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The number, never given to another game.
    pub id: i64,
    /// The facts.
    pub facts: Facts,
    /// Whether there is a review of it.
    pub reviewed: bool,
}

/// A review that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptReview {
    /// Visits of each position: those asked for, or the least that time allowed one of them.
    pub visits: u64,
    /// The review as JSON.
    pub body: String,
}

/// The games kept.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

const COLUMNS: &str = "id, black, white, date, result, width, height, komi, rules, moves, \
     EXISTS (SELECT 1 FROM reviews WHERE reviews.game = games.id)";

impl Store {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// When it cannot be opened, or is no store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut connection = Connection::open(path)?;
        schema::prepare(&mut connection)?;
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock()
    }

    /// Keeps a game; its number, and whether it is new. The same text twice is one game.
    ///
    /// # Errors
    /// When it cannot be written; nothing has changed then.
    pub fn save(&self, sgf: &str, facts: &Facts) -> Result<(i64, bool), StoreError> {
        let digest = Sha256::digest(sgf.as_bytes());
        let mut connection = self.connection();
        let transaction = begin(&mut connection)?;
        let known = transaction
            .prepare_cached("SELECT id FROM games WHERE digest = ?1")?
            .query_row([digest.as_slice()], |row| row.get(0))
            .optional()?;
        if let Some(id) = known {
            return Ok((id, false));
        }
        transaction
            .prepare_cached(
                "INSERT INTO games (digest, black, white, date, result, width, height, komi, rules, moves)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                digest.as_slice(),
                facts.black,
                facts.white,
                facts.date,
                facts.result,
                facts.width as i64,
                facts.height as i64,
                facts.komi,
                facts.rules,
                facts.moves as i64,
            ])?;
        let id = transaction.last_insert_rowid();
        transaction
            .prepare_cached("INSERT INTO files (game, sgf) VALUES (?1, ?2)")?
            .execute(params![id, sgf.as_bytes()])?;
        transaction.commit()?;
        Ok((id, true))
    }

    /// The games that the filter lets through, the newest first, at most so many.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn list(&self, filter: &Filter, most: u32) -> Result<Vec<Kept>, StoreError> {
        let connection = self.connection();
        let (query, values) = filter.query(&connection, COLUMNS, most)?;
        let mut statement = connection.prepare_cached(&query)?;
        let rows = statement.query_map(params_from_iter(values), kept)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A game: its facts, and its text as it was saved.
    ///
    /// # Errors
    /// When there is none of that number, or it cannot be read.
    pub fn load(&self, id: i64) -> Result<(Kept, String), StoreError> {
        let connection = self.connection();
        let query =
            format!("SELECT {COLUMNS}, sgf FROM games JOIN files ON game = id WHERE id = ?1");
        let mut statement = connection.prepare_cached(&query)?;
        let found = statement
            .query_row([id], |row| Ok((kept(row)?, row.get::<_, Vec<u8>>("sgf")?)))
            .optional()?;
        let (kept, sgf) = found.ok_or(StoreError::Missing { id })?;
        // It was a text when it was saved.
        Ok((kept, String::from_utf8_lossy(&sgf).into_owned()))
    }

    /// Forgets a game and its review.
    ///
    /// # Errors
    /// When there is none of that number, or it cannot be written.
    pub fn delete(&self, id: i64) -> Result<(), StoreError> {
        let connection = self.connection();
        match connection.execute("DELETE FROM games WHERE id = ?1", [id])? {
            0 => Err(StoreError::Missing { id }),
            _ => Ok(()),
        }
    }

    /// The review of a game, if it has one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn review(&self, id: i64) -> Result<Option<KeptReview>, StoreError> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT visits, body FROM reviews WHERE game = ?1")?;
        let found = statement.query_row([id], |row| {
            Ok(KeptReview {
                visits: row.get::<_, i64>(0)?.unsigned_abs(),
                body: row.get(1)?,
            })
        });
        Ok(found.optional()?)
    }

    /// Keeps the review of a game, in place of any earlier one.
    ///
    /// # Errors
    /// When there is no such game (any more), or it cannot be written.
    pub fn save_review(&self, id: i64, review: &KeptReview) -> Result<(), StoreError> {
        let mut connection = self.connection();
        let transaction = begin(&mut connection)?;
        let known = transaction.query_row("SELECT 1 FROM games WHERE id = ?1", [id], |_| Ok(()));
        known.optional()?.ok_or(StoreError::Missing { id })?;
        transaction.execute(
            "INSERT OR REPLACE INTO reviews (game, visits, body) VALUES (?1, ?2, ?3)",
            params![
                id,
                i64::try_from(review.visits).unwrap_or(i64::MAX),
                review.body
            ],
        )?;
        transaction.commit()?;
        Ok(())
    }
}

/// A transaction that will write, so that two of them wait for each other at once and not half-way.
fn begin(connection: &mut Connection) -> Result<Transaction<'_>, rusqlite::Error> {
    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
}

fn kept(row: &Row<'_>) -> Result<Kept, rusqlite::Error> {
    let number = |index| row.get::<_, i64>(index).map(|number| number as usize);
    Ok(Kept {
        id: row.get(0)?,
        facts: Facts {
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
        reviewed: row.get(10)?,
    })
}

#[cfg(test)]
mod lists;
#[cfg(test)]
mod tests;
