//! Whose the points are, as KataGo's inputs show it: by what is certain on the board, with no judgement of life.

use crate::game::benson::pass_alive;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;

/// What a side is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaKind {
    /// Pass-alive chains, and what they alone enclose if it is empty or has no room for an eye of the opponent.
    PassAlive,
    /// Besides these every other stone, and every empty region that stones of one colour alone enclose.
    All,
}

/// Whose the points are by `kind`. With `suicide` chains are pass-alive by the stricter condition that holds where it
/// is legal.
#[must_use]
pub fn owned(board: &Board, kind: AreaKind, suicide: bool) -> ByColor<PointSet> {
    let mut owned = ByColor::default();
    // In this order: what White encloses for certain may have been given to Black without certainty before.
    for color in Color::BOTH {
        add_owned(board, color, kind, suicide, &mut owned);
    }
    if kind == AreaKind::All {
        let unowned = *board.area() - owned[Color::Black] - owned[Color::White];
        for color in Color::BOTH {
            owned[color] |= *board.stones(color) & unowned;
        }
    }
    owned
}

/// Adds the claims of one side.
fn add_owned(
    board: &Board,
    color: Color,
    kind: AreaKind,
    suicide: bool,
    owned: &mut ByColor<PointSet>,
) {
    let area = board.area();
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
        // An eye needs a point away from the stones around, and a second one beside it to be taken on.
        let has_no_eye_space = (region - adjacent_to_own).len() <= 1;
        if is_enclosed_by_alive && (excludes_opponent || has_no_eye_space) {
            owned[color] |= region;
            owned[opponent] -= region;
        } else if excludes_opponent && kind == AreaKind::All {
            let unowned = region - owned[opponent];
            owned[color] |= unowned;
        }
    }
}

/// Whose the points are by [`AreaKind::All`] where eyes in seki do not count: a side keeps its stones everywhere and what
/// they enclose in groups that are no seki, a group being connected points of one owner. KataGo takes a group for a
/// seki that touches a neutral point or has a stone of its owner in atari.
#[must_use]
pub fn owned_outside_seki(board: &Board, suicide: bool) -> ByColor<PointSet> {
    let all = owned(board, AreaKind::All, suicide);
    let neutral = *board.area() - all[Color::Black] - all[Color::White];
    let adjacent_to_neutral = neutral.neighbours(board.area());
    let mut owned = ByColor::default();
    for color in Color::BOTH {
        let in_atari = board
            .chains()
            .filter(|chain| chain.color == color && chain.liberties.len() == 1)
            .fold(PointSet::EMPTY, |stones, chain| stones | chain.stones);
        let seki = (adjacent_to_neutral | in_atari).flood(&all[color]);
        owned[color] = (all[color] - seki) | (all[color] & *board.stones(color));
    }
    owned
}
