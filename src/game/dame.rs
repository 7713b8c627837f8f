//! Neutral points at the end of a game: those that both sides fill before they count, and those that neither can.

use super::board::Board;
use super::color::{ByColor, Color};
use super::point::{BoardSize, Point};
use super::pointset::PointSet;

/// So many connected points make two eyes, whoever plays there first.
const ROOM: usize = 7;

/// The stones when both sides have filled all points of `neutral` that they can, `first` before the other wherever it
/// can: a side can fill a point that takes nothing and leaves its chain two liberties. What is left are the common
/// liberties of a seki, mostly, and points that wait for a defence elsewhere. `stones` are the living ones, each chain
/// with a liberty.
#[must_use]
pub fn filled(
    size: BoardSize,
    stones: &ByColor<PointSet>,
    neutral: PointSet,
    first: Color,
) -> ByColor<PointSet> {
    let [black, white] = Color::BOTH.map(|color| stones[color]);
    let Ok(mut board) = Board::with_stones(size, black, white) else {
        return *stones;
    };
    let mut left = neutral;
    loop {
        let fillable = left.iter().find_map(|point| {
            let filler = [first, first.opposite()]
                .into_iter()
                .find(|&color| can_fill(&board, color, point));
            filler.map(|color| (color, point))
        });
        let Some((color, point)) = fillable else {
            return *board.stones_by_color();
        };
        board.place(color, point);
        left.remove(point);
    }
}

/// Of the `neutral` points those where play is far from over: in their region a side could still live, on points that no
/// stone of the other is beside. `stones` are the living ones on the points of `area`.
#[must_use]
pub fn open(area: &PointSet, stones: &ByColor<PointSet>, neutral: PointSet) -> PointSet {
    let has_room = |region: &PointSet| {
        Color::BOTH.iter().any(|color| {
            let beside_other = stones[color.opposite()].neighbours(area);
            let mut rooms = (*region - beside_other).components();
            rooms.any(|room| room.len() >= ROOM)
        })
    };
    let regions = neutral.components().filter(has_room);
    regions.fold(PointSet::EMPTY, |all, region| all | region)
}

fn can_fill(board: &Board, color: Color, point: Point) -> bool {
    board.captures(color, point).is_empty() && board.liberties_after(color, point).len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;

    /// What is left of the points that touch both colours, whoever fills first.
    fn left(text: &str) -> usize {
        let board = diagram::parse(text).unwrap();
        let [black, white] = Color::BOTH.map(|color| *board.stones(color));
        let beside = |set: PointSet| set.neighbours(board.area());
        let neutral = beside(black) & beside(white) & board.empty();
        let stones = ByColor::new(black, white);
        let left = Color::BOTH.map(|first| {
            let filled = filled(board.size(), &stones, neutral, first);
            (neutral - filled[Color::Black] - filled[Color::White]).len()
        });
        assert_eq!(left[0], left[1]);
        left[0]
    }

    #[test]
    fn points_between_living_groups_are_filled() {
        let dame = "
            . X . . O .
            X X X . O O
            . X X O O .
            X X . O O O";
        assert_eq!(left(dame), 0);
    }

    #[test]
    fn common_liberties_of_a_seki_are_not() {
        // Two chains without an eye, each between a common liberty and a living group.
        let seki = "
            . O . O X . O X . X .
            O O O O X . O X X X X";
        assert_eq!(left(seki), 2);
    }
}
