//! Errors returned to clients: the table of error codes, and [`ServiceError`].

use serde_json::{Value, json};

use super::sgf_input::SgfInputError;
use super::store::StoreError;
use crate::eval::{EvalError, UnsupportedSizeError};
use crate::json_analysis::fields::RequestError;

macro_rules! codes {
    ($($code:ident $name:literal $sentence:literal;)*) => {
        /// Kind of an error, independent of its message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = $sentence] $code,)*
        }

        /// All error codes, each with its name in the protocol and its description.
        pub const CODES: &[(ErrorCode, &str, &str)] = &[$((ErrorCode::$code, $name, $sentence),)*];
    };
}

codes! {
    Message "message" "The message is not a JSON object or is too long.";
    Operator "operator" "There is no such operator.";
    Field "field" "A field is missing, invalid or unknown. `field` contains the name of a missing or invalid field.";
    Position "position" "The position or a move is not legal.";
    Game "game" "The text is not a usable game record.";
    NotFound "notFound" "There is no such game.";
    TooMuch "tooMuch" "The response would be too large.";
    Busy "busy" "Too many requests are waiting, or too many clients are connected.";
    Cancelled "cancelled" "The request was cancelled before it was completed.";
    Token "token" "The token is missing or wrong.";
    Closing "closing" "The connection is being closed; the message contains the reason.";
    Store "store" "The stored games cannot be read or written.";
    Search "search" "The search failed.";
}

impl ErrorCode {
    /// Returns the name of the code in the protocol.
    pub fn name(self) -> &'static str {
        let entry = CODES.iter().find(|(code, ..)| *code == self);
        entry.expect("the table contains every code").1
    }
}

/// Error in response to a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    pub code: ErrorCode,
    pub message: String,
    /// Request field that caused the error, if known.
    pub field: Option<&'static str>,
}

impl ServiceError {
    /// Creates an error that does not refer to a field.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
        }
    }

    /// Returns the value of the field `error` in a response.
    pub fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code.name(), "message": self.message});
        if let Some(field) = self.field {
            error["field"] = field.into();
        }
        error
    }
}

impl From<RequestError> for ServiceError {
    fn from(error: RequestError) -> Self {
        Self {
            code: ErrorCode::Field,
            message: format!("{}: {}", error.field, error.message),
            field: Some(error.field),
        }
    }
}

impl From<EvalError> for ServiceError {
    fn from(error: EvalError) -> Self {
        Self::new(ErrorCode::Search, error.to_string())
    }
}

impl From<UnsupportedSizeError> for ServiceError {
    fn from(error: UnsupportedSizeError) -> Self {
        Self::new(ErrorCode::Search, error.to_string())
    }
}

impl From<SgfInputError> for ServiceError {
    fn from(error: SgfInputError) -> Self {
        Self::new(ErrorCode::Game, format!("goban: {error}"))
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::NotFound { .. } => ErrorCode::NotFound,
            _ => ErrorCode::Store,
        };
        Self::new(code, error.to_string())
    }
}
