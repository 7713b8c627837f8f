//! Proofs that chains live even if the opponent moves first and wins all kos. A chain in seki lives.
//!
//! A chain lives if exact [capture reading](crate::tactics::reading) finds no capture, or if a
//! [life and death search](crate::tactics::life) in a [closed area](super::enclosure) proves that it makes two eyes or
//! lives in seki. That a search of an open area finds no way to kill the chain is no proof.

use std::time::Instant;

use super::budgeted_reader::{BudgetedReader, MAX_LIBERTIES, ReadingBudget};
use super::enclosure::{Enclosure, Walls};
use crate::game::board::Chain;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::life::{LifeGoal, LifeLimits, LifeOutcome, LifeProblem};
use crate::tactics::reading::{ReadingOutcome, ReadingSide};

/// Budget for capture searches in a position. The number of plies is enough for all approach moves against a chain with
/// at most [`MAX_LIBERTIES`] liberties.
const READING_BUDGET: ReadingBudget = ReadingBudget {
    plies: 21,
    nodes_per_search: 10_000,
    total_nodes: 60_000,
};
/// Maximum number of nodes per proof of a life and death search.
const MAX_LIFE_NODES: u64 = 5_000;
/// Maximum number of nodes of all life and death searches for a position.
const MAX_TOTAL_LIFE_NODES: u64 = 20_000;
/// Size of the transposition table of a life and death search, in MiB.
const TABLE_MIB: usize = 2;

/// Prover for the chains of a position, with node budgets shared by all chains.
pub(super) struct LifeProver<'a> {
    position: &'a Position,
    reader: BudgetedReader,
    life_nodes: u64,
}

impl<'a> LifeProver<'a> {
    /// Creates a prover that starts no search after `deadline`.
    pub fn new(position: &'a Position, deadline: Option<Instant>) -> Self {
        Self {
            position,
            reader: BudgetedReader::new(READING_BUDGET, deadline),
            life_nodes: MAX_TOTAL_LIFE_NODES,
        }
    }

    /// Returns true if `chain` provably lives. `dead` contains the stones that are estimated to be dead.
    pub fn lives(&mut self, chain: &Chain, dead: &PointSet) -> bool {
        match self.is_captured(chain, ReadingSide::Maker) {
            Some(is_captured) => !is_captured,
            None => {
                self.lives_within(chain, dead, Walls::Opponent)
                    || self.lives_within(chain, dead, Walls::Owner)
            }
        }
    }

    /// Returns true if `chain` is provably captured even if its owner moves first and wins all kos.
    pub fn is_lost(&mut self, chain: &Chain) -> bool {
        self.is_captured(chain, ReadingSide::Breaker) == Some(true)
    }

    /// Returns true if reading shows that the opponent captures the chain, and false if it shows that the chain cannot
    /// be captured. Returns `None` if it shows neither. A capture that depends on a ko is one if the opponent moves
    /// first.
    fn is_captured(&mut self, chain: &Chain, first: ReadingSide) -> Option<bool> {
        if chain.liberties.len() > MAX_LIBERTIES {
            return None;
        }
        let reading = self.reader.read(self.position.board(), chain, first)?;
        match reading.outcome {
            ReadingOutcome::Prevented { .. } => Some(false),
            ReadingOutcome::Unknown => None,
            ReadingOutcome::Reached { .. } => Some(true),
            ReadingOutcome::Ko { .. } => Some(first == ReadingSide::Maker),
        }
    }

    /// Returns true if a search proves that the chain lives in the area enclosed by `walls`.
    fn lives_within(&mut self, chain: &Chain, dead: &PointSet, walls: Walls) -> bool {
        let Some(time) = self.reader.remaining_time().filter(|_| self.life_nodes > 0) else {
            return false;
        };
        let enclosure = Enclosure::new(self.position.board(), chain, dead, walls);
        let Some(Enclosure { board, region }) = enclosure else {
            return false;
        };
        let limits = LifeLimits {
            nodes_per_proof: self.life_nodes.min(MAX_LIFE_NODES),
            time,
            table_mib: TABLE_MIB,
            ..LifeLimits::default()
        };
        let problem = LifeProblem {
            board: &board,
            region: &region,
            target: chain.stones.first(),
            to_move: chain.color.opposite(),
            ko: None,
        };
        let Ok(attack) = problem.solve(LifeGoal::Kill, limits) else {
            return false;
        };
        self.life_nodes = self.life_nodes.saturating_sub(attack.nodes);
        attack.outcome == LifeOutcome::Failure
    }
}
