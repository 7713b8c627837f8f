//! Reads the position of a request: board, history, moves, rules and side to move.

mod history;

use serde::Deserialize;
use serde_json::Value;

use self::history::{RawBoard, reconstruct_history};
use super::error::{ErrorCode, ServiceError};
use super::limits;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, MAX_SIDE, Move};
use crate::game::position::Position;
use crate::game::record::{IllegalMove, Record};
use crate::game::rules::Rules;
use crate::json_analysis::fields::{BoundedInteger, Fields, RequestError};
use crate::json_analysis::game::{BoardSizeField, ColorField, ColoredVertex, take_rules};

/// Expands to the names of the request fields that specify a position, followed by the operator's other fields.
macro_rules! position_fields {
    ($more:literal) => {
        concat!(
            "board|size [history] [moves] [color] [rules] [komi] [handicap] [prisoners] [recorded]",
            $more
        )
    };
}
pub(super) use position_fields;

/// Fields of a request that describe a position, except for the rules.
#[derive(Deserialize)]
struct PositionFields {
    board: Option<BoardField>,
    size: Option<BoardSizeField>,
    #[serde(default)]
    history: Vec<RawBoard>,
    #[serde(default)]
    moves: Vec<ColoredVertex>,
    color: Option<ColorField>,
    handicap: Option<BoundedInteger<0, { (MAX_SIDE * MAX_SIDE) as i64 }, usize>>,
    prisoners: Option<LostStones>,
    #[serde(default)]
    recorded: bool,
}

/// The field `board`: rows of points, or an empty list for an empty board of any size.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Vec<Value>>")]
enum BoardField {
    Empty,
    Rows(RawBoard),
    /// A board of an unsupported size.
    UnsupportedSize {
        width: usize,
        height: usize,
    },
}

impl TryFrom<Vec<Vec<Value>>> for BoardField {
    type Error = String;

    fn try_from(rows: Vec<Vec<Value>>) -> Result<Self, String> {
        let (width, height) = (rows.first().map_or(0, Vec::len), rows.len());
        match BoardSize::new(width, height) {
            _ if rows.is_empty() => Ok(Self::Empty),
            None => Ok(Self::UnsupportedSize { width, height }),
            Some(_) => RawBoard::try_from(rows).map(Self::Rows),
        }
    }
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "numbers of stones such as {\"black\":0,\"white\":0}"
)]
struct LostStones {
    black: LostStoneCount,
    white: LostStoneCount,
}

type LostStoneCount = BoundedInteger<0, { u16::MAX as i64 }, u32>;

/// Reads the fields of a position: `board` or `size`, `history`, `moves`, `color`, `rules`, `komi`, `handicap`,
/// `prisoners` and `recorded`. `default_rules` applies if the request does not specify rules. Also returns the moves of
/// `history` and `moves` that the rules forbid.
///
/// # Errors
/// Returns an error for the first invalid field.
pub fn take_position(
    fields: &mut Fields,
    default_rules: Rules,
) -> Result<(Position, Vec<IllegalMove>), ServiceError> {
    let given: PositionFields = fields.take_struct()?;
    let rules = take_rules(fields, Some(default_rules))?;
    let board = given_or_empty_board(given.board, given.size)?;
    let size = board.size;
    let move_count = given.history.len() + given.moves.len();
    if move_count > limits::MAX_GAME_MOVES {
        return Err(ServiceError::too_many_moves(move_count).in_field("moves"));
    }
    let moves = read_moves(&given.moves, size)?;
    let color = given.color.map(|ColorField(color)| color);
    let handicap = given.handicap.map(|BoundedInteger(stones)| stones);
    if let Some(stones) = handicap.filter(|&stones| stones > size.area()) {
        let max = size.area();
        let message = format!("expected a number of stones up to {max}, found {stones}");
        return Err(RequestError::new("handicap", message).into());
    }
    let default_to_move = match handicap {
        Some(2..) => Color::White,
        _ => Color::Black,
    };
    let first = moves.first().map(|&(color, _)| color).or(color);
    let mut record = reconstruct_history(given.history, board, first, default_to_move, rules)?;
    if let Some(first) = first {
        record.set_to_move(first);
    }
    play_moves_checking_last(&mut record, &moves, given.recorded)?;
    let illegal_moves = record.illegal_moves().collect();
    // The record infers the handicap from its moves. An explicit handicap replaces it.
    let mut position = record.position().clone();
    if let Some(stones) = handicap {
        position.set_handicap(stones);
    }
    if let Some(LostStones { black, white }) = given.prisoners {
        position.add_lost_stones(Color::Black, black.0);
        position.add_lost_stones(Color::White, white.0);
    }
    if let Some(color) = color {
        position.set_to_move(color);
    }
    Ok((position, illegal_moves))
}

