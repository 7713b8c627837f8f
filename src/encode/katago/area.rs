//! Whose the points are, as KataGo's inputs show it: by what is certain on the board, with no judgement of life.

use crate::game::alive::pass_alive;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;

/// What a side is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Pass-alive chains, and what they alone enclose if it is empty or has no room for an eye of the opponent.
    Alive,
    /// Besides these every other stone, and every empty region that stones of one colour alone enclose.
    All,
}

/// Whose the points are by `claim`. With `suicide` chains are pass-alive by the stricter condition that holds where it
/// is legal.
#[must_use]
pub fn owned(board: &Board, claim: Claim, suicide: bool) -> ByColor<PointSet> {
    let mut owned = ByColor::default();
    // In this order: what White encloses for certain may have been given to Black without certainty before.
    for color in Color::BOTH {
        give(board, color, claim, suicide, &mut owned);
    }
    if claim == Claim::All {
        let free = *board.area() - owned[Color::Black] - owned[Color::White];
        for color in Color::BOTH {
            owned[color] |= *board.stones(color) & free;
        }
    }
    owned
}

/// Adds the claims of one side.
fn give(board: &Board, color: Color, claim: Claim, suicide: bool, owned: &mut ByColor<PointSet>) {
    let area = board.area();
    let own = *board.stones(color);
    if own.is_empty() {
        return;
    }
    let other = color.opposite();
    let alive = pass_alive(board, color, suicide).stones;
    owned[color] |= alive;
    owned[other] -= alive;
    let beside_own = own.neighbours(area);
    for region in (*area - own).components() {
        let alone = !region.intersects(board.stones(other));
        let enclosed_alive = (region.neighbours(area) & own).is_subset(&alive);
        // An eye needs a point away from the stones around, and a second one beside it to be taken on.
        let roomless = (region - beside_own).len() <= 1;
        if enclosed_alive && (alone || roomless) {
            owned[color] |= region;
            owned[other] -= region;
        } else if alone && claim == Claim::All {
            let unclaimed = region - owned[other];
            owned[color] |= unclaimed;
        }
    }
}

/// Whose the points are by [`Claim::All`] where eyes in seki do not count: a side keeps its stones everywhere and what
/// they enclose in groups that are no seki, a group being connected points of one owner. KataGo takes a group for a
/// seki that touches a neutral point or has a stone of its owner in atari.
#[must_use]
pub fn owned_outside_seki(board: &Board, suicide: bool) -> ByColor<PointSet> {
    let all = owned(board, Claim::All, suicide);
    let neutral = *board.area() - all[Color::Black] - all[Color::White];
    let beside_neutral = neutral.neighbours(board.area());
    let mut kept = ByColor::default();
    for color in Color::BOTH {
        let in_atari = board
            .chains()
            .filter(|chain| chain.color == color && chain.liberties.len() == 1)
            .fold(PointSet::EMPTY, |stones, chain| stones | chain.stones);
        let seki = (beside_neutral | in_atari).flood(&all[color]);
        kept[color] = (all[color] - seki) | (all[color] & *board.stones(color));
    }
    kept
}
