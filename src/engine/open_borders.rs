//! Open borders between territories. A region that touches both colours belongs to neither side, even if only one point
//! of its border is open. Where the owners of most of its points are clear, the region is counted as if both sides had
//! closed the border.

use super::ownership::Ownership;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Minimum absolute ownership (0 to 1) of a point with a clear owner.
const CLEAR_OWNERSHIP: f32 = 0.5;
/// Minimum number of points of a region that is completed. Smaller regions are mostly neutral points between finished
/// borders and shared liberties in seki.
const MIN_REGION_SIZE: usize = 4;

/// Returns the stones that close the open borders: in every neutral region, the points of each side's clear part that
/// touch the other side or points without a clear owner. `dead` contains the dead stones.
pub(super) fn completion(
    position: &Position,
    ownership: &Ownership,
    dead: &PointSet,
) -> ByColor<PointSet> {
    let (size, board) = (position.size(), position.board());
    let area = board.all_points();
    let living = ByColor::from_fn(|color| *board.stones(color) - *dead);
    let open = *area - living[Color::Black] - living[Color::White];
    let reached = Color::BOTH.map(|color| living[color].neighbours(area).flood_through(&open));
    let neutral = reached[0] & reached[1];
    let large = neutral
        .components()
        .filter(|region| region.len() >= MIN_REGION_SIZE);
    let region = large.fold(PointSet::EMPTY, |all, region| all | region);
    let clear = ByColor::from_fn(|color| {
        let is_clear = |black: f32| color.to_perspective(black) >= CLEAR_OWNERSHIP;
        let points = region.iter();
        points
            .filter(|&point| is_clear(ownership.black(size.index(point))))
            .collect::<PointSet>()
    });
    let unclear = region - clear[Color::Black] - clear[Color::White];
    ByColor::from_fn(|color| {
        let other = color.opposite();
        let foreign = living[other] | clear[other] | unclear;
        // Without interior, there is no territory and therefore no open border.
        let border = clear[color] & foreign.neighbours(area);
        let interior = clear[color] - border;
        border & interior.neighbours(area).flood_through(&clear[color])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    /// Returns the completion of a diagram. `owners` has one row per board row, with `b` and `w` at points with a clear
    /// owner.
    fn completed(text: &str, owners: &str) -> String {
        let board = diagram::parse_board(text).unwrap();
        let size = board.size();
        let owners: Vec<char> = owners
            .chars()
            .filter(|letter| "bw.".contains(*letter))
            .collect();
        let black = owners.iter().map(|owner| match owner {
            'b' => 0.9,
            'w' => -0.9,
            _ => 0.0,
        });
        let position = Position::from_board(board, Color::Black, Rules::default());
        let ownership = Ownership::from_black(black.collect());
        let completion = completion(&position, &ownership, &PointSet::EMPTY);
        let vertices = Color::BOTH.map(|color| {
            let vertices = completion[color].iter().map(|point| size.vertex(point));
            vertices.collect::<Vec<_>>().join(" ")
        });
        vertices.join(" | ")
    }

    #[test]
    fn both_sides_close_the_border() {
        let open = "
            . . X O . .
            . . X O . .
            . . . . . .
            . . . . . .";
        let owners = "
            b b b w w w
            b b b w w w
            b b b w w w
            b b . . w w";
        assert_eq!(completed(open, owners), "C2 B1 | D2 E1");
        let unclear = owners.replace(['b', 'w'], ".");
        assert_eq!(completed(open, &unclear), " | ");
    }

    #[test]
    fn shared_liberties_stay_open() {
        let seki = "
            . O . O X . O X . X .
            O O O O X . O X X X X";
        assert_eq!(completed(seki, &"w".repeat(22)), " | ");
    }
}
