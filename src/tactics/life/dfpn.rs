//! Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications",
//! 2002).
//!
//! The prover tries to reach its goal against all replies. A repetition counts as a failure of the prover. Ko immunity
//! determines the side that wins the kos: this side may retake immediately, the other side may not. A proof therefore
//! depends on no repetition and is stored as valid for all move histories. A disproof may depend on a repetition, and
//! only means that no proof was found.
//!
//! Several threads can search for the same proof with a shared table. Each thread marks the positions that it is
//! searching, and the other threads prefer unmarked ones (after Kaneko, "Parallel depth first proof number search",
//! AAAI 2010).

mod simulation;
mod status;

use super::eye_distance::{MAX_DISTANCE, TwoEyeDistances};
use super::guiding_searches::GuidingSearches;
use super::node::{Child, LifeNode, StaticLifeStatus};
use super::proof_goal::{Assumptions, KoImmunity, ProofGoal};
use super::proof_numbers::{ChildSummary, INFINITY, ProofNumbers};
use super::region::Region;
use super::set::Set;
use super::wall_reader::WallReader;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::TranspositionTable;
use std::sync::Mutex;
use std::time::Instant;

/// The search leaves a child when the child's number exceeds the second-best number by a fraction of 1 /
/// `EPSILON_DIVISOR` (the 1 + epsilon method of Pawlewicz and Lew, "Improving depth-first PN-search", 2006).
const EPSILON_DIVISOR: u32 = 4;
/// Maximum depth of a line, in moves.
const MAX_DEPTH: usize = 100;
/// Maximum distance of the prover's moves from the defender's stones, unless distant moves are allowed.
const PROVER_MOVE_DISTANCE: u32 = 2;
/// Number of positions between two checks of the clock.
const CLOCK_CHECK_INTERVAL: u64 = 256;
/// Minimum number of visited positions for coordination between several threads. The search of a position marks it as
/// in progress if earlier searches visited this many positions below it. As soon as the search itself has visited this
/// many positions, it refreshes the numbers of all children after each child search.
const MIN_COORDINATED_NODES: u64 = 64;

/// Limits of a proof search.
#[derive(Clone, Copy)]
pub(super) struct ProofLimits<'a> {
    pub nodes: u64,
    pub deadline: Option<Instant>,
    /// Returns true if another thread has finished the proof.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// True if other threads search for the same proof with the same table.
    pub is_parallel: bool,
}

/// Depth-first proof-number search for a single proof.
pub(super) struct ProofSearch<'a> {
    region: &'a Region,
    table: &'a TranspositionTable<ProofNumbers>,
    goal: ProofGoal,
    limits: ProofLimits<'a>,
    guiding_searches: GuidingSearches,
    wall_reader: &'a Mutex<WallReader>,
    path: Vec<LifeNode>,
    nodes: u64,
    stopped: bool,
}

impl<'a> ProofSearch<'a> {
    /// Creates a search. `guidance` specifies the earlier searches in the same table that guide it. `wall_reader` should
    /// not be used by other threads at the same time.
    pub fn new(
        region: &'a Region,
        table: &'a TranspositionTable<ProofNumbers>,
        goal: ProofGoal,
        limits: ProofLimits<'a>,
        guidance: GuidingSearches,
        wall_reader: &'a Mutex<WallReader>,
    ) -> Self {
        Self {
            region,
            table,
            goal,
            limits,
            guiding_searches: guidance,
            wall_reader,
            path: Vec::new(),
            nodes: 0,
            stopped: false,
        }
    }

    /// Returns the number of positions visited.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches for a proof. Returns true if the goal is proved, false if it is disproved, and `None` if a limit is
    /// reached first.
    pub fn prove(&mut self, root: &LifeNode) -> Option<bool> {
        let numbers = self.search(root, ProofNumbers::new(1, 1), [INFINITY; 2]);
        numbers.is_decided().then_some(numbers.proof == 0)
    }

    /// Returns the proof numbers stored for a position, if any.
    pub fn lookup(&self, node: &LifeNode) -> Option<ProofNumbers> {
        self.table.get(self.key(node))
    }

    /// Returns the moves of the side to move and the positions after them. The result is empty if the position is
    /// decided.
    pub fn children(&self, node: &LifeNode) -> Vec<Child> {
        self.status(node).map_or_else(
            |playable| self.children_within(node, playable),
            |_| Vec::new(),
        )
    }

