//! Reads the position of a request: board, history, moves, rules and side to move.

mod history;

use serde_json::Value;

use self::history::{
    EXPECTED_MATRIX, Matrix, PositionHistory, RawBoard, parse_matrix, position_error,
    reconstruct_history,
};
use super::error::ServiceError;
use super::limits;
use crate::game::color::{ByColor, Color};
use crate::game::handicap::inferred_from_game;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move};
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::json::fields::{Fields, RequestError};
use crate::json::game::{PlayerColor, parse_moves, parse_rules};

/// Description of the request fields that specify a position, followed by the operator's other fields.
macro_rules! position_fields {
    ($more:literal) => {
        concat!(
            "board|size [history] [moves] [color] [rules] [komi] [handicap] [prisoners] [recorded]",
            $more
        )
    };
}
pub(super) use position_fields;

/// Value of the field `prisoners`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Prisoners {
    black: u16,
    white: u16,
}

/// Reads the fields of a position: `board` or `size`, `history`, `moves`, `color`, `rules`, `komi`, `handicap`,
/// `prisoners` and `recorded`. `default_rules` are used if the request does not specify rules.
///
/// # Errors
/// Returns an error for the first invalid field.
pub fn take_position(fields: &mut Fields, default_rules: Rules) -> Result<Position, ServiceError> {
    let board = take_board(fields)?;
    let history: Vec<Matrix> = fields.list("history", EXPECTED_MATRIX)?.unwrap_or_default();
    let history = history.iter().map(|matrix| parse_matrix("history", matrix));
    let history: Vec<RawBoard> = history.collect::<Result<_, _>>()?;
    let moves = parse_moves(fields, board.size)?.unwrap_or_default();
    let move_count = history.len() + moves.len();
    if move_count > limits::MAX_GAME_MOVES {
        let limit = limits::MAX_GAME_MOVES;
        let message =
            format!("expected at most {limit} moves including the history, found {move_count}");
        return Err(RequestError::new("moves", message).into());
    }
    let color = fields.optional::<PlayerColor>("color", PlayerColor::EXPECTED)?;
    let color = color.map(|PlayerColor(color)| color);
    let rules = parse_rules(fields, Some(default_rules))?;
    let handicap = take_handicap(fields, board.size)?;
    let prisoners: Option<Prisoners> = fields.optional("prisoners", EXPECTED_PRISONERS)?;
    let recorded = fields.flag("recorded")?;
    let default_to_move = match handicap {
        Some(2..) => Color::White,
        _ => Color::Black,
    };
    let first = moves.first().map(|&(color, _)| color).or(color);
    let PositionHistory {
        mut position,
        start,
        moves: mut all_moves,
    } = reconstruct_history(history, board, first, default_to_move, rules)?;
    if let Some(first) = first {
        position.set_to_move(first);
    }
    play_moves(&mut position, &moves, recorded)?;
    all_moves.extend(moves);
    let inferred_handicap = || inferred_from_game(&start, &all_moves).unwrap_or(0);
    position.set_handicap(handicap.map_or_else(inferred_handicap, usize::from));
    if let Some(Prisoners { black, white }) = prisoners {
        position.add_prisoners(Color::Black, black.into());
        position.add_prisoners(Color::White, white.into());
    }
    if let Some(color) = color {
        position.set_to_move(color);
    }
    Ok(position)
}

/// Plays the moves. They may violate the ko rule, except for the last one if `recorded` is false.
fn play_moves(
    position: &mut Position,
    moves: &[(Color, Move)],
    recorded: bool,
) -> Result<(), ServiceError> {
    for (number, &(color, mv)) in moves.iter().enumerate() {
        // Game records may have been played under another ko rule.
        let must_be_legal = number + 1 == moves.len() && !recorded;
        let result = match must_be_legal {
            true => position.play(color, mv),
            false => position.play_lenient(color, mv),
        };
        result.map_err(|reason| {
            let vertex = position.size().format_move(mv);
            position_error(format!("move {} ({color} {vertex}): {reason}", number + 1))
        })?;
    }
    Ok(())
}

fn take_handicap(fields: &mut Fields, size: BoardSize) -> Result<Option<u16>, ServiceError> {
    let expected = format!("a number of stones up to {}", size.area());
    let handicap: Option<u16> = fields.optional("handicap", &expected)?;
    if let Some(stones) = handicap.filter(|&stones| usize::from(stones) > size.area()) {
        let message = format!("expected {expected}, found {stones}");
        return Err(RequestError::new("handicap", message).into());
    }
    Ok(handicap)
}

