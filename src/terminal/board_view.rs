//! The board as lines of styled text, two columns per point, with coordinates on all sides.
//!
//! The column between two points shows the grid line, or a bracket or parenthesis that marks the cursor or the last
//! move.

use super::style::{Style, StyledLine};
use crate::game::color::{ByColor, Color};
use crate::game::handicap::star_points;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;

/// Marks to draw on the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Marks {
    #[default]
    None,
    /// Suggested moves, best first: at most nine. They are marked with their ranks, starting at 1.
    Hints(Vec<Point>),
    /// Expected ownership of the points, and dead stones.
    Ownership {
        /// Ownership of each point, row by row from the top left, from -1 (White) to 1 (Black).
        values: Vec<f32>,
        dead: PointSet,
    },
}

/// Board contents to draw.
#[derive(Clone, Debug)]
pub struct BoardView<'a> {
    pub size: BoardSize,
    pub stones: ByColor<PointSet>,
    /// Point of the last move. `None` if there is no last move, if it was a pass, or if it must not be marked.
    pub last_move: Option<Point>,
    pub cursor: Option<Point>,
    pub marks: &'a Marks,
}

/// Characters used to draw the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    stone: ByColor<char>,
    /// Stone played by the last move.
    last_move: ByColor<char>,
    /// Empty point that almost certainly belongs to a colour.
    certain: ByColor<char>,
    /// Empty point that probably belongs to a colour.
    likely: ByColor<char>,
    /// Dead stone.
    dead: ByColor<char>,
    /// If true, the last move is marked with parentheses instead of a special character.
    parenthesize_last_move: bool,
    /// If true, the lines of the board are drawn.
    grid_lines: bool,
}

/// ASCII characters only.
pub const ASCII_GLYPHS: Glyphs = Glyphs {
    stone: ByColor::new('X', 'O'),
    last_move: ByColor::new('X', 'O'),
    certain: ByColor::new('x', 'o'),
    likely: ByColor::new('\'', ','),
    dead: ByColor::new('%', '@'),
    parenthesize_last_move: true,
    grid_lines: false,
};

/// Unicode characters without colours: black stones are filled, white ones are hollow.
pub const UNICODE_GLYPHS: Glyphs = Glyphs {
    stone: ByColor::new('●', '○'),
    last_move: ByColor::new('◉', '◎'),
    certain: ByColor::new('■', '□'),
    likely: ByColor::new('▪', '▫'),
    dead: ByColor::new('◆', '◇'),
    parenthesize_last_move: false,
    grid_lines: true,
};

/// Unicode characters for coloured output: all stones are filled.
pub const COLORED_UNICODE_GLYPHS: Glyphs = Glyphs {
    stone: ByColor::new('●', '●'),
    last_move: ByColor::new('◉', '◉'),
    certain: ByColor::new('■', '■'),
    likely: ByColor::new('▪', '▪'),
    dead: ByColor::new('◆', '◆'),
    ..UNICODE_GLYPHS
};

/// Appearance of the output.
#[derive(Clone, Copy, Debug)]
pub struct DisplayOptions {
    pub glyphs: Glyphs,
    pub use_color: bool,
}

/// Minimum absolute ownership of a point marked as certain.
const CERTAIN_OWNERSHIP: f32 = 0.8;
/// Minimum absolute ownership of a point marked as likely.
const LIKELY_OWNERSHIP: f32 = 0.4;

impl Glyphs {
    /// Returns the characters of the stones.
    pub const fn stones(&self) -> ByColor<char> {
        self.stone
    }

    /// Returns the legend of the ownership marks, as three lines.
    pub fn ownership_legend(&self) -> [StyledLine; 3] {
        let glyph = |glyphs: &ByColor<char>, color| (glyphs[color].to_string(), stone_style(color));
        let territory = |color| {
            vec![
                glyph(&self.certain, color),
                glyph(&self.likely, color),
                (format!(" {color} territory"), Style::Plain),
            ]
        };
        let dead = vec![
            glyph(&self.dead, Color::Black),
            glyph(&self.dead, Color::White),
            (" dead stones".to_owned(), Style::Plain),
        ];
        [territory(Color::Black), territory(Color::White), dead]
    }

    /// Returns the character for an empty point: a star point, or part of the edge or interior of the grid.
    fn empty_point(&self, size: BoardSize, point: Point) -> char {
        if star_points(size).contains(point) {
            return if self.grid_lines { '╋' } else { '+' };
        }
        if !self.grid_lines {
            return '.';
        }
        let segment =
            |index: usize, last: usize| usize::from(index > 0) + usize::from(index == last);
        let row = segment(point.row(), size.height() - 1);
        let column = segment(point.column(), size.width() - 1);
        [['┌', '┬', '┐'], ['├', '┼', '┤'], ['└', '┴', '┘']][row][column]
    }
}

