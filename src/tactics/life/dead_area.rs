//! Static test for areas in which the defender cannot live.
//!
//! An eye never touches a safe attacker stone. *Inner* points are the points that touch no such stone. If the inner
//! points do not allow two eyes, the attacker can fill the other points next to the safe stones, which is legal and
//! never dangerous, and then capture the group. Inner points that are occupied by defender stones only become eyes
//! after these stones are captured. The attacker captures the chains one by one in any order. The capture of the last
//! chain ends the problem, so the points under one chain of the attacker's choice need not be considered.

use super::set::Set;
use super::small_eye_space::{self, SmallEyeSpace};
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{BoardGeometry, Stones};

/// Returns the points where the defender cannot live, including the safe attacker stones. In `stones`, `own` holds the
/// defender's stones. `escape_area` contains the points through which the group can escape (see
/// [`region`](super::region)). `living_defenders` contains the living defender stones outside the group.
pub(super) fn dead_area(
    geometry: &BoardGeometry<Set>,
    stones: &Stones<Set>,
    safe_attackers: Set,
    [escape_area, living_defenders]: [Set; 2],
) -> Set {
    geometry.stones_and_matching_regions(safe_attackers, |region, inner_points| {
        let is_enclosed = || region.intersects(stones.own) && !region.intersects(escape_area);
        !region.intersects(living_defenders)
            && (geometry.fits_at_most_one_eye(inner_points)
                || is_enclosed() && is_dead_region(geometry, stones, region, inner_points))
    })
}

/// Returns true if the group dies in a closed region with the given inner points.
fn is_dead_region(
    geometry: &BoardGeometry<Set>,
    stones: &Stones<Set>,
    region: Set,
    inner: Set,
) -> bool {
    let own = stones.own;
    if (inner & !own).count() as usize > small_eye_space::MAX_POINTS {
        return false;
    }
    let inner = without_false_eyes(geometry, own, region, inner);
    geometry.fits_at_most_one_eye(inner)
        || { last_capture_candidates(geometry, own, inner) }
            .any(|captured| geometry.fits_at_most_one_eye(inner & !captured))
        || is_dead_eye_space(geometry, stones, inner)
}

/// Returns candidates for the stones that are captured last: each single chain, and the set of all chains that touch
/// every empty inner point.
fn last_capture_candidates(
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

/// Returns the inner points without the empty ones that can only become false eyes. Each of these is the only
/// connection to a part of the region without other inner points. The attacker fills that part and captures there. This
/// may start a ko that the defender can win any number of times but never resolve, so the ko does not save the group.
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

/// Returns true if the empty inner points form a single small space enclosed by one chain, and the owner cannot make
/// two eyes in this space. Returns false if there are inner points outside the space and the chain.
fn is_dead_eye_space(geometry: &BoardGeometry<Set>, stones: &Stones<Set>, inner: Set) -> bool {
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