const EXPECTED_PRISONERS: &str = "numbers of stones up to 65535 as {\"black\":0,\"white\":0}";
fn take_board(fields: &mut Fields) -> Result<RawBoard, ServiceError> {
    let size = take_size(fields)?;
    let board: Option<Matrix> = fields.optional("board", EXPECTED_MATRIX)?;
    let empty_board = |size: BoardSize| RawBoard {
        size,
        stones: ByColor::default(),
    };
    match (board, size) {
        (Some(matrix), None) => Ok(parse_matrix("board", &matrix)?),
        (None, Some(size)) => Ok(empty_board(size)),
        (Some(matrix), Some(size)) => {
            let board = parse_matrix("board", &matrix)?;
            if board.size == size {
                return Ok(board);
            }
            let message = format!(
                "expected the size of the board, {}, found {size}",
                board.size
            );
            Err(RequestError::new("size", message).into())
        }
        (None, None) => Err(RequestError::new(
            "board",
            format!("expected {EXPECTED_MATRIX}, found nothing"),
        )
        .into()),
    }
}

/// Reads the optional field `size`: a side length, or a list of columns and rows.
///
/// # Errors
/// Returns an error if the value is not a valid board size.
pub fn take_size(fields: &mut Fields) -> Result<Option<BoardSize>, RequestError> {
    let expected = format!("a side from {MIN_SIDE} to {MAX_SIDE}, or [columns, rows]");
    let Some(value) = fields.optional::<Value>("size", &expected)? else {
        return Ok(None);
    };
    let side = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let size = match value.as_array().map(Vec::as_slice) {
        Some([columns, rows]) => side(columns).zip(side(rows)),
        Some(_) => None,
        None => side(&value).map(|side| (side, side)),
    };
    let size = size.and_then(|(columns, rows)| BoardSize::new(columns, rows));
    let size = size.ok_or_else(|| RequestError::unexpected("size", &expected, &value))?;
    Ok(Some(size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::{Move, Point};
    use crate::service::error::ErrorCode;
    use serde_json::json;

    fn position(value: Value) -> Result<Position, ServiceError> {
        let Value::Object(values) = value else {
            panic!("an object");
        };
        take_position(&mut Fields::new(values), Rules::default())
    }

    #[test]
    fn ko_is_inferred_from_history_and_moves() {
        let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let after = json!([[0, 1, -1, 0], [1, 0, 1, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let ko_point = Point::at(1, 1);
        let without_history = position(json!({"board": after, "color": "white"})).unwrap();
        assert!(without_history.legal(ko_point).is_ok());
        for request in [
            json!({"board": after, "history": [before], "color": "white"}),
            json!({"board": before, "moves": [["B", "C3"]]}),
        ] {
            let position = position(request).unwrap();
            assert_eq!(position.to_move(), Color::White);
            assert!(position.legal(ko_point).is_err());
            assert_eq!(position.past_stones(1, Color::White).len(), 4);
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
        let prisoners = Color::BOTH.map(|color| position.prisoners(color));
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
        assert_eq!(result.last_move(0), Some((Color::Black, suicide)));
        assert_eq!(result.last_move(1), Some((Color::White, Move::Pass)));
        assert_eq!(result.prisoners(Color::Black), 2);
        assert_eq!(result.to_move(), Color::White);
        // Not under other rules, and not if only part of a chain, a chain with a liberty, or both colours disappear.
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
            assert_eq!(error.code, ErrorCode::Position, "{board} {rules}");
        }
    }

    #[test]
    fn invalid_positions_name_the_field() {
        for (request, code, word) in [
            (json!({}), ErrorCode::Field, "board"),
            (
                json!({"board": [[0, 0], [0]]}),
                ErrorCode::Field,
                "rows of 2",
            ),
            (json!({"board": [[0]]}), ErrorCode::Field, "1x1"),
            (
                json!({"board": [[0, 3], [0, 0]]}),
                ErrorCode::Field,
                "found 3",
            ),
            (
                json!({"board": [[0, 1], [0, "x"]]}),
                ErrorCode::Field,
                "matrix",
            ),
            (
                json!({"board": [[1, 1], [1, 1]]}),
                ErrorCode::Position,
                "liberty",
            ),
            (json!({"size": 20}), ErrorCode::Field, "size"),
            (json!({"size": [9]}), ErrorCode::Field, "size"),
            (json!({"size": 9, "komi": 0.3}), ErrorCode::Field, "komi"),
            (
                json!({"size": 9, "handicap": 82}),
                ErrorCode::Field,
                "handicap",
            ),
            (json!({"size": 9, "color": 1}), ErrorCode::Field, "color"),
            (
                json!({"size": 9, "prisoners": {"black": -1, "white": 0}}),
                ErrorCode::Field,
                "prisoners",
            ),
            (
                json!({"size": 9, "moves": [["B", "C3"], ["W", "C3"]]}),
                ErrorCode::Position,
                "move 2",
            ),
            (
                json!({"board": [[1, 0], [0, 0]], "history": [[[0, 1], [0, 0]]]}),
                ErrorCode::Position,
                "history",
            ),
        ] {
            let error = position(request.clone()).unwrap_err();
            assert_eq!(error.code, code, "{request}");
            assert!(error.message.contains(word), "{request}: {error}");
        }
    }
}
