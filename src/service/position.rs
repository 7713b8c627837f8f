//! The position of a request: a matrix or an empty board, earlier boards, moves, rules, and whose turn it is.

use serde_json::Value;

use super::failure::Failure;
use super::limits;
use super::past::{Past, Stones, illegal, past};
use crate::game::color::{ByColor, Color};
use crate::game::handicap::told_by;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::json::fields::{Fault, Fields};
use crate::json::game::{Player, take_moves, take_rules};

/// The fields of a position, as an operator tells them, and what it takes beside.
macro_rules! of_position {
    ($more:literal) => {
        concat!(
            "board|size [history] [moves] [color] [rules] [komi] [handicap] [prisoners] [recorded]",
            $more
        )
    };
}
pub(super) use of_position;

/// Rows from the top: 0 empty, 1 Black, -1 White.
type Matrix = Vec<Vec<i8>>;

/// Stones of each colour that were taken.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Prisoners {
    black: u16,
    white: u16,
}

/// Takes the fields of a position: `board` or `size`, `history`, `moves`, `color`, `rules`, `komi`, `handicap`,
/// `prisoners`, `recorded`; what is not told of the rules is as in `usual`.
///
/// # Errors
/// What is wrong with the first faulty one.
pub fn take(fields: &mut Fields, usual: Rules) -> Result<Position, Failure> {
    let board = take_board(fields)?;
    let history: Vec<Matrix> = fields.list("history", MATRIX)?.unwrap_or_default();
    let history = history.iter().map(|matrix| read("history", matrix));
    let history: Vec<Stones> = history.collect::<Result<_, _>>()?;
    let moves = take_moves(fields, board.size)?.unwrap_or_default();
    let before = history.len() + moves.len();
    if before > limits::GAME {
        let most = limits::GAME;
        let told =
            format!("expected at most {most} moves, with those of the history, found {before}");
        return Err(Fault::new("moves", told).into());
    }
    let color = fields.optional::<Player>("color", Player::EXPECTED)?;
    let color = color.map(|Player(color)| color);
    let rules = take_rules(fields, Some(usual))?;
    let handicap = take_handicap(fields, board.size)?;
    let taken: Option<Prisoners> = fields.optional("prisoners", PRISONERS)?;
    let recorded = fields.flag("recorded")?;
    let begins = match handicap {
        Some(2..) => Color::White,
        _ => Color::Black,
    };
    let first = moves.first().map(|&(color, _)| color).or(color);
    let Past {
        mut position,
        start,
        moves: mut made,
    } = past(history, board, first, begins, rules)?;
    if let Some(first) = first {
        position.set_to_move(first);
    }
    make(&mut position, &moves, recorded)?;
    made.extend(moves);
    let told = |number| told_by(&start, &made[..number]);
    let told = || (1..=made.len()).rev().find_map(told).unwrap_or(0);
    position.set_handicap(handicap.map_or_else(told, usize::from));
    if let Some(Prisoners { black, white }) = taken {
        position.add_prisoners(Color::Black, black.into());
        position.add_prisoners(Color::White, white.into());
    }
    if let Some(color) = color {
        position.set_to_move(color);
    }
    Ok(position)
}

/// Makes the moves; the last, unless they are all `recorded`, as somebody who asks whether it may be made.
fn make(position: &mut Position, moves: &[(Color, Move)], recorded: bool) -> Result<(), Failure> {
    for (number, &(color, mv)) in moves.iter().enumerate() {
        // Ko does not bind the moves of a record.
        let asks = number + 1 == moves.len() && !recorded;
        let played = match asks {
            true => position.play(color, mv),
            false => position.replay(color, mv),
        };
        played.map_err(|reason| {
            let vertex = position.size().move_text(mv);
            illegal(format!("move {} ({color} {vertex}): {reason}", number + 1))
        })?;
    }
    Ok(())
}

fn take_handicap(fields: &mut Fields, size: BoardSize) -> Result<Option<u16>, Failure> {
    let expected = format!("a number of stones up to {}", size.area());
    let handicap: Option<u16> = fields.optional("handicap", &expected)?;
    if let Some(stones) = handicap.filter(|&stones| usize::from(stones) > size.area()) {
        let told = format!("expected {expected}, found {stones}");
        return Err(Fault::new("handicap", told).into());
    }
    Ok(handicap)
}