    fn children_within(&self, node: &LifeNode, playable: Set) -> Vec<Child> {
        let prover_to_move = node.defender_to_move == self.goal.lives;
        let is_ko_bound = match self.goal.ko_immunity {
            KoImmunity::Opponent => prover_to_move,
            KoImmunity::Neither => true,
            KoImmunity::Prover => !prover_to_move,
        };
        // A pass of the attacker gives up the attack and is omitted, except in two cases: the group must show two eyes,
        // or the attacker waits to retake a ko later. The prover does not wait when only its opponent has ko immunity,
        // since it then loses every ko.
        let may_wait_for_ko =
            is_ko_bound && self.goal.ko_immunity != KoImmunity::Opponent && !node.ko.is_empty();
        // In the narrow region, a pass represents a move far from the group.
        let may_pass = node.defender_to_move
            || !self.goal.seki_lives
            || may_wait_for_ko
            || self.goal.assumptions == Assumptions::Narrow;
        let geometry = &self.region.geometry;
        let playable = if prover_to_move && !self.goal.allow_distant_moves {
            playable
                & geometry.flood_within_steps(
                    node.stones.own,
                    geometry.all_points(),
                    PROVER_MOVE_DISTANCE,
                )
        } else {
            playable
        };
        let mut children = node.children(self.region, playable, may_pass);
        if is_ko_bound && !node.ko.is_empty() {
            children.retain(|child| child.point.map(Word::single) != Some(node.ko));
        }
        children
    }

    fn key(&self, node: &LifeNode) -> u64 {
        node.key() ^ self.goal.salt()
    }

    fn count_node(&mut self) {
        self.nodes += 1;
        let ProofLimits {
            nodes,
            deadline,
            is_cancelled,
            ..
        } = self.limits;
        let is_out_of_time = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.stopped |= self.nodes >= nodes
            || self.nodes.is_multiple_of(CLOCK_CHECK_INTERVAL)
                && (is_cancelled() || is_out_of_time());
    }

    /// Searches a position until it is decided, one of its numbers reaches the corresponding threshold, or a limit is
    /// reached. Returns its new numbers. `previous` contains the numbers stored for the position. `thresholds` contains
    /// the thresholds of the proof number and the disproof number.
    fn search(
        &mut self,
        node: &LifeNode,
        previous: ProofNumbers,
        thresholds: [u32; 2],
    ) -> ProofNumbers {
        self.count_node();
        if self.path.len() >= MAX_DEPTH {
            // This path proves nothing, but a shorter path to the position may. Therefore, the result is not stored.
            return ProofNumbers::decided(false);
        }
        let started = self.nodes;
        let playable = match self.status(node) {
            Ok(status) => {
                let proved = (status == StaticLifeStatus::Alive) == self.goal.lives;
                return self.store(node, ProofNumbers::decided(proved));
            }
            Err(playable) => playable,
        };
        if self.limits.is_parallel && previous.log_nodes >= MIN_COORDINATED_NODES.ilog2() {
            if let Some(decided) = self.decided_numbers(node) {
                return decided;
            }
            let in_progress = true;
            self.table.store(
                self.key(node),
                ProofNumbers {
                    in_progress,
                    ..previous
                },
            );
        }
        self.path.push(*node);
        let children = self.children_within(node, playable);
        let mut child_numbers = self.numbers_of_children(node, &children);
        let numbers = self.search_children(node, &children, &mut child_numbers, thresholds);
        self.path.pop();
        let log_nodes = (self.nodes - started)
            .max(1)
            .ilog2()
            .max(previous.log_nodes);
        self.store(
            node,
            ProofNumbers {
                log_nodes,
                ..numbers
            },
        )
    }

    /// Searches the children of `node`, the last position on the path, best first. Returns the new numbers of `node`.
    fn search_children(
        &mut self,
        node: &LifeNode,
        children: &[Child],
        child_numbers: &mut [ProofNumbers],
        [proof_threshold, disproof_threshold]: [u32; 2],
    ) -> ProofNumbers {
        let prover_to_move = node.defender_to_move == self.goal.lives;
        let threshold = if prover_to_move {
            proof_threshold
        } else {
            disproof_threshold
        };
        let started = self.nodes;
        loop {
            let ChildSummary {
                numbers,
                best_child,
                second_best_phi,
            } = ChildSummary::new(child_numbers, prover_to_move, threshold);
            let is_over =
                numbers.proof >= proof_threshold || numbers.disproof >= disproof_threshold;
            let Some(best_child) = best_child.filter(|_| !is_over && !self.stopped) else {
                return numbers;
            };
            let switch_threshold = second_best_phi
                .saturating_add(second_best_phi / EPSILON_DIVISOR)
                .saturating_add(1);
            let child_threshold = |threshold: u32, sum: u32, child_sum: u32| {
                threshold.saturating_sub(sum).saturating_add(child_sum)
            };
            let child = child_numbers[best_child];
            let thresholds = if prover_to_move {
                let sum_threshold =
                    child_threshold(disproof_threshold, numbers.disproof, child.disproof);
                [
                    proof_threshold.min(switch_threshold),
                    sum_threshold.min(INFINITY),
                ]
            } else {
                let sum_threshold = child_threshold(proof_threshold, numbers.proof, child.proof);
                [
                    sum_threshold.min(INFINITY),
                    disproof_threshold.min(switch_threshold),
                ]
            };
            child_numbers[best_child] = self.search(&children[best_child].node, child, thresholds);
            if !prover_to_move && child_numbers[best_child].proof == 0 {
                self.simulate_siblings(children, child_numbers, best_child);
            }
            if self.limits.is_parallel && self.nodes - started >= MIN_COORDINATED_NODES {
                self.refresh_children(children, child_numbers);
            }
        }
    }

