//! What the table keeps of a position: proof numbers.

use crate::tactics::table::Entry;

/// A number that stands for "never".
pub(super) const NEVER: u32 = (1 << NUMBER_BITS) - 1;

const NUMBER_BITS: u32 = 25;
const WORK_BITS: u32 = 6;

/// How hard a position is to decide (Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// About how many positions must yet be proved to prove this one: 0 once it is proved.
    pub proof: u32,
    /// The same for the disproof.
    pub disproof: u32,
    /// Binary logarithm of the positions visited for it.
    pub work: u32,
}

impl Numbers {
    /// Proved or disproved.
    pub const fn decided(proved: bool) -> Self {
        let (proof, disproof) = if proved { (0, NEVER) } else { (NEVER, 0) };
        Self {
            proof,
            disproof,
            work: 0,
        }
    }

    /// Whether nothing is left to be found out.
    pub const fn is_decided(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

impl Entry for Numbers {
    fn pack(self) -> u64 {
        // The two numbers are never 0 together.
        u64::from(self.proof)
            | u64::from(self.disproof) << NUMBER_BITS
            | u64::from(self.work.min((1 << WORK_BITS) - 1)) << (2 * NUMBER_BITS)
    }

    fn unpack(bits: u64) -> Self {
        let part = |shift: u32, width: u32| (bits >> shift) as u32 & ((1 << width) - 1);
        Self {
            proof: part(0, NUMBER_BITS),
            disproof: part(NUMBER_BITS, NUMBER_BITS),
            work: part(2 * NUMBER_BITS, WORK_BITS),
        }
    }

    fn worth(self) -> u32 {
        self.work
    }
}
