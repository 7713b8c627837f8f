//! What the table keeps of a position.

use crate::tactics::transposition_table::TableEntry;

/// What is known of the prover's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverEntry {
    /// Shown: the prover gets at least that.
    pub lower: i8,
    /// Within `upper_depth` moves the prover was not shown to get more than that.
    pub upper: i8,
    /// What `upper` was searched to.
    pub upper_depth: u8,
    /// The best move: the number of its point, or one of the two below.
    pub best_move: u8,
    /// Whether more is kept for single pasts, under keys of their own.
    pub depends_on_path: bool,
    /// The points, counted without the padding, on which stones were taken while that was found out.
    pub captured: u32,
}

/// Points that `captured` has room for.
pub const MAX_CAPTURED_POINTS: u32 = 25;

const CAPTURED_SHIFT: u32 = 32;

impl SolverEntry {
    /// In place of a point: a pass.
    pub const PASS: u8 = 126 - 1;
    /// In place of a point: nothing has been tried.
    pub const NO_MOVE: u8 = 126;

    /// Nothing, on a board of `area` points.
    #[must_use]
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
        // One more than the best move is never 0, nor then is the entry; it takes seven bits.
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
            captured: (bits >> CAPTURED_SHIFT) as u32 & ((1 << MAX_CAPTURED_POINTS) - 1),
        }
    }

    fn keep_priority(self) -> u32 {
        self.upper_depth.into()
    }
}
