//! The board as lines of text: two columns a point, coordinates on all sides.
//!
//! The character before a point joins it to its left neighbour; brackets there and behind are the cursor.

use super::ink::{Ink, Line};
use crate::game::color::{ByColor, Color};
use crate::game::handicap::star_points;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;

/// What is shown upon the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Marks {
    /// Nothing.
    #[default]
    None,
    /// Proposed moves, the best first, with the chance to win in per cent.
    Hints(Vec<(Point, u32)>),
    /// Who is expected to own the points, and the stones that will not live.
    Owners {
        /// In reading order, from -1 (White) to 1 (Black).
        black: Vec<f32>,
        /// Dead stones.
        dead: PointSet,
    },
}

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The board's size.
    pub size: BoardSize,
    /// The stones.
    pub stones: ByColor<PointSet>,
    /// The last move, if it was a stone.
    pub last: Option<Point>,
    /// Where the cursor is.
    pub cursor: Option<Point>,
    /// What lies upon it.
    pub marks: &'a Marks,
}

/// The signs to draw with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// Stones by colour.
    stone: ByColor<char>,
    /// The stone of the last move.
    last: ByColor<char>,
    /// Points that are nearly certain to be a colour's.
    certain: ByColor<char>,
    /// Points that are likely to be.
    likely: ByColor<char>,
    /// Stones that will not live.
    dead: ByColor<char>,
    /// The last move stands in parentheses, for want of a sign.
    parentheses: bool,
    /// Whether the board is drawn with lines.
    lines: bool,
}

/// For terminals that show letters only.
pub const ASCII: Signs = Signs {
    stone: ByColor::new('X', 'O'),
    last: ByColor::new('X', 'O'),
    certain: ByColor::new('x', 'o'),
    likely: ByColor::new('\'', ','),
    dead: ByColor::new('%', '@'),
    parentheses: true,
    lines: false,
};

/// Stones as books print them: Black is filled.
pub const UNICODE: Signs = Signs {
    stone: ByColor::new('●', '○'),
    last: ByColor::new('◉', '◎'),
    certain: ByColor::new('■', '□'),
    likely: ByColor::new('▪', '▫'),
    dead: ByColor::new('◆', '◇'),
    parentheses: false,
    lines: true,
};

/// With colours all stones are filled.
pub const COLOURED: Signs = Signs {
    stone: ByColor::new('●', '●'),
    last: ByColor::new('◉', '◉'),
    certain: ByColor::new('■', '■'),
    likely: ByColor::new('▪', '▪'),
    dead: ByColor::new('◆', '◆'),
    ..UNICODE
};

/// A point is marked as its owner's from this certainty on ...
const CERTAIN: f32 = 0.8;
/// ... or as likely to become that.
const LIKELY: f32 = 0.4;

impl Signs {
    /// The stones.
    #[must_use]
    pub const fn stones(&self) -> ByColor<char> {
        self.stone
    }

    /// What the signs of territory mean, in three parts.
    #[must_use]
    pub fn legend(&self) -> [Line; 3] {
        let signs = |signs: &ByColor<char>, color| (signs[color].to_string(), ink_of(color));
        let owned = |color| {
            vec![
                signs(&self.certain, color),
                signs(&self.likely, color),
                (format!(" {color}'s"), Ink::Plain),
            ]
        };
        let dead = vec![
            signs(&self.dead, Color::Black),
            signs(&self.dead, Color::White),
            (" dead stones".to_owned(), Ink::Plain),
        ];
        [owned(Color::Black), owned(Color::White), dead]
    }

    /// An empty point, by where it lies.
    fn empty(&self, size: BoardSize, point: Point) -> char {
        if star_points(size).contains(point) {
            return if self.lines { '╋' } else { '+' };
        }
        if !self.lines {
            return '.';
        }
        let place = |at: usize, end: usize| usize::from(at > 0) + usize::from(at == end);
        let row = place(point.row(), size.height() - 1);
        let column = place(point.column(), size.width() - 1);
        [['┌', '┬', '┐'], ['├', '┼', '┤'], ['└', '┴', '┘']][row][column]
    }
}

