//! Fallback to the CPU when a GPU fails.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::io::stderr;
use crate::net::cpu::isa::Isa;
use crate::net::error::NetError;
use crate::net::model::{EncodedBatch, LazyNetwork, NetOutput, Network};
use crate::net::spec::NetSpec;

/// Substitute for a network on a GPU: the same network on the CPU, in 32-bit floats.
///
/// With this substitute, a search finishes with correct evaluations even if the GPU fails, for example because another
/// program uses up the GPU's memory or because the driver is updated.
#[derive(Debug)]
pub struct CpuFallback {
    network: LazyNetwork,
    /// True once the GPU has failed. All later evaluations run on the CPU.
    has_failed: AtomicBool,
}

impl CpuFallback {
    pub fn new(spec: NetSpec, isa: Isa) -> Self {
        Self {
            network: Network::lazy_f32(spec, isa),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Evaluates the positions of `input` with `gpu`, or on the CPU if the GPU fails or has failed before. The first
    /// failure is reported on standard error. If outputs of the GPU are not finite, `input` is evaluated again on the
    /// CPU, but later calls continue to use the GPU.
    ///
    /// # Errors
    /// Returns an error if `input` does not fit the network, or if the evaluation on the CPU fails.
    pub fn evaluate_with_fallback(
        &self,
        gpu: impl FnOnce(&EncodedBatch<'_>) -> Result<Vec<NetOutput>, NetError>,
        input: &EncodedBatch<'_>,
    ) -> Result<Vec<NetOutput>, NetError> {
        if !self.has_failed.load(Ordering::Relaxed) {
            match gpu(input) {
                Err(NetError::Candle(error)) => {
                    if !self.has_failed.swap(true, Ordering::Relaxed) {
                        stderr::eprint_line(format_args!(
                            "honinbo: the GPU failed, continuing on the CPU: {error}"
                        ));
                    }
                }
                Err(NetError::NonFiniteOutput(_)) => {}
                result => return result,
            }
        }
        self.network.evaluate(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::katago::player_profile::Profile;
    use crate::eval::embedded;
    use crate::eval::input::{InputBatch, InputFormat};
    use crate::game::point::BoardSize;
    use crate::game::position::Position;
    use crate::game::rules::Rules;
    use crate::game::symmetry::Symmetry;
    use crate::net::candle::device::Backend;

    #[test]
    fn evaluations_continue_on_the_cpu() {
        let spec = embedded::spec().unwrap();
        let isa = Isa::from_env_or_best().unwrap();
        let cpu = Network::with_f32(&spec, isa);
        let fallback = CpuFallback::new(spec, isa);
        let format = InputFormat::for_network(&cpu, Profile::default()).unwrap();
        let size = BoardSize::new(9, 9).unwrap();
        let position = Position::new(size, Rules::default());
        let mut batch = InputBatch::default();
        batch.write(&format, [(&position, Symmetry::IDENTITY)].into_iter());
        let input = batch.as_encoded_batch(size, 0.0);
        let expected = cpu.evaluate(&input).unwrap();

        let marked = vec![NetOutput::default()];
        let working = |_: &EncodedBatch<'_>| Ok(marked.clone());
        let overflowing = |_: &EncodedBatch<'_>| Err(NetError::NonFiniteOutput("policy"));
        let broken = |_: &EncodedBatch<'_>| {
            // Selecting from an empty list of number types fails with a Candle error.
            let error = Backend::with_supported_dtype(Backend::default().device, &[]).unwrap_err();
            Err(NetError::Candle(error))
        };
        let wrong_input = |_: &EncodedBatch<'_>| {
            Err(NetError::BoardSize {
                width: 9,
                height: 9,
            })
        };
        assert_eq!(
            fallback.evaluate_with_fallback(working, &input).unwrap(),
            marked
        );
        assert!(
            fallback
                .evaluate_with_fallback(wrong_input, &input)
                .is_err()
        );
        assert_eq!(
            fallback
                .evaluate_with_fallback(overflowing, &input)
                .unwrap(),
            expected
        );
        assert_eq!(
            fallback.evaluate_with_fallback(working, &input).unwrap(),
            marked
        );
        assert_eq!(
            fallback.evaluate_with_fallback(broken, &input).unwrap(),
            expected
        );
        // The GPU is not used again after its failure.
        assert_eq!(
            fallback.evaluate_with_fallback(working, &input).unwrap(),
            expected
        );
    }
}
