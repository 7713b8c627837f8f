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
    /// Another thread or process has locked the database for too long.
    #[error(
        "the games database is busy: another process locked it for more than {} s; try again",
        BUSY_TIMEOUT.as_secs()
    )]
    Busy,
    /// The file is damaged.
    #[error("the games database is damaged ({0}); restore a copy")]
    Damaged(String),
    /// There is no space for a write.
    #[error("the disk is full; free some space or delete games")]
    Full,
    /// The file or its folder cannot be written.
    #[error("the games database is read-only; check the permissions of the file and its folder")]
    ReadOnly,
    /// The file was deleted or replaced after it had been opened.
    #[error(
        "the games database was deleted or replaced while the service was running; restart the service"
    )]
    Missing,
    /// Another error from SQLite.
    #[error("cannot access the stored games: {0}")]
    Sqlite(rusqlite::Error),
}

impl StoreError {
    /// Returns true if the file or its folder may not be written.
    pub(super) fn is_denied(&self) -> bool {
        match self {
            Self::ReadOnly => true,
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::CannotOpen),
            _ => false,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType,
        };
        let is_unexpected_value = matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..)
        );
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(error.to_string())
            }
            None if is_unexpected_value => Self::Damaged(error.to_string()),
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            _ => Self::Sqlite(error),
        }
    }
}
