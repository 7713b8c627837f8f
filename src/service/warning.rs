//! Warnings in responses to requests that could be executed nevertheless.

use serde_json::{Value, json};

use super::error::{ErrorCode, ServiceError};
use crate::game::record::IllegalMove;
use crate::sgf::convert::PlayablePart;

/// Warning about a request that could be executed nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Number of the move that the warning is about, starting at 1, or `None` if it is about something else.
    pub number: Option<usize>,
    /// Code, message and parameters.
    pub content: ServiceError,
}

impl Warning {
    /// Returns the warnings about a game: deviations from the SGF standard (`repairs`), values that were not
    /// understood, moves that the rules forbid, and the error that ended the main line.
    pub fn for_game(repairs: Option<String>, part: &PlayablePart) -> Vec<Self> {
        let repairs = repairs.map(|message| ServiceError::new(ErrorCode::FileRepaired, message));
        let general = repairs
            .into_iter()
            .chain(part.warnings.iter().map(ServiceError::from));
        let general = general.map(|content| Self {
            number: None,
            content,
        });
        let error = part.error.clone().map(|error| Self {
            number: Some(part.moves_played + 1),
            content: error.into(),
        });
        general
            .chain(part.illegal_moves().map(Self::from))
            .chain(error)
            .collect()
    }

    /// Returns the entry of the list `warnings` in a response.
    pub fn to_json(&self) -> Value {
        let mut warning = self.content.to_json();
        warning["move"] = json!(self.number);
        warning
    }
}

impl From<IllegalMove> for Warning {
    fn from(mv: IllegalMove) -> Self {
        Self {
            number: Some(mv.number),
            content: mv.into(),
        }
    }
}
