//! Boards as text: reading drawn boards, and drawing a position for people.
//!
//! A drawn board has one line for each row, the top row first: `.` (or `+`) for an empty point, `X` or `#` for a black
//! stone, `O` for a white one. A small letter other than `o` and `x` is an empty point with a name. Spaces and empty
//! lines do not count.

use super::board::{Board, NoLibertiesError};
use super::color::{ByColor, Color};
use super::handicap::star_points;
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::position::Position;

/// Why a text is not a drawn board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// A sign with no meaning.
    #[error("expected one of . + X # O or a small letter in row {row}, found {found:?}")]
    Symbol {
        /// The row, counted from 1 at the top.
        row: usize,
        /// The sign.
        found: char,
    },
    /// A row is longer or shorter than the first.
    #[error("expected {expected} points in row {row} as in the first, found {found}")]
    UnevenRows {
        /// The row, counted from 1 at the top.
        row: usize,
        /// Points of the first row.
        expected: usize,
        /// Points of this row.
        found: usize,
    },
    /// Too small or too large.
    #[error("expected 2 to 19 points each way, found {width} across and {height} down")]
    Size {
        /// Points of a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The stones could not stand there.
    #[error(transparent)]
    NoLiberties(#[from] NoLibertiesError),
}

/// A board read from its picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// Its size.
    pub size: BoardSize,
    /// The stones; chains without a liberty are possible here.
    pub stones: ByColor<PointSet>,
    /// The named points, in reading order.
    pub labels: Vec<(char, Point)>,
}

impl Diagram {
    /// Reads a drawn board.
    ///
    /// # Errors
    /// When a sign is unknown, the rows differ in length, or the size is not a board's.
    pub fn parse(text: &str) -> Result<Self, DiagramError> {
        let rows: Vec<Vec<char>> = text
            .lines()
            .map(|line| {
                line.chars()
                    .filter(|symbol| !symbol.is_whitespace())
                    .collect()
            })
            .filter(|row: &Vec<char>| !row.is_empty())
            .collect();
        let (width, height) = (rows.first().map_or(0, Vec::len), rows.len());
        if let Some(row) = rows.iter().position(|row| row.len() != width) {
            return Err(DiagramError::UnevenRows {
                row: row + 1,
                expected: width,
                found: rows[row].len(),
            });
        }
        let size = BoardSize::new(width, height).ok_or(DiagramError::Size { width, height })?;
        let mut diagram = Self {
            size,
            stones: ByColor::default(),
            labels: Vec::new(),
        };
        for (point, &symbol) in size.points().zip(rows.iter().flatten()) {
            match symbol {
                '.' | '+' => {}
                'X' | '#' => diagram.stones[Color::Black].insert(point),
                'O' => diagram.stones[Color::White].insert(point),
                'a'..='n' | 'p'..='w' | 'y' | 'z' => diagram.labels.push((symbol, point)),
                found => {
                    let row = point.row() + 1;
                    return Err(DiagramError::Symbol { row, found });
                }
            }
        }
        Ok(diagram)
    }

    /// The board it shows.
    ///
    /// # Errors
    /// When a chain has no liberty.
    pub fn board(&self) -> Result<Board, DiagramError> {
        let (black, white) = (self.stones[Color::Black], self.stones[Color::White]);
        Ok(Board::with_stones(self.size, black, white)?)
    }

    /// The points of that name.
    #[must_use]
    pub fn labelled(&self, label: char) -> PointSet {
        self.labels
            .iter()
            .filter(|(candidate, _)| *candidate == label)
            .map(|&(_, point)| point)
            .collect()
    }
}

/// Reads a drawn board with no interest in named points; see [`Diagram`].
///
/// # Errors
/// When the text is not a drawn board, or a chain has no liberty.
pub fn parse(text: &str) -> Result<Board, DiagramError> {
    Diagram::parse(text)?.board()
}

/// The board as a picture that [`parse`] reads back: a line for each row, without coordinates.
#[must_use]
pub fn to_diagram(board: &Board) -> String {
    let width = board.size().width();
    let mut text = String::with_capacity(board.size().area() * 2);
    for point in board.size().points() {
        text.push(board.color_at(point).map_or('.', stone_symbol));
        text.push(if point.column() + 1 == width {
            '\n'
        } else {
            ' '
        });
    }
    text
}

