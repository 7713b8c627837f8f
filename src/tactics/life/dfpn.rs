//! Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002).
//!
//! The prover wants to show that it reaches its end whatever the other side does. A repetition of the position counts
//! against it, and so does every ko unless it is told otherwise: the side that wins the kos may take back at once, the
//! other may not. So what is proved rests on no repetition, and the table may keep it for every past; what is
//! disproved may rest on one, so a disproof is never more than "no proof was found".
//!
//! Several threads may seek the same proof over one table. Each marks what it searches, and the others take another
//! way where there is one (after Kaneko, "Parallel depth first proof number search", AAAI 2010).

use super::eye_distance::{EyeDistances, MAX_DISTANCE};
use super::guidance::Guidance;
use super::node::{Child, LifeNode, TerminalStatus};
use super::proof_goal::{KoImmunity, ProofGoal};
use super::proof_numbers::{ChildSummary, INFINITY, ProofNumbers};
use super::region::Region;
use super::set::Set;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::TranspositionTable;
use std::time::Instant;

/// A child is left for its brother once it has become this much harder than it, as a fraction (Pawlewicz and Lew's
/// 1 + epsilon, "Improving depth-first PN-search", 2006).
const EPSILON_DIVISOR: u32 = 4;
/// No fight goes on longer.
const MAX_DEPTH: usize = 100;
/// Steps from the stones of the side that would live to the moves by which something is proved.
const PROVER_MOVE_DISTANCE: u32 = 2;
/// Positions between looks at the clock.
const CLOCK_CHECK_INTERVAL: u64 = 256;
/// With company, what has taken so many positions is marked, and its replies are asked for again after each search.
const MIN_SHARED_NODES: u64 = 64;

/// When to stop without a result.
#[derive(Clone, Copy)]
pub(super) struct ProofLimits<'a> {
    pub nodes: u64,
    pub deadline: Option<Instant>,
    /// Whether somebody else has found the answer.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Whether others seek the same proof over the same table.
    pub is_parallel: bool,
}

/// The search for one proof.
pub(super) struct Prover<'a> {
    region: &'a Region,
    table: &'a TranspositionTable<ProofNumbers>,
    goal: ProofGoal,
    limits: ProofLimits<'a>,
    guidance: Guidance,
    path: Vec<LifeNode>,
    nodes: u64,
    stopped: bool,
}

impl<'a> Prover<'a> {
    /// A search with nothing begun.
    pub fn new(
        region: &'a Region,
        table: &'a TranspositionTable<ProofNumbers>,
        goal: ProofGoal,
        limits: ProofLimits<'a>,
    ) -> Self {
        Self {
            region,
            table,
            goal,
            limits,
            guidance: Guidance::default(),
            path: Vec::new(),
            nodes: 0,
            stopped: false,
        }
    }

    /// The same search, guided by others over the same table.
    pub fn with_guidance(self, guidance: Guidance) -> Self {
        Self { guidance, ..self }
    }

    /// Positions visited.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the claim is true of the position; nothing if it was told to stop before.
    pub fn prove(&mut self, root: &LifeNode) -> Option<bool> {
        let numbers = self.search(root, ProofNumbers::new(1, 1), [INFINITY; 2]);
        numbers.is_decided().then_some(numbers.proof == 0)
    }

    /// What is known of the position now.
    pub fn lookup(&self, node: &LifeNode) -> Option<ProofNumbers> {
        self.table.get(self.key(node))
    }

