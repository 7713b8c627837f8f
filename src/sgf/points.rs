//! Points, moves, point lists and board sizes as SGF writes them.
//!
//! A point is two letters, column then row, counted from the upper left corner: `a` to `z` for 1 to 26, `A` to `Z` for
//! 27 to 52. A list may hold rectangles such as `aa:cc`.

use thiserror::Error;

use super::value::Value;
use crate::game::point::{BoardSize, Point};
use crate::io::error_text::truncated;

/// Largest board the letters can name, in columns or rows.
pub const MAX_SIZE: u8 = 52;

/// Boards up to this size have no point `tt`, so there it was the pass move before FF[4].
const MAX_SIZE_WITH_TT_PASS: u8 = 19;

/// A point counted from zero at the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Coordinate {
    /// Row from the top. First, so that coordinates sort line by line.
    pub row: u8,
    /// Column from the left.
    pub column: u8,
}

impl From<Point> for Coordinate {
    fn from(point: Point) -> Self {
        Self {
            row: point.row() as u8,
            column: point.column() as u8,
        }
    }
}

/// For a coordinate that was read for a [`BoardSize`].
impl From<Coordinate> for Point {
    fn from(coordinate: Coordinate) -> Self {
        Self::at(usize::from(coordinate.column), usize::from(coordinate.row))
    }
}

/// The number of columns and rows of a board, each from 1 to [`MAX_SIZE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SgfBoardSize {
    /// Number of columns.
    pub columns: u8,
    /// Number of rows.
    pub rows: u8,
}

impl From<BoardSize> for SgfBoardSize {
    fn from(size: BoardSize) -> Self {
        Self {
            columns: size.width() as u8,
            rows: size.height() as u8,
        }
    }
}

/// A value that is not what its property demands.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PointError {
    /// Not two letters, or a letter beyond the edge.
    #[error("expected a point on a board of {columns} columns and {rows} rows, found {found:?}")]
    Point {
        /// The board's columns.
        columns: u8,
        /// The board's rows.
        rows: u8,
        /// The text in its place.
        found: String,
    },
    /// Not a board size.
    #[error(
        "expected a board size such as 19 or 9:13, each number from 1 to {MAX_SIZE}, found {found:?}"
    )]
    Size {
        /// The text in its place.
        found: String,
    },
}

/// Reads the value of SZ: `19` or `9:13` (columns, rows); also `9x13`.
///
/// # Errors
/// [`PointError::SgfBoardSize`] for anything else.
pub fn read_size(value: &Value) -> Result<SgfBoardSize, PointError> {
    let text = value.simple_text();
    let parse_side = |part: &str| {
        let size = part.trim().parse().ok()?;
        (1..=MAX_SIZE).contains(&size).then_some(size)
    };
    let dimensions = match text.split_once([':', 'x', 'X']) {
        Some((columns, rows)) => parse_side(columns).zip(parse_side(rows)),
        None => parse_side(&text).map(|side| (side, side)),
    };
    dimensions
        .map(|(columns, rows)| SgfBoardSize { columns, rows })
        .ok_or_else(|| PointError::Size {
            found: truncated(&text),
        })
}

/// The value of SZ for a board: one number for a square, as the standard demands.
pub fn write_size(size: SgfBoardSize) -> Value {
    if size.columns == size.rows {
        Value::from_text(&size.columns.to_string())
    } else {
        Value::composed(&size.columns.to_string(), &size.rows.to_string())
    }
}

/// Reads the value of B or W; `None` is a pass: empty, `tt` on boards up to 19x19, or the word.
///
/// # Errors
/// [`PointError::Point`] for anything else, a point beyond the edge included.
pub fn read_move(value: &Value, size: SgfBoardSize) -> Result<Option<Coordinate>, PointError> {
    let text = value.simple_text();
    let is_tt_pass = text == "tt" && size.columns.max(size.rows) <= MAX_SIZE_WITH_TT_PASS;
    if text.is_empty() || is_tt_pass || text.eq_ignore_ascii_case("pass") {
        return Ok(None);
    }
    read_point(&text, size).map(Some)
}

