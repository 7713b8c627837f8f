//! Why a request failed: one table of codes, and a message that says what was expected and what was found.

use serde_json::{Value, json};

use super::sgf_input::SgfInputError;
use super::store::StoreError;
use crate::eval::{EvalError, UnsupportedSizeError};
use crate::json::fields::RequestError;

macro_rules! codes {
    ($($code:ident $name:literal $sentence:literal;)*) => {
        /// What kind of failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = $sentence] $code,)*
        }

        /// All codes: as clients read them, and what they say.
        pub const CODES: &[(ErrorCode, &str, &str)] = &[$((ErrorCode::$code, $name, $sentence),)*];
    };
}

codes! {
    Message "message" "The message is no JSON object, or too long.";
    Operator "operator" "There is no such operator.";
    Field "field" "A field is missing or wrong, which `field` names, or unknown.";
    Position "position" "The rules do not allow the position or the move.";
    Game "game" "The text is no game record that can be used.";
    NotFound "notFound" "There is no such game.";
    TooMuch "tooMuch" "The answer would be too large.";
    Busy "busy" "Too many requests wait already, or too many clients are connected.";
    Cancelled "cancelled" "The request was cancelled before there was an answer.";
    Token "token" "The service needs a token, and this is not it.";
    Closing "closing" "The connection is closed, for the reason that the message gives.";
    Store "store" "The games cannot be read or written.";
    Search "search" "The search has failed.";
}

impl ErrorCode {
    /// As clients read it.
    pub fn name(self) -> &'static str {
        let entry = CODES.iter().find(|(code, ..)| *code == self);
        entry.expect("the table holds every code").1
    }
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// What kind.
    pub code: ErrorCode,
    /// What was expected and what was found.
    pub message: String,
    /// The field at fault, if one is.
    pub field: Option<&'static str>,
}

impl ServiceError {
    /// A failure of no field in particular.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
        }
    }

    /// As it stands in an answer.
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
