//! Conversions of the errors of lower layers to errors of the service.

use serde_json::json;

use super::{ErrorCode, ServiceError};
use crate::engine::setting_change::SettingError;
use crate::eval::{EvalError, UnsupportedSizeError};
use crate::game::board::NoLibertiesError;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE};
use crate::game::position::{MAX_RECORD_MOVES, MoveError};
use crate::game::record::IllegalMove;
use crate::json_analysis::fields::RequestError;
use crate::json_analysis::game::BoardSizeField;
use crate::search::SearchError;
use crate::service::limits;
use crate::service::sgf_input::SgfInputError;
use crate::service::store::{BUSY_TIMEOUT, StoreError};
use crate::sgf::convert::GameError;
use crate::sgf::{GameWarning, ParseError, PointOrSizeError};
use crate::tactics::life::LifeError;

impl ServiceError {
    /// Creates the error for an unsupported board size.
    pub fn board_size(width: usize, height: usize) -> Self {
        let (comparison, side) = match width.max(height) > MAX_SIDE {
            true => ("larger", MAX_SIDE),
            false => ("smaller", MIN_SIDE),
        };
        let message = format!(
            "boards {comparison} than {side}x{side} are not supported (this one is {width}x{height})"
        );
        Self::new(ErrorCode::BoardSize, message)
            .with("width", width)
            .with("height", height)
            .with("min", MIN_SIDE)
            .with("max", MAX_SIDE)
    }

    /// Returns the board size in the field `size` of a request.
    ///
    /// # Errors
    /// Returns an error if the size is not supported.
    pub fn check_board_size(size: BoardSizeField) -> Result<BoardSize, Self> {
        let BoardSizeField { columns, rows } = size;
        let size = BoardSize::new(columns, rows);
        size.ok_or_else(|| Self::board_size(columns, rows).in_field("size"))
    }

    /// Creates the error for a game with too many moves.
    pub fn too_many_moves(found: usize) -> Self {
        let limit = limits::MAX_GAME_MOVES;
        let message = format!("this game is too long: {found} moves (at most {limit})");
        Self::new(ErrorCode::TooManyMoves, message)
            .with("found", found)
            .with("limit", limit)
    }

    /// Creates the error for a game record that exceeds a limit.
    fn game_too_large(limit: Option<usize>, message: String) -> Self {
        let error = Self::new(ErrorCode::GameTooLarge, message);
        match limit {
            Some(limit) => error.with("limit", limit),
            None => error,
        }
    }
}

impl From<RequestError> for ServiceError {
    fn from(error: RequestError) -> Self {
        let field = error.field;
        let message = format!("{field}: {}", error.message);
        Self::new(ErrorCode::Field, message).in_field(field)
    }
}

impl From<LifeError> for ServiceError {
    fn from(error: LifeError) -> Self {
        let message = error.to_string();
        match error {
            LifeError::NoRegion => Self::new(ErrorCode::NoProblem, message),
            LifeError::NoTarget { defender } => {
                Self::new(ErrorCode::NoProblem, message).with("color", defender.to_string())
            }
            LifeError::TooLarge { width, height } => Self::new(ErrorCode::RegionTooLarge, message)
                .with("width", width)
                .with("height", height),
            LifeError::Table(_) => Self::new(ErrorCode::Search, message),
        }
    }
}

impl From<SettingError> for ServiceError {
    fn from(error: SettingError) -> Self {
        Self::new(ErrorCode::Search, error.to_string())
    }
}

impl From<EvalError> for ServiceError {
    fn from(error: EvalError) -> Self {
        Self::new(ErrorCode::Search, error.to_string())
    }
}

impl From<SearchError> for ServiceError {
    fn from(error: SearchError) -> Self {
        Self::new(ErrorCode::Search, error.to_string())
    }
}

impl From<UnsupportedSizeError> for ServiceError {
    fn from(error: UnsupportedSizeError) -> Self {
        Self::new(ErrorCode::BoardSize, error.to_string())
    }
}

impl From<NoLibertiesError> for ServiceError {
    fn from(error: NoLibertiesError) -> Self {
        let points = (error.stones.iter()).map(|point| error.size.vertex(point));
        Self::new(ErrorCode::NoLiberties, error.to_string())
            .with("color", error.color.to_string())
            .with("points", points.collect::<Vec<_>>())
    }
}

impl From<MoveError> for ErrorCode {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::OffBoard => Self::OffBoard,
            MoveError::Occupied => Self::Occupied,
            MoveError::Suicide => Self::Suicide,
            MoveError::Ko => Self::Ko,
            MoveError::Superko => Self::Superko,
            MoveError::TooManyMoves => Self::TooManyMoves,
        }
    }
}

impl From<IllegalMove> for ServiceError {
    fn from(mv: IllegalMove) -> Self {
        let error = Self::new(mv.reason.into(), mv.to_string());
        match mv.reason {
            MoveError::TooManyMoves => error.with("limit", MAX_RECORD_MOVES),
            _ => error
                .with("move", mv.number)
                .with("color", mv.color.to_string())
                .with("point", mv.vertex),
        }
    }
}

