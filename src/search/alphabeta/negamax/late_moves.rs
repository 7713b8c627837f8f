//! Moves far back in the order of a node, which are searched to a smaller depth or not at all.

use super::super::options::Pruning;
use super::super::value::Window;

/// Number of quiet moves searched at a depth of 1, 2, … plies. There is no limit at larger depths.
const LATE_MOVE_LIMITS: [usize; 3] = [6, 12, 20];
/// Minimum move indices for a depth reduction of 1, 2, … plies.
const LATE_MOVE_REDUCTION_INDICES: [usize; 3] = [3, 10, 30];

/// Returns the maximum number of quiet moves to search in a node.
pub fn max_quiet_moves(pruning: Pruning, depth: u32, window: Window) -> usize {
    if pruning == Pruning::Exact || window.is_open() {
        return usize::MAX;
    }
    let limit = LATE_MOVE_LIMITS.get(depth as usize - 1);
    limit.copied().unwrap_or(usize::MAX)
}

/// Returns the number of plies by which the search of the quiet move with the given index is reduced.
pub fn reduction(index: usize, depth: u32) -> u32 {
    let reduction = LATE_MOVE_REDUCTION_INDICES
        .iter()
        .filter(|&&min_index| index >= min_index)
        .count();
    (reduction as u32).min(depth.saturating_sub(1) / 2 + u32::from(depth > 1))
}
