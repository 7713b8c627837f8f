//! Board sizes, points, moves, and their text.
//!
//! A point has the same number on every board: `row * 20 + column`, row 0 at the top. Each row has one column more
//! than the widest board, so that a step off the left or right edge lands on a padding column and never on the board;
//! with 19 rows that makes 380 numbers, which six 64-bit words hold ([`PointSet`](super::pointset::PointSet)).

use std::fmt;
use std::str::FromStr;

use crate::io::error_text::truncated;

/// Points between a point and the one below it.
pub const STRIDE: usize = 20;
/// The largest width or height.
pub const MAX_SIDE: usize = 19;
/// The smallest width or height.
pub const MIN_SIDE: usize = 2;
/// All point numbers are below this.
pub const NUM_POINTS: usize = STRIDE * MAX_SIDE;

/// The letters of the columns; `I` is left out, as everywhere in Go.
const COLUMN_LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Width and height of a board, each from 2 to 19.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

impl BoardSize {
    /// The usual 19x19.
    pub const STANDARD: Self = Self {
        width: 19,
        height: 19,
    };

    /// A board of that size, or `None` when a side is outside 2..=19.
    #[must_use]
    pub const fn new(width: usize, height: usize) -> Option<Self> {
        if width < MIN_SIDE || width > MAX_SIDE || height < MIN_SIDE || height > MAX_SIDE {
            return None;
        }
        Some(Self {
            width: width as u8,
            height: height as u8,
        })
    }

    /// Columns.
    #[must_use]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Rows.
    #[must_use]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// Number of points on the board.
    #[must_use]
    pub const fn area(self) -> usize {
        self.width() * self.height()
    }

    /// The side of a square board with as many points.
    #[must_use]
    pub fn mean_side(self) -> f64 {
        (self.area() as f64).sqrt()
    }

    /// The point in that column (from the left) and row (from the top), if it is on the board.
    #[must_use]
    pub const fn point(self, column: usize, row: usize) -> Option<Point> {
        if column < self.width() && row < self.height() {
            Some(Point::at(column, row))
        } else {
            None
        }
    }

    /// Whether the point is on a board of this size.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        point.column() < self.width() && point.row() < self.height()
    }

    /// All points in reading order: the top row from left to right first.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.height())
            .flat_map(move |row| (0..self.width()).map(move |column| Point::at(column, row)))
    }

    /// The place of the point in reading order, `0..area()`: the order of planes, policies and ownership.
    #[must_use]
    pub const fn index(self, point: Point) -> usize {
        point.row() * self.width() + point.column()
    }

    /// The place of a move in a policy: that of its point, and for a pass the one after all points.
    #[must_use]
    pub fn move_index(self, mv: Move) -> usize {
        mv.point().map_or(self.area(), |point| self.index(point))
    }

    /// The inverse of [`index`](Self::index).
    ///
    /// # Panics
    /// When `index` is not below the area.
    #[must_use]
    pub fn point_at(self, index: usize) -> Point {
        assert!(
            index < self.area(),
            "index {index} is not below the area {}",
            self.area()
        );
        Point::at(index % self.width(), index / self.width())
    }

    /// The vertex as GTP writes it: column letter, then the row counted from the bottom.
    #[must_use]
    pub fn vertex(self, point: Point) -> String {
        let letter = COLUMN_LETTERS[point.column()] as char;
        format!("{letter}{}", self.height() - point.row())
    }

    /// Reads a vertex such as `Q16` in any case; `None` when it is malformed or off this board.
    #[must_use]
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

    /// `Q16` or `pass`.
    #[must_use]
    pub fn format_move(self, mv: Move) -> String {
        match mv {
            Move::Pass => "pass".to_owned(),
            Move::Play(point) => self.vertex(point),
        }
    }

    /// Reads a vertex or `pass` in any case.
    #[must_use]
    pub fn parse_move(self, text: &str) -> Option<Move> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(Move::Pass);
        }
        self.parse_vertex(text).map(Move::Play)
    }
}

/// A text is no size of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected N or WxH with sides from {MIN_SIDE} to {MAX_SIDE}, found {found:?}")]
pub struct BoardSizeError {
    /// The text.
    pub found: String,
}

impl FromStr for BoardSize {
    type Err = BoardSizeError;

    /// Reads one side of a square, or the width and the height with an `x` between them.
    fn from_str(text: &str) -> Result<Self, BoardSizeError> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let sides = width.parse().ok().zip(height.parse().ok());
        let size = sides.and_then(|(width, height)| Self::new(width, height));
        size.ok_or_else(|| BoardSizeError {
            found: truncated(text),
        })
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A point of the board, or of the padding column when it came from a careless step; see the module's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u16);

impl Point {
    /// The point in that column (from the left) and row (from the top).
    #[must_use]
    pub const fn at(column: usize, row: usize) -> Self {
        debug_assert!(column < STRIDE && row < MAX_SIDE);
        Self((row * STRIDE + column) as u16)
    }

    /// The point with that number.
    #[must_use]
    pub const fn from_number(number: usize) -> Self {
        debug_assert!(number < NUM_POINTS);
        Self(number as u16)
    }

    /// Its number, below [`NUM_POINTS`].
    #[must_use]
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Columns to its left.
    #[must_use]
    pub const fn column(self) -> usize {
        self.0 as usize % STRIDE
    }

    /// Rows above it.
    #[must_use]
    pub const fn row(self) -> usize {
        self.0 as usize / STRIDE
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.column(), self.row())
    }
}

/// What a player does with a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Gives up the turn.
    Pass,
    /// Puts a stone on the point.
    Play(Point),
}

impl Move {
    /// The point, unless it is a pass.
    #[must_use]
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
            assert!(error.contains(&format!("found {text:?}")), "{error}");
        }
    }
}
