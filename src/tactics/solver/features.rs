//! Optional parts of the search, which can be disabled to measure their effect.

/// Enabled parts of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Alpha-beta cutoffs instead of minimax.
    pub cutoffs: bool,
    /// Transposition table.
    pub table: bool,
    /// Equal table keys for mirror images.
    pub symmetry: bool,
    /// Probing the table for all moves before searching one.
    pub transposition_cutoffs: bool,
    /// Move ordering.
    pub ordering: bool,
    /// Static bounds from areas that are settled by Benson's theorem.
    pub benson: bool,
}

/// Option name and accessor of a feature.
type FeatureSwitch = (&'static str, fn(&mut Features) -> &mut bool);

/// All features by option name.
pub const FEATURES: [FeatureSwitch; 6] = [
    ("cutoffs", |features| &mut features.cutoffs),
    ("table", |features| &mut features.table),
    ("symmetry", |features| &mut features.symmetry),
    ("asking", |features| &mut features.transposition_cutoffs),
    ("ordering", |features| &mut features.ordering),
    ("benson", |features| &mut features.benson),
];

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