/// The value of B or W for a move; a pass (`None`) is the empty value.
pub fn write_move(point: Option<Coordinate>) -> Value {
    point.map_or_else(Value::default, write_point)
}

/// The value for one point.
pub fn write_point(point: Coordinate) -> Value {
    Value::from_text(&format!(
        "{}{}",
        letter_at(point.column),
        letter_at(point.row)
    ))
}

/// Reads a list of points and rectangles; gives each point once, line by line. An empty value names no point.
///
/// # Errors
/// [`PointError::Point`] for the first value that is neither.
pub fn read_points(values: &[Value], size: SgfBoardSize) -> Result<Vec<Coordinate>, PointError> {
    let mut rows = RowBitmaps::default();
    for value in values {
        let text = value.simple_text();
        if text.is_empty() {
            continue;
        }
        let (corner, opposite) = match text.split_once(':') {
            Some((first, second)) => (
                read_point(first.trim(), size)?,
                read_point(second.trim(), size)?,
            ),
            None => read_point(&text, size).map(|point| (point, point))?,
        };
        // The standard puts the upper left corner first; any two opposite ones name the same rectangle.
        let columns = corner.column.min(opposite.column)..=corner.column.max(opposite.column);
        rows.fill(
            corner.row.min(opposite.row)..=corner.row.max(opposite.row),
            columns,
        );
    }
    Ok(rows.points())
}

/// Writes points as a list, joining them into rectangles where that saves values.
///
/// # Panics
/// When a coordinate is not below [`MAX_SIZE`].
pub fn write_points(points: &[Coordinate]) -> Vec<Value> {
    let mut remaining = RowBitmaps::default();
    for &Coordinate { row, column } in points {
        remaining.fill(row..=row, column..=column);
    }
    let mut values = Vec::new();
    while let Some(corner) = remaining.first() {
        let opposite = remaining.take_rectangle(corner);
        let first = write_point(corner);
        values.push(if opposite == corner {
            first
        } else {
            Value::composed(first.escaped(), write_point(opposite).escaped())
        });
    }
    values
}

fn read_point(text: &str, size: SgfBoardSize) -> Result<Coordinate, PointError> {
    let point = match text.as_bytes() {
        &[column, row] => letter_index(column).zip(letter_index(row)),
        _ => None,
    };
    point
        .map(|(column, row)| Coordinate { row, column })
        .filter(|point| point.column < size.columns && point.row < size.rows)
        .ok_or_else(|| PointError::Point {
            columns: size.columns,
            rows: size.rows,
            found: truncated(text),
        })
}

fn letter_index(letter: u8) -> Option<u8> {
    match letter {
        b'a'..=b'z' => Some(letter - b'a'),
        b'A'..=b'Z' => Some(letter - b'A' + 26),
        _ => None,
    }
}

fn letter_at(index: u8) -> char {
    assert!(
        index < MAX_SIZE,
        "a coordinate below {MAX_SIZE} expected, found {index}"
    );
    char::from(if index < 26 {
        b'a' + index
    } else {
        b'A' + index - 26
    })
}

/// A set of points, one word a row: however long a list, filling and reading it stay cheap.
struct RowBitmaps([u64; MAX_SIZE as usize]);

impl Default for RowBitmaps {
    fn default() -> Self {
        Self([0; MAX_SIZE as usize])
    }
}

impl RowBitmaps {
    fn fill(&mut self, rows: std::ops::RangeInclusive<u8>, columns: std::ops::RangeInclusive<u8>) {
        let mask = columns.fold(0, |mask, column| mask | 1 << column);
        for row in rows {
            self.0[usize::from(row)] |= mask;
        }
    }

    fn points(&self) -> Vec<Coordinate> {
        let row_points = |row: u8| {
            let bits = self.0[usize::from(row)];
            (0..MAX_SIZE)
                .filter(move |column| bits >> column & 1 == 1)
                .map(move |column| Coordinate { row, column })
        };
        (0..MAX_SIZE).flat_map(row_points).collect()
    }

