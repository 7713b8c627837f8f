//! Ground on which the side that would live cannot live any more, seen without search.
//!
//! An eye has no point beside a stone that cannot be taken; the points that are left are *inner* ones. Where they make
//! no two eyes, the attacker fills what is beside its stones (always legal, never in danger) and then takes the group.
//! Inner points with stones of the group are none while those stand. The chains are taken one by one, in an order that
//! the attacker chooses, and with the last of them the group is gone: so what is under one chain may be left out.

use super::nakade::{self, SmallEyeSpace};
use super::set::Set;
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{BoardGeometry, Stones};

/// The points where the side that would live, `own`, cannot live any more, given the attacker's stones that cannot be
/// taken, which are among them, the open points, and the stones of its side that live, to which the group may join.
pub(super) fn dead_area(
    geometry: &BoardGeometry<Set>,
    stones: &Stones<Set>,
    safe_attackers: Set,
    [escape_area, friends]: [Set; 2],
) -> Set {
    geometry.with_matching_regions(safe_attackers, |region, inner_points| {
        let is_enclosed = || region.intersects(stones.own) && !region.intersects(escape_area);
        !region.intersects(friends)
            && (geometry.fits_at_most_one_eye(inner_points)
                || is_enclosed() && is_dead(geometry, stones, region, inner_points))
    })
}

/// Whether the group dies in a region from which there is no way out, with these inner points.
fn is_dead(geometry: &BoardGeometry<Set>, stones: &Stones<Set>, region: Set, inner: Set) -> bool {
    let own = stones.own;
    if (inner & !own).count() as usize > nakade::MAX_POINTS {
        return false;
    }
    let inner = without_false_eyes(geometry, own, region, inner);
    geometry.fits_at_most_one_eye(inner)
        || { captured_with_last_chain(geometry, own, inner) }
            .any(|captured| geometry.fits_at_most_one_eye(inner & !captured))
        || is_dead_space(geometry, stones, inner)
}

/// Stones that the attacker can take together with the last of the group: any one chain, and all those that border all
/// the inner points on which no stone is.
fn captured_with_last_chain(
    geometry: &BoardGeometry<Set>,
    own: Set,
    inner: Set,
) -> impl Iterator<Item = Set> {
    let chains = || geometry.components(geometry.flood(inner & own, own));
    let empty = inner & !own;
    let surrounding = chains()
        .filter(move |&chain| !empty.is_empty() && empty.is_subset(geometry.neighbours(chain)));
    chains().chain(std::iter::once(
        surrounding.fold(Set::EMPTY, |all, chain| all | chain),
    ))
}

/// Without the points that only make false eyes: those that join to the rest a part of the region where there is no
/// other inner point. The attacker fills that part and takes what stands there. That may begin a ko, but one that the
/// group's side could win for ever and never end; it does not live by it.
fn without_false_eyes(geometry: &BoardGeometry<Set>, own: Set, region: Set, mut inner: Set) -> Set {
    loop {
        let is_false_eye = |&index: &u32| {
            let point = Set::single(index);
            let remaining = region & !point;
            let neighbours = geometry.neighbours(point) & remaining;
            let components = geometry.components(geometry.flood(neighbours, remaining));
            { components }.any(|component| !component.intersects(inner))
        };
        match (inner & !own).indices().find(is_false_eye) {
            Some(index) => inner &= !Set::single(index),
            None => return inner,
        }
    }
}

/// Whether the inner points that no stone of the group is on make up one small space inside one chain, where its owner
/// makes no two eyes, and no others count.
fn is_dead_space(geometry: &BoardGeometry<Set>, stones: &Stones<Set>, inner: Set) -> bool {
    let own = stones.own;
    let space = inner & !own;
    let surroundings = geometry.neighbours(space) & !space;
    if space.is_empty() || !surroundings.is_subset(own) {
        return false;
    }
    let chain = geometry.flood(Set::single(surroundings.lowest_index()), own);
    surroundings.is_subset(chain)
        && (inner & !chain) == space
        && geometry.flood(Set::single(space.lowest_index()), space) == space
        && SmallEyeSpace::new(geometry, space, stones.opponent & space)
            .is_some_and(|mut space| space.is_dead())
}
