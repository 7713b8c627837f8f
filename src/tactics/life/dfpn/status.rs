//! Status of positions, with the attacks on the attacker's walls.
//!
//! A proof that the group dies relies on the walls that enclose it in the end. They have outer liberties, but the
//! defender may still capture them, and may even attack them from the distant area, where it does not play otherwise.
//! Capture reading on the whole board decides which walls are in danger. The search then includes the moves that
//! capture them and the moves that save them.

use super::super::node::{Child, LifeNode, StaticLifeStatus};
use super::super::proof_goal::{Assumptions, KoImmunity};
use super::super::set::Set;
use super::super::wall_reader::Captures;
use super::ProofSearch;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;
use crate::tactics::reading::ReadingSide;

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
            Ok(StaticLifeStatus::Dead) => self.verify_death(node),
            Err(playable) => Err(playable | self.wall_moves(node, playable)),
        }
    }

    /// Returns the points where the defender captures walls that touch the `playable` points, or attacks walls that it
    /// can capture. If the attacker is to move, returns the points where it may save them.
    fn wall_moves(&self, node: &LifeNode, playable: Set) -> Set {
        let (region, stones) = (self.region, &node.stones);
        let captures = region.distant_captures(stones);
        let walls = region.attackable_walls(stones, playable);
        if walls.is_empty() {
            return captures;
        }
        let threats = self.captures(stones, walls, ReadingSide::Maker);
        let captures = match node.defender_to_move {
            true => captures | region.shared_liberties(stones, walls),
            false => captures,
        };
        if threats.walls.is_empty() {
            return captures;
        }
        let moves = match node.defender_to_move {
            true => threats.moves,
            false => {
                let after_defence = self.captures(stones, threats.walls, ReadingSide::Breaker);
                after_defence.moves
            }
        };
        captures | moves | self.liberties(stones, threats.walls)
    }

    /// Verifies that a group that is dead according to a static test is dead. Otherwise returns the points where the side
    /// to move may play, as `Err`.
    ///
    /// If a wall would be captured after a pass of the attacker, the attacker must be able to save it such that the
    /// group is still dead.
    fn verify_death(&self, node: &LifeNode) -> Result<StaticLifeStatus, Set> {
        const DEAD: Result<StaticLifeStatus, Set> = Ok(StaticLifeStatus::Dead);
        let (region, stones) = (self.region, &node.stones);
        let target = region.target & stones.own;
        let walls = region.doubtful_walls(stones, node.defender_to_move);
        if target.is_empty() || walls.is_empty() {
            return DEAD;
        }
        let threats = self.captures(stones, walls, ReadingSide::Maker);
        let double_threats = match node.defender_to_move {
            true => self.double_threats(node, walls),
            false => Set::EMPTY,
        };
        if threats.walls.is_empty() && double_threats.is_empty() {
            return DEAD;
        }
        let doubtful = if double_threats.is_empty() {
            threats.walls
        } else {
            walls
        };
        let safe = region.safe_attackers(stones, node.defender_to_move) & !doubtful;
        let dead_area = region.dead_area_between(stones, safe);
        if target.is_subset(dead_area) {
            return DEAD;
        }
        let mut points = double_threats | threats.moves | self.liberties(stones, threats.walls);
        if !node.defender_to_move {
            let after_defence = self.captures(stones, threats.walls, ReadingSide::Breaker);
            points |= after_defence.moves;
            let children = || node.children(region, points, false);
            if after_defence.walls.is_empty()
                && (children().iter()).any(|child| self.status(&child.node) == DEAD)
            {
                return DEAD;
            }
        }
        let remaining = region.geometry.all_points() & !dead_area;
        let playable = region.geometry.flood(target & remaining, remaining)
            & region.playable_by(node.defender_to_move);
        Err(playable | points)
    }

    /// Returns the points where the defender attacks several of the `walls` and the attacker cannot save all of them.
    fn double_threats(&self, node: &LifeNode, walls: Set) -> Set {
        let (region, stones) = (self.region, &node.stones);
        let shared = region.shared_liberties(stones, walls);
        let is_threat = |child: &&Child| self.status(&child.node) != Ok(StaticLifeStatus::Dead);
        (node.children(region, shared, false).iter().filter(is_threat))
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
