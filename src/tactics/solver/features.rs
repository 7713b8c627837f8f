//! Optional features of the search, which tests disable to measure their effect and to check that they do not change the
//! score.

/// Enabled features of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Alpha-beta cutoffs instead of minimax.
    pub cutoffs: bool,
    /// Use of the transposition table.
    pub table: bool,
    /// Equal table keys for mirror images.
    pub symmetry: bool,
    /// Probing the table for all moves of a position before searching one of them.
    pub transposition_cutoffs: bool,
    /// Move ordering.
    pub ordering: bool,
    /// Static bounds from areas that Benson's theorem settles.
    pub benson: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            cutoffs: true,
            table: true,
            symmetry: true,
            transposition_cutoffs: true,
            ordering: true,
            benson: true,
        }
    }
}