/// Columns that a board takes, coordinates included.
#[must_use]
pub const fn columns(size: BoardSize) -> usize {
    2 * size.width() + 6
}

/// Draws the board, the coordinates above and below it.
#[must_use]
pub fn draw(picture: &Picture<'_>, signs: &Signs) -> Vec<Line> {
    let size = picture.size;
    let mut letters = String::from("   ");
    for column in 0..size.width() {
        letters.extend(size.vertex(Point::at(column, 0)).chars().next());
        letters.push(' ');
    }
    let letters = format!("{letters:width$}", width = columns(size));
    let mut lines = vec![vec![(letters.clone(), Ink::Faint)]];
    lines.extend((0..size.height()).map(|row| draw_row(picture, signs, row)));
    lines.push(vec![(letters, Ink::Faint)]);
    lines
}

fn draw_row(picture: &Picture<'_>, signs: &Signs, row: usize) -> Line {
    let size = picture.size;
    let number = size.height() - row;
    let mut line = vec![(format!("{number:>2}"), Ink::Faint)];
    for column in 0..size.width() {
        let point = Point::at(column, row);
        if let Some((percent, ink)) = hint(picture, point) {
            line.push((format!("{percent:>2}"), ink));
            continue;
        }
        let (sign, ink) = sign(picture, signs, point);
        line.push(between(picture, signs, row, column));
        line.push((sign.to_string(), ink));
    }
    line.push(between(picture, signs, row, size.width()));
    line.push((format!("{number:<3}"), Ink::Faint));
    line
}

/// The character before that column, or behind the last.
fn between(picture: &Picture<'_>, signs: &Signs, row: usize, column: usize) -> (String, Ink) {
    let is = |marked: Option<Point>, column: Option<usize>| {
        column.is_some_and(|column| marked == Some(Point::at(column, row)))
    };
    let before = column.checked_sub(1);
    let next = (column < picture.size.width()).then_some(column);
    let last = picture.last.filter(|_| signs.parentheses);
    let inside = before.is_some() && next.is_some();
    let (sign, ink) = if is(picture.cursor, before) {
        (']', Ink::Cursor)
    } else if is(picture.cursor, next) {
        ('[', Ink::Cursor)
    } else if is(last, before) {
        (')', Ink::Last)
    } else if is(last, next) {
        ('(', Ink::Last)
    } else if inside && signs.lines {
        ('─', Ink::Wood)
    } else {
        (' ', Ink::Wood)
    };
    (sign.to_string(), ink)
}

fn hint(picture: &Picture<'_>, point: Point) -> Option<(u32, Ink)> {
    let Marks::Hints(hints) = picture.marks else {
        return None;
    };
    let place = hints.iter().position(|&(at, _)| at == point)?;
    let ink = if place == 0 { Ink::BestHint } else { Ink::Hint };
    // Two characters are there for it.
    Some((hints[place].1.min(99), ink))
}

const fn ink_of(color: Color) -> Ink {
    match color {
        Color::Black => Ink::Black,
        Color::White => Ink::White,
    }
}

fn sign(picture: &Picture<'_>, signs: &Signs, point: Point) -> (char, Ink) {
    let stone = (Color::BOTH.into_iter()).find(|&color| picture.stones[color].contains(point));
    if let Some(color) = stone {
        let dead = matches!(picture.marks, Marks::Owners { dead, .. } if dead.contains(point));
        let kind = if dead {
            signs.dead
        } else if picture.last == Some(point) {
            signs.last
        } else {
            signs.stone
        };
        return (kind[color], ink_of(color));
    }
    if let Marks::Owners { black, .. } = picture.marks {
        let owner = black.get(picture.size.index(point)).copied();
        let owner = owner.unwrap_or_default();
        let color = if owner > 0.0 {
            Color::Black
        } else {
            Color::White
        };
        if owner.abs() >= CERTAIN {
            return (signs.certain[color], ink_of(color));
        }
        if owner.abs() >= LIKELY {
            return (signs.likely[color], ink_of(color));
        }
    }
    (signs.empty(picture.size, point), Ink::Wood)
}
