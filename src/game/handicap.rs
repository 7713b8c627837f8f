//! Handicap stones: fixed and free placement, and recognition of a handicap in the moves of a game.
//!
//! Fixed placement follows version 2 of the Go Text Protocol: stones are on the third line of boards up to 12 points
//! wide and on the fourth line of larger boards. At most four stones are placed if a side length is even or 7, and none
//! if a side is shorter than 7. On rectangular boards, the lines are determined separately for each dimension.

use std::cmp::Reverse;

use super::board::Board;
use super::color::{ByColor, Color};
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::position::Position;

/// Minimum side length of a board with fixed handicap points.
const MIN_FIXED_SIDE: usize = 7;
/// Minimum side length with star points in the middle of the edges.
const MIN_SIDE_WITH_EDGE_STARS: usize = 15;
/// Ratio of the board area to the number of moves from White's first move during which two moves in a row by the same
/// side show that a position is being set up. Later in a game, they are more likely to be a correction.
const OPENING_DIVISOR: usize = 8;
/// Maximum number of stones of a free handicap.
const MAX_FREE_STONES: usize = 30;

/// Columns or rows, counted from 0, that contain the handicap points in one dimension of a board.
struct HandicapLines {
    low: usize,
    middle: usize,
    high: usize,
}

fn handicap_lines(side: usize) -> HandicapLines {
    let margin = if side <= 12 { 2 } else { 3 };
    HandicapLines {
        low: margin,
        middle: side / 2,
        high: side - 1 - margin,
    }
}

/// Returns true if a dimension of the given length has handicap points on its middle line.
const fn has_middle_line(side: usize) -> bool {
    side % 2 == 1 && side > MIN_FIXED_SIDE
}

/// Returns the maximum number of stones for [`fixed_placement`]: 9, 4 or 0.
pub const fn max_fixed_stones(size: BoardSize) -> usize {
    if size.width() < MIN_FIXED_SIDE || size.height() < MIN_FIXED_SIDE {
        0
    } else if has_middle_line(size.width()) && has_middle_line(size.height()) {
        9
    } else {
        4
    }
}

/// Returns the handicap implied by set-up stones: the number of black stones if there are at least two and no white
/// stones, and 0 otherwise.
pub fn inferred_from_setup(stones: &ByColor<PointSet>) -> usize {
    match stones[Color::Black].len() {
        count @ 2.. if stones[Color::White].is_empty() => count,
        _ => 0,
    }
}

/// Returns the number of handicap stones (possibly 0) that the last of the given moves implies, or `None` if that move
/// implies nothing.
///
/// The last move implies something only if the move before it has the same colour and no move is a pass. On an
/// initially empty board, there are two cases. If all moves are Black's, these stones are a handicap, because many
/// clients send a handicap in this way. Otherwise, the handicap is 0 in the opening: the client is setting up a
/// position, as Sabaki does column by column. After the opening, the move implies nothing. If the initial board has
/// stones, the handicap is 0 if the last two moves are White's first two moves; other moves imply nothing.
pub fn inferred_from_last_move(initial: &Board, moves: &[(Color, Move)]) -> Option<usize> {
    let (earlier_moves, [(first, _), (second, _)]) = moves.split_last_chunk()?;
    if first != second || moves.iter().any(|(_, mv)| *mv == Move::Pass) {
        return None;
    }
    let leading_black = |moves: &[(Color, Move)]| {
        let colors = moves.iter().map(|(color, _)| *color);
        colors.take_while(|&color| color == Color::Black).count()
    };
    let later_moves = moves.len() - leading_black(moves);
    match second {
        _ if initial.occupied_points().is_empty() => match later_moves {
            0 => Some(moves.len()),
            later if later <= initial.size().area() / OPENING_DIVISOR => Some(0),
            _ => None,
        },
        Color::White if leading_black(earlier_moves) == earlier_moves.len() => Some(0),
        _ => None,
    }
}

/// Returns the handicap that the moves imply: that of the last move that [implies one](inferred_from_last_move), or
/// `None` if there is no such move.
pub fn inferred_from_moves(initial: &Board, moves: &[(Color, Move)]) -> Option<usize> {
    let mut move_counts = (1..=moves.len()).rev();
    move_counts.find_map(|count| inferred_from_last_move(initial, &moves[..count]))
}

