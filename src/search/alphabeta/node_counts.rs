//! Counts of the nodes that a search visits.

/// Numbers of nodes and cutoffs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Nodes of the main search.
    pub main: u64,
    /// Nodes of the quiescence search.
    pub quiescence: u64,
    /// Nodes of the main search at which a move caused a cutoff.
    pub cutoffs: u64,
    /// Nodes of the main search at which the first move caused a cutoff.
    pub first_move_cutoffs: u64,
}

impl NodeCounts {
    /// Number of all nodes.
    pub const fn total(&self) -> u64 {
        self.main + self.quiescence
    }
}
