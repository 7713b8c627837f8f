//! The attacker's walls that a proof must not take for granted.

use super::super::set::Set;
use super::{Region, Surroundings, WALL_LIBERTIES};
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;

/// Number of outer liberties, in addition to the required ones, with which a wall withstands any attack from outside.
const SPARE_LIBERTIES: u32 = 2;
/// Maximum number of liberties of a wall that the defender attacks from the distant area.
const ATTACKED_LIBERTIES: u32 = 3;

impl Region {
    /// Returns the walls around the group, which a static test finds dead, that may still be captured. Walls that are
    /// connected to secure stones outside or have many outer liberties are omitted.
    pub fn doubtful_walls(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        let geometry = &self.geometry;
        let safe = self.safe_attackers(stones, defender_to_move);
        let safe = geometry.pass_alive_stones(&stones.swapped(), safe);
        let group = self.target & stones.own;
        let enclosed = geometry.flood(group & !safe, geometry.all_points() & !safe);
        let secure =
            self.surroundings.secure & self.stones.opponent | self.surroundings.secure_links;
        let secure = geometry.pass_alive_stones(&stones.swapped(), secure & stones.opponent);
        let empty = geometry.empty_points(stones);
        let open = self.open_liberties(empty);
        let needed = WALL_LIBERTIES + u32::from(defender_to_move);
        let mut pending = geometry.neighbours(enclosed) & safe;
        let (mut doubtful, mut visited) = (Set::EMPTY, Set::EMPTY);
        while !pending.is_empty() {
            let wall = geometry.flood(Set::single(pending.lowest_index()), stones.opponent);
            visited |= wall;
            pending &= !wall;
            let liberties = geometry.neighbours(wall) & empty;
            let outer_liberties = (liberties & open).count() + self.outside_liberties(wall).count();
            if wall.intersects(secure) || outer_liberties >= needed + SPARE_LIBERTIES {
                continue;
            }
            doubtful |= wall;
            if outer_liberties < needed {
                // The wall is only safe because it can be connected to others.
                pending |= geometry.neighbours(liberties) & safe & !visited;
            }
        }
        doubtful
    }

    /// Returns the liberties that several of the chains share.
    pub fn shared_liberties(&self, stones: &Stones<Set>, chains: Set) -> Set {
        let geometry = &self.geometry;
        let empty = geometry.empty_points(stones);
        let (mut liberties, mut shared) = (Set::EMPTY, Set::EMPTY);
        for chain in geometry.components(chains) {
            let of_chain = geometry.neighbours(chain) & empty;
            shared |= liberties & of_chain;
            liberties |= of_chain;
        }
        shared
    }

    /// Returns the points of the distant area where the defender captures attacker chains without liberties outside the
    /// region.
    pub fn distant_captures(&self, stones: &Stones<Set>) -> Set {
        let geometry = &self.geometry;
        let distant = geometry.empty_points(stones) & !self.playable[1];
        let touching = geometry.neighbours(distant) & stones.opponent;
        let Surroundings {
            open_border,
            secure,
            secure_links,
            ..
        } = self.surroundings;
        let has_outside_liberty = open_border | secure | secure_links;
        (geometry.components(geometry.flood(touching, stones.opponent)))
            .filter(|chain| !chain.intersects(has_outside_liberty))
            .map(|chain| geometry.neighbours(chain) & geometry.empty_points(stones))
            .filter(|liberties| liberties.count() == 1)
            .fold(Set::EMPTY, |all, liberty| all | liberty)
            & distant
    }

    /// Returns the attacker chains that touch `area`, are not in atari, and can be attacked from the distant area.
    pub fn attackable_walls(&self, stones: &Stones<Set>, area: Set) -> Set {
        let geometry = &self.geometry;
        let empty = geometry.empty_points(stones);
        let touching = geometry.neighbours(area) & stones.opponent;
        let is_attackable = |chain: &Set| {
            let liberties = geometry.neighbours(*chain) & empty;
            let outside_liberties = *chain & self.surroundings.open_border;
            liberties.intersects(!self.playable[1])
                && (2..=ATTACKED_LIBERTIES)
                    .contains(&(liberties.count() + outside_liberties.count()))
        };
        (geometry.components(geometry.flood(touching, stones.opponent)))
            .filter(is_attackable)
            .fold(Set::EMPTY, |all, chain| all | chain)
    }
}
