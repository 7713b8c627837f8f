//! Games to learn from, and the errors of reading them.

use std::io;

use super::search_target::{SearchTarget, SearchTargetError};
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::result::GameResult;
use crate::game::rules::{KoRule, Rules, Scoring, Tax};
use crate::random::Rng;
use crate::sgf::ParseError;
use crate::sgf::convert::GameError;
use crate::sgf::points::PointError;

/// A finished game to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingGame {
    /// The position before the first move, with handicap stones and initial prisoners. Its side to move makes the
    /// first move. Its rules are unspecified.
    pub initial: Position,
    /// The known ones of komi, scoring, tax and bonus. All other rules are unspecified.
    pub scoring_rules: Rules,
    /// The complete rules, if the record contains them.
    pub rules: Option<Rules>,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The winning margin in half points, if the game was scored.
    pub margin: Option<u16>,
    /// The moves, with alternating colours.
    pub moves: Vec<Move>,
    /// The search results of each move, `None` for moves without a full search. Empty if the game has none.
    pub search_targets: Vec<Option<SearchTarget>>,
    /// The points owned by each side at the end of the game, if known.
    pub final_ownership: Option<ByColor<PointSet>>,
}

impl TrainingGame {
    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// Returns the position before the first move, under `rules`.
    pub fn initial_position(&self, rules: Rules) -> Position {
        let mut position = self.initial.clone();
        position.set_rules(rules);
        position
    }

    /// Returns Black's final lead in half points, if the game was scored.
    pub fn lead_half_points(&self) -> Option<i32> {
        let margin = self.margin.map(i32::from);
        margin.map(|margin| {
            self.winner
                .map_or(0, |winner| winner.to_perspective(margin))
        })
    }
}

/// Converts a record, up to the first move out of turn. If moves are dropped, the game has no margin, because it was
/// scored after them.
pub(super) fn game_from_record(record: &Record, result: &GameResult) -> TrainingGame {
    let margin = result
        .score()
        .map(|score| score.half_points().unsigned_abs() as u16);
    let first_color = record
        .moves()
        .first()
        .map_or(record.initial().to_move(), |(color, _)| *color);
    let alternating_moves: Vec<Move> = record
        .moves()
        .iter()
        .scan(first_color, |to_move, &(color, mv)| {
            let expected = std::mem::replace(to_move, to_move.opposite());
            (color == expected).then_some(mv)
        })
        .collect();
    TrainingGame {
        initial: record.initial().restarted(first_color),
        scoring_rules: *record.rules(),
        rules: None,
        winner: result.winner,
        margin: margin.filter(|_| alternating_moves.len() == record.moves().len()),
        moves: alternating_moves,
        search_targets: Vec::new(),
        final_ownership: None,
    }
}

/// Returns the rules for training positions of a game: the rules of the record if they are known completely.
///
/// Otherwise rules without influence on the game are drawn at random, so that the network learns to ignore them. If the
/// game was scored, its scoring rules are used.
pub(super) fn training_rules(game: &TrainingGame, rng: &mut Rng) -> Rules {
    if let Some(rules) = game.rules {
        return rules;
    }
    let scoring_rules = match game.margin {
        Some(_) => game.scoring_rules,
        None => {
            let (scoring, tax) = if rng.chance(0.5) {
                (Scoring::Area, Tax::None)
            } else {
                (Scoring::Territory, Tax::Seki)
            };
            Rules {
                scoring,
                tax,
                button: false,
                ..game.scoring_rules
            }
        }
    };
    Rules {
        ko: [KoRule::Simple, KoRule::Positional, KoRule::Situational][rng.below(3)],
        suicide: rng.chance(0.3),
        ..scoring_rules
    }
}

/// An error reading a file of games.
#[derive(Debug, thiserror::Error)]
pub enum GameFileError {
    #[error("{file}: {source}")]
    Io { file: String, source: io::Error },
    /// The file is not of the expected kind, or damaged. Reading cannot continue.
    #[error("{file}, byte {offset}: expected {expected}, found {found}")]
    Format {
        file: String,
        /// Offset of the damaged part in the uncompressed file.
        offset: u64,
        expected: String,
        found: String,
    },
    /// One of several games is damaged. Reading can continue after it.
    #[error("{file}, byte {offset}: {error}")]
    Game {
        file: String,
        /// Offset of the game in the file.
        offset: u64,
        error: Box<LineError>,
    },
}

impl GameFileError {
    /// Returns true if the contents of the file are invalid, and false for I/O errors.
    pub const fn is_damaged(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }
}

/// An error in a line of a self-play file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// The line is not valid SGF.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The line differs from the expected form.
    #[error("expected {expected}, found {found}")]
    Format {
        expected: &'static str,
        found: String,
    },
    #[error(transparent)]
    Game(#[from] GameError),
    /// A dead stone is not on the board.
    #[error(transparent)]
    DeadStones(#[from] PointError),
    /// The search result of a move is invalid.
    #[error("move {number}: {error}")]
    Target {
        /// Move number, from 1.
        number: usize,
        error: SearchTargetError,
    },
}
