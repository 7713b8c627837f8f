//! Points, moves, point lists and board sizes as SGF values.
//!
//! SGF writes a point as two letters, column then row, counted from the upper left corner: `aa` is the upper left
//! corner, and `ss` is the lower right corner of a 19x19 board. A list of points may contain rectangles such as
//! `aa:cc`. SGF can describe boards of up to 52 columns and rows; the engine supports only the sizes that [`BoardSize`]
//! allows.

use thiserror::Error;

use super::value::Value;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::io::error_text::excerpt;

/// Properties that set up a position: add black stones, add white stones, clear points.
pub const SETUP_PROPERTIES: [&str; 3] = ["AB", "AW", "AE"];

/// Maximum number of columns or rows in SGF.
const MAX_SGF_SIDE: u8 = 52;

/// Error for a value that is not a valid point, move or board size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PointOrSizeError {
    /// The value is not a point, or the point is outside the board.
    #[error("expected a point on a board of {columns} columns and {rows} rows, found {found:?}")]
    Point {
        columns: usize,
        rows: usize,
        found: String,
    },
    /// The value is not a board size.
    #[error(
        "expected a board size such as 19 or 9:13, with each number from 1 to {MAX_SGF_SIDE}, found {found:?}"
    )]
    Size { found: String },
    /// The value is a valid board size, but the engine does not support it.
    #[error("expected a board with sides from {MIN_SIDE} to {MAX_SIDE}, found {columns}x{rows}")]
    UnsupportedSize { columns: u8, rows: u8 },
}

/// Parses the value of SZ: `19` or `9:13` (columns, rows). Also accepts other forms that programs write: `9x13`, `19,19`,
/// `19.0`, `19路`, and an empty value, which means 19.
///
/// # Errors
/// Returns [`PointOrSizeError::Size`] if the value is not a board size, and [`PointOrSizeError::UnsupportedSize`] if the
/// engine does not support the size.
pub fn read_size(value: &Value) -> Result<BoardSize, PointOrSizeError> {
    let text = value.simple_text();
    if text.is_empty() {
        return Ok(BoardSize::STANDARD);
    }
    let parse_side = |part: &str| {
        let part = part
            .trim()
            .trim_end_matches(['路', '道', '줄', '線'])
            .trim_end();
        let decimals = part.split_once('.');
        let is_integer =
            decimals.is_none_or(|(_, decimals)| decimals.bytes().all(|byte| byte == b'0'));
        let integer = decimals.map_or(part, |(integer, _)| integer);
        let side = integer.parse().ok().filter(|_| is_integer)?;
        (1..=MAX_SGF_SIDE).contains(&side).then_some(side)
    };
    let sides = match text.split_once([':', ',', 'x', 'X', '×', '*']) {
        Some((columns, rows)) => parse_side(columns).zip(parse_side(rows)),
        None => parse_side(&text).map(|side| (side, side)),
    };
    let (columns, rows) = sides.ok_or_else(|| PointOrSizeError::Size {
        found: excerpt(&text),
    })?;
    BoardSize::new(usize::from(columns), usize::from(rows))
        .ok_or(PointOrSizeError::UnsupportedSize { columns, rows })
}

/// Returns the value of SZ for a board: a single number if it is square, as the standard requires.
pub fn write_size(size: BoardSize) -> Value {
    let (columns, rows) = (size.width().to_string(), size.height().to_string());
    if columns == rows {
        Value::from_text(&columns)
    } else {
        Value::composed(&columns, &rows)
    }
}

/// Parses the value of B or W.
///
/// A pass is the empty value or the point just outside the lower right corner: `tt` on a board of 19 columns and rows,
/// `jj` on one of 9. Programs also write a pass as `tt` on other boards, as the word `pass`, and as points outside
/// every board.
///
/// # Errors
/// Returns [`PointOrSizeError::Point`] for other values, including other points outside the board.
pub fn read_move(value: &Value, size: BoardSize) -> Result<Move, PointOrSizeError> {
    let text = value.simple_text();
    let beyond_corner = [letter_at(size.width()), letter_at(size.height())];
    if text.is_empty()
        || ["tt", "zz", "--", "``"].contains(&text.as_str())
        || text.chars().eq(beyond_corner)
        || text.eq_ignore_ascii_case("pass")
    {
        return Ok(Move::Pass);
    }
    read_point(&text, size).map(Move::Play)
}

