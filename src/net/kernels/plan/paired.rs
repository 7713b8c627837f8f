//! Plans in 16-bit integers: the ranges that they need, and how they run.

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
    /// Whether a plan in integers would multiply transformed inputs, whose ranges it has to know.
    pub fn needs_ranges(desc: &NetDesc) -> bool {
        let served = winograd_products(desc);
        served > 0 && is_transformed(served, size_of::<i16>())
    }

    /// Compiles a description that has been checked for integers where the vocabulary gains by them.
    ///
    /// # Errors
    /// [`NetError::Ranges`] if these are not ranges of such a network.
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

    /// Sees the transformed inputs of all convolutions that Winograd's scheme serves, whether it serves them on these
    /// boards or not. The lengths of the input have been checked.
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

    /// Runs work that only plans in integers have.
    pub(super) fn run_pairs<W: WithDot<Output = ()>>(&self, work: W) {
        if let Some(multiplier) = self.vocabulary.pairs() {
            multiplier.run(work);
        }
    }
}
