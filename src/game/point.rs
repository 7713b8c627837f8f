//! Board sizes, points and moves, and their representation as text.
//!
//! A point has the same number on boards of all sizes: `row * 20 + column`, with row 0 at the top. There is one more
//! column than the widest board needs (the padding column), so a step over the left or right edge never ends on another
//! point of the board. With 19 rows this gives 380 numbers, which fit in six 64-bit words
//! ([`PointSet`](super::pointset::PointSet)).

use std::fmt;
use std::str::FromStr;

use crate::io::error_text::excerpt;

/// Difference between the numbers of a point and its lower neighbour.
pub const STRIDE: usize = 20;
/// Maximum width and height of a board.
pub const MAX_SIDE: usize = 19;
/// Minimum width and height of a board.
pub const MIN_SIDE: usize = 2;
/// Number of distinct point numbers, including the numbers of the padding column. All point numbers are less than this.
pub const POINT_TABLE_LEN: usize = STRIDE * MAX_SIDE;

/// Column letters. `I` is skipped, as is usual in Go.
const COLUMN_LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Width and height of a board, each from 2 to 19.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

impl BoardSize {
    /// The standard 19x19 board.
    pub const STANDARD: Self = Self {
        width: 19,
        height: 19,
    };

    /// Creates a board size. Returns `None` if the width or height is outside 2..=19.
    pub const fn new(width: usize, height: usize) -> Option<Self> {
        if width < MIN_SIDE || width > MAX_SIDE || height < MIN_SIDE || height > MAX_SIDE {
            return None;
        }
        Some(Self {
            width: width as u8,
            height: height as u8,
        })
    }

    /// Returns the number of columns.
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Returns the number of rows.
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// Returns the number of points.
    pub const fn area(self) -> usize {
        self.width() * self.height()
    }

    /// Returns the geometric mean of width and height, which is the side length of a square board with the same area.
    pub fn geometric_mean_side(self) -> f64 {
        (self.area() as f64).sqrt()
    }

    /// Returns the point at `column` (from the left) and `row` (from the top), or `None` if it is off the board.
    pub const fn point(self, column: usize, row: usize) -> Option<Point> {
        if column < self.width() && row < self.height() {
            Some(Point::at(column, row))
        } else {
            None
        }
    }

    /// Returns true if the point is on the board.
    pub const fn contains(self, point: Point) -> bool {
        point.column() < self.width() && point.row() < self.height()
    }

    /// Iterates over all points in row-major order: left to right, top row first.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.height())
            .flat_map(move |row| (0..self.width()).map(move |column| Point::at(column, row)))
    }

    /// Returns the row-major index of a point, in `0..area()`. Planes, policies and ownership maps use this order.
    pub const fn index(self, point: Point) -> usize {
        point.row() * self.width() + point.column()
    }

    /// Returns the policy index of a move: the [`index`](Self::index) of its point, or `area()` for a pass.
    pub fn move_index(self, mv: Move) -> usize {
        mv.point().map_or(self.area(), |point| self.index(point))
    }

    /// Returns the point with the given row-major index. This is the inverse of [`index`](Self::index).
    ///
    /// # Panics
    /// Panics if `index` is not less than `area()`.
    pub fn point_at(self, index: usize) -> Point {
        assert!(
            index < self.area(),
            "index {index} is not below the area {}",
            self.area()
        );
        Point::at(index % self.width(), index / self.width())
    }

    /// Formats a point as a GTP vertex: column letter, then row number counted from the bottom.
    pub fn vertex(self, point: Point) -> String {
        let letter = COLUMN_LETTERS[point.column()] as char;
        format!("{letter}{}", self.height() - point.row())
    }

    /// Parses a vertex such as `Q16`, ignoring case. Returns `None` if the text is malformed or the point is off the
    /// board.
    pub fn parse_vertex(self, text: &str) -> Option<Point> {
        let (letter, digits) = text.split_at_checked(1)?;
        let letter = letter.as_bytes()[0].to_ascii_uppercase();
        let column = COLUMN_LETTERS.iter().position(|&l| l == letter)?;
        if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let from_bottom: usize = digits.parse().ok()?;
        self.point(column, self.height().checked_sub(from_bottom)?)
    }

    /// Formats a move as a vertex or `pass`.
    pub fn format_move(self, mv: Move) -> String {
        match mv {
            Move::Pass => "pass".to_owned(),
            Move::Play(point) => self.vertex(point),
        }
    }

    /// Formats moves, separated by spaces.
    pub fn format_moves(self, moves: &[Move]) -> String {
        let moves: Vec<String> = moves.iter().map(|&mv| self.format_move(mv)).collect();
        moves.join(" ")
    }

    /// Parses a vertex or `pass`, ignoring case. Returns `None` if the text is neither.
    pub fn parse_move(self, text: &str) -> Option<Move> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(Move::Pass);
        }
        self.parse_vertex(text).map(Move::Play)
    }
}

