//! Zones: sets of points on which results depend.
//!
//! A *zone* (also called relevance zone; see Shih et al., "A Novel Approach to Solving Goal-Achieving Problems for
//! Board Games", AAAI 2022) is a set of points with the following property: on every board with the same contents
//! inside the zone, the same side to move and the same ko, the result is the same. So if a side fails after
//! passing, only a move inside the zone of this failure can succeed, and the search can ignore all others. This
//! holds for both sides, and makes the reading exact on boards of any size.
//!
//! The *owner* of a zone is the side that succeeds according to the result. The following rules establish the
//! property:
//!
//! - If the owner moves, the zone before the move contains the zone after it, the point of the move, all captured
//!   stones with their neighbours, and points which prove that the move is not suicide. It also contains another
//!   liberty of each opposing chain in the zone that loses a liberty through the move ([`before_owner_move`]).
//! - If the opponent moves, a move outside the zone has no effect inside. For this purpose, if the zone contains a
//!   stone of one of the owner's chains, it contains the whole chain, and two liberties of the chain or its only one
//!   ([`protect_owner_chains`]). If a move inside the zone captures stones, the zone contains these stones and their
//!   neighbours, so that the move always captures the same stones and creates the same ko ([`added_by_opponent_move`]).
//!   If a move inside the zone is illegal, the zone contains the points that make it illegal ([`add_suicide_reasons`],
//!   [`add_ko_reasons`]).

use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Returns the zone of the immediate capture of `chain`.
pub(super) fn of_immediate_capture(board: &Board, chain: &Chain) -> PointSet {
    chain.stones.grown(board.all_points())
}

/// Returns the zone of the proof that `moves` moves cannot capture `chain`, which must have more than `moves`
/// liberties.
pub(super) fn of_too_many_liberties(chain: &Chain, moves: usize) -> PointSet {
    let mut zone = chain.stones;
    zone.extend(chain.liberties.iter().take(moves + 1));
    zone
}

/// Returns the zone before the move `mv` of the zone's owner, given the zone after the move. `board` is the board
/// before the move.
pub(super) fn before_owner_move(
    board: &Board,
    owner: Color,
    mv: Point,
    zone_after: &PointSet,
) -> PointSet {
    let mut zone = *zone_after;
    zone.insert(mv);
    let captured = board.captured_by_move(owner, mv);
    zone |= captured.grown(board.all_points());
    for chain in board.chains_of_adjacent_stones(mv) {
        if chain.color != owner && chain.liberties.len() > 1 && chain.stones.intersects(&zone) {
            zone |= chain.stones;
            ensure_liberties(&mut zone, chain.liberties - PointSet::single(mv), 1);
        }
    }
    if captured.is_empty() {
        add_non_suicide_reasons(board, owner, mv, &mut zone);
    }
    zone
}

/// Adds to `zone` the points which prove that the owner's move at `mv` is not suicide. The move must capture nothing.
fn add_non_suicide_reasons(board: &Board, owner: Color, mv: Point, zone: &mut PointSet) {
    let adjacent_empty = board.adjacent_empty_points(mv);
    if !adjacent_empty.is_empty() {
        ensure_liberties(zone, adjacent_empty, 1);
        return;
    }
    let other_liberties = |chain: &Chain| chain.liberties - PointSet::single(mv);
    let friendly_chain = board
        .chains_of_adjacent_stones(mv)
        .filter(|chain| chain.color == owner && chain.liberties.len() > 1)
        .max_by_key(|chain| {
            (
                other_liberties(chain).intersects(zone),
                chain.stones.is_subset(zone),
            )
        });
    if let Some(friend) = friendly_chain {
        *zone |= friend.stones;
        ensure_liberties(zone, other_liberties(friend), 1);
    }
}

/// Adds points of `liberties` until the zone contains at least `count` of them, or all of them.
fn ensure_liberties(zone: &mut PointSet, liberties: PointSet, count: usize) {
    let missing = count.saturating_sub((liberties & *zone).len());
    zone.extend((liberties - *zone).iter().take(missing));
}

/// Extends `zone` so that a move outside the zone cannot capture any chain of `owner` that has stones inside the zone.
pub(super) fn protect_owner_chains(board: &Board, owner: Color, zone: &mut PointSet) {
    for chain in board.chains() {
        if chain.color == owner && chain.stones.intersects(zone) {
            *zone |= chain.stones;
            ensure_liberties(zone, chain.liberties, 2);
        }
    }
}

/// Returns the points that an opponent's move at `mv` adds to the zone: together with the zone after the move, they
/// form the zone before the move. `captured` contains the stones that the move captured.
pub(super) fn added_by_opponent_move(board: &Board, mv: Point, captured: &PointSet) -> PointSet {
    if captured.is_empty() {
        return PointSet::EMPTY;
    }
    (*captured | PointSet::single(mv)).grown(board.all_points())
}

/// Adds to `zone` the points that make a move of `color` at `mv` suicide.
pub(super) fn add_suicide_reasons(board: &Board, color: Color, mv: Point, zone: &mut PointSet) {
    let mut stones = PointSet::single(mv);
    for chain in board.chains_of_adjacent_stones(mv) {
        if chain.color == color {
            stones |= chain.stones;
        }
    }
    *zone |= stones.grown(board.all_points());
}

/// Adds to `zone` the points that make it illegal to retake at `ko`: all points up to two steps away, which include the
/// capturing stone and its neighbours.
pub(super) fn add_ko_reasons(board: &Board, ko: Point, zone: &mut PointSet) {
    let area = board.all_points();
    *zone |= PointSet::single(ko).grown(area).grown(area);
}

#[cfg(test)]
mod tests;
