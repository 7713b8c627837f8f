//! What the table keeps of a position: proof numbers.

use crate::tactics::table::Entry;

/// A number that stands for "never".
pub(super) const NEVER: u32 = (1 << NUMBER_BITS) - 1;

const NUMBER_BITS: u32 = 25;
const WORK_BITS: u32 = 5;
const BUSY_SHIFT: u32 = 2 * NUMBER_BITS + WORK_BITS;

/// How hard a position is to decide (Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// About how many positions must yet be proved to prove this one: 0 once it is proved.
    pub proof: u32,
    /// The same for the disproof.
    pub disproof: u32,
    /// Binary logarithm of the positions visited for it.
    pub work: u32,
    /// Whether a thread is searching it.
    pub busy: bool,
}

impl Numbers {
    /// Those of a position that nobody has looked at yet.
    pub const fn new(proof: u32, disproof: u32) -> Self {
        Self {
            proof,
            disproof,
            work: 0,
            busy: false,
        }
    }

    /// Proved or disproved.
    pub const fn decided(proved: bool) -> Self {
        if proved {
            Self::new(0, NEVER)
        } else {
            Self::new(NEVER, 0)
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
            | u64::from(self.busy) << BUSY_SHIFT
    }

    fn unpack(bits: u64) -> Self {
        let part = |shift: u32, width: u32| (bits >> shift) as u32 & ((1 << width) - 1);
        Self {
            proof: part(0, NUMBER_BITS),
            disproof: part(NUMBER_BITS, NUMBER_BITS),
            work: part(2 * NUMBER_BITS, WORK_BITS),
            busy: part(BUSY_SHIFT, 1) == 1,
        }
    }

    fn worth(self) -> u32 {
        self.work
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_as_it_was() {
        for (proof, disproof) in [(0, NEVER), (NEVER, 0), (1, 1), (NEVER - 1, 77)] {
            for (work, busy) in [(0, false), (0, true), (31, false), (31, true), (17, true)] {
                let numbers = Numbers {
                    work,
                    busy,
                    ..Numbers::new(proof, disproof)
                };
                assert_eq!(Numbers::unpack(numbers.pack()), numbers);
            }
        }
        let endless = Numbers {
            work: u64::BITS,
            ..Numbers::new(1, 1)
        };
        assert_eq!(Numbers::unpack(endless.pack()).work, 31);
    }
}
