//! Errors from the store, and the time limit for waiting for the database.

use std::time::Duration;

use rusqlite::ErrorCode;

/// Maximum time to wait for other threads or processes that use the database.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Error from the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no game with this id.
    #[error("there is no game {id}")]
    NotFound { id: i64 },
    /// The file was written by a newer version of this program.
    #[error(
        "the database has schema version {found}, but this program supports only versions up to {supported}; \
         install a newer version of the program"
    )]
    NewerVersion {
        /// Latest schema version known to this program.
        supported: usize,
        /// Schema version of the file.
        found: usize,
    },
    /// The file belongs to another program.
    #[error("the database belongs to another program; choose another file")]
    ForeignFile,
    /// Another thread or process kept the database locked for too long.
    #[error(
        "the database was locked by another process for more than {} s; try again later",
        BUSY_TIMEOUT.as_secs()
    )]
    Busy,
    /// Another error from SQLite.
    #[error("cannot access the stored games: {0}")]
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
