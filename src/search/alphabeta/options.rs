//! Configuration of the alpha-beta search.

/// Maximum search depth.
pub const MAX_DEPTH: u32 = 60;

/// Configuration of an alpha-beta search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaOptions {
    /// Maximum depth. `None` deepens until another limit is reached.
    pub depth: Option<u32>,
    pub pruning: Pruning,
    /// Whether to use a transposition table.
    pub uses_table: bool,
}

impl AlphaBetaOptions {
    /// Creates the default configuration with the given maximum depth.
    pub const fn with_depth(depth: Option<u32>) -> Self {
        Self {
            depth,
            pruning: Pruning::Heuristic,
            uses_table: true,
        }
    }
}

/// Methods that reduce the number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Only methods that do not change the values. Results in the transposition table are used only at the same depth
    /// and after the same positions since the root.
    Exact,
    /// Also late-move reductions and pruning, and deeper results in the transposition table.
    Heuristic,
}