/// Returns the position after `moves`, with the handicap that the moves [imply](inferred_from_moves). The moves are not
/// checked. The caller must ensure that every point played is empty and on the board.
pub fn replay_and_infer(initial: &Position, moves: &[(Color, Move)]) -> Position {
    let mut position = initial.clone();
    for &(color, mv) in moves {
        position.play_unchecked(color, mv);
    }
    if let Some(stones) = inferred_from_moves(initial.board(), moves) {
        position.set_handicap(stones);
    }
    position
}

/// Returns the points of a fixed handicap in the order that GTP specifies. Returns `None` if `stones` is not between 2
/// and [`max_fixed_stones`].
pub fn fixed_placement(size: BoardSize, stones: usize) -> Option<Vec<Point>> {
    if stones < 2 || stones > max_fixed_stones(size) {
        return None;
    }
    let (columns, rows) = (handicap_lines(size.width()), handicap_lines(size.height()));
    let centre = Point::at(columns.middle, rows.middle);
    let mut points = vec![
        Point::at(columns.low, rows.high),
        Point::at(columns.high, rows.low),
        Point::at(columns.low, rows.low),
        Point::at(columns.high, rows.high),
        Point::at(columns.low, rows.middle),
        Point::at(columns.high, rows.middle),
        Point::at(columns.middle, rows.high),
        Point::at(columns.middle, rows.low),
    ];
    if stones >= 5 && stones % 2 == 1 {
        points.truncate(stones - 1);
        points.push(centre);
    } else {
        points.truncate(stones);
    }
    Some(points)
}

/// Returns the star points that are usually marked on a board. Boards with a side shorter than 7 have none.
pub fn star_points(size: BoardSize) -> PointSet {
    let (width, height) = (size.width(), size.height());
    if width < MIN_FIXED_SIDE || height < MIN_FIXED_SIDE {
        return PointSet::EMPTY;
    }
    let (columns, rows) = (handicap_lines(width), handicap_lines(height));
    let mut points = PointSet::EMPTY;
    for column in [columns.low, columns.high] {
        points.extend([Point::at(column, rows.low), Point::at(column, rows.high)]);
    }
    if has_middle_line(width) && has_middle_line(height) {
        points.insert(Point::at(columns.middle, rows.middle));
    }
    if has_middle_line(height) && height >= MIN_SIDE_WITH_EDGE_STARS {
        points.extend([columns.low, columns.high].map(|column| Point::at(column, rows.middle)));
    }
    if has_middle_line(width) && width >= MIN_SIDE_WITH_EDGE_STARS {
        points.extend([rows.low, rows.high].map(|row| Point::at(columns.middle, row)));
    }
    points
}

/// Returns the maximum number of stones for [`free_placement`]: a quarter of the number of points (rounded down), but
/// at most 30.
pub const fn max_free_stones(size: BoardSize) -> usize {
    let quarter = size.area() / 4;
    if quarter < MAX_FREE_STONES {
        quarter
    } else {
        MAX_FREE_STONES
    }
}

/// Returns the points of a free handicap of `stones` stones, limited to [`max_free_stones`]. The points of
/// [`fixed_placement`] come first. Each further point is the one farthest from the edge and from all previous points.
/// The result is deterministic.
pub fn free_placement(size: BoardSize, stones: usize) -> Vec<Point> {
    let stones = stones.min(max_free_stones(size));
    let mut points = fixed_placement(size, stones.min(max_fixed_stones(size))).unwrap_or_default();
    while points.len() < stones {
        let best = size
            .points()
            .filter(|point| !points.contains(point))
            .min_by_key(|&point| Reverse(clearance(size, &points, point)));
        points.extend(best);
    }
    points
}