const fn stone_symbol(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// The position for people: coordinates on all sides, star points as `+`, the last stone in parentheses, then lines
/// with the prisoners and the turn. No line is empty and the last has no line break, as a GTP answer needs it.
#[must_use]
pub fn render(position: &Position) -> String {
    let size = position.size();
    let stars = star_points(size);
    let last = match position.last_move(0) {
        Some((_, Move::Play(point))) => Some(point),
        _ => None,
    };
    let column_header = column_header_line(size);
    let mut text = column_header.clone();
    for row in 0..size.height() {
        let number = size.height() - row;
        text.push_str(&format!("{number:>2}"));
        for column in 0..size.width() {
            let point = Point::at(column, row);
            let symbol = match position.board().color_at(point) {
                Some(color) => stone_symbol(color),
                None if stars.contains(point) => '+',
                None => '.',
            };
            text.push(match last {
                Some(last) if last == point => '(',
                Some(last) if column > 0 && last == Point::at(column - 1, row) => ')',
                _ => ' ',
            });
            text.push(symbol);
        }
        let is_last_in_row = last == Some(Point::at(size.width() - 1, row));
        text.push(if is_last_in_row { ')' } else { ' ' });
        text.push_str(&format!("{number}\n"));
    }
    text.push_str(&column_header);
    for (color, captor) in [(Color::White, "Black (X)"), (Color::Black, "White (O)")] {
        let prisoners = position.prisoners(color);
        text.push_str(&format!("{captor} has taken {prisoners}\n"));
    }
    text.push_str(&turn_line(position));
    text
}

fn column_header_line(size: BoardSize) -> String {
    let mut line = String::from("  ");
    for column in 0..size.width() {
        let vertex = size.vertex(Point::at(column, 0));
        line.push(' ');
        line.extend(vertex.chars().next());
    }
    line.push('\n');
    line
}

fn turn_line(position: &Position) -> String {
    let number = position.move_number() + 1;
    let turn = if position.ended() {
        "play has ended".to_owned()
    } else {
        format!("{} to play move {number}", position.to_move())
    };
    match position.last_move(0) {
        Some((color, mv)) => format!("{color} played {}; {turn}", position.size().format_move(mv)),
        None => turn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Rules;

    #[test]
    fn parses_stones_and_labels() {
        let diagram = Diagram::parse("\n  X # . \n\n . O a\n").unwrap();
        assert_eq!(diagram.size, BoardSize::new(3, 2).unwrap());
        assert_eq!(
            diagram.stones[Color::Black],
            [Point::at(0, 0), Point::at(1, 0)].into_iter().collect()
        );
        assert_eq!(
            diagram.stones[Color::White],
            PointSet::single(Point::at(1, 1))
        );
        assert_eq!(diagram.labelled('a'), PointSet::single(Point::at(2, 1)));
        assert_eq!(to_diagram(&diagram.board().unwrap()), "X X .\n. O .\n");
    }

    #[test]
    fn rejects_malformed_diagrams() {
        let error = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            error("..\n.x"),
            "expected one of . + X # O or a small letter in row 2, found 'x'"
        );
        assert_eq!(
            error("...\n.."),
            "expected 3 points in row 2 as in the first, found 2"
        );
        assert_eq!(
            error(""),
            "expected 2 to 19 points each way, found 0 across and 0 down"
        );
        assert_eq!(
            error("XO\nO."),
            "expected every chain to have a liberty, found a black chain without one"
        );
    }

    #[test]
    fn renders_coordinates_stars_and_last_move() {
        let board = parse(
            ". . . . . . .
             . . . . . . .
             . . . . . . .
             . . . . . . .
             . . . . . . .
             . . . . . X .
             . . . . X O .",
        )
        .unwrap();
        let mut position = Position::from_board(board, Color::Black, Rules::default());
        let corner = position.size().parse_move("G1").unwrap();
        position.play(Color::Black, corner).unwrap();
        let expected = "
   A B C D E F G
 7 . . . . . . . 7
 6 . . . . . . . 6
 5 . . + . + . . 5
 4 . . . . . . . 4
 3 . . + . + . . 3
 2 . . . . . X . 2
 1 . . . . X .(X)1
   A B C D E F G
Black (X) has taken 1
White (O) has taken 0
black played G1; white to play move 2";
        assert_eq!(render(&position), expected.trim_start_matches('\n'));
    }
}