const PRISONERS: &str = "numbers of stones up to 65535 as {\"black\":0,\"white\":0}";
const MATRIX: &str = "a matrix of rows of 0 (empty), 1 (Black) and -1 (White)";

fn take_board(fields: &mut Fields) -> Result<Stones, Failure> {
    let size = take_size(fields)?;
    let board: Option<Matrix> = fields.optional("board", MATRIX)?;
    let told = |size: BoardSize| Stones {
        size,
        stones: ByColor::default(),
    };
    match (board, size) {
        (Some(matrix), None) => Ok(read("board", &matrix)?),
        (None, Some(size)) => Ok(told(size)),
        (Some(matrix), Some(size)) => {
            let board = read("board", &matrix)?;
            if board.size == size {
                return Ok(board);
            }
            let told = format!(
                "expected the size of the board, {}, found {size}",
                board.size
            );
            Err(Fault::new("size", told).into())
        }
        (None, None) => {
            Err(Fault::new("board", format!("expected {MATRIX}, found nothing")).into())
        }
    }
}

/// Takes `size`, a side or columns and rows.
///
/// # Errors
/// When it is no size that a board can have.
pub fn take_size(fields: &mut Fields) -> Result<Option<BoardSize>, Fault> {
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
    let size = size.ok_or_else(|| Fault::unexpected("size", &expected, &value))?;
    Ok(Some(size))
}