/// Returns true if the value of B or W is the word `resign`, which some programs write as a last move.
pub fn is_resignation(value: &Value) -> bool {
    let text = value.simple_text();
    ["resign", "resigns"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns the value of B or W for a move; a pass is the empty value.
pub fn write_move(mv: Move) -> Value {
    mv.point().map_or_else(Value::default, write_point)
}

fn write_point(point: Point) -> Value {
    Value::from_text(&format!(
        "{}{}",
        letter_at(point.column()),
        letter_at(point.row())
    ))
}

/// Parses a list of points and rectangles. Empty values are skipped.
///
/// # Errors
/// Returns [`PointOrSizeError::Point`] for the first value that is neither a point nor a rectangle on the board.
pub fn read_points(values: &[Value], size: BoardSize) -> Result<PointSet, PointOrSizeError> {
    let (points, errors) = read_valid_points(values, size);
    errors.into_iter().next().map_or(Ok(points), Err)
}

/// Parses a list of points and rectangles like [`read_points`], but skips invalid values and returns their errors.
pub fn read_valid_points(values: &[Value], size: BoardSize) -> (PointSet, Vec<PointOrSizeError>) {
    let (mut points, mut errors) = (PointSet::EMPTY, Vec::new());
    for value in values {
        let text = value.simple_text();
        if text.is_empty() {
            continue;
        }
        let read = || match text.split_once(':') {
            // The standard requires the upper left corner first, but any two opposite corners are accepted.
            Some((first, second)) => {
                let corner = read_point(first.trim(), size)?;
                let opposite = read_point(second.trim(), size)?;
                Ok(PointSet::rectangle(corner, opposite))
            }
            None => read_point(&text, size).map(PointSet::single),
        };
        match read() {
            Ok(read) => points |= read,
            Err(error) => errors.push(error),
        }
    }
    (points, errors)
}

/// Returns the point list of a set of points. Combines points into rectangles to make the list shorter.
pub fn write_points(points: PointSet) -> Vec<Value> {
    let mut remaining = points;
    let mut values = Vec::new();
    while let Some(corner) = remaining.first() {
        let opposite = opposite_corner(&remaining, corner);
        remaining -= PointSet::rectangle(corner, opposite);
        let first = write_point(corner);
        values.push(if opposite == corner {
            first
        } else {
            Value::composed(first.as_escaped(), write_point(opposite).as_escaped())
        });
    }
    values
}

/// Returns the lower right corner of a rectangle in `points` with its upper left corner at `corner`. The rectangle is
/// extended within `points` first to the right, then down.
fn opposite_corner(points: &PointSet, corner: Point) -> Point {
    let contains = |column: usize, row: usize| {
        column.max(row) < MAX_SIDE && points.contains(Point::at(column, row))
    };
    let (mut column, mut row) = (corner.column(), corner.row());
    while contains(column + 1, row) {
        column += 1;
    }
    while (corner.column()..=column).all(|column| contains(column, row + 1)) {
        row += 1;
    }
    Point::at(column, row)
}

fn read_point(text: &str, size: BoardSize) -> Result<Point, PointOrSizeError> {
    let point =
        |column: u8, row: u8| size.point(usize::from(column - b'a'), usize::from(row - b'a'));
    let point = match *text.as_bytes() {
        [column @ b'a'..=b'z', row @ b'a'..=b'z'] => point(column, row),
        // A line break in the middle, made by a mail program.
        [column @ b'a'..=b'z', b' ', row @ b'a'..=b'z'] => point(column, row),
        // Capital letters denote columns and rows from 27 on, which no supported board has.
        _ => None,
    };
    point.ok_or_else(|| PointOrSizeError::Point {
        columns: size.width(),
        rows: size.height(),
        found: excerpt(text),
    })
}

fn letter_at(index: usize) -> char {
    char::from(b'a' + index as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINETEEN: BoardSize = BoardSize::STANDARD;

    fn list(texts: &[&str]) -> Vec<Value> {
        let value = |text: &&str| Value::from_escaped(text).expect("plain letters");
        texts.iter().map(value).collect()
    }

    #[test]
    fn board_sizes_round_trip() {
        let read = |text: &str| read_size(&text.into());
        let size = |columns, rows| Ok(BoardSize::new(columns, rows).expect("a supported size"));
        assert_eq!(read("19"), size(19, 19));
        assert_eq!(read(" 9:13 "), size(9, 13));
        for text in ["9x13", "9,13", "9×13", "9 : 13"] {
            assert_eq!(read(text), size(9, 13), "{text}");
        }
        for text in ["", "19.0", "19路", "19x19", "19,19", "19 路"] {
            assert_eq!(read(text), size(19, 19), "{text}");
        }
        for bad in ["19.5", "0", "53", "19:", "-3", "a", "9:9:9"] {
            assert_eq!(
                read(bad),
                Err(PointOrSizeError::Size { found: bad.into() }),
                "{bad}"
            );
        }
        for (text, columns, rows) in [("1", 1, 1), ("20", 20, 20), ("9:52", 9, 52)] {
            assert_eq!(
                read(text),
                Err(PointOrSizeError::UnsupportedSize { columns, rows })
            );
        }
        for (columns, rows) in [(19, 19), (9, 13)] {
            let size = BoardSize::new(columns, rows).expect("a supported size");
            assert_eq!(read_size(&write_size(size)), Ok(size));
        }
    }

    #[test]
    fn moves_and_passes_round_trip() {
        let read = |text: &str| read_move(&text.into(), NINETEEN);
        let play = |column, row| Move::Play(Point::at(column, row));
        assert_eq!(read("pd"), Ok(play(15, 3)));
        assert_eq!(read(" pd\n"), Ok(play(15, 3)));
        assert_eq!(read(""), Ok(Move::Pass));
        for text in ["tt", "PASS", "zz", "--", "``"] {
            assert_eq!(read(text), Ok(Move::Pass), "{text}");
        }
        let nine_by_thirteen = BoardSize::new(9, 13).expect("a supported size");
        assert_eq!(read_move(&"jn".into(), nine_by_thirteen), Ok(Move::Pass));
        assert!(read_move(&"jj".into(), nine_by_thirteen).is_err());
        assert_eq!(read("p\nd"), Ok(play(15, 3)));
        for bad in ["ta", "at", "a", "aaa", "a1", "Aa", "aZ", "é"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        for mv in [Move::Pass, play(0, 18), play(18, 0)] {
            assert_eq!(read_move(&write_move(mv), NINETEEN), Ok(mv));
        }
        assert_eq!(write_move(play(18, 0)).as_escaped(), "sa");
    }

    #[test]
    fn point_lists_compress_to_rectangles() {
        let corner = PointSet::rectangle(Point::at(0, 0), Point::at(2, 2));
        assert_eq!(read_points(&list(&["aa:cc"]), NINETEEN), Ok(corner));
        assert_eq!(
            read_points(&list(&["ca:ac", "bb", ""]), NINETEEN),
            Ok(corner)
        );
        assert_eq!(write_points(corner), list(&["aa:cc"]));
        let points = [(3, 3), (15, 3), (15, 4)].map(|(column, row)| Point::at(column, row));
        assert_eq!(
            write_points(points.into_iter().collect()),
            list(&["dd", "pd:pe"])
        );
        assert_eq!(write_points(PointSet::board(NINETEEN)), list(&["aa:ss"]));
        assert!(read_points(&list(&["aa:ct"]), NINETEEN).is_err());
        assert!(read_points(&list(&["aa:"]), NINETEEN).is_err());
    }
}