    /// Returns the numbers of all children.
    fn numbers_of_children(&self, node: &LifeNode, children: &[Child]) -> Vec<ProofNumbers> {
        let keys: Vec<u64> = children.iter().map(|child| self.key(&child.node)).collect();
        let mut entries: Vec<_> = self.table.get_many(&keys).collect();
        // In most visits to a position, all children have been visited before and need no estimates.
        let has_unvisited = |entries: &[Option<ProofNumbers>]| entries.iter().any(Option::is_none);
        if has_unvisited(&entries) {
            self.guiding_searches
                .fill_missing_numbers(self.table, node, children, &mut entries);
        }
        let eye_distances = has_unvisited(&entries)
            .then(|| TwoEyeDistances::new(self.region, &node.stones, node.defender_to_move));
        (children.iter().zip(entries))
            .map(|(child, known)| self.numbers_of_child(child, known, eye_distances.as_ref()))
            .collect()
    }

    /// Updates the numbers of the children from the table, where other threads may have stored results.
    fn refresh_children(&self, children: &[Child], numbers: &mut [ProofNumbers]) {
        for (child, numbers) in children.iter().zip(numbers) {
            if let Some(known) = self.lookup(&child.node) {
                *numbers = self.numbers_of_child(child, Some(known), None);
            }
        }
    }

    /// Returns the stored numbers of a position, if they show that it is decided.
    fn decided_numbers(&self, node: &LifeNode) -> Option<ProofNumbers> {
        self.lookup(node).filter(ProofNumbers::is_decided)
    }

    /// Stores the numbers of a position, unless another thread has already decided it. Returns the numbers that are now
    /// valid.
    fn store(&self, node: &LifeNode, numbers: ProofNumbers) -> ProofNumbers {
        if self.limits.is_parallel
            && !numbers.is_decided()
            && let Some(decided) = self.decided_numbers(node)
        {
            return decided;
        }
        self.table.store(self.key(node), numbers);
        numbers
    }

    /// Returns the numbers of a child of the last position on the path if a group that must show two eyes has failed
    /// because both sides passed.
    fn decided_after_passes(&self, child: &LifeNode) -> Option<ProofNumbers> {
        let parent_passed = self.path.last().is_some_and(|parent| parent.last_was_pass);
        let is_over = child.last_was_pass && parent_passed && !self.goal.seki_lives;
        is_over.then(|| ProofNumbers::decided(!self.goal.lives))
    }

    /// Returns the numbers of a child. If the child has not been visited (`entry` is `None`), the numbers are estimates
    /// based on the distance of the group from two eyes.
    fn numbers_of_child(
        &self,
        child: &Child,
        entry: Option<ProofNumbers>,
        eye_distances: Option<&TwoEyeDistances>,
    ) -> ProofNumbers {
        if let Some(decided) = self.decided_after_passes(&child.node) {
            return decided;
        }
        // The side to move alternates along the path, so only every other position can be equal.
        if (self.path.iter().rev().skip(1).step_by(2)).any(|ancestor| *ancestor == child.node) {
            return ProofNumbers::decided(false);
        }
        entry.unwrap_or_else(|| {
            let distance = eye_distances.map_or(MAX_DISTANCE, |eyes| eyes.distance(child.point));
            let difficulty = |distance: u32| 1 + distance * distance / 2;
            let (live_difficulty, kill_difficulty) =
                (difficulty(distance), difficulty(MAX_DISTANCE - distance));
            let (proof, disproof) = if self.goal.lives {
                (live_difficulty, kill_difficulty)
            } else {
                (kill_difficulty, live_difficulty)
            };
            ProofNumbers::new(proof, disproof)
        })
    }
}
