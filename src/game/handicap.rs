//! Where handicap stones go.
//!
//! Fixed handicaps follow version 2 of the Go Text Protocol: on the third line of boards up to 12 wide and the fourth of
//! larger ones, at most four stones where a side is even or seven. Each side of a rectangle is looked at by itself.

use std::cmp::Reverse;

use super::board::Board;
use super::color::{ByColor, Color};
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::position::Position;

/// The smallest side with fixed handicap points.
const SMALLEST_SIDE: usize = 7;
/// From this side on the middles of the edges are marked on the board.
const MARKED_MIDDLES: usize = 15;
/// No more stones than these are placed freely.
const MOST_FREE: usize = 30;

/// The three lines of handicap points across one side, counted from 0.
struct Lines {
    low: usize,
    middle: usize,
    high: usize,
}

fn lines(side: usize) -> Lines {
    let margin = if side <= 12 { 2 } else { 3 };
    Lines {
        low: margin,
        middle: side / 2,
        high: side - 1 - margin,
    }
}

/// Whether the side has a middle line that is neither of the outer ones.
const fn has_middle(side: usize) -> bool {
    side % 2 == 1 && side > SMALLEST_SIDE
}

/// The most stones that [`fixed`] places: 9, 4 or 0.
#[must_use]
pub const fn most_fixed(size: BoardSize) -> usize {
    if size.width() < SMALLEST_SIDE || size.height() < SMALLEST_SIDE {
        0
    } else if has_middle(size.width()) && has_middle(size.height()) {
        9
    } else {
        4
    }
}

/// The handicap that stones at the beginning of a game look like: several of Black's and none of White's; else 0.
#[must_use]
pub fn looks_like(stones: &ByColor<PointSet>) -> usize {
    match stones[Color::Black].len() {
        several @ 2.. if stones[Color::White].is_empty() => several,
        _ => 0,
    }
}

/// What the last of these moves from `initial` on says of the handicap, if anything.
///
/// Several stones by Black on an empty board are one, which many clients send so. Where later one side puts two stones
/// running there is none: whoever sends that sets up a position, Sabaki column by column. After stones that were placed
/// White's first two say so, all of Black's having come before.
#[must_use]
pub fn told_by(initial: &Board, moves: &[(Color, Move)]) -> Option<usize> {
    let (earlier, [(first, _), (second, _)]) = moves.split_last_chunk()?;
    if first != second || moves.iter().any(|(_, mv)| *mv == Move::Pass) {
        return None;
    }
    let all_black = |moves: &[(Color, Move)]| moves.iter().all(|(color, _)| *color == Color::Black);
    match second {
        _ if initial.occupied().is_empty() => Some(if all_black(moves) { moves.len() } else { 0 }),
        Color::White if all_black(earlier) => Some(0),
        _ => None,
    }
}

/// Gives `position` the handicap, if any, that the last of the moves that lead to it from `initial` on [tells](told_by).
pub fn take_from(position: &mut Position, initial: &Board, moves: &[(Color, Move)]) {
    if let Some(stones) = told_by(initial, moves) {
        position.set_handicap(stones);
    }
}

/// The position that these moves lead to, which must be possible, with the handicap that they [tell](told_by).
#[must_use]
pub fn position_after(initial: &Position, moves: &[(Color, Move)]) -> Position {
    let mut position = initial.clone();
    for (number, &(color, mv)) in moves.iter().enumerate() {
        position.play_legal(color, mv);
        take_from(&mut position, initial.board(), &moves[..=number]);
    }
    position
}

/// The points of a fixed handicap of that many stones in the protocol's order; `None` unless it is from 2 to
/// [`most_fixed`].
#[must_use]
pub fn fixed(size: BoardSize, stones: usize) -> Option<Vec<Point>> {
    if stones < 2 || stones > most_fixed(size) {
        return None;
    }
    let (across, down) = (lines(size.width()), lines(size.height()));
    let centre = Point::at(across.middle, down.middle);
    let mut points = vec![
        Point::at(across.low, down.high),
        Point::at(across.high, down.low),
        Point::at(across.low, down.low),
        Point::at(across.high, down.high),
        Point::at(across.low, down.middle),
        Point::at(across.high, down.middle),
        Point::at(across.middle, down.high),
        Point::at(across.middle, down.low),
    ];
    if stones >= 5 && stones % 2 == 1 {
        points.truncate(stones - 1);
        points.push(centre);
    } else {
        points.truncate(stones);
    }
    Some(points)
}

/// The points that boards of that size mark with a dot.
#[must_use]
pub fn star_points(size: BoardSize) -> PointSet {
    let (width, height) = (size.width(), size.height());
    if width < SMALLEST_SIDE || height < SMALLEST_SIDE {
        return PointSet::EMPTY;
    }
    let (across, down) = (lines(width), lines(height));
    let mut points = PointSet::EMPTY;
    for column in [across.low, across.high] {
        points.extend([Point::at(column, down.low), Point::at(column, down.high)]);
    }
    if has_middle(width) && has_middle(height) {
        points.insert(Point::at(across.middle, down.middle));
    }
    if has_middle(height) && height >= MARKED_MIDDLES {
        points.extend([across.low, across.high].map(|column| Point::at(column, down.middle)));
    }
    if has_middle(width) && width >= MARKED_MIDDLES {
        points.extend([down.low, down.high].map(|row| Point::at(across.middle, row)));
    }
    points
}

