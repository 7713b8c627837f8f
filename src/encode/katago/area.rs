//! Area ownership for KataGo's inputs, determined by fixed rules without estimates of life and death.

use crate::game::benson::pass_alive;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;

/// Kind of area that is attributed to a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaExtent {
    /// Pass-alive chains and the regions enclosed by them, except regions that contain opposing stones and have space
    /// for an eye of the opponent.
    PassAlive,
    /// The area of [`AreaExtent::PassAlive`], all other stones, and empty regions enclosed by a single colour.
    All,
}

/// Computes the area of each colour. If `suicide` is true, pass-alive chains must satisfy the [stricter
/// condition](pass_alive) that applies when suicide is legal.
pub fn owned_areas(board: &Board, kind: AreaExtent, suicide: bool) -> ByColor<PointSet> {
    let mut owned = ByColor::default();
    // Black is processed first. White's pass-alive chains then take over any points that were attributed to Black only
    // as an enclosed region.
    for color in Color::BOTH {
        assign_area(board, color, kind, suicide, &mut owned);
    }
    if kind == AreaExtent::All {
        let unowned = *board.all_points() - owned[Color::Black] - owned[Color::White];
        for color in Color::BOTH {
            owned[color] |= *board.stones(color) & unowned;
        }
    }
    owned
}

/// Adds the area of `color` to `owned`. Removes the pass-alive part of this area from the opponent's area.
fn assign_area(
    board: &Board,
    color: Color,
    kind: AreaExtent,
    suicide: bool,
    owned: &mut ByColor<PointSet>,
) {
    let area = board.all_points();
    let own = *board.stones(color);
    if own.is_empty() {
        return;
    }
    let opponent = color.opposite();
    let alive = pass_alive(board, color, suicide).stones;
    owned[color] |= alive;
    owned[opponent] -= alive;
    let adjacent_to_own = own.neighbours(area);
    for region in (*area - own).components() {
        let excludes_opponent = !region.intersects(board.stones(opponent));
        let is_enclosed_by_alive = (region.neighbours(area) & own).is_subset(&alive);
        // To make an eye, the opponent needs at least two points that are not adjacent to the surrounding stones.
        let has_no_eye_space = (region - adjacent_to_own).len() <= 1;
        if is_enclosed_by_alive && (excludes_opponent || has_no_eye_space) {
            owned[color] |= region;
            owned[opponent] -= region;
        } else if excludes_opponent && kind == AreaExtent::All {
            let unowned = region - owned[opponent];
            owned[color] |= unowned;
        }
    }
}

/// Computes the areas of [`AreaExtent::All`] without eyes in seki: all stones count, but an enclosed region counts only
/// if its group is not in seki. A *group* is a connected set of points with the same owner. KataGo treats a group as
/// seki if it touches a neutral point or contains a stone in atari.
pub fn areas_without_seki_eyes(board: &Board, suicide: bool) -> ByColor<PointSet> {
    let all = owned_areas(board, AreaExtent::All, suicide);
    let neutral = *board.all_points() - all[Color::Black] - all[Color::White];
    let adjacent_to_neutral = neutral.neighbours(board.all_points());
    let mut owned = ByColor::default();
    for color in Color::BOTH {
        let in_atari = board
            .chains()
            .filter(|chain| chain.color == color && chain.liberties.len() == 1)
            .fold(PointSet::EMPTY, |stones, chain| stones | chain.stones);
        let seki = (adjacent_to_neutral | in_atari).flood_through(&all[color]);
        owned[color] = (all[color] - seki) | (all[color] & *board.stones(color));
    }
    owned
}
