//! Warnings in responses to requests that could be executed nevertheless.

use crate::game::record::IllegalMove;
use crate::sgf::convert::PlayablePart;

/// Warning about a request that could be executed nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Number of the move that the warning is about, starting at 1, or `None` if it is about something else.
    pub number: Option<usize>,
    pub message: String,
}

impl Warning {
    /// Returns the warnings about a game: deviations from the SGF standard, what was not understood, moves that the
    /// rules forbid, and the error that ended the main line.
    pub fn for_game(summary: Option<String>, part: &PlayablePart) -> Vec<Self> {
        let general = summary
            .into_iter()
            .chain(part.warnings.iter().map(ToString::to_string));
        let general = general.map(|message| Self {
            number: None,
            message,
        });
        let error = part.error.as_ref().map(|error| Self {
            number: Some(part.moves_played + 1),
            message: error.to_string(),
        });
        general
            .chain(part.illegal_moves().map(Self::from))
            .chain(error)
            .collect()
    }
}

impl From<IllegalMove> for Warning {
    fn from(mv: IllegalMove) -> Self {
        Self {
            number: Some(mv.number),
            message: mv.to_string(),
        }
    }
}