/// The most stones that [`free`] places: a quarter of the board, and never more than 30.
#[must_use]
pub const fn most_free(size: BoardSize) -> usize {
    let quarter = size.area() / 4;
    if quarter < MOST_FREE {
        quarter
    } else {
        MOST_FREE
    }
}

/// Good points for a free handicap of that many stones, or for [`most_free`] if that is fewer: the fixed points as far
/// as they go, then always the point farthest from the stones so far and from the edge. The same points every time.
#[must_use]
pub fn free(size: BoardSize, stones: usize) -> Vec<Point> {
    let stones = stones.min(most_free(size));
    let mut points = fixed(size, stones.min(most_fixed(size))).unwrap_or_default();
    while points.len() < stones {
        let roomiest = size
            .points()
            .filter(|point| !points.contains(point))
            .min_by_key(|&point| Reverse(room(size, &points, point)));
        points.extend(roomiest);
    }
    points
}

/// How much room a point has: the squared distance to the nearest stone, or the cube of its line where that is less,
/// so that the first two lines come late.
fn room(size: BoardSize, stones: &[Point], point: Point) -> usize {
    let (column, row) = (point.column(), point.row());
    let line = 1 + column
        .min(row)
        .min(size.width() - 1 - column)
        .min(size.height() - 1 - row);
    stones
        .iter()
        .map(|stone| stone.column().abs_diff(column).pow(2) + stone.row().abs_diff(row).pow(2))
        .fold(line.pow(3), usize::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertices(width: usize, height: usize, stones: usize) -> Option<String> {
        let size = BoardSize::new(width, height).unwrap();
        let names: Vec<String> = fixed(size, stones)?
            .into_iter()
            .map(|point| size.vertex(point))
            .collect();
        Some(names.join(" "))
    }

    #[test]
    fn fixed_points_are_those_of_the_protocol() {
        let at = |stones| vertices(19, 19, stones).unwrap();
        assert_eq!(at(2), "D4 Q16");
        assert_eq!(at(3), "D4 Q16 D16");
        assert_eq!(at(4), "D4 Q16 D16 Q4");
        assert_eq!(at(5), "D4 Q16 D16 Q4 K10");
        assert_eq!(at(6), "D4 Q16 D16 Q4 D10 Q10");
        assert_eq!(at(7), "D4 Q16 D16 Q4 D10 Q10 K10");
        assert_eq!(at(8), "D4 Q16 D16 Q4 D10 Q10 K4 K16");
        assert_eq!(at(9), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        assert_eq!(vertices(9, 9, 5).unwrap(), "C3 G7 C7 G3 E5");
        assert_eq!(vertices(13, 13, 2).unwrap(), "D4 K10");
        assert_eq!(vertices(12, 12, 2).unwrap(), "C3 K10");
        assert_eq!(vertices(7, 7, 4).unwrap(), "C3 E5 C5 E3");
        assert_eq!(vertices(9, 19, 4).unwrap(), "C4 G16 C16 G4");
    }

    #[test]
    fn fixed_points_end_where_the_protocol_ends() {
        for (width, height, most) in [
            (19, 19, 9),
            (9, 19, 9),
            (18, 18, 4),
            (7, 7, 4),
            (9, 10, 4),
            (6, 19, 0),
        ] {
            let size = BoardSize::new(width, height).unwrap();
            assert_eq!(most_fixed(size), most, "{size}");
            assert_eq!(fixed(size, most + 1), None, "{size}");
            assert_eq!(fixed(size, 1), None, "{size}");
        }
    }

    #[test]
    fn a_position_told_column_by_column_has_no_handicap() {
        let size = BoardSize::new(9, 9).unwrap();
        let play = |stone: &str| {
            let (color, vertex) = stone.split_at(1);
            (
                Color::parse(color).unwrap(),
                size.parse_move(vertex).unwrap(),
            )
        };
        let told = ["bC7", "bC3", "wD5", "bE8", "wF6", "wG7", "bH5"].map(play);
        let says = |count: usize| told_by(&Board::new(size), &told[..count]);
        let expected = [None, None, Some(2), None, None, None, Some(0), None];
        assert_eq!(std::array::from_fn(says), expected);
        let handicap = [told[0], told[1], told[2], told[3], told[4], told[6]];
        assert_eq!(told_by(&Board::new(size), &handicap), None);
    }

    #[test]
    fn free_points_are_distinct_and_as_many_as_fit() {
        for width in 2..=19 {
            for height in 2..=19 {
                let size = BoardSize::new(width, height).unwrap();
                let points = free(size, 99);
                assert_eq!(points.len(), most_free(size), "{size}");
                let set: PointSet = points.iter().copied().collect();
                assert_eq!(set.len(), points.len(), "{size}");
                assert!(set.is_subset(&PointSet::board(size)), "{size}");
            }
        }
    }

    #[test]
    fn free_points_go_on_where_the_fixed_ones_end() {
        let size = BoardSize::STANDARD;
        assert_eq!(free(size, 7), fixed(size, 7).unwrap());
        let thirteen = free(size, 13);
        assert_eq!(thirteen[..9], fixed(size, 9).unwrap());
        let added: Vec<_> = thirteen[9..].iter().map(|&p| size.vertex(p)).collect();
        assert_eq!(added, ["G13", "N13", "G7", "N7"]);
    }

    #[test]
    fn star_points_are_the_usual_ones() {
        for (side, count) in [(19, 9), (13, 5), (9, 5), (8, 4), (6, 0)] {
            let size = BoardSize::new(side, side).unwrap();
            assert_eq!(star_points(size).len(), count, "{size}");
        }
    }
}
