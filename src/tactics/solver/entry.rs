//! What the table keeps of a position.

use crate::tactics::table::Entry;

/// What is known of the prover's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Shown: the prover gets at least that.
    pub least: i8,
    /// Within `depth` moves the prover was not shown to get more than that.
    pub most: i8,
    /// What `most` was searched to.
    pub depth: u8,
    /// The best move: the number of its point, or one of the two below.
    pub best: u8,
    /// Whether more is kept for single pasts, under keys of their own.
    pub by_past: bool,
    /// The points, counted without the padding, on which stones were taken while that was found out.
    pub taken: u32,
}

/// Points that `taken` has room for.
pub const TAKEN_POINTS: u32 = 25;

const TAKEN_SHIFT: u32 = 32;

impl Known {
    /// In place of a point: a pass.
    pub const PASS: u8 = 126 - 1;
    /// In place of a point: nothing has been tried.
    pub const NO_MOVE: u8 = 126;

    /// Nothing, on a board of `area` points.
    #[must_use]
    pub fn nothing(area: i32) -> Self {
        Self {
            least: -area as i8,
            most: area as i8,
            depth: 0,
            best: Self::NO_MOVE,
            by_past: false,
            taken: 0,
        }
    }
}

impl Entry for Known {
    fn pack(self) -> u64 {
        // One more than the best move is never 0, nor then is the entry; it takes seven bits.
        let best = (self.best + 1) | (u8::from(self.by_past) << 7);
        let bytes = [self.least as u8, self.most as u8, self.depth, best];
        u64::from(u32::from_le_bytes(bytes)) | u64::from(self.taken) << TAKEN_SHIFT
    }

    fn unpack(bits: u64) -> Self {
        let [least, most, depth, best] = (bits as u32).to_le_bytes();
        Self {
            least: least as i8,
            most: most as i8,
            depth,
            best: (best & 0x7f) - 1,
            by_past: best >> 7 == 1,
            taken: (bits >> TAKEN_SHIFT) as u32 & ((1 << TAKEN_POINTS) - 1),
        }
    }

    fn worth(self) -> u32 {
        self.depth.into()
    }
}
