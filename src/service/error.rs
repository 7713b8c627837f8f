//! Errors returned to clients: the table of error codes, and [`ServiceError`].

mod conversions;

use serde_json::{Map, Value, json};

/// An entry of the table of error codes.
pub struct CodeEntry {
    pub code: ErrorCode,
    /// Name of the code in the protocol.
    pub name: &'static str,
    /// Description in one or two sentences.
    pub meaning: &'static str,
    /// Names of the parameters that errors with this code can have, separated by spaces. Some of them can be missing.
    pub parameters: &'static str,
}

macro_rules! codes {
    ($($code:ident $name:literal ($($parameters:literal)?) $meaning:literal;)*) => {
        /// Kind of an error or a warning, independent of its message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $code,)*
        }

        /// All codes of errors and warnings.
        pub const CODES: &[CodeEntry] = &[$(CodeEntry {
            code: ErrorCode::$code,
            name: $name,
            meaning: $meaning,
            parameters: concat!($($parameters)?),
        },)*];
    };
}

codes! {
    Message "message" () "The message is not a JSON object.";
    MessageTooLong "messageTooLong" ("limit") "The message has more than `limit` bytes.";
    Operator "operator" ("operator") "There is no such operator.";
    Field "field" () "A field is missing, invalid or unknown. `field` contains the name of a missing or invalid field.";
    BoardSize "boardSize" ("width height min max") "The board size is not supported.";
    TooManyMoves "tooManyMoves" ("found limit") "The game has too many moves.";
    NoLiberties "noLiberties" ("color points move") "The stones at `points` form a chain without liberties.";
    History "history" ("board") "No single move leads from the board with this index in `history` to the next one.";
    OffBoard "offBoard" ("move color point") "The point is not on the board.";
    Occupied "occupied" ("move color point") "There is a stone on the point.";
    Suicide "suicide" ("move color point") "The move is suicide.";
    Ko "ko" ("move color point") "The move retakes a ko at once.";
    Superko "superko" ("move color point") "The move repeats an earlier position.";
    NotAGame "notAGame" () "The text or file contains no game record.";
    OtherGame "otherGame" ("game") "The file is a game other than Go; `game` is its number in SGF.";
    SeveralGames "severalGames" ("found") "The file contains several games, but only one is allowed.";
    GameTooLarge "gameTooLarge" ("limit") "The game record is too large.";
    Game "game" ("move") "The game record is damaged or cannot be used.";
    FileRepaired "fileRepaired" () "Only in warnings: the file has errors, which were repaired.";
    UnknownRules "unknownRules" ("found used") "Only in warnings: the rules in the file are unknown, and the rules `used` apply.";
    UnknownKomi "unknownKomi" ("found used") "Only in warnings: the komi in the file was not understood, and the komi `used` applies.";
    KomiInHundredths "komiInHundredths" ("found used") "Only in warnings: the komi in the file was read as hundredths.";
    UnknownHandicap "unknownHandicap" ("found") "Only in warnings: the handicap in the file was not understood.";
    UnplacedHandicap "unplacedHandicap" ("stones") "Only in warnings: the file declares handicap stones but does not place them.";
    IgnoredStone "ignoredStone" () "Only in warnings: a stone outside the board was ignored.";
    RemovedStones "removedStones" ("stones") "Only in warnings: stones without liberties were removed.";
    NoProblem "noProblem" ("color") "The region contains no group to kill or to save; `color` is the colour of its owner.";
    RegionTooLarge "regionTooLarge" ("width height") "The region of the life-and-death problem is too large.";
    NotFound "notFound" ("gobanId") "There is no such game.";
    TooMuch "tooMuch" ("limit") "The response would have more than `limit` bytes.";
    Busy "busy" ("limit") "Too many requests are waiting.";
    TooManyClients "tooManyClients" ("limit limitPerAddress") "Too many clients are connected.";
    Cancelled "cancelled" () "The request was cancelled before it was completed.";
    Token "token" ("given") "The token is wrong or, if `given` is false, missing.";
    Closing "closing" ("reason") "The connection is being closed. `reason` is `idle`, `slow`, `token`, `shutdown`, `http` or `notJson`.";
    StoreBusy "storeBusy" ("seconds") "Another process has locked the database for this time.";
    StoreDamaged "storeDamaged" () "The database is damaged.";
    StoreFull "storeFull" () "The disk is full.";
    StoreReadOnly "storeReadOnly" () "The database cannot be written.";
    StoreMissing "storeMissing" () "The database was deleted or replaced while the service was running.";
    Store "store" () "The stored games cannot be read or written.";
    Search "search" () "The search failed.";
}

impl ErrorCode {
    /// Returns the name of the code in the protocol.
    pub fn name(self) -> &'static str {
        let entry = CODES.iter().find(|entry| entry.code == self);
        entry.expect("the table contains every code").name
    }
}

/// Error in response to a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    pub code: ErrorCode,
    /// Description for users, in English.
    pub message: String,
    /// Request field that caused the error, if known.
    pub field: Option<&'static str>,
    /// Values for a message in another language.
    pub parameters: Map<String, Value>,
}

impl ServiceError {
    /// Creates an error without parameters that does not refer to a field.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            parameters: Map::new(),
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the field that caused the error.
    #[must_use]
    pub const fn in_field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    /// Returns the value of the field `error` in a response.
    pub fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code.name(), "message": self.message});
        if let Some(field) = self.field {
            error["field"] = field.into();
        }
        if !self.parameters.is_empty() {
            error["params"] = self.parameters.clone().into();
        }
        error
    }
}

/// Reason why the service closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The client sent nothing for too long.
    Idle,
    /// The client did not complete a line in time.
    Slow,
    /// The client did not send the token in time.
    NoToken,
    /// The client sent too many wrong tokens.
    WrongTokens,
    /// The service is shutting down.
    Shutdown,
    /// The client sent an HTTP request to the TCP port.
    Http,
    /// The first line was not a JSON object.
    NotJson,
}

impl From<CloseReason> for ServiceError {
    fn from(reason: CloseReason) -> Self {
        let (name, message) = match reason {
            CloseReason::Idle => ("idle", "the connection was idle for too long"),
            CloseReason::Slow => ("slow", "a line was not completed in time"),
            CloseReason::NoToken => ("token", "no token was received in time"),
            CloseReason::WrongTokens => ("token", "too many wrong tokens"),
            CloseReason::Shutdown => ("shutdown", "the service is shutting down"),
            CloseReason::Http => ("http", "this port does not accept HTTP requests"),
            CloseReason::NotJson => (
                "notJson",
                "this port accepts only JSON objects, one per line",
            ),
        };
        Self::new(ErrorCode::Closing, message).with("reason", name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_codes_are_unique() {
        for (index, entry) in CODES.iter().enumerate() {
            assert_eq!(entry.code.name(), entry.name);
            let others = &CODES[index + 1..];
            assert!(others.iter().all(|other| other.name != entry.name));
        }
    }
}