/// Returns a measure of the free space around a point: the squared distance to the nearest stone, or the cube of the
/// point's line number (1 at the edge) if that is smaller. As a result, the first two lines are used last.
fn clearance(size: BoardSize, stones: &[Point], point: Point) -> usize {
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
        let names: Vec<String> = fixed_placement(size, stones)?
            .into_iter()
            .map(|point| size.vertex(point))
            .collect();
        Some(names.join(" "))
    }

    #[test]
    fn fixed_placement_matches_gtp() {
        let placement = |stones| vertices(19, 19, stones).unwrap();
        assert_eq!(placement(2), "D4 Q16");
        assert_eq!(placement(3), "D4 Q16 D16");
        assert_eq!(placement(4), "D4 Q16 D16 Q4");
        assert_eq!(placement(5), "D4 Q16 D16 Q4 K10");
        assert_eq!(placement(6), "D4 Q16 D16 Q4 D10 Q10");
        assert_eq!(placement(7), "D4 Q16 D16 Q4 D10 Q10 K10");
        assert_eq!(placement(8), "D4 Q16 D16 Q4 D10 Q10 K4 K16");
        assert_eq!(placement(9), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        assert_eq!(vertices(9, 9, 5).unwrap(), "C3 G7 C7 G3 E5");
        assert_eq!(vertices(13, 13, 2).unwrap(), "D4 K10");
        assert_eq!(vertices(12, 12, 2).unwrap(), "C3 K10");
        assert_eq!(vertices(7, 7, 4).unwrap(), "C3 E5 C5 E3");
        assert_eq!(vertices(9, 19, 4).unwrap(), "C4 G16 C16 G4");
    }

    #[test]
    fn fixed_placement_respects_gtp_limits() {
        for (width, height, max_stones) in [
            (19, 19, 9),
            (9, 19, 9),
            (18, 18, 4),
            (7, 7, 4),
            (9, 10, 4),
            (6, 19, 0),
        ] {
            let size = BoardSize::new(width, height).unwrap();
            assert_eq!(max_fixed_stones(size), max_stones, "{size}");
            assert_eq!(fixed_placement(size, max_stones + 1), None, "{size}");
            assert_eq!(fixed_placement(size, 1), None, "{size}");
        }
    }

    #[test]
    fn column_order_setup_is_no_handicap() {
        let size = BoardSize::new(9, 9).unwrap();
        let play = |stone: &str| {
            let (color, vertex) = stone.split_at(1);
            (
                Color::parse(color).unwrap(),
                size.parse_move(vertex).unwrap(),
            )
        };
        let moves = ["bC7", "bC3", "wD5", "bE8", "wF6", "wG7", "bH5"].map(play);
        let inferred = |count: usize| inferred_from_last_move(&Board::new(size), &moves[..count]);
        let expected = [None, None, Some(2), None, None, None, Some(0), None];
        assert_eq!(std::array::from_fn(inferred), expected);
        let handicap = [moves[0], moves[1], moves[2], moves[3], moves[4], moves[6]];
        assert_eq!(inferred_from_last_move(&Board::new(size), &handicap), None);
    }

    #[test]
    fn free_placement_points_are_distinct() {
        for width in 2..=19 {
            for height in 2..=19 {
                let size = BoardSize::new(width, height).unwrap();
                let points = free_placement(size, 99);
                assert_eq!(points.len(), max_free_stones(size), "{size}");
                let set: PointSet = points.iter().copied().collect();
                assert_eq!(set.len(), points.len(), "{size}");
                assert!(set.is_subset(&PointSet::board(size)), "{size}");
            }
        }
    }

    #[test]
    fn free_placement_extends_fixed_placement() {
        let size = BoardSize::STANDARD;
        assert_eq!(free_placement(size, 7), fixed_placement(size, 7).unwrap());
        let thirteen = free_placement(size, 13);
        assert_eq!(thirteen[..9], fixed_placement(size, 9).unwrap());
        let added: Vec<_> = thirteen[9..].iter().map(|&p| size.vertex(p)).collect();
        assert_eq!(added, ["G13", "N13", "G7", "N7"]);
    }

    #[test]
    fn star_point_counts() {
        for (side, count) in [(19, 9), (13, 5), (9, 5), (8, 4), (6, 0)] {
            let size = BoardSize::new(side, side).unwrap();
            assert_eq!(star_points(size).len(), count, "{size}");
        }
    }
}
