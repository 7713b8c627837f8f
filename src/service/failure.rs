//! Why a request failed: one table of codes, and a message that says what was expected and what was found.

use serde_json::{Value, json};

use super::store::StoreError;
use super::text::TextError;
use crate::eval::{EvalError, Unplayable};
use crate::json::fields::Fault;

macro_rules! codes {
    ($($code:ident $name:literal $sentence:literal;)*) => {
        /// What kind of failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $sentence] $code,)*
        }

        /// All codes: as clients read them, and what they say.
        pub const CODES: &[(Code, &str, &str)] = &[$((Code::$code, $name, $sentence),)*];
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

impl Code {
    /// As clients read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = CODES.iter().find(|(code, ..)| *code == self);
        found.expect("the table holds every code").1
    }
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind.
    pub code: Code,
    /// What was expected and what was found.
    pub message: String,
    /// The field at fault, if one is.
    pub field: Option<&'static str>,
}

impl Failure {
    /// A failure of no field in particular.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
        }
    }

    /// As it stands in an answer.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut error = json!({"code": self.code.name(), "message": self.message});
        if let Some(field) = self.field {
            error["field"] = field.into();
        }
        error
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            code: Code::Field,
            message: format!("{}: {}", fault.field, fault.message),
            field: Some(fault.field),
        }
    }
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        Self::new(Code::Search, error.to_string())
    }
}

impl From<Unplayable> for Failure {
    fn from(error: Unplayable) -> Self {
        Self::new(Code::Search, error.to_string())
    }
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        Self::new(Code::Game, format!("goban: {error}"))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Missing { .. } => Code::NotFound,
            _ => Code::Store,
        };
        Self::new(code, error.to_string())
    }
}
