//! Zones: the part of the board that a result rests on.
//!
//! A result comes with a *zone*, a set of points with this promise: on every board that has the same contents there,
//! with the same side to move and the same ko, the result is the same, whatever stands outside. So when one side loses
//! although the other could have passed, only moves inside the zone of that loss can change it; nothing else need be
//! tried. This holds for both sides, and is what keeps the reading exact on a board of any size.
//!
//! The side whose success the zone belongs to is its *owner*. The rules below make the promise good:
//!
//! - after a move of the owner, the zone holds the point, all that was taken with its surroundings, what keeps the
//!   move from being suicide, and for each opposing chain in the zone that the move might take a liberty that shows
//!   that it does not ([`before_owner_move`]);
//! - where the opponent moves, a move outside changes nothing inside, because each of the owner's chains in the zone has
//!   all its stones there and two of its liberties, or its only one ([`protect_owner_chains`]); of a capture inside the zone holds
//!   the surroundings, so that it is the same capture and makes the same ko ([`before_opponent_move`]); of a point that suicide
//!   or ko forbids it holds the reasons ([`add_suicide`], [`add_ko`]).

use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// The zone of a chain that is about to be taken.
pub(super) fn of_capture(board: &Board, chain: &Chain) -> PointSet {
    chain.stones.grown(board.area())
}

/// The zone of a chain with more than `moves` liberties, which as many moves cannot take.
pub(super) fn of_liberties(chain: &Chain, moves: usize) -> PointSet {
    let mut zone = chain.stones;
    zone.extend(chain.liberties.iter().take(moves + 1));
    zone
}

/// The zone on `board` of a move of its `owner`, from the zone on the board after it.
pub(super) fn before_owner_move(
    board: &Board,
    owner: Color,
    mv: Point,
    zone_after: &PointSet,
) -> PointSet {
    let mut zone = *zone_after;
    zone.insert(mv);
    let captured = board.captures(owner, mv);
    zone |= captured.grown(board.area());
    for chain in board.adjacent_chains(mv) {
        if chain.color != owner && chain.liberties.len() > 1 && chain.stones.intersects(&zone) {
            zone |= chain.stones;
            add_liberties(&mut zone, chain.liberties - PointSet::single(mv), 1);
        }
    }
    if captured.is_empty() {
        add_not_suicide(board, owner, mv, &mut zone);
    }
    zone
}

/// Adds what shows that the owner's move, which takes nothing, is not suicide.
fn add_not_suicide(board: &Board, owner: Color, mv: Point, zone: &mut PointSet) {
    let adjacent_empty = board.adjacent_empty(mv);
    if !adjacent_empty.is_empty() {
        add_liberties(zone, adjacent_empty, 1);
        return;
    }
    let other_liberties = |chain: &Chain| chain.liberties - PointSet::single(mv);
    let friendly_chain = board
        .adjacent_chains(mv)
        .filter(|chain| chain.color == owner && chain.liberties.len() > 1)
        .max_by_key(|chain| {
            (
                other_liberties(chain).intersects(zone),
                chain.stones.is_subset(zone),
            )
        });
    if let Some(friend) = friendly_chain {
        *zone |= friend.stones;
        add_liberties(zone, other_liberties(friend), 1);
    }
}

/// Makes the zone hold at least `count` of these liberties, or all.
fn add_liberties(zone: &mut PointSet, liberties: PointSet, count: usize) {
    let missing = count.saturating_sub((liberties & *zone).len());
    zone.extend((liberties - *zone).iter().take(missing));
}

/// Makes sure that no move outside the zone takes a stone of its owner inside.
pub(super) fn protect_owner_chains(board: &Board, owner: Color, zone: &mut PointSet) {
    for chain in board.chains() {
        if chain.color == owner && chain.stones.intersects(zone) {
            *zone |= chain.stones;
            add_liberties(zone, chain.liberties, 2);
        }
    }
}

/// What a zone must hold on `board` for an opposing move at `mv` that took the stones `captured`, besides the zone on the
/// board after it.
pub(super) fn before_opponent_move(board: &Board, mv: Point, captured: &PointSet) -> PointSet {
    if captured.is_empty() {
        return PointSet::EMPTY;
    }
    (*captured | PointSet::single(mv)).grown(board.area())
}

/// Adds what makes a move of `color` at `mv` suicide.
pub(super) fn add_suicide(board: &Board, color: Color, mv: Point, zone: &mut PointSet) {
    let mut stones = PointSet::single(mv);
    for chain in board.adjacent_chains(mv) {
        if chain.color == color {
            stones |= chain.stones;
        }
    }
    *zone |= stones.grown(board.area());
}

/// Adds what makes taking back at `ko` impossible: the stone that took, and the surroundings of both.
pub(super) fn add_ko(board: &Board, ko: Point, zone: &mut PointSet) {
    let area = board.area();
    *zone |= PointSet::single(ko).grown(area).grown(area);
}

#[cfg(test)]
mod tests;
