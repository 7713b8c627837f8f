//! Capture reading with a budget for all chains of a position.

use std::time::{Duration, Instant};

use crate::game::board::{Board, Chain};
use crate::tactics::reading::{CaptureReader, ReadingLimits, ReadingResult, ReadingSide};

/// Maximum number of liberties of a chain for which a capture is read. Reading takes long if there are more.
pub(super) const MAX_LIBERTIES: usize = 3;

/// Limits of [`BudgetedReader`].
pub(super) struct ReadingBudget {
    /// Maximum number of plies of a search.
    pub plies: usize,
    /// Maximum number of nodes per search.
    pub nodes_per_search: u64,
    /// Maximum number of nodes of all searches.
    pub total_nodes: u64,
}

/// Reads captures until its budget or its time is used up.
pub(super) struct BudgetedReader {
    reader: CaptureReader,
    /// Remaining budget.
    budget: ReadingBudget,
    deadline: Option<Instant>,
}

impl BudgetedReader {
    /// Creates a reader that starts no search after `deadline`.
    pub fn new(budget: ReadingBudget, deadline: Option<Instant>) -> Self {
        Self {
            reader: CaptureReader::default(),
            budget,
            deadline,
        }
    }

    /// Reads the capture of `chain` by its opponent. Returns `None` if no time or nodes are left.
    pub fn read(
        &mut self,
        board: &Board,
        chain: &Chain,
        first: ReadingSide,
    ) -> Option<ReadingResult> {
        let time = self.remaining_time()?;
        let ReadingBudget {
            plies,
            nodes_per_search,
            total_nodes,
        } = &mut self.budget;
        if *total_nodes == 0 {
            return None;
        }
        let limits = ReadingLimits {
            plies: *plies,
            nodes: (*nodes_per_search).min(*total_nodes),
            time,
        };
        let target = chain.stones.first()?;
        let reading = self.reader.read(board, target, first, None, limits).ok()?;
        *total_nodes = total_nodes.saturating_sub(reading.nodes);
        Some(reading)
    }

    /// Returns the time limit of the next search (`Some(None)` without a deadline), or `None` if the deadline has
    /// passed.
    pub fn remaining_time(&self) -> Option<Option<Duration>> {
        let Some(deadline) = self.deadline else {
            return Some(None);
        };
        let remaining = deadline.saturating_duration_since(Instant::now());
        (!remaining.is_zero()).then_some(Some(remaining))
    }
}
