//! Ground on which the side that would live cannot live any more, seen without search.
//!
//! An eye has no point beside a stone that cannot be taken; the points that are left are *inner* ones. Where they make
//! no two eyes, the attacker fills what is beside its stones (always legal, never in danger) and then takes the group.
//! Inner points with stones of the group are none while those stand. The chains are taken one by one, in an order that
//! the attacker chooses, and with the last of them the group is gone: so what is under one chain may be left out.

use super::locale::Set;
use super::nakade::{self, Space};
use crate::tactics::patch::word::Word;
use crate::tactics::patch::{Patch, Stones};

/// The points where the side that would live, `own`, cannot live any more, given the attacker's stones that cannot be
/// taken, which are among them, the open points, and the stones of its side that live, to which the group may join.
pub(super) fn lost(
    patch: &Patch<Set>,
    stones: &Stones<Set>,
    standing: Set,
    [open, friends]: [Set; 2],
) -> Set {
    patch.with_regions(standing, |region, inner| {
        let is_shut_in = || region.meets(stones.own) && !region.meets(open);
        !region.meets(friends)
            && (patch.makes_one_eye(inner) || is_shut_in() && is_lost(patch, stones, region, inner))
    })
}

/// Whether the group dies in a region from which there is no way out, with these inner points.
fn is_lost(patch: &Patch<Set>, stones: &Stones<Set>, region: Set, inner: Set) -> bool {
    let own = stones.own;
    if (inner & !own).count() as usize > nakade::MOST {
        return false;
    }
    let inner = without_false(patch, own, region, inner);
    patch.makes_one_eye(inner)
        || { taken_last(patch, own, inner) }.any(|last| patch.makes_one_eye(inner & !last))
        || is_dead_space(patch, stones, inner)
}

/// Stones that the attacker can take together with the last of the group: any one chain, and all those that border all
/// the inner points on which no stone is.
fn taken_last(patch: &Patch<Set>, own: Set, inner: Set) -> impl Iterator<Item = Set> {
    let chains = || patch.parts(patch.flood(inner & own, own));
    let free = inner & !own;
    let together =
        chains().filter(move |&chain| !free.is_empty() && free.within(patch.beside(chain)));
    chains().chain(std::iter::once(
        together.fold(Set::EMPTY, |all, chain| all | chain),
    ))
}

/// Without the points that only make false eyes: those that join to the rest a part of the region where there is no
/// other inner point. The attacker fills that part and takes what stands there. That may begin a ko, but one that the
/// group's side could win for ever and never end; it does not live by it.
fn without_false(patch: &Patch<Set>, own: Set, region: Set, mut inner: Set) -> Set {
    loop {
        let is_false = |&number: &u32| {
            let point = Set::point(number);
            let rest = region & !point;
            let beside = patch.beside(point) & rest;
            let parts = patch.parts(patch.flood(beside, rest));
            { parts }.any(|part| !part.meets(inner))
        };
        match (inner & !own).points().find(is_false) {
            Some(number) => inner &= !Set::point(number),
            None => return inner,
        }
    }
}

/// Whether the inner points that no stone of the group is on make up one small space inside one chain, where its owner
/// makes no two eyes, and no others count.
fn is_dead_space(patch: &Patch<Set>, stones: &Stones<Set>, inner: Set) -> bool {
    let own = stones.own;
    let space = inner & !own;
    let around = patch.beside(space) & !space;
    if space.is_empty() || !around.within(own) {
        return false;
    }
    let chain = patch.flood(Set::point(around.lowest()), own);
    around.within(chain)
        && (inner & !chain) == space
        && patch.flood(Set::point(space.lowest()), space) == space
        && Space::new(patch, space, stones.other & space).is_some_and(|mut space| space.is_dead())
}