fn read(field: &'static str, matrix: &Matrix) -> Result<Stones, Fault> {
    let width = matrix.first().map_or(0, Vec::len);
    let size = BoardSize::new(width, matrix.len()).ok_or_else(|| {
        let sides = format!("expected sides from {MIN_SIDE} to {MAX_SIDE}");
        Fault::new(field, format!("{sides}, found {width}x{}", matrix.len()))
    })?;
    let mut stones: ByColor<PointSet> = ByColor::default();
    for (row, cells) in matrix.iter().enumerate() {
        if cells.len() != width {
            let told = format!(
                "expected rows of {width}, found {} in row {row}",
                cells.len()
            );
            return Err(Fault::new(field, told));
        }
        for (column, cell) in cells.iter().enumerate() {
            match cell {
                0 => {}
                1 => stones[Color::Black].insert(Point::at(column, row)),
                -1 => stones[Color::White].insert(Point::at(column, row)),
                other => {
                    let told = format!("expected {MATRIX}, found {other} in row {row}");
                    return Err(Fault::new(field, told));
                }
            }
        }
    }
    Ok(Stones { size, stones })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Move;
    use crate::service::failure::Code;
    use serde_json::json;

    fn position(value: Value) -> Result<Position, Failure> {
        let Value::Object(values) = value else {
            panic!("an object");
        };
        take(&mut Fields::new(values), Rules::default())
    }

    #[test]
    fn a_ko_shows_in_earlier_boards_and_in_moves() {
        let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let after = json!([[0, 1, -1, 0], [1, 0, 1, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let taken = Point::at(1, 1);
        let bare = position(json!({"board": after, "color": "white"})).unwrap();
        assert!(bare.legal(taken).is_ok());
        for told in [
            json!({"board": after, "history": [before], "color": "white"}),
            json!({"board": before, "moves": [["B", "C3"]]}),
        ] {
            let position = position(told).unwrap();
            assert_eq!(position.to_move(), Color::White);
            assert!(position.legal(taken).is_err());
            assert_eq!(position.stones_before(1, Color::White).len(), 4);
        }
    }

    #[test]
    fn earlier_boards_tell_whose_turn_it_is_and_the_handicap() {
        let empty = json!([[0, 0, 0], [0, 0, 0], [0, 0, 0]]);
        let black = json!([[1, 0, 0], [0, 0, 0], [0, 0, 0]]);
        let both = json!([[1, 0, 0], [0, -1, 0], [0, 0, 0]]);
        let two = json!([[1, 0, 1], [0, 0, 0], [0, 0, 0]]);
        let three = json!([[1, 0, 1], [0, -1, 0], [0, 0, 0]]);
        for (history, board, to_move, handicap) in [
            (vec![&empty], &black, Color::White, 0),
            (vec![&empty, &black], &both, Color::Black, 0),
            // White's pass, told by the move before it, and by the one after it.
            (vec![&empty, &black], &black, Color::Black, 0),
            (vec![&empty, &empty, &black], &black, Color::Black, 0),
            (vec![&empty], &empty, Color::White, 0),
            (vec![&empty, &black, &two], &three, Color::Black, 2),
        ] {
            let told = json!({"board": board, "history": history});
            let position = position(told.clone()).unwrap();
            let found = (position.to_move(), position.handicap());
            assert_eq!(found, (to_move, handicap), "{told}");
        }
        let told = json!({"board": two, "history": [empty, black], "moves": [["W", "B2"]]});
        assert_eq!(position(told).unwrap().handicap(), 2);
        let told = json!({"board": three, "history": [empty, black, two], "handicap": 0});
        assert_eq!(position(told).unwrap().handicap(), 0);
    }

    #[test]
    fn prisoners_told_are_added_to_those_of_the_moves() {
        let told = json!({
            "board": [[-1, 1, 0], [0, 0, 0], [0, 0, 0]], "moves": [["B", "A2"]],
            "prisoners": {"black": 2, "white": 3},
        });
        let position = position(told).unwrap();
        let taken = Color::BOTH.map(|color| position.prisoners(color));
        assert_eq!(taken, [2, 4]);
    }

    #[test]
    fn a_suicide_shows_in_earlier_boards_where_the_rules_allow_it() {
        let before = json!([[1, 0, -1, 0], [-1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let after = json!([[0, 0, -1, 0], [-1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let taken = |board: &Value, rules: &str| {
            let history = [before.clone(), before.clone()];
            position(json!({"board": board, "history": history, "color": "white", "rules": rules}))
        };
        let found = taken(&after, "new-zealand").unwrap();
        let played = Move::Play(Point::at(1, 0));
        assert_eq!(found.last_move(0), Some((Color::Black, played)));
        assert_eq!(found.last_move(1), Some((Color::White, Move::Pass)));
        assert_eq!(found.prisoners(Color::Black), 2);
        assert_eq!(found.to_move(), Color::White);
        // Not by other rules; and not a part of a chain, a chain that keeps a liberty, or stones of both colours.
        let part = json!([[1, 0, -1, 0], [-1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let chain = json!([[1, 0, -1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        let both = json!([[0, 0, 0, 0], [-1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
        for (board, rules) in [
            (&after, "chinese"),
            (&part, "new-zealand"),
            (&chain, "new-zealand"),
            (&both, "new-zealand"),
        ] {
            let failure = taken(board, rules).unwrap_err();
            assert_eq!(failure.code, Code::Position, "{board} {rules}");
        }
    }

    #[test]
    fn what_is_no_position_is_refused_by_name() {
        for (told, code, word) in [
            (json!({}), Code::Field, "board"),
            (json!({"board": [[0, 0], [0]]}), Code::Field, "rows of 2"),
            (json!({"board": [[0]]}), Code::Field, "1x1"),
            (json!({"board": [[0, 3], [0, 0]]}), Code::Field, "found 3"),
            (json!({"board": [[0, 1], [0, "x"]]}), Code::Field, "matrix"),
            (
                json!({"board": [[1, 1], [1, 1]]}),
                Code::Position,
                "liberty",
            ),
            (json!({"size": 20}), Code::Field, "size"),
            (json!({"size": [9]}), Code::Field, "size"),
            (json!({"size": 9, "komi": 0.3}), Code::Field, "komi"),
            (json!({"size": 9, "handicap": 82}), Code::Field, "handicap"),
            (json!({"size": 9, "color": 1}), Code::Field, "color"),
            (
                json!({"size": 9, "prisoners": {"black": -1, "white": 0}}),
                Code::Field,
                "prisoners",
            ),
            (
                json!({"size": 9, "moves": [["B", "C3"], ["W", "C3"]]}),
                Code::Position,
                "move 2",
            ),
            (
                json!({"board": [[1, 0], [0, 0]], "history": [[[0, 1], [0, 0]]]}),
                Code::Position,
                "history",
            ),
        ] {
            let failure = position(told.clone()).unwrap_err();
            assert_eq!(failure.code, code, "{told}");
            assert!(failure.message.contains(word), "{told}: {failure}");
        }
    }
}
