//! Status of positions, with the attacks on the attacker's walls.
//!
//! A proof that the group dies relies on the walls that enclose it in the end. They have outer liberties, but the
//! defender may still capture them, and may even attack them from the distant area, where it does not play otherwise.
//! Capture reading on the whole board decides which walls are in danger. The search then includes the moves that
//! capture them and the moves that save them.

use super::super::node::{LifeNode, StaticLifeStatus};
use super::super::proof_goal::{Assumptions, KoImmunity};
use super::super::set::Set;
use super::super::wall_reader::Captures;
use super::ProofSearch;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;
use crate::tactics::reading::ReadingSide;

/// Maximum number of moves after the position of the search up to which attacks on several walls are considered.
const MAX_DOUBLE_THREAT_DEPTH: u32 = 1;

impl ProofSearch<'_> {
    /// Returns the status if the position is decided. Otherwise returns the points where the side to move may play, as
    /// `Err`.
    ///
    /// Differs from [`LifeNode::static_life_status`] in proofs that the group dies: it is only dead if the walls around
    /// it cannot be captured, and both sides may also play at distant points in a fight for a wall.
    pub fn status(&self, node: &LifeNode) -> Result<StaticLifeStatus, Set> {
        let status = node.static_life_status(self.region);
        let has_outside = !self.region.geometry.outside_boundary().is_empty();
        if self.goal.lives || self.goal.assumptions != Assumptions::Unfavourable || !has_outside {
            return status;
        }
        match status {
            Ok(StaticLifeStatus::Alive) => status,
            Ok(StaticLifeStatus::Dead) => self.verify_death(node, 0),
            Err(playable) => Err(playable | self.wall_moves(node, playable)),
        }
    }

    /// Returns the points where the defender captures walls, or attacks walls that touch the `playable` points and that
    /// it can capture. If the attacker is to move, returns the points where it may save them.
    fn wall_moves(&self, node: &LifeNode, playable: Set) -> Set {
        let (region, stones) = (self.region, &node.stones);
        let captures = region.distant_captures(stones);
        let walls = region.attackable_walls(stones, playable);
        if walls.is_empty() {
            return captures;
        }
        let threats = self.captures(stones, walls, ReadingSide::Maker);
        let attacks = match node.defender_to_move {
            true => threats.moves | region.shared_liberties(stones, walls),
            false => {
                let rescues = self.captures(stones, threats.walls, ReadingSide::Breaker);
                rescues.moves
            }
        };
        captures | attacks | self.liberties(stones, threats.walls)
    }

    /// Verifies that a group that is dead according to a static test is dead. Otherwise returns the points where the side
    /// to move may play, as `Err`. `depth` is the number of moves after the position of the search.
    ///
    /// If walls would be captured after a pass of the attacker, the attacker must be able to save them with a move after
    /// which the group is still dead. If the defender attacks several walls with one move, this applies after the move.
    fn verify_death(&self, node: &LifeNode, depth: u32) -> Result<StaticLifeStatus, Set> {
        let (region, stones) = (self.region, &node.stones);
        let walls = region.doubtful_walls(stones, node.defender_to_move);
        let mut threats = self.captures(stones, walls, ReadingSide::Maker);
        let mut points = threats.moves | self.liberties(stones, threats.walls);
        if node.defender_to_move && depth <= MAX_DOUBLE_THREAT_DEPTH {
            let attacks = region.shared_liberties(stones, walls);
            let attacks = self.children_at(node, attacks, |child| !self.is_dead(child, depth + 1));
            if !attacks.is_empty() {
                threats.walls = walls;
                points |= attacks;
            }
        }
        if threats.walls.is_empty() {
            return Ok(StaticLifeStatus::Dead);
        }
        let target = region.target & stones.own;
        let safe = region.safe_attackers(stones, node.defender_to_move) & !threats.walls;
        let dead_area = region.dead_area_between(stones, safe);
        if target.is_subset(dead_area) {
            return Ok(StaticLifeStatus::Dead);
        }
        if !node.defender_to_move {
            let rescues = self.captures(stones, threats.walls, ReadingSide::Breaker);
            points |= rescues.moves;
            let saves_walls = |child: &LifeNode| self.is_dead(child, depth + 1);
            if rescues.walls.is_empty() && !self.children_at(node, points, saves_walls).is_empty() {
                return Ok(StaticLifeStatus::Dead);
            }
        }
        let remaining = region.geometry.all_points() & !dead_area;
        let playable = region.geometry.flood(target & remaining, remaining)
            & region.playable_by(node.defender_to_move);
        Err(playable | points)
    }

    /// Returns true if the group is dead, and the walls around it are safe.
    fn is_dead(&self, node: &LifeNode, depth: u32) -> bool {
        node.static_life_status(self.region) == Ok(StaticLifeStatus::Dead)
            && self.verify_death(node, depth).is_ok()
    }

    /// Returns those of the points where a move leads to a position with the given property.
    fn children_at(
        &self,
        node: &LifeNode,
        points: Set,
        has_property: impl Fn(&LifeNode) -> bool,
    ) -> Set {
        let children = node.children(self.region, points, false);
        (children.iter().filter(|child| has_property(&child.node)))
            .filter_map(|child| child.point)
            .fold(Set::EMPTY, |all, point| all | Set::single(point))
    }

    /// Determines by reading which of the `walls` the defender captures if `first` moves first.
    fn captures(&self, stones: &Stones<Set>, walls: Set, first: ReadingSide) -> Captures {
        let attacker_wins_kos = self.goal.ko_immunity == KoImmunity::Prover;
        let mut reader = (self.wall_reader.lock()).expect("no search panics while it reads");
        reader.captures(self.region, stones, walls, first, attacker_wins_kos)
    }

    fn liberties(&self, stones: &Stones<Set>, chains: Set) -> Set {
        let geometry = &self.region.geometry;
        geometry.neighbours(chains) & geometry.empty_points(stones)
    }
}
