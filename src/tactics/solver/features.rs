//! The parts of the search that can be left out, to measure what each is worth.

/// Which parts are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Branches that cannot matter are cut off: alpha-beta instead of minimax.
    pub cutoffs: bool,
    /// Positions are recognised.
    pub table: bool,
    /// So are their mirror images.
    pub symmetry: bool,
    /// The table is asked about all moves of a position before one is searched.
    pub transposition_cutoffs: bool,
    /// Promising moves come first.
    pub ordering: bool,
    /// Ground that is certain is not played out.
    pub benson: bool,
}

/// A part that can be left out: its name, and where it stands.
type FeatureSwitch = (&'static str, fn(&mut Features) -> &mut bool);

/// All parts by name.
pub const FEATURES: [FeatureSwitch; 6] = [
    ("cutoffs", |features| &mut features.cutoffs),
    ("table", |features| &mut features.table),
    ("symmetry", |features| &mut features.symmetry),
    ("asking", |features| &mut features.transposition_cutoffs),
    ("ordering", |features| &mut features.ordering),
    ("benson", |features| &mut features.benson),
];

impl Default for Features {
    /// All of them.
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
