//! What the table keeps of a position: proof numbers.

use crate::tactics::transposition_table::TableEntry;

/// A number that stands for "never".
pub(super) const INFINITY: u32 = (1 << NUMBER_BITS) - 1;

const NUMBER_BITS: u32 = 25;
const LOG_NODES_BITS: u32 = 5;
const IN_PROGRESS_SHIFT: u32 = 2 * NUMBER_BITS + LOG_NODES_BITS;

/// How hard a position is to decide (Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    /// About how many positions must yet be proved to prove this one: 0 once it is proved.
    pub proof: u32,
    /// The same for the disproof.
    pub disproof: u32,
    /// Binary logarithm of the positions visited for it.
    pub log_nodes: u32,
    /// Whether a thread is searching it.
    pub in_progress: bool,
}

impl ProofNumbers {
    /// Those of a position that nobody has looked at yet.
    pub const fn new(proof: u32, disproof: u32) -> Self {
        Self {
            proof,
            disproof,
            log_nodes: 0,
            in_progress: false,
        }
    }

    /// Proved or disproved.
    pub const fn decided(proved: bool) -> Self {
        if proved {
            Self::new(0, INFINITY)
        } else {
            Self::new(INFINITY, 0)
        }
    }

    /// Whether nothing is left to be found out.
    pub const fn is_decided(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

impl TableEntry for ProofNumbers {
    fn pack(self) -> u64 {
        // The two numbers are never 0 together.
        u64::from(self.proof)
            | u64::from(self.disproof) << NUMBER_BITS
            | u64::from(self.log_nodes.min((1 << LOG_NODES_BITS) - 1)) << (2 * NUMBER_BITS)
            | u64::from(self.in_progress) << IN_PROGRESS_SHIFT
    }

    fn unpack(bits: u64) -> Self {
        let field = |shift: u32, width: u32| (bits >> shift) as u32 & ((1 << width) - 1);
        Self {
            proof: field(0, NUMBER_BITS),
            disproof: field(NUMBER_BITS, NUMBER_BITS),
            log_nodes: field(2 * NUMBER_BITS, LOG_NODES_BITS),
            in_progress: field(IN_PROGRESS_SHIFT, 1) == 1,
        }
    }

    fn keep_priority(self) -> u32 {
        self.log_nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_round_trips() {
        for (proof, disproof) in [(0, INFINITY), (INFINITY, 0), (1, 1), (INFINITY - 1, 77)] {
            for (log_nodes, in_progress) in
                [(0, false), (0, true), (31, false), (31, true), (17, true)]
            {
                let numbers = ProofNumbers {
                    log_nodes,
                    in_progress,
                    ..ProofNumbers::new(proof, disproof)
                };
                assert_eq!(ProofNumbers::unpack(numbers.pack()), numbers);
            }
        }
        let saturated = ProofNumbers {
            log_nodes: u64::BITS,
            ..ProofNumbers::new(1, 1)
        };
        assert_eq!(ProofNumbers::unpack(saturated.pack()).log_nodes, 31);
    }
}
