//! Plans in 16-bit integers: calibration of input ranges, compilation and execution.

use super::super::compile::{Numbers, is_transformed, winograd_products};
use super::super::pairs::dot::WithDot;
use super::super::ranges::{Observe, Ranges};
use super::super::steps::Step;
use super::super::vocabulary::Vocabulary;
use super::super::winograd;
use super::{Plan, Scratch};
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::input::NetInput;

impl Plan {
    /// Returns true if a plan in integers uses Winograd convolutions, which need the ranges of their transformed
    /// inputs.
    pub fn needs_ranges(desc: &NetDesc) -> bool {
        let served = winograd_products(desc);
        served > 0 && is_transformed(served, size_of::<i16>())
    }

    /// Compiles a checked description in 16-bit integers, or in 32-bit floats if integers are not faster with the
    /// selected instruction set.
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] if the ranges are needed but do not match the network.
    pub fn paired(
        desc: &NetDesc,
        ranges: &Ranges,
        vocabulary: Vocabulary,
    ) -> Result<Self, NetError> {
        let numbers = match vocabulary.pairs() {
            Some(_) => Numbers::Pairs(ranges),
            None => Numbers::Full,
        };
        let plan = Self::new(desc, vocabulary, numbers);
        let convolutions = plan.compiled.convolutions;
        if !Self::needs_ranges(desc) || ranges.fit(convolutions) {
            Ok(plan)
        } else {
            Err(NetError::Ranges {
                expected: convolutions * winograd::FREQUENCIES,
                found: ranges.numbers().len(),
            })
        }
    }

    /// Records the ranges of the transformed inputs of all convolutions that have a Winograd scheme.
    ///
    /// The ranges are also recorded for convolutions that use the direct product on boards of this size. The caller
    /// must have checked the lengths of the input.
    pub fn observe(&self, input: &NetInput<'_>, ranges: &mut Ranges) {
        let mut scratch = Scratch::default();
        for position in 0..input.count {
            scratch.fit(&self.compiled, self.lanes, 1, input.height, input.width);
            self.read(input, position, 1, &mut scratch);
            scratch.transformed_of = None;
            scratch.pairs.forget();
            let mut convolution = 0;
            for step in &self.compiled.steps {
                if let Step::Conv(conv) = step
                    && let Some(tile) = winograd::tile(conv.kernel)
                {
                    let source = self.source(conv, tile, 1, &scratch.boards, &scratch.buffers);
                    ranges.see(convolution, self.vocabulary.run(Observe(source)));
                    convolution += 1;
                }
                self.step(step, 1, &mut scratch);
            }
        }
    }

    /// Runs a kernel in 16-bit integers. Does nothing if the instruction set has no such kernels.
    pub(super) fn run_pairs<W: WithDot<Output = ()>>(&self, work: W) {
        if let Some(multiplier) = self.vocabulary.pairs() {
            multiplier.run(work);
        }
    }
}
