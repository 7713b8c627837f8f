//! Boards as text.
//!
//! [`render_position`] draws a position for the user. [`Diagram`], [`parse_board`] and [`to_diagram`] are used in tests.
//!
//! A diagram has one line per row, top row first. `.` or `+` is an empty point, `X` or `#` a black stone, and `O` a
//! white stone. A lower-case letter other than `o` and `x` is a labelled empty point. White space and empty lines are
//! ignored.

use super::board::{Board, NoLibertiesError};
use super::color::{ByColor, Color};
use super::handicap::star_points;
use super::point::{BoardSize, Point};
use super::pointset::PointSet;
use super::position::{NO_RESULT_REASON, Position};

/// Error for text that is not a valid diagram.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// Unknown symbol.
    #[error("row {row}: expected one of . + X # O or a lower-case letter, found {found:?}")]
    Symbol {
        /// Row, counted from 1 at the top.
        row: usize,
        found: char,
    },
    /// A row does not have the same length as the first row.
    #[error("row {row}: expected {expected} points, as in the first row, found {found}")]
    UnevenRows {
        /// Row, counted from 1 at the top.
        row: usize,
        /// Length of the first row.
        expected: usize,
        /// Length of this row.
        found: usize,
    },
    /// The board is too small or too large.
    #[error("expected 2 to 19 columns and 2 to 19 rows, found {width} columns and {height} rows")]
    Size { width: usize, height: usize },
    /// A chain has no liberties.
    #[error(transparent)]
    NoLiberties(#[from] NoLibertiesError),
}

/// A parsed diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    pub size: BoardSize,
    /// Stones of each colour. A chain may have no liberties.
    pub stones: ByColor<PointSet>,
    /// Labelled points with their labels, in row-major order.
    pub labels: Vec<(char, Point)>,
}

impl Diagram {
    /// Parses a diagram.
    ///
    /// # Errors
    /// Returns an error if a symbol is unknown, the rows differ in length, or the board size is invalid.
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

    /// Creates a board with the stones of the diagram.
    ///
    /// # Errors
    /// Returns an error if a chain has no liberties.
    pub fn to_board(&self) -> Result<Board, DiagramError> {
        let (black, white) = (self.stones[Color::Black], self.stones[Color::White]);
        Ok(Board::from_stones(self.size, black, white)?)
    }

    /// Returns the points with the given label.
    pub fn points_with_label(&self, label: char) -> PointSet {
        self.labels
            .iter()
            .filter(|(candidate, _)| *candidate == label)
            .map(|&(_, point)| point)
            .collect()
    }
}

/// Parses a diagram into a board, ignoring labels.
///
/// # Errors
/// Returns an error if the text is not a valid diagram or a chain has no liberties.
pub fn parse_board(text: &str) -> Result<Board, DiagramError> {
    Diagram::parse(text)?.to_board()
}

/// Formats a board as a diagram that [`parse_board`] accepts, without coordinates.
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

/// Draws a position for the user, with coordinates on all sides, star points as `+` and the last move in parentheses.
/// The prisoners, the last move and the side to move are listed below the board. The text has no empty lines and no
/// final line break, as GTP responses require.
pub fn render_position(position: &Position) -> String {
    let size = position.size();
    let stars = star_points(size);
    let last = position.past_move(0).and_then(|(_, mv)| mv.point());
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
        let prisoners = position.lost_stones(color);
        text.push_str(&format!("{captor} has captured {prisoners}\n"));
    }
    text.push_str(&last_move_and_turn(position));
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

fn last_move_and_turn(position: &Position) -> String {
    let number = position.move_number() + 1;
    let turn = if position.has_no_result() {
        format!("the game has no result ({NO_RESULT_REASON})")
    } else if position.ended() {
        "the game is over".to_owned()
    } else {
        format!("{} to play move {number}", position.to_move())
    };
    match position.past_move(0) {
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
        assert_eq!(
            diagram.points_with_label('a'),
            PointSet::single(Point::at(2, 1))
        );
        assert_eq!(to_diagram(&diagram.to_board().unwrap()), "X X .\n. O .\n");
    }

    #[test]
    fn rejects_malformed_diagrams() {
        let error = |text| parse_board(text).unwrap_err().to_string();
        assert_eq!(
            error("..\n.x"),
            "row 2: expected one of . + X # O or a lower-case letter, found 'x'"
        );
        assert_eq!(
            error("...\n.."),
            "row 2: expected 3 points, as in the first row, found 2"
        );
        assert_eq!(
            error(""),
            "expected 2 to 19 columns and 2 to 19 rows, found 0 columns and 0 rows"
        );
        let message =
            "the black chain at A2 has no liberties; remove it or leave an adjacent point empty";
        assert_eq!(error("XO\nO."), message);
    }

    #[test]
    fn renders_coordinates_stars_and_last_move() {
        let board = parse_board(
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
Black (X) has captured 1
White (O) has captured 0
black played G1; white to play move 2";
        assert_eq!(
            render_position(&position),
            expected.trim_start_matches('\n')
        );
    }
}