/// Error for text that is not a valid board size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board size must be N or WxH with sides from {MIN_SIDE} to {MAX_SIDE}, not {found:?}")]
pub struct BoardSizeError {
    pub found: String,
}

impl FromStr for BoardSize {
    type Err = BoardSizeError;

    /// Parses one number for a square board, or width and height separated by `x`.
    fn from_str(text: &str) -> Result<Self, BoardSizeError> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let sides = width.parse().ok().zip(height.parse().ok());
        let size = sides.and_then(|(width, height)| Self::new(width, height));
        size.ok_or_else(|| BoardSizeError {
            found: excerpt(text),
        })
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A point, identified by its number. It may lie outside a given board, for example in the padding column; see the
/// module documentation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u16);

impl Point {
    /// Returns the point at `column` (from the left) and `row` (from the top).
    pub const fn at(column: usize, row: usize) -> Self {
        debug_assert!(column < STRIDE && row < MAX_SIDE);
        Self((row * STRIDE + column) as u16)
    }

    /// Returns the point with the given number.
    pub const fn from_number(number: usize) -> Self {
        debug_assert!(number < POINT_TABLE_LEN);
        Self(number as u16)
    }

    /// Returns the point number, which is less than [`POINT_TABLE_LEN`].
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns the column, counted from 0 at the left.
    pub const fn column(self) -> usize {
        self.0 as usize % STRIDE
    }

    /// Returns the row, counted from 0 at the top.
    pub const fn row(self) -> usize {
        self.0 as usize / STRIDE
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.column(), self.row())
    }
}

/// A move: a stone placed on a point, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    Pass,
    /// Places a stone on the given point.
    Play(Point),
}

impl Move {
    /// Returns the point at which the stone is placed, or `None` for a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Self::Pass => None,
            Self::Play(point) => Some(point),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_round_trip() {
        let size = BoardSize::STANDARD;
        assert_eq!(size.parse_vertex("a1"), size.point(0, 18));
        assert_eq!(size.parse_vertex("T19"), size.point(18, 0));
        assert_eq!(size.parse_vertex("J10"), size.point(8, 9));
        for point in size.points() {
            assert_eq!(size.parse_vertex(&size.vertex(point)), Some(point));
            assert_eq!(size.point_at(size.index(point)), point);
        }
    }

    #[test]
    fn rejects_malformed_vertices() {
        let size = BoardSize::new(9, 7).unwrap();
        for text in [
            "", "A", "I5", "K1", "A0", "A8", "A-1", "A+1", "A001", "5A", "é1", "A1 ", "AA1", "pass",
        ] {
            assert_eq!(size.parse_vertex(text), None, "{text:?}");
        }
        assert_eq!(size.parse_move("PASS"), Some(Move::Pass));
    }

    #[test]
    fn rejects_sizes_outside_2_to_19() {
        assert!(BoardSize::new(1, 9).is_none() && BoardSize::new(9, 20).is_none());
        assert!(BoardSize::new(2, 19).is_some());
    }

    #[test]
    fn sizes_round_trip() {
        for (text, width, height) in [("9", 9, 9), ("13x7", 13, 7), ("2X19", 2, 19)] {
            assert_eq!(text.parse().ok(), BoardSize::new(width, height), "{text}");
        }
        let size = BoardSize::new(13, 7).unwrap();
        assert_eq!(size.to_string().parse(), Ok(size));
        for text in ["", "1", "20", "9x", "x9", "9x9x9", "9 9", "-9", "9x1"] {
            let error = text.parse::<BoardSize>().unwrap_err().to_string();
            assert!(error.contains(&format!("not {text:?}")), "{error}");
        }
    }
}
