//! Transposition table of the solver. Probing and storing consider the path from the root.

use super::board::{CAPTURED_BITS, SolverBoard};
use super::node::{NO_HISTORY, Node, Set};
use super::path_history::PathHistory;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::{TableEntry, TranspositionTable};

/// Table entry: bounds on the prover's score in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverEntry {
    /// Proved lower bound on the prover's score.
    pub lower: i8,
    /// Upper bound on the score that the prover can provably reach within `upper_depth` moves.
    pub upper: i8,
    /// Maximum search depth for which `upper` is valid, in moves. `lower` is valid for every depth.
    pub upper_depth: u8,
    /// Best move: the index of a point, `PASS` or `NO_MOVE`.
    pub best_move: u8,
    /// True if results for individual paths are stored under separate keys.
    pub depends_on_path: bool,
    /// Points where stones were captured during the search, packed without padding columns.
    pub captured: u32,
}

const CAPTURED_SHIFT: u32 = 32;

impl SolverEntry {
    /// Move code of a pass.
    pub const PASS: u8 = Self::NO_MOVE - 1;
    /// Move code that stands for no move.
    pub const NO_MOVE: u8 = 126;

    /// Creates the trivial bounds for a board with `area` points.
    pub fn unknown(area: i32) -> Self {
        Self {
            lower: -area as i8,
            upper: area as i8,
            upper_depth: 0,
            best_move: Self::NO_MOVE,
            depends_on_path: false,
            captured: 0,
        }
    }
}

impl TableEntry for SolverEntry {
    fn pack(self) -> u64 {
        // The best move plus one is never 0 and takes seven bits, so the entry is not 0.
        let encoded = (self.best_move + 1) | (u8::from(self.depends_on_path) << 7);
        let bytes = [
            self.lower as u8,
            self.upper as u8,
            self.upper_depth,
            encoded,
        ];
        u64::from(u32::from_le_bytes(bytes)) | u64::from(self.captured) << CAPTURED_SHIFT
    }

    fn unpack(bits: u64) -> Self {
        let [lower, upper, upper_depth, encoded] = (bits as u32).to_le_bytes();
        Self {
            lower: lower as i8,
            upper: upper as i8,
            upper_depth,
            best_move: (encoded & 0x7f) - 1,
            depends_on_path: encoded >> 7 == 1,
            captured: (bits >> CAPTURED_SHIFT) as u32 & ((1 << CAPTURED_BITS) - 1),
        }
    }

    fn keep_priority(self) -> u32 {
        self.upper_depth.into()
    }
}

/// Result of searching a position.
#[derive(Clone, Copy, Debug)]
pub struct SearchValue {
    /// The prover's score or, depending on the window, a bound on it.
    pub value: i32,
    /// Points where stones were captured during the search.
    pub captured: Set,
}

impl SearchValue {
    /// Creates a value that was found without capturing stones.
    pub fn without_captures(value: i32) -> Self {
        Self {
            value,
            captured: Set::EMPTY,
        }
    }
}

/// Remaining depth and bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchWindow {
    /// Remaining number of moves.
    pub depth: u32,
    /// Score that the prover can already reach elsewhere.
    pub alpha: i32,
    /// Score to which the opponent can already limit the prover elsewhere.
    pub beta: i32,
}

/// A transposition table for one board.
pub struct SolverTable {
    pub board: SolverBoard,
    pub entries: TranspositionTable<SolverEntry>,
}

impl SolverTable {
    /// Returns a stored value that is valid on this path and causes a cutoff. If there is none, returns the stored best
    /// move, if any, as `Err`.
    pub fn probe_cutoff(
        &self,
        path: &PathHistory,
        node: &Node,
        window: SearchWindow,
    ) -> Result<SearchValue, Option<u8>> {
        let board = &self.board;
        let (key, symmetry) = board.key(node, &NO_HISTORY);
        let Some(entry) = self.entries.get(key) else {
            return Err(None);
        };
        let captured = board.unpack_set(symmetry, entry.captured);
        if let Some(value) = cutoff_value(entry, window)
            && path.is_irrelevant_to(node, captured)
        {
            return Ok(SearchValue { value, captured });
        }
        let path_key = entry.depends_on_path.then(|| path.node_key(board, node));
        let path_entry = path_key.and_then(|key| self.entries.get(key));
        match path_entry.and_then(|entry| cutoff_value(entry, window)) {
            Some(value) => Ok(SearchValue {
                value,
                captured: board.geometry().all_points(),
            }),
            None => Err(Some(board.original_move(symmetry, entry.best_move))),
        }
    }

