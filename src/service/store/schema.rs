//! Database tables, and migrations from earlier versions.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension};

use super::error::{BUSY_TIMEOUT, StoreError};
use super::game_info::EventInfo;

/// Migrations, each from one version to the next. The first one creates the tables. Released migrations must not be
/// changed.
const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE games (
        id     INTEGER PRIMARY KEY AUTOINCREMENT,
        digest BLOB NOT NULL UNIQUE,
        black  TEXT NOT NULL COLLATE NOCASE,
        white  TEXT NOT NULL COLLATE NOCASE,
        date   TEXT NOT NULL,
        result TEXT NOT NULL COLLATE NOCASE,
        width  INTEGER NOT NULL,
        height INTEGER NOT NULL,
        komi   REAL NOT NULL,
        rules  TEXT NOT NULL,
        moves  INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX games_date ON games (date);
    CREATE INDEX games_result ON games (result);
    CREATE INDEX games_size ON games (width, height);
    -- Separate from the metadata, so that lists are read without the games.
    CREATE TABLE files (
        game INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
        sgf  BLOB NOT NULL
    ) STRICT;
    CREATE TABLE reviews (
        game   INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
        visits INTEGER NOT NULL,
        body   TEXT NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE games ADD COLUMN event TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN place TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN comment TEXT NOT NULL DEFAULT '';
    UPDATE games SET (event, place, comment) = (
        SELECT event_info(sgf, 'event'), event_info(sgf, 'place'), event_info(sgf, 'comment')
        FROM files WHERE game = id
    ) WHERE id IN (SELECT game FROM files);
",
];

/// Configures a connection and migrates the tables to the current version.
///
/// # Errors
/// Returns an error if the file belongs to another program, was written by a newer version of this program, or cannot
/// be accessed.
pub fn configure_and_migrate(connection: &mut Connection) -> Result<(), StoreError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The version must be checked before anything is written, so that a file of another program remains unchanged.
    checked_schema_version(&*connection.transaction()?)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Ensures that a transaction is on the disk when `commit` returns.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    add_event_function(connection)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let current = checked_schema_version(&transaction)?;
    for migration in &MIGRATIONS[current..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    transaction.commit()?;
    Ok(())
}

/// Adds the SQL function `event_info(sgf, field)`, with which a migration fills the columns of these names.
fn add_event_function(connection: &Connection) -> Result<(), rusqlite::Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("event_info", 2, flags, |context| {
        let sgf = String::from_utf8_lossy(context.get_raw(0).as_blob()?);
        let event = EventInfo::of_sgf(&sgf);
        Ok(match context.get_raw(1).as_str()? {
            "event" => event.event,
            "place" => event.place,
            _ => event.comment,
        })
    })
}

/// Checks the version of a database that cannot be migrated.
///
/// # Errors
/// Returns an error if the file belongs to another program or was written by another version of this program.
pub fn check_version(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    match checked_schema_version(connection)? {
        version if version < MIGRATIONS.len() => Err(StoreError::ReadOnly),
        _ => Ok(()),
    }
}

/// Checks that the file is not damaged and that all tables exist.
///
/// # Errors
/// Returns [`StoreError::Damaged`] otherwise.
pub fn check_content(connection: &Connection) -> Result<(), StoreError> {
    let problem: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if problem != "ok" {
        return Err(StoreError::Damaged(problem));
    }
    check_tables(connection)
}

/// Checks that all tables exist, and reads from them.
///
/// # Errors
/// Returns [`StoreError::Damaged`] if a table cannot be read.
pub fn check_tables(connection: &Connection) -> Result<(), StoreError> {
    for query in [
        "SELECT id, digest, black, white, date, result, width, height, komi, rules, moves, event, place, comment FROM games LIMIT 1",
        "SELECT game, sgf FROM files LIMIT 1",
        "SELECT game, visits, body FROM reviews LIMIT 1",
    ] {
        let read = connection.query_row(query, [], |_| Ok(())).optional();
        read.map_err(|error| match StoreError::from(error) {
            StoreError::Sqlite(error) => StoreError::Damaged(error.to_string()),
            other => other,
        })?;
    }
    Ok(())
}

/// Returns the number of migrations applied so far; 0 for a new file. Returns an error if the file belongs to another
/// program or was written by a newer version.
fn checked_schema_version(connection: &Connection) -> Result<usize, StoreError> {
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let count = |query| connection.query_row(query, [], |row| row.get::<_, usize>(0));
    let is_own_file = if version == 0 {
        count("SELECT count(*) FROM sqlite_schema")? == 0
    } else {
        count("SELECT count(*) FROM pragma_table_info('games') WHERE name = 'digest'")? == 1
    };
    match version {
        _ if !is_own_file => Err(StoreError::ForeignFile),
        version if version > MIGRATIONS.len() => Err(StoreError::NewerVersion {
            supported: MIGRATIONS.len(),
            found: version,
        }),
        version => Ok(version),
    }
}