/// Plays the moves. They may violate the ko and suicide rules, except for the last move if `recorded` is false.
fn play_moves_checking_last(
    record: &mut Record,
    moves: &[(Color, Move)],
    recorded: bool,
) -> Result<(), ServiceError> {
    for (index, &(color, mv)) in moves.iter().enumerate() {
        // Recorded games may have been played under other rules.
        let must_be_legal = index + 1 == moves.len() && !recorded;
        let result = match must_be_legal {
            true => record.play(color, mv),
            false => record.play_on_empty_point(color, mv),
        };
        result.map_err(|reason| {
            ServiceError::from(IllegalMove {
                number: record.moves().len() + 1,
                color,
                vertex: record.size().format_move(mv),
                reason,
            })
        })?;
    }
    Ok(())
}

/// Reads the field `moves`. Returns an error for a move that is neither a point on the board nor a pass.
fn read_moves(
    moves: &[ColoredVertex],
    size: BoardSize,
) -> Result<Vec<(Color, Move)>, ServiceError> {
    let moves = moves.iter().enumerate().map(|(index, mv)| {
        mv.to_move("moves", size).map_err(|error| {
            let message = format!("move {}: {}", index + 1, error.message);
            ServiceError::new(ErrorCode::OffBoard, message)
                .in_field("moves")
                .with("move", index + 1)
        })
    });
    moves.collect()
}

