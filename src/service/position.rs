//! The position of a request: a matrix or an empty board, earlier boards, moves, rules, and whose turn it is.

use serde_json::Value;

use super::failure::{Code, Failure};
use super::limits;
use crate::game::board::NoLiberties;
use crate::game::color::{ByColor, Color};
use crate::game::handicap::told_by;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::json::fields::{Fault, Fields};
use crate::json::game::{Player, take_moves, take_rules};

/// The fields of a position.
pub const FIELDS: &str = "board|size [history] [moves] [color] [rules] [komi] [handicap]";

/// Rows from the top: 0 empty, 1 Black, -1 White.
type Matrix = Vec<Vec<i8>>;

/// A board as a matrix, checked.
struct Stones {
    size: BoardSize,
    stones: ByColor<PointSet>,
}

/// Takes the fields of a position: `board` or `size`, `history`, `moves`, `color`, `rules`, `komi`, `handicap`;
/// what is not told of the rules is as in `usual`.
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
    let expected = format!("a number of stones up to {}", board.size.area());
    let handicap: Option<u16> = fields.optional("handicap", &expected)?;
    if let Some(stones) = handicap.filter(|&stones| usize::from(stones) > board.size.area()) {
        let told = format!("expected {expected}, found {stones}");
        return Err(Fault::new("handicap", told).into());
    }
    let begins = match handicap {
        Some(2..) => Color::White,
        _ => Color::Black,
    };
    let first = moves.first().map(|&(color, _)| color).or(color);
    let first = first.unwrap_or(begins);
    let mut position = past(history, board, first, rules)?;
    position.set_handicap(handicap.unwrap_or(0).into());
    position.set_to_move(first);
    let start = position.board().clone();
    for (number, &(color, mv)) in moves.iter().enumerate() {
        let is_last = number + 1 == moves.len();
        // The moves before it may be a record's, which ko does not bind; the last may be somebody's who asks.
        let played = match is_last {
            true => position.play(color, mv),
            false => position.replay(color, mv),
        };
        played.map_err(|reason| {
            let vertex = position.size().move_text(mv);
            illegal(format!("move {} ({color} {vertex}): {reason}", number + 1))
        })?;
        let made = &moves[..=number];
        if let (None, Some(stones)) = (handicap, told_by(&start, made)) {
            position.set_handicap(stones);
        }
    }
    if let Some(color) = color {
        position.set_to_move(color);
    }
    Ok(position)
}

const MATRIX: &str = "a matrix of rows of 0 (empty), 1 (Black) and -1 (White)";

fn illegal(message: String) -> Failure {
    Failure::new(Code::Position, message)
}

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

/// The position in which `board` stands, with `to_move` to move, after the earlier boards, from one to the next of which a
/// move led.
fn past(
    history: Vec<Stones>,
    board: Stones,
    to_move: Color,
    rules: Rules,
) -> Result<Position, Failure> {
    // Who passed is not told by the boards.
    let first = match history.len() % 2 {
        0 => to_move,
        _ => to_move.opposite(),
    };
    let mut boards = history.into_iter().chain([board]);
    let start = boards
        .next()
        .expect("the board itself ends the chain of boards");
    let set_up = Position::set_up(start.size, start.stones, first, rules);
    let mut position = set_up.map_err(|error: NoLiberties| illegal(error.to_string()))?;
    for (place, next) in boards.enumerate() {
        let wrong = || {
            illegal(format!(
                "history: expected one move from board {place} to the next one, found something else"
            ))
        };
        if next.size != position.size() {
            return Err(wrong());
        }
        let (color, mv) = move_to(&position, &next.stones).ok_or_else(wrong)?;
        position.play(color, mv).map_err(|_| wrong())?;
        if Color::BOTH
            .iter()
            .any(|&color| *position.board().stones(color) != next.stones[color])
        {
            return Err(wrong());
        }
    }
    Ok(position)
}

/// The move that may have led from the position to these stones: the one new stone, or where nothing is new a pass or suicide.
fn move_to(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let new = Color::BOTH.map(|color| stones[color] - *position.board().stones(color));
    match (new[0].len(), new[1].len()) {
        (0, 0) => pass_or_suicide(position, stones),
        (1, 0) => Some((Color::Black, Move::Play(new[0].only()?))),
        (0, 1) => Some((Color::White, Move::Play(new[1].only()?))),
        _ => None,
    }
}

/// The move that left no new stone: a pass where none is missing, or else the suicide of the stones of one colour that are.
fn pass_or_suicide(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let board = position.board();
    let [black, white] = Color::BOTH.map(|color| *board.stones(color) - stones[color]);
    let (color, missing) = match (black.is_empty(), white.is_empty()) {
        (true, true) => return Some((position.to_move(), Move::Pass)),
        (false, true) => (Color::Black, black),
        (true, false) => (Color::White, white),
        (false, false) => return None,
    };
    let removes_them = |point: Point| {
        let own = board.chains_beside(point);
        let own = own.filter(|chain| chain.color == color);
        board.is_suicide(color, point)
            && own.fold(PointSet::EMPTY, |all, chain| all | chain.stones) == missing
    };
    let beside = missing.neighbours(board.area()) & board.empty();
    let mut points = beside.iter();
    let played = points.find(|&point| removes_them(point))?;
    let is_legal = position.legal_for(color, played).is_ok();
    is_legal.then_some((color, Move::Play(played)))
}

#[cfg(test)]
mod tests {
    use super::*;
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
