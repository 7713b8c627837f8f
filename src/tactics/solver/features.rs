//! Optional features of the search, which can be disabled to measure their effect.

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

/// Option name of a feature, and a function that returns its flag.
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