/// Returns the given board, or an empty board of the given size. The default size of a board without rows is 19x19.
/// Returns an error if both fields are missing, or if the board has a different size.
fn given_or_empty_board(
    board: Option<BoardField>,
    size: Option<BoardSizeField>,
) -> Result<RawBoard, ServiceError> {
    let size = size.map(ServiceError::check_board_size).transpose()?;
    match (board, size) {
        (None, None) => Err(RequestError::missing("board").into()),
        (Some(BoardField::UnsupportedSize { width, height }), _) => {
            Err(ServiceError::board_size(width, height).in_field("board"))
        }
        (None | Some(BoardField::Empty), size) => Ok(RawBoard {
            size: size.unwrap_or(BoardSize::STANDARD),
            stones: ByColor::default(),
        }),
        (Some(BoardField::Rows(board)), Some(size)) if board.size != size => {
            let expected = board.size;
            let message =
                format!("size: expected {expected}, the size of the given board, found {size}");
            Err(ServiceError::new(ErrorCode::Field, message).in_field("size"))
        }
        (Some(BoardField::Rows(board)), _) => Ok(board),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use crate::service::error::ErrorCode;
    use serde_json::json;

    fn position(value: Value) -> Result<Position, ServiceError> {
        let Value::Object(values) = value else {
            panic!("an object");
        };
        let (position, _) = take_position(&mut Fields::new(values), Rules::default())?;
        Ok(position)
    }

    #[test]
    fn ko_is_inferred_from_history_and_moves() {
        let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let after = json!([[0, 1, -1, 0], [1, 0, 1, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let ko_point = Point::at(1, 1);
        let without_history = position(json!({"board": after, "color": "white"})).unwrap();
        assert!(without_history.check_legal(ko_point).is_ok());
        for request in [
            json!({"board": after, "history": [before], "color": "white"}),
            json!({"board": before, "moves": [["B", "C3"]]}),
        ] {
            let position = position(request).unwrap();
            assert_eq!(position.to_move(), Color::White);
            assert!(position.check_legal(ko_point).is_err());
            assert_eq!(position.past_stones(1, Color::White).len(), 4);
        }
    }

    #[test]
    fn board_without_rows_is_empty() {
        for (request, size) in [
            (json!({"board": [], "color": "black"}), (19, 19)),
            (json!({"board": [], "size": [9, 7]}), (9, 7)),
            (json!({"board": [], "moves": [["B", "Q16"]]}), (19, 19)),
        ] {
            let position = position(request.clone()).unwrap();
            let actual = (position.size().width(), position.size().height());
            assert_eq!(actual, size, "{request}");
            let stones = usize::from(request.get("moves").is_some());
            let board = position.board();
            let found = Color::BOTH.map(|color| board.stones(color).len());
            assert_eq!(found, [stones, 0], "{request}");
        }
    }

    #[test]
    fn turn_and_handicap_inferred_from_history() {
        let empty = json!([[0, 0, 0], [0, 0, 0], [0, 0, 0]]);
        let black = json!([[1, 0, 0], [0, 0, 0], [0, 0, 0]]);
        let both = json!([[1, 0, 0], [0, -1, 0], [0, 0, 0]]);
        let two = json!([[1, 0, 1], [0, 0, 0], [0, 0, 0]]);
        let three = json!([[1, 0, 1], [0, -1, 0], [0, 0, 0]]);
        for (history, board, to_move, handicap) in [
            (vec![&empty], &black, Color::White, 0),
            (vec![&empty, &black], &both, Color::Black, 0),
            // White's pass, inferred from the previous move and from the next one.
            (vec![&empty, &black], &black, Color::Black, 0),
            (vec![&empty, &empty, &black], &black, Color::Black, 0),
            (vec![&empty], &empty, Color::White, 0),
            (vec![&empty, &black, &two], &three, Color::Black, 2),
        ] {
            let request = json!({"board": board, "history": history});
            let position = position(request.clone()).unwrap();
            let actual = (position.to_move(), position.handicap());
            assert_eq!(actual, (to_move, handicap), "{request}");
        }
        let request = json!({"board": two, "history": [empty, black], "moves": [["W", "B2"]]});
        assert_eq!(position(request).unwrap().handicap(), 2);
        let request = json!({"board": three, "history": [empty, black, two], "handicap": 0});
        assert_eq!(position(request).unwrap().handicap(), 0);
    }

    #[test]
    fn given_prisoners_add_to_captures() {
        let request = json!({
            "board": [[-1, 1, 0], [0, 0, 0], [0, 0, 0]], "moves": [["B", "A2"]],
            "prisoners": {"black": 2, "white": 3},
        });
        let position = position(request).unwrap();
        let prisoners = Color::BOTH.map(|color| position.lost_stones(color));
        assert_eq!(prisoners, [2, 4]);
    }

    #[test]
    fn suicide_is_inferred_where_rules_allow() {
        let before = json!([[1, 0, -1, 0], [-1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let after = json!([[0, 0, -1, 0], [-1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let position_after = |board: &Value, rules: &str| {
            let history = [before.clone(), before.clone()];
            position(json!({"board": board, "history": history, "color": "white", "rules": rules}))
        };
        let result = position_after(&after, "new-zealand").unwrap();
        let suicide = Move::Play(Point::at(1, 0));
        assert_eq!(result.past_move(0), Some((Color::Black, suicide)));
        assert_eq!(result.past_move(1), Some((Color::White, Move::Pass)));
        assert_eq!(result.lost_stones(Color::Black), 2);
        assert_eq!(result.to_move(), Color::White);
        // Suicide is not inferred under other rules, or if a part of a chain, a chain with a liberty, or stones of both
        // colours disappear.
        let part = json!([[1, 0, -1, 0], [-1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let chain = json!([[1, 0, -1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let both = json!([[0, 0, 0, 0], [-1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        for (board, rules) in [
            (&after, "chinese"),
            (&part, "new-zealand"),
            (&chain, "new-zealand"),
            (&both, "new-zealand"),
        ] {
            let error = position_after(board, rules).unwrap_err();
            assert_eq!(error.code, ErrorCode::History, "{board} {rules}");
        }
    }

    #[test]
    fn invalid_positions_name_the_field() {
        use ErrorCode::{BoardSize, Field, History, NoLiberties, Occupied};
        let prisoners = json!({"black": -1, "white": 0});
        let history = json!([[[0, 1], [0, 0]]]);
        for (request, code, word) in [
            (json!({}), Field, "board"),
            (json!({"board": [[]]}), BoardSize, "0x1"),
            (json!({"board": [[0, 0], [0]]}), Field, "rows of 2 points"),
            (json!({"board": [[0]]}), BoardSize, "1x1"),
            (json!({"board": [[0, 3], [0, 0]]}), Field, "found 3"),
            (json!({"board": [[0, 1], [0, "x"]]}), Field, "\"x\""),
            (json!({"board": [[1, 1], [1, 1]]}), NoLiberties, "liberties"),
            (json!({"size": 20}), BoardSize, "20x20"),
            (json!({"size": [9, 20]}), BoardSize, "9x20"),
            (json!({"size": 20.5}), Field, "size"),
            (json!({"size": "9x9"}), Field, "size"),
            (json!({"size": [9]}), Field, "size"),
            (json!({"size": 9, "komi": 0.3}), Field, "komi"),
            (json!({"size": 9, "handicap": 82}), Field, "handicap"),
            (json!({"size": 9, "color": 1}), Field, "color"),
            (
                json!({"size": 9, "prisoners": prisoners}),
                Field,
                "prisoners",
            ),
            (
                json!({"size": 9, "moves": [["B", "C3"], ["W", "C3"]]}),
                Occupied,
                "move 2",
            ),
            (
                json!({"board": [[1, 0], [0, 0]], "history": history}),
                History,
                "no single move",
            ),
        ] {
            let error = position(request.clone()).unwrap_err();
            assert_eq!(error.code, code, "{request}");
            assert!(error.message.contains(word), "{request}: {error}");
        }
    }
}
