//! Games used for training, and errors while reading them.

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
use crate::sgf::points::PointOrSizeError;

/// Finished game used for training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingGame {
    /// Position before the first move, with handicap stones and initial prisoners. The side to move in this position
    /// makes the first move. The rules in this position are arbitrary; use
    /// [`initial_position`](Self::initial_position) to set them.
    pub initial: Position,
    /// Rules that affect the score, including komi. Rules that the record does not specify have default values. The
    /// rules on ko and suicide are ignored.
    pub scoring_rules: Rules,
    /// Complete rules, or `None` if the record does not specify them.
    pub rules: Option<Rules>,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Winning margin in half points; 0 for a draw. `None` if the game was not scored, if the margin is unknown, or if
    /// moves are missing at the end of `moves`.
    pub margin: Option<u16>,
    /// Moves. The two sides move alternately.
    pub moves: Vec<Move>,
    /// Search result for each move, or `None` for a move without a full search. Empty if the game has no search
    /// results.
    pub search_targets: Vec<Option<SearchTarget>>,
    /// Points owned by each side at the end of the game, if known.
    pub final_ownership: Option<ByColor<PointSet>>,
}

impl TrainingGame {
    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// Returns the position before the first move, with its rules replaced by `rules`.
    pub fn initial_position(&self, rules: Rules) -> Position {
        let mut position = self.initial.clone();
        position.set_rules(rules);
        position
    }

    /// Returns Black's final lead in half points, including komi, or `None` if [`margin`](Self::margin) is `None`.
    pub fn black_lead_half_points(&self) -> Option<i32> {
        let margin = self.margin.map(i32::from);
        margin.map(|margin| {
            self.winner
                .map_or(0, |winner| winner.to_perspective(margin))
        })
    }
}

/// Converts a record with its `result` to a training game, which ends before the first move out of turn. If moves are
/// omitted for this reason, the training game has no margin, because the margin applies only to the complete game.
pub(super) fn game_from_record(record: &Record, result: &GameResult) -> TrainingGame {
    let margin = result
        .score()
        .map(|score| score.black_lead_half_points().unsigned_abs() as u16);
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
        initial: record.initial().without_history(first_color),
        scoring_rules: *record.rules(),
        rules: None,
        winner: result.winner,
        margin: margin.filter(|_| alternating_moves.len() == record.moves().len()),
        moves: alternating_moves,
        search_targets: Vec::new(),
        final_ownership: None,
    }
}

/// Returns the rules under which positions of a game are used for training.
///
/// These are the rules of the record if the record specifies them completely. Otherwise, the rules on ko and suicide
/// are drawn at random, so that the network learns positions under all rules. The scoring rules, except komi, are also
/// drawn at random if the game has no margin.
pub(super) fn draw_training_rules(game: &TrainingGame, rng: &mut Rng) -> Rules {
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

/// Error while reading a file of games.
#[derive(Debug, thiserror::Error)]
pub enum GameFileError {
    #[error("{file}: {source}")]
    Io { file: String, source: io::Error },
    /// The file is damaged or has another format. The rest of the file may be unreadable.
    #[error("{file}, byte {offset}: expected {expected}, found {found}")]
    Format {
        file: String,
        /// Byte offset of the damaged part in the uncompressed file.
        offset: u64,
        expected: String,
        found: String,
    },
    /// One of the games in the file is damaged. Reading can continue with the next game.
    #[error("{file}, byte {offset}: {error}")]
    Game {
        file: String,
        /// Byte offset of the game in the file.
        offset: u64,
        error: Box<SelfplayLineError>,
    },
}

impl GameFileError {
    /// Returns true if the content of the file is invalid, and false for I/O errors.
    pub const fn is_damaged(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }
}

/// Error in a line of a self-play file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SelfplayLineError {
    /// The line is not valid SGF.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The line does not have the form of a self-play game.
    #[error("expected {expected}, found {found}")]
    Format {
        expected: &'static str,
        found: String,
    },
    #[error(transparent)]
    Game(#[from] GameError),
    /// A point recorded as a dead stone is not on the board.
    #[error(transparent)]
    DeadStones(#[from] PointOrSizeError),
    /// The search result of a move is invalid.
    #[error("move {number}: {error}")]
    Target {
        /// Move number, starting at 1.
        number: usize,
        error: SearchTargetError,
    },
}