    /// The moves of the side to move; none where the fight has ended.
    pub fn children(&self, node: &LifeNode) -> Vec<Child> {
        node.terminal_status(self.region).map_or_else(
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
        // For the attacker to pass is to give up, unless the group must show eyes, or a ko that it is bound by may be
        // retaken later; that the prover is bound is its own loss.
        let may_wait_for_ko =
            is_ko_bound && self.goal.ko_immunity != KoImmunity::Opponent && !node.ko.is_empty();
        // On the narrow piece a pass stands for a move further out.
        let may_pass = node.defender_to_move
            || !self.goal.seki_lives
            || may_wait_for_ko
            || self.goal.is_narrow;
        let geometry = &self.region.geometry;
        let playable = if prover_to_move && !self.goal.allow_distant {
            playable & geometry.flood_steps(node.stones.own, geometry.area(), PROVER_MOVE_DISTANCE)
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

    /// Searches a position, of which `previous` is known, until it is decided or one of its numbers has reached its limit:
    /// that of the proof, then that of the disproof.
    fn search(
        &mut self,
        node: &LifeNode,
        previous: ProofNumbers,
        thresholds: [u32; 2],
    ) -> ProofNumbers {
        self.count_node();
        if self.path.len() >= MAX_DEPTH {
            // No proof on this way; on a shorter one there may be, so that it is not kept.
            return ProofNumbers::decided(false);
        }
        let started = self.nodes;
        let playable = match node.terminal_status(self.region) {
            Ok(status) => {
                let proved = (status == TerminalStatus::Alive) == self.goal.lives;
                return self.store(node, ProofNumbers::decided(proved));
            }
            Err(playable) => playable,
        };
        if self.limits.is_parallel && previous.log_nodes >= MIN_SHARED_NODES.ilog2() {
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

    /// Searches the replies to the last position of the line, of which these numbers are known, one after the other.
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
                second_best,
            } = ChildSummary::new(child_numbers, prover_to_move, threshold);
            let is_over =
                numbers.proof >= proof_threshold || numbers.disproof >= disproof_threshold;
            let Some(best_child) = best_child.filter(|_| !is_over && !self.stopped) else {
                return numbers;
            };
            let switch_threshold = second_best
                .saturating_add(second_best / EPSILON_DIVISOR)
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
            if self.limits.is_parallel && self.nodes - started >= MIN_SHARED_NODES {
                self.refresh_children(children, child_numbers);
            }
        }
    }

    /// What is known of the replies to a position.
    fn numbers_of_children(&self, node: &LifeNode, children: &[Child]) -> Vec<ProofNumbers> {
        let keys: Vec<u64> = children.iter().map(|child| self.key(&child.node)).collect();
        let mut entries: Vec<_> = self.table.get_all(&keys).collect();
        // Most positions are looked at again, when all their replies have been.
        let has_unvisited = |entries: &[Option<ProofNumbers>]| entries.iter().any(Option::is_none);
        if has_unvisited(&entries) {
            self.guidance
                .fill_unknown(self.table, node, children, &mut entries);
        }
        let eye_distances = has_unvisited(&entries)
            .then(|| EyeDistances::new(self.region, &node.stones, node.defender_to_move));
        (children.iter().zip(entries))
            .map(|(child, known)| self.numbers_of_child(child, known, eye_distances.as_ref()))
            .collect()
    }

    /// Takes over what others have found out of the replies since.
    fn refresh_children(&self, children: &[Child], numbers: &mut [ProofNumbers]) {
        for (child, numbers) in children.iter().zip(numbers) {
            if let Some(known) = self.lookup(&child.node) {
                *numbers = self.numbers_of_child(child, Some(known), None);
            }
        }
    }

    /// What the table says of the position, if that is a decision.
    fn decided_numbers(&self, node: &LifeNode) -> Option<ProofNumbers> {
        self.lookup(node).filter(ProofNumbers::is_decided)
    }

    /// Puts the numbers into the table, unless somebody else has decided the position meanwhile.
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

    /// What is known of a reply; of one never looked at, a guess from how far the group is from two eyes, if that is
    /// told.
    fn numbers_of_child(
        &self,
        child: &Child,
        entry: Option<ProofNumbers>,
        eye_distances: Option<&EyeDistances>,
    ) -> ProofNumbers {
        let parent_passed = self.path.last().is_some_and(|parent| parent.last_was_pass);
        if child.node.last_was_pass && parent_passed && !self.goal.seki_lives {
            // Nobody plays on: the group has no eyes to show.
            return ProofNumbers::decided(!self.goal.lives);
        }
        // Of the line every other position has the same side to move.
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
