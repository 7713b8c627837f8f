//! Proofs that chains live even if the opponent moves first, by capture reading and, where it decides nothing, by
//! [life and death search](crate::tactics::life). A chain in seki lives.

use std::time::{Duration, Instant};

use crate::game::board::Chain;
use crate::game::position::Position;
use crate::tactics::life::{LifeGoal, LifeLimits, LifeOutcome, solve_chain};
use crate::tactics::reading::{CaptureReader, ReadingLimits, ReadingOutcome, ReadingSide};

/// Maximum number of liberties of a chain whose capture is read. Reading takes long if there are more.
const MAX_LIBERTIES: usize = 3;
/// Maximum number of plies of a capture search. This is enough for all approach moves against a chain with at most
/// [`MAX_LIBERTIES`] liberties.
const MAX_PLIES: usize = 21;
/// Maximum number of plies of the capture searches that confirm a seki of two chains. Deeper searches also read how the
/// survivor lives after it has captured the other chain, which takes too long.
const SEKI_PLIES: usize = 15;
/// Maximum number of nodes of a capture search.
const MAX_READING_NODES: u64 = 60_000;
/// Maximum number of nodes of all capture searches for a position, except those that confirm a seki.
const MAX_TOTAL_READING_NODES: u64 = 240_000;
/// Maximum number of nodes of all capture searches for a position that confirm a seki.
const MAX_TOTAL_SEKI_NODES: u64 = 120_000;
/// Maximum number of nodes of a life and death search.
const MAX_LIFE_NODES: u64 = 4_000;
/// Maximum number of nodes of all life and death searches for a position.
const MAX_TOTAL_LIFE_NODES: u64 = 12_000;
/// Size of the transposition table of a life and death search, in MiB.
const TABLE_MIB: usize = 2;

/// Capture searches of the same depth, and the nodes that they may still visit.
struct CaptureSearches {
    plies: usize,
    nodes: u64,
}

/// Prover for the chains of one position, with node budgets shared by all of them.
pub(super) struct LifeProver<'a> {
    position: &'a Position,
    reader: CaptureReader,
    deadline: Option<Instant>,
    deep_reading: CaptureSearches,
    seki_reading: CaptureSearches,
    life_nodes: u64,
}

impl<'a> LifeProver<'a> {
    /// Creates a prover that starts no search after `deadline`.
    pub fn new(position: &'a Position, deadline: Option<Instant>) -> Self {
        Self {
            position,
            reader: CaptureReader::default(),
            deadline,
            deep_reading: CaptureSearches {
                plies: MAX_PLIES,
                nodes: MAX_TOTAL_READING_NODES,
            },
            seki_reading: CaptureSearches {
                plies: SEKI_PLIES,
                nodes: MAX_TOTAL_SEKI_NODES,
            },
            life_nodes: MAX_TOTAL_LIFE_NODES,
        }
    }

    /// Returns true if `chain` provably lives even if its opponent moves first and wins all kos.
    ///
    /// Life and death searches are long, so they are used only if `is_uncertain` is true.
    pub fn lives(&mut self, chain: &Chain, is_uncertain: bool) -> bool {
        if self.is_in_seki(chain) {
            return true;
        }
        let time = self.remaining_time();
        let deep = &mut self.deep_reading;
        match deep.find_capture(
            &mut self.reader,
            self.position,
            chain,
            ReadingSide::Maker,
            time,
        ) {
            Some(is_captured) => !is_captured,
            None => is_uncertain && self.survives_attack(chain),
        }
    }

    /// Returns true if `chain` is provably captured even if its owner moves first and wins all kos.
    pub fn is_lost(&mut self, chain: &Chain) -> bool {
        let time = self.remaining_time();
        let deep = &mut self.deep_reading;
        deep.find_capture(
            &mut self.reader,
            self.position,
            chain,
            ReadingSide::Breaker,
            time,
        ) == Some(true)
    }

    /// Returns true if `chain` shares all its liberties with an opposing chain and reading shows that neither of them
    /// can be captured by the side that moves first.
    fn is_in_seki(&mut self, chain: &Chain) -> bool {
        let board = self.position.board();
        let opponents = *board.stones(chain.color.opposite());
        let mut near = chain.liberties.grown(board.all_points()) & opponents;
        while let Some(other) = near.first().and_then(|stone| board.chain_at(stone)) {
            near = near - other.stones;
            if chain.liberties.is_subset(&other.liberties)
                && self.withstands_capture(chain)
                && self.withstands_capture(&other)
            {
                return true;
            }
        }
        false
    }

    /// Returns true if reading to [`SEKI_PLIES`] shows that the opponent cannot capture the chain.
    fn withstands_capture(&mut self, chain: &Chain) -> bool {
        let time = self.remaining_time();
        let shallow = &mut self.seki_reading;
        shallow.find_capture(
            &mut self.reader,
            self.position,
            chain,
            ReadingSide::Maker,
            time,
        ) == Some(false)
    }

    /// Returns true if a life and death search proves that the opponent cannot kill the chain.
    fn survives_attack(&mut self, chain: &Chain) -> bool {
        let Some(time) = self.remaining_time() else {
            return false;
        };
        if self.life_nodes == 0 {
            return false;
        }
        let limits = LifeLimits {
            nodes_per_proof: self.life_nodes.min(MAX_LIFE_NODES),
            time,
            table_mib: TABLE_MIB,
            ..LifeLimits::default()
        };
        let attack = solve_chain(self.position, chain, &chain.stones, LifeGoal::Kill, limits);
        let Ok(attack) = attack else {
            return false;
        };
        self.life_nodes = self.life_nodes.saturating_sub(attack.nodes);
        attack.outcome == LifeOutcome::Failure
    }

    /// Returns the time limit of the next search, or `None` if no time is left.
    fn remaining_time(&self) -> Option<Option<Duration>> {
        let Some(deadline) = self.deadline else {
            return Some(None);
        };
        let remaining = deadline.saturating_duration_since(Instant::now());
        (!remaining.is_zero()).then_some(Some(remaining))
    }
}

impl CaptureSearches {
    /// Returns true if reading shows that the opponent captures the chain, and false if it shows that it does not.
    /// Returns `None` if it shows neither. A capture that depends on a ko is one if the opponent moves first. `time` is
    /// the time limit, or `None` if no time is left.
    fn find_capture(
        &mut self,
        reader: &mut CaptureReader,
        position: &Position,
        chain: &Chain,
        first: ReadingSide,
        time: Option<Option<Duration>>,
    ) -> Option<bool> {
        if chain.liberties.len() > MAX_LIBERTIES || self.nodes == 0 {
            return None;
        }
        let limits = ReadingLimits {
            plies: self.plies,
            nodes: self.nodes.min(MAX_READING_NODES),
            time: time?,
        };
        let (board, target) = (position.board(), chain.stones.first()?);
        let reading = reader.read(board, target, first, None, limits).ok()?;
        self.nodes = self.nodes.saturating_sub(reading.nodes);
        match reading.outcome {
            ReadingOutcome::Prevented { .. } => Some(false),
            ReadingOutcome::Unknown => None,
            ReadingOutcome::Reached { .. } => Some(true),
            ReadingOutcome::Ko { .. } => Some(first == ReadingSide::Maker),
        }
    }
}