    fn first(&self) -> Option<Coordinate> {
        (0..MAX_SIZE)
            .zip(self.0)
            .find(|&(_, bits)| bits != 0)
            .map(|(row, bits)| Coordinate {
                row,
                column: bits.trailing_zeros() as u8,
            })
    }

    /// Takes out the rectangle that grows from its upper left corner first to the right, then down.
    fn take_rectangle(&mut self, corner: Coordinate) -> Coordinate {
        let width = (self.0[usize::from(corner.row)] >> corner.column).trailing_ones();
        let mask = ((1 << width) - 1) << corner.column;
        let mut row = corner.row;
        loop {
            self.0[usize::from(row)] &= !mask;
            match self.0.get(usize::from(row) + 1) {
                Some(next) if next & mask == mask => row += 1,
                _ => break,
            }
        }
        Coordinate {
            row,
            column: corner.column + width as u8 - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINETEEN: SgfBoardSize = SgfBoardSize {
        columns: 19,
        rows: 19,
    };

    fn at(column: u8, row: u8) -> Coordinate {
        Coordinate { row, column }
    }

    fn list(texts: &[&str]) -> Vec<Value> {
        let value = |text: &&str| Value::from_escaped(text).expect("plain letters");
        texts.iter().map(value).collect()
    }

    #[test]
    fn board_sizes_round_trip() {
        let read = |text: &str| read_size(&text.into()).map(|size| (size.columns, size.rows));
        assert_eq!(read("19"), Ok((19, 19)));
        assert_eq!(read(" 9:13 "), Ok((9, 13)));
        assert_eq!(read("9x13"), Ok((9, 13)));
        for bad in ["", "0", "53", "19:", "-3", "a", "9:9:9"] {
            assert_eq!(
                read(bad),
                Err(PointError::Size { found: bad.into() }),
                "{bad}"
            );
        }
        for size in [(19, 19), (9, 13)] {
            let (columns, rows) = size;
            assert_eq!(
                read(write_size(SgfBoardSize { columns, rows }).escaped()),
                Ok(size)
            );
        }
    }

    #[test]
    fn moves_and_passes_round_trip() {
        let read = |text: &str, size| read_move(&text.into(), size);
        assert_eq!(read("pd", NINETEEN), Ok(Some(at(15, 3))));
        assert_eq!(read(" pd\n", NINETEEN), Ok(Some(at(15, 3))));
        assert_eq!(read("", NINETEEN), Ok(None));
        assert_eq!(read("tt", NINETEEN), Ok(None));
        let large = SgfBoardSize {
            columns: 20,
            rows: 20,
        };
        assert_eq!(read("tt", large), Ok(Some(at(19, 19))));
        let largest = SgfBoardSize {
            columns: 52,
            rows: 52,
        };
        assert_eq!(read("aZ", largest), Ok(Some(at(0, 51))));
        for bad in ["ta", "at", "a", "aaa", "a1", "Aa", "é"] {
            assert!(read(bad, NINETEEN).is_err(), "{bad}");
        }
        for play in [None, Some(at(0, 18)), Some(at(18, 0))] {
            assert_eq!(read_move(&write_move(play), NINETEEN), Ok(play));
        }
        assert_eq!(write_point(at(26, 51)).escaped(), "AZ");
    }

    #[test]
    fn point_lists_compress_to_rectangles() {
        let corner: Vec<_> = (0..3)
            .flat_map(|row| (0..3).map(move |column| at(column, row)))
            .collect();
        assert_eq!(read_points(&list(&["aa:cc"]), NINETEEN), Ok(corner.clone()));
        assert_eq!(
            read_points(&list(&["ca:ac", "bb", ""]), NINETEEN),
            Ok(corner.clone())
        );
        assert_eq!(write_points(&corner), list(&["aa:cc"]));
        assert_eq!(
            write_points(&[at(3, 3), at(15, 3), at(15, 4)]),
            list(&["dd", "pd:pe"])
        );
        assert!(read_points(&list(&["aa:ct"]), NINETEEN).is_err());
        assert!(read_points(&list(&["aa:"]), NINETEEN).is_err());
    }
}
