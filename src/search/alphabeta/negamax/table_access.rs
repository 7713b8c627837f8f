//! Keys of nodes in the transposition table, and the use of its entries.

use super::super::options::Pruning;
use super::super::table::{Bound, Entry, position_key};
use super::super::value::Window;
use super::Negamax;
use crate::game::point::Move;
use crate::random::splitmix64;

impl Negamax<'_> {
    /// Returns the table key of the position at `ply`; see [`table`](super::super::table).
    pub(super) fn key(&mut self, ply: usize) -> u64 {
        let key = position_key(self.line.position(ply)) ^ self.scope_salt;
        if self.context.pruning == Pruning::Exact {
            let history = self.histories[ply];
            self.histories[ply + 1] = history.wrapping_add(splitmix64(key));
            return key ^ history;
        }
        if self.context.constraints.is_empty() {
            return key;
        }
        // The constraints depend on the ply.
        key ^ splitmix64(ply as u64)
    }

    /// Returns the value of the entry if it replaces the search. Nodes with an open window are always searched, so that
    /// their principal variation is complete.
    pub(super) fn table_cutoff(&self, entry: &Entry, depth: u32, window: Window) -> Option<i32> {
        let is_deep_enough = match self.context.pruning {
            Pruning::Exact => entry.depth == depth,
            Pruning::Heuristic => entry.depth >= depth,
        };
        if !is_deep_enough || window.is_open() {
            return None;
        }
        entry.cutoff(window)
    }

    /// Stores the result of a search.
    pub(super) fn store(
        &self,
        key: u64,
        depth: u32,
        window: Window,
        (value, best_move): (i32, Option<Move>),
    ) {
        let Some(table) = self.context.table else {
            return;
        };
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        let entry = Entry {
            value,
            bound,
            depth,
            best_move,
        };
        table.store(key, entry);
    }
}