/// Width of the coordinates to the left of the board, in columns.
pub(super) const LABEL_COLUMNS: usize = 2;
/// Width of a point in columns: its left half, which shows lines and marks of the cursor, and its glyph.
pub(super) const COLUMNS_PER_POINT: usize = 2;

/// Returns the width of a board in columns, including coordinates.
pub const fn board_text_width(size: BoardSize) -> usize {
    LABEL_COLUMNS + COLUMNS_PER_POINT * size.width() + 4
}

/// Draws the board with coordinates on all sides.
pub fn draw(view: &BoardView<'_>, glyphs: &Glyphs) -> Vec<StyledLine> {
    let size = view.size;
    let mut letters = String::from("   ");
    for column in 0..size.width() {
        letters.extend(size.vertex(Point::at(column, 0)).chars().next());
        letters.push(' ');
    }
    let letters = format!("{letters:width$}", width = board_text_width(size));
    let mut lines = vec![vec![(letters.clone(), Style::Dim)]];
    lines.extend((0..size.height()).map(|row| draw_row(view, glyphs, row)));
    lines.push(vec![(letters, Style::Dim)]);
    lines
}

fn draw_row(view: &BoardView<'_>, glyphs: &Glyphs, row: usize) -> StyledLine {
    let size = view.size;
    let number = size.height() - row;
    let mut line = vec![(format!("{number:>2}"), Style::Dim)];
    for column in 0..size.width() {
        let point = Point::at(column, row);
        let (glyph, style) = hint_at(view, point).unwrap_or_else(|| glyph_at(view, glyphs, point));
        line.push(separator(view, glyphs, row, column));
        line.push((glyph.to_string(), style));
    }
    line.push(separator(view, glyphs, row, size.width()));
    line.push((format!("{number:<3}"), Style::Dim));
    line
}

/// Returns the character to the left of the point in `column`. If `column` is the board width, returns the character to
/// the right of the last point.
fn separator(view: &BoardView<'_>, glyphs: &Glyphs, row: usize, column: usize) -> (String, Style) {
    let is_at = |point: Option<Point>, column: Option<usize>| {
        column.is_some_and(|column| point == Some(Point::at(column, row)))
    };
    let left_column = column.checked_sub(1);
    let right_column = (column < view.size.width()).then_some(column);
    let last_move = view.last_move.filter(|_| glyphs.parenthesize_last_move);
    let is_inner = left_column.is_some() && right_column.is_some();
    let (glyph, style) = if is_at(view.cursor, left_column) {
        (']', Style::Cursor)
    } else if is_at(view.cursor, right_column) {
        ('[', Style::Cursor)
    } else if is_at(last_move, left_column) {
        (')', Style::LastMove)
    } else if is_at(last_move, right_column) {
        ('(', Style::LastMove)
    } else if is_inner && glyphs.grid_lines {
        ('─', Style::Board)
    } else {
        (' ', Style::Board)
    };
    (glyph.to_string(), style)
}

/// Returns the rank of the suggested move at a point, if there is one.
fn hint_at(view: &BoardView<'_>, point: Point) -> Option<(char, Style)> {
    let Marks::Hints(hints) = view.marks else {
        return None;
    };
    let rank = hints.iter().position(|&hint| hint == point)?;
    let style = if rank == 0 {
        Style::BestHint
    } else {
        Style::Hint
    };
    let digit = char::from_digit(rank as u32 + 1, 10)?;
    Some((digit, style))
}

const fn stone_style(color: Color) -> Style {
    match color {
        Color::Black => Style::Black,
        Color::White => Style::White,
    }
}

fn glyph_at(view: &BoardView<'_>, glyphs: &Glyphs, point: Point) -> (char, Style) {
    let stone = (Color::BOTH.into_iter()).find(|&color| view.stones[color].contains(point));
    if let Some(color) = stone {
        let dead = matches!(view.marks, Marks::Ownership { dead, .. } if dead.contains(point));
        let stone_glyphs = if dead {
            glyphs.dead
        } else if view.last_move == Some(point) {
            glyphs.last_move
        } else {
            glyphs.stone
        };
        return (stone_glyphs[color], stone_style(color));
    }
    if let Marks::Ownership { values, .. } = view.marks {
        let ownership = values.get(view.size.index(point)).copied();
        let ownership = ownership.unwrap_or_default();
        let color = if ownership > 0.0 {
            Color::Black
        } else {
            Color::White
        };
        if ownership.abs() >= CERTAIN_OWNERSHIP {
            return (glyphs.certain[color], stone_style(color));
        }
        if ownership.abs() >= LIKELY_OWNERSHIP {
            return (glyphs.likely[color], stone_style(color));
        }
    }
    (glyphs.empty_point(view.size, point), Style::Board)
}