    /// Stores the result of a search. If the result depends on the path, it is stored for this path only, and otherwise
    /// for all paths.
    pub fn store(
        &self,
        path: &PathHistory,
        node: &Node,
        window: SearchWindow,
        value: &SearchValue,
        best_move: u8,
    ) {
        let board = &self.board;
        let area = board.geometry().all_points().count() as i32;
        let (key, symmetry) = board.key(node, &NO_HISTORY);
        let canonical_best = board.move_image(symmetry, best_move);
        let is_informative = if node.prover_to_move {
            value.value > window.alpha
        } else {
            value.value < window.beta
        };
        // If no move succeeds, all values are only bounds. The best move of an earlier, more informative search is
        // therefore preserved.
        let merged_best = |previous: SolverEntry| {
            if is_informative || previous.best_move == SolverEntry::NO_MOVE {
                canonical_best
            } else {
                previous.best_move
            }
        };
        let previous = self.entries.get(key).unwrap_or(SolverEntry::unknown(area));
        let packed = board.pack_set(symmetry, value.captured);
        let path_independent = packed.filter(|_| path.is_irrelevant_to(node, value.captured));
        if let Some(captured) = path_independent {
            let entry = merged_entry(previous, value, window, merged_best(previous), captured);
            self.entries.store(key, entry);
            return;
        }
        let marked = SolverEntry {
            best_move: merged_best(previous),
            depends_on_path: true,
            ..previous
        };
        self.entries.store(key, marked);
        let path_key = path.node_key(board, node);
        let path_previous = self
            .entries
            .get(path_key)
            .unwrap_or(SolverEntry::unknown(area));
        let entry = merged_entry(path_previous, value, window, merged_best(path_previous), 0);
        self.entries.store(path_key, entry);
    }
}

/// Returns the bound of the entry that causes a cutoff, if any. Does not consider the path.
fn cutoff_value(entry: SolverEntry, window: SearchWindow) -> Option<i32> {
    let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
    if lower >= window.beta {
        Some(lower)
    } else if upper <= window.alpha && u32::from(entry.upper_depth) >= window.depth {
        Some(upper)
    } else {
        None
    }
}

fn merged_entry(
    previous: SolverEntry,
    value: &SearchValue,
    window: SearchWindow,
    best_move: u8,
    captured: u32,
) -> SolverEntry {
    let mut entry = SolverEntry {
        best_move,
        depends_on_path: false,
        captured: previous.captured | captured,
        ..previous
    };
    if value.value > window.alpha {
        entry.lower = value.value as i8;
    }
    if value.value < window.beta {
        entry.upper = value.value as i8;
        entry.upper_depth = window.depth.min(u8::MAX.into()) as u8;
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tactics::bitboard::{BoardGeometry, Stones};

    fn table(width: u32, height: u32) -> SolverTable {
        SolverTable {
            board: SolverBoard::new(BoardGeometry::new(width, height).unwrap()),
            entries: TranspositionTable::new(1).unwrap(),
        }
    }

    /// Returns a window from `-bound` to `bound`.
    fn window(depth: u32, bound: i32) -> SearchWindow {
        SearchWindow {
            depth,
            alpha: -bound,
            beta: bound,
        }
    }

    /// Returns the best move stored after two searches with a window from -1 to 1. `searches` contains the value and
    /// the best move of each search.
    fn best_move_after(prover_to_move: bool, searches: [(i32, u8); 2]) -> Option<u8> {
        let (table, path) = (table(2, 2), PathHistory::default());
        let node = table.board.root_node(Stones::default(), prover_to_move);
        for (value, best_move) in searches {
            let value = SearchValue::without_captures(value);
            table.store(&path, &node, window(1, 1), &value, best_move);
        }
        table.probe_cutoff(&path, &node, window(2, 4)).unwrap_err()
    }

    #[test]
    fn uninformative_search_keeps_best_move() {
        for (prover_to_move, informative, uninformative) in
            [(true, 0, -1), (true, 1, -2), (false, 0, 1)]
        {
            let best_move = |searches| best_move_after(prover_to_move, searches);
            assert_eq!(best_move([(informative, 0), (uninformative, 1)]), Some(0));
            assert_eq!(best_move([(uninformative, 1), (informative, 0)]), Some(0));
            assert_eq!(best_move([(informative, 1), (informative, 0)]), Some(0));
        }
    }

    #[test]
    fn path_dependent_value_is_not_reused() {
        // The board has more points than `captured` can represent.
        let table = table(2, 13);
        let node = table.board.root_node(Stones::default(), true);
        let value = SearchValue {
            value: 1,
            captured: table.board.geometry().all_points(),
        };
        let mut path = PathHistory::default();
        table.store(&path, &node, window(1, 1), &value, 0);
        assert!(table.probe_cutoff(&path, &node, window(1, 1)).is_ok());
        let stone = Stones {
            own: Set::single(0),
            opponent: Set::EMPTY,
        };
        path.push(&table.board.root_node(stone, false));
        assert!(table.probe_cutoff(&path, &node, window(1, 1)).is_err());
    }
}