impl From<PointOrSizeError> for ServiceError {
    fn from(error: PointOrSizeError) -> Self {
        match error {
            PointOrSizeError::UnsupportedSize { columns, rows } => {
                Self::board_size(columns.into(), rows.into())
            }
            PointOrSizeError::Point { .. } => Self::new(ErrorCode::OffBoard, error.to_string()),
            PointOrSizeError::Size { .. } => Self::new(ErrorCode::Game, error.to_string()),
        }
    }
}

impl From<GameError> for ServiceError {
    fn from(error: GameError) -> Self {
        let message = error.to_string();
        match error {
            GameError::OtherGame(game) => {
                Self::new(ErrorCode::OtherGame, message).with("game", game)
            }
            GameError::Value(error) => error.into(),
            GameError::SetUp(error) => error.into(),
            GameError::Illegal(mv) => mv.into(),
            GameError::Vertex { number, .. } => {
                Self::new(ErrorCode::OffBoard, message).with("move", number)
            }
            GameError::AfterMoves { moves, error } => {
                let inner = Self::from(*error);
                Self { message, ..inner }.with("move", moves)
            }
        }
    }
}

impl From<ParseError> for ServiceError {
    fn from(error: ParseError) -> Self {
        let message = error.to_string();
        match error {
            ParseError::NoGame(_) => Self::new(
                ErrorCode::NotAGame,
                format!("this is not a game file ({message})"),
            ),
            ParseError::TooLong { .. } | ParseError::TooMany(_) => {
                Self::game_too_large(None, message)
            }
            ParseError::DecompressedTooLong { max_bytes } => {
                Self::game_too_large(Some(max_bytes), message)
            }
            ParseError::Gzip(_) | ParseError::OtherFormat(_) => Self::new(ErrorCode::Game, message),
        }
    }
}

impl From<SgfInputError> for ServiceError {
    fn from(error: SgfInputError) -> Self {
        let message = error.to_string();
        match error {
            SgfInputError::Parse(error) => error.into(),
            SgfInputError::TooManyNodes { .. } => {
                Self::game_too_large(Some(limits::MAX_SGF_NODES), message)
            }
            SgfInputError::TooManySetupPoints => {
                Self::game_too_large(Some(limits::MAX_SGF_SETUP_POINTS), message)
            }
            SgfInputError::MultipleGames(found) => {
                Self::new(ErrorCode::SeveralGames, message).with("found", found)
            }
            SgfInputError::TooManyMoves { found } => Self::too_many_moves(found),
            SgfInputError::Point(error) => error.into(),
            SgfInputError::Game(error) => error.into(),
        }
    }
}

/// Creates the content of a warning about a game.
impl From<&GameWarning> for ServiceError {
    fn from(warning: &GameWarning) -> Self {
        let (code, parameters) = match warning {
            GameWarning::UnknownRules { found, used } => (
                ErrorCode::UnknownRules,
                json!({"found": found, "used": used}),
            ),
            GameWarning::UnknownKomi { found, used } => (
                ErrorCode::UnknownKomi,
                json!({"found": found, "used": used.points()}),
            ),
            GameWarning::KomiInHundredths { found, komi } => (
                ErrorCode::KomiInHundredths,
                json!({"found": found, "used": komi.points()}),
            ),
            GameWarning::UnknownHandicap { found } => {
                (ErrorCode::UnknownHandicap, json!({"found": found}))
            }
            GameWarning::UnplacedHandicap { stones } => {
                (ErrorCode::UnplacedHandicap, json!({"stones": stones}))
            }
            GameWarning::IgnoredStone(_) => (ErrorCode::IgnoredStone, json!({})),
            GameWarning::RemovedStones { count } => {
                (ErrorCode::RemovedStones, json!({"stones": count}))
            }
        };
        Self {
            parameters: parameters.as_object().cloned().unwrap_or_default(),
            ..Self::new(code, warning.to_string())
        }
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NotFound { id } => {
                Self::new(ErrorCode::NotFound, message).with("gobanId", id)
            }
            StoreError::Busy => {
                Self::new(ErrorCode::StoreBusy, message).with("seconds", BUSY_TIMEOUT.as_secs())
            }
            StoreError::Damaged(_) => Self::new(ErrorCode::StoreDamaged, message),
            StoreError::Full => Self::new(ErrorCode::StoreFull, message),
            StoreError::ReadOnly => Self::new(ErrorCode::StoreReadOnly, message),
            StoreError::Missing => Self::new(ErrorCode::StoreMissing, message),
            StoreError::NewerVersion { .. } | StoreError::ForeignFile | StoreError::Sqlite(_) => {
                Self::new(ErrorCode::Store, message)
            }
        }
    }
}
