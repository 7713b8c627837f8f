//! Opening terms: bonuses and penalties for the lines on which stones are placed.

use super::super::value::UNITS_PER_POINT;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;

/// Bonus of a stone on the first, second, third and fourth line, on an empty board.
const LINE_BONUS: [i32; 4] = [
    -3 * UNITS_PER_POINT,
    -UNITS_PER_POINT,
    UNITS_PER_POINT / 2,
    UNITS_PER_POINT / 2,
];
/// Bonus of the first stone in a corner, on the third or fourth line from both sides.
const CORNER_BONUS: i32 = 4 * UNITS_PER_POINT;
/// Bonus of the first stone in the middle of a side, on the third or fourth line.
const SIDE_BONUS: i32 = UNITS_PER_POINT;
/// Minimum side length of a board on which stones in corners and on sides get a bonus. On smaller boards, the centre
/// is best.
const MIN_SIDE_WITH_REGIONS: usize = 13;

/// Point sets of a board size that the opening terms refer to.
pub struct OpeningTerms {
    /// Points of the first to fourth line.
    lines: [PointSet; 4],
    /// For each corner or side, its area and the points that occupy it.
    regions: Vec<(Region, i32)>,
}

/// Part of the board that a stone on one of its key points occupies while the opponent has no stones in it.
struct Region {
    points: PointSet,
    key_points: PointSet,
}

impl OpeningTerms {
    /// Creates the terms for a board size.
    pub fn new(size: BoardSize) -> Self {
        let on_line = |line: usize| -> PointSet {
            size.points()
                .filter(|&point| edge_distance(size, point) == line)
                .collect()
        };
        let lines = [0, 1, 2, 3].map(on_line);
        let regions = if size.width().min(size.height()) < MIN_SIDE_WITH_REGIONS {
            Vec::new()
        } else {
            regions(size, lines[2] | lines[3])
        };
        Self { lines, regions }
    }

    /// Returns the value of the opening terms for Black, scaled by `openness` (0 to 16).
    pub fn evaluate(&self, board: &Board, openness: i32) -> i32 {
        if openness == 0 {
            return 0;
        }
        let difference = |set: &PointSet| {
            let stones = |color| (*board.stones(color) & *set).len() as i32;
            stones(Color::Black) - stones(Color::White)
        };
        let lines = self.lines.iter().zip(LINE_BONUS);
        let on_lines: i32 = lines.map(|(line, bonus)| difference(line) * bonus).sum();
        let in_regions: i32 = self
            .regions
            .iter()
            .map(|(region, bonus)| {
                region
                    .owner(board)
                    .map_or(0, |owner| owner.to_perspective(*bonus))
            })
            .sum();
        (on_lines + in_regions) * openness / 16
    }
}

impl Region {
    /// Returns the colour that has a stone on a key point while the opponent has no stones in the region, if any.
    fn owner(&self, board: &Board) -> Option<Color> {
        let has_key = |color| board.stones(color).intersects(&self.key_points);
        let is_alone = |color: Color| !board.stones(color.opposite()).intersects(&self.points);
        Color::BOTH
            .into_iter()
            .find(|&color| has_key(color) && is_alone(color))
    }
}

/// Returns the corners and sides of the board with their bonuses. `key_lines` contains the points of the third and
/// fourth line.
fn regions(size: BoardSize, key_lines: PointSet) -> Vec<(Region, i32)> {
    let third = |index: usize, side: usize| index * 3 / side;
    let mut regions = Vec::new();
    for row_third in 0..3 {
        for column_third in 0..3 {
            let bonus = match (row_third == 1, column_third == 1) {
                (false, false) => CORNER_BONUS,
                (true, true) => continue,
                _ => SIDE_BONUS,
            };
            let is_inside = |point: &Point| {
                third(point.row(), size.height()) == row_third
                    && third(point.column(), size.width()) == column_third
            };
            let points: PointSet = size.points().filter(is_inside).collect();
            let key_points = points & key_lines;
            regions.push((Region { points, key_points }, bonus));
        }
    }
    regions
}

/// Returns the distance to the nearest edge, which is 0 on the first line.
fn edge_distance(size: BoardSize, point: Point) -> usize {
    let column_distance = point.column().min(size.width() - 1 - point.column());
    let row_distance = point.row().min(size.height() - 1 - point.row());
    column_distance.min(row_distance)
}
