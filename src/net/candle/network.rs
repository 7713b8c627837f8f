//! Complete network: feature extractor, policy head and value head.

use candle_core::{Device, Result, Tensor};

use super::device::Backend;
use super::features::Features;
use super::policy_head::PolicyHead;
use super::value_head::ValueHead;
use crate::net::answer::Answer;
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::input::NetInput;

/// Network that runs on a candle device.
#[derive(Debug)]
pub struct CandleNetwork {
    features: Features,
    policy: PolicyHead,
    value: ValueHead,
    device: Device,
    max_batch: usize,
}

impl CandleNetwork {
    /// Builds the network from a checked description and copies its weights to the device. `max_batch` is the maximum
    /// number of positions evaluated together, at least 1; it bounds the memory for activations.
    ///
    /// # Errors
    /// Returns the device's error, for example if it is out of memory.
    pub fn new(desc: &NetDesc, backend: &Backend, max_batch: usize) -> Result<Self> {
        Ok(Self {
            features: Features::new(desc, backend)?,
            policy: PolicyHead::new(&desc.policy, backend)?,
            value: ValueHead::new(&desc.value, backend)?,
            device: backend.device.clone(),
            max_batch: max_batch.max(1),
        })
    }

    /// Evaluates all positions and passes each result to `each`, in order.
    ///
    /// The caller must have checked the lengths of the input, and checks that the outputs are finite: an overflow makes
    /// them infinite or NaN. On the CPU, candle's operations run on the current thread pool of rayon.
    ///
    /// # Errors
    /// Returns the first error of `each` or of candle.
    pub fn run(
        &self,
        input: &NetInput<'_>,
        mut each: impl FnMut(usize, &Answer) -> std::result::Result<(), NetError>,
    ) -> std::result::Result<(), NetError> {
        let mut answer = Answer::default();
        for first in (0..input.count).step_by(self.max_batch) {
            let count = self.max_batch.min(input.count - first);
            let (policy, value) = self.forward(input, first, count)?;
            for index in 0..count {
                answer.clear();
                self.policy
                    .split(part(&policy, count, index, 1), &mut answer);
                self.value.split(part(&value, count, index, 1), &mut answer);
                each(first + index, &answer)?;
            }
        }
        Ok(())
    }

    /// Evaluates `count` positions starting at `first`. Returns the outputs of both heads.
    fn forward(
        &self,
        input: &NetInput<'_>,
        first: usize,
        count: usize,
    ) -> Result<(Vec<f32>, Vec<f32>)> {
        let planes = part(input.planes, input.count, first, count);
        let shape = (count, (), input.height, input.width);
        let planes = Tensor::from_slice(planes, planes.len(), &self.device)?.reshape(shape)?;
        let globals = self.globals(input, first, count)?;
        let features = self.features.forward(&planes, globals.as_ref())?;
        let read_back = |output: Tensor| output.flatten_all()?.to_vec1();
        let (policy, value) = (
            self.policy.forward(&features)?,
            self.value.forward(&features)?,
        );
        Ok((read_back(policy)?, read_back(value)?))
    }

    /// Joins global inputs and profile of each position: `[count, globals + profile]`.
    fn globals(&self, input: &NetInput<'_>, first: usize, count: usize) -> Result<Option<Tensor>> {
        let mut numbers = Vec::new();
        for index in first..first + count {
            numbers.extend_from_slice(part(input.globals, input.count, index, 1));
            numbers.extend_from_slice(part(input.profiles, input.count, index, 1));
        }
        if numbers.is_empty() {
            return Ok(None);
        }
        let length = numbers.len() / count;
        Tensor::from_vec(numbers, (count, length), &self.device).map(Some)
    }
}

/// Returns the numbers of `count` positions starting at `first`, of `total` positions in all.
fn part(numbers: &[f32], total: usize, first: usize, count: usize) -> &[f32] {
    let length = numbers.len() / total;
    &numbers[first * length..(first + count) * length]
}
