//! Neutral points (dame) at the end of a game: filling them before counting, and finding points that are still
//! contested.

use super::board::Board;
use super::color::{ByColor, Color};
use super::point::{BoardSize, Point};
use super::pointset::PointSet;

/// Minimum size of a connected region in which a side can always make two eyes, even if the opponent plays there first.
const MIN_LIVING_EYE_SPACE: usize = 7;

/// Fills the points of `neutral` where possible and returns the resulting stones. `stones` contains the living stones;
/// it is returned unchanged if one of its chains has no liberties.
///
/// If both sides can fill a point, `preferred_filler` fills it. A side can fill a point if the move captures nothing
/// and the chain of the new stone has at least two liberties. The points that remain are mostly shared liberties in
/// seki and points that can be filled only after a defensive move elsewhere.
pub fn fill_dame(
    size: BoardSize,
    stones: &ByColor<PointSet>,
    neutral: PointSet,
    preferred_filler: Color,
) -> ByColor<PointSet> {
    let [black, white] = Color::BOTH.map(|color| stones[color]);
    let Ok(mut board) = Board::from_stones(size, black, white) else {
        return *stones;
    };
    let mut remaining = neutral;
    loop {
        let fillable = remaining.iter().find_map(|point| {
            let filler = [preferred_filler, preferred_filler.opposite()]
                .into_iter()
                .find(|&color| can_fill(&board, color, point));
            filler.map(|color| (color, point))
        });
        let Some((color, point)) = fillable else {
            return *board.stones_by_color();
        };
        board.place(color, point);
        remaining.remove(point);
    }
}

/// Returns the union of the contested regions of `neutral`. `stones` contains the living stones and `area` all points
/// of the board.
///
/// A region (a connected component of `neutral`) is contested if either side could still live in it: it then contains a
/// connected set of points that is large enough for two eyes and not adjacent to the other side's stones.
pub fn livable_regions(area: &PointSet, stones: &ByColor<PointSet>, neutral: PointSet) -> PointSet {
    let can_live = |region: &PointSet| {
        Color::BOTH.iter().any(|color| {
            let adjacent_to_opponent = stones[color.opposite()].neighbours(area);
            let mut eye_spaces = (*region - adjacent_to_opponent).components();
            eye_spaces.any(|eye_space| eye_space.len() >= MIN_LIVING_EYE_SPACE)
        })
    };
    let regions = neutral.components().filter(can_live);
    regions.fold(PointSet::EMPTY, |all, region| all | region)
}

fn can_fill(board: &Board, color: Color, point: Point) -> bool {
    board.captured_by_move(color, point).is_empty() && board.liberties_after(color, point).len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;

    /// Returns the number of points adjacent to both colours that remain empty after filling. Panics if it depends on
    /// which side fills first.
    fn remaining_dame(text: &str) -> usize {
        let board = diagram::parse_board(text).unwrap();
        let [black, white] = Color::BOTH.map(|color| *board.stones(color));
        let adjacent = |set: PointSet| set.neighbours(board.all_points());
        let neutral = adjacent(black) & adjacent(white) & board.empty_points();
        let stones = ByColor::new(black, white);
        let remaining = Color::BOTH.map(|first| {
            let filled = fill_dame(board.size(), &stones, neutral, first);
            (neutral - filled[Color::Black] - filled[Color::White]).len()
        });
        assert_eq!(remaining[0], remaining[1]);
        remaining[0]
    }

    #[test]
    fn fills_dame_between_living_groups() {
        let dame = "
            . X . . O .
            X X X . O O
            . X X O O .
            X X . O O O";
        assert_eq!(remaining_dame(dame), 0);
    }

    #[test]
    fn leaves_shared_liberties_of_seki() {
        // Two chains without eyes, each between a shared liberty and a living group.
        let seki = "
            . O . O X . O X . X .
            O O O O X . O X X X X";
        assert_eq!(remaining_dame(seki), 2);
    }
}
