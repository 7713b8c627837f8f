//! Proof numbers of positions, and the computation of a position's numbers from those of its children.

use crate::tactics::transposition_table::TableEntry;

/// Proof number of a position that cannot be proved, or disproof number of one that cannot be disproved.
pub(super) const INFINITY: u32 = (1 << NUMBER_BITS) - 1;

const NUMBER_BITS: u32 = 25;
const LOG_NODES_BITS: u32 = 5;
const IN_PROGRESS_SHIFT: u32 = 2 * NUMBER_BITS + LOG_NODES_BITS;

/// Proof and disproof number (Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    /// Estimated number of positions that must still be proved to prove this one. 0 if it is proved.
    pub proof: u32,
    /// Estimated number of positions that must still be disproved to disprove this one. 0 if it is disproved.
    pub disproof: u32,
    /// Binary logarithm of the number of positions visited below this one.
    pub log_nodes: u32,
    /// True while a thread searches the position.
    pub in_progress: bool,
}

impl ProofNumbers {
    /// Creates the numbers of an unvisited position.
    pub const fn new(proof: u32, disproof: u32) -> Self {
        Self {
            proof,
            disproof,
            log_nodes: 0,
            in_progress: false,
        }
    }

    /// Creates the numbers of a proved or disproved position.
    pub const fn decided(proved: bool) -> Self {
        if proved {
            Self::new(0, INFINITY)
        } else {
            Self::new(INFINITY, 0)
        }
    }

    /// Returns true if the position is proved or disproved.
    pub const fn is_decided(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

impl TableEntry for ProofNumbers {
    fn pack(self) -> u64 {
        // The two numbers are never both 0.
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

/// Proof numbers of a position, computed from its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChildSummary {
    /// Proof numbers of the position.
    pub numbers: ProofNumbers,
    /// Index of the child to search next. `None` if no child can help the side to move.
    pub best_child: Option<usize>,
    /// Phi of the second-best child, increased if another thread is searching that child. Determines when the search
    /// leaves the best child.
    pub second_best_phi: u32,
}

impl ChildSummary {
    /// Combines the numbers of the children of a position. Selects the child with the lowest phi. If another thread is
    /// already searching that child, selects a different child that is about as easy, provided that there is one whose
    /// phi is below `threshold`.
    pub fn new(children: &[ProofNumbers], prover_to_move: bool, threshold: u32) -> Self {
        let mut sum = 0_u32;
        let [mut best, mut best_free] = [BestChild::NONE; 2];
        for (index, child) in children.iter().enumerate() {
            let (phi, delta) = if prover_to_move {
                (child.proof, child.disproof)
            } else {
                (child.disproof, child.proof)
            };
            // A sum of finite numbers must stay below infinity.
            let max_sum = if delta == INFINITY || sum == INFINITY {
                INFINITY
            } else {
                INFINITY - 1
            };
            sum = sum.saturating_add(delta).min(max_sum);
            best.consider(index, phi, phi);
            let weight = if child.in_progress {
                in_progress_weight(phi)
            } else {
                phi
            };
            best_free.consider(index, phi, weight);
        }
        let min_phi = best.phi;
        let (proof, disproof) = if prover_to_move {
            (min_phi, sum)
        } else {
            (sum, min_phi)
        };
        let choice = if best_free.phi < threshold {
            best_free
        } else {
            best
        };
        Self {
            numbers: ProofNumbers::new(proof, disproof),
            best_child: choice.index,
            second_best_phi: choice.second_weight,
        }
    }
}

/// Returns the weight of a child that another thread is searching. A different child is selected instead if it has a
/// lower weight, which is its phi if no thread is searching it.
fn in_progress_weight(phi: u32) -> u32 {
    if phi == INFINITY {
        INFINITY
    } else {
        (2 * phi + 1).min(INFINITY - 1)
    }
}

/// The child with the lowest weight so far, and the second-lowest weight.
#[derive(Clone, Copy)]
struct BestChild {
    index: Option<usize>,
    phi: u32,
    weight: u32,
    second_weight: u32,
}

impl BestChild {
    const NONE: Self = Self {
        index: None,
        phi: INFINITY,
        weight: INFINITY,
        second_weight: INFINITY,
    };

    fn consider(&mut self, index: usize, phi: u32, weight: u32) {
        if weight < self.weight {
            *self = Self {
                index: Some(index),
                phi,
                weight,
                second_weight: self.weight,
            };
        } else {
            self.second_weight = self.second_weight.min(weight);
        }
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

    fn summary(
        children: &[(u32, u32, bool)],
        prover_to_move: bool,
        threshold: u32,
    ) -> ChildSummary {
        let numbers = |&(proof, disproof, in_progress): &(u32, u32, bool)| ProofNumbers {
            in_progress,
            ..ProofNumbers::new(proof, disproof)
        };
        let children: Vec<_> = children.iter().map(numbers).collect();
        ChildSummary::new(&children, prover_to_move, threshold)
    }

    #[test]
    fn easiest_child_is_selected() {
        let children = [(5, 3, false), (2, 9, false), (4, 1, false)];
        let expected = |numbers, best_child, second_best_phi| ChildSummary {
            numbers,
            best_child: Some(best_child),
            second_best_phi,
        };
        assert_eq!(
            summary(&children, true, INFINITY),
            expected(ProofNumbers::new(2, 13), 1, 4)
        );
        assert_eq!(
            summary(&children, false, INFINITY),
            expected(ProofNumbers::new(11, 1), 2, 3)
        );
    }

    #[test]
    fn decided_children_decide_parent() {
        let won = summary(&[(7, 7, false), (0, INFINITY, false)], true, INFINITY);
        assert_eq!(won.numbers, ProofNumbers::decided(true));
        let lost = summary(
            &[(INFINITY, 0, false), (INFINITY, 0, false)],
            true,
            INFINITY,
        );
        assert_eq!(
            (lost.numbers, lost.best_child),
            (ProofNumbers::decided(false), None)
        );
        let none = summary(&[], false, INFINITY);
        assert_eq!(
            (none.numbers, none.best_child),
            (ProofNumbers::decided(true), None)
        );
        let large = summary(
            &[(1, INFINITY - 1, false), (1, INFINITY - 1, false)],
            true,
            INFINITY,
        );
        assert_eq!(large.numbers.disproof, INFINITY - 1, "large but finite");
    }

    #[test]
    fn threads_spread_over_children() {
        let best_child = |other_child: (u32, u32, bool), threshold| {
            summary(&[(2, 9, true), other_child], true, threshold).best_child
        };
        assert_eq!(best_child((4, 9, false), INFINITY), Some(1));
        assert_eq!(best_child((6, 9, false), INFINITY), Some(0), "much harder");
        assert_eq!(best_child((4, 9, false), 4), Some(0), "above the threshold");
        assert_eq!(
            best_child((3, 9, true), INFINITY),
            Some(0),
            "both in progress"
        );
        let numbers = summary(&[(2, 9, true), (4, 9, false)], true, INFINITY).numbers;
        assert_eq!(
            numbers,
            ProofNumbers::new(2, 18),
            "numbers do not depend on marks"
        );
    }
}
