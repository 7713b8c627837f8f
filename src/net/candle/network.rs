//! Complete network: feature extractor, policy head and value head.

use candle_core::{Device, Result, Tensor};

use super::features::FeatureExtractor;
use super::fused::{Implementation, Workspaces};
use super::policy_head::PolicyHead;
use super::value_head::ValueHead;
use crate::net::cpu::executor::CpuExecutor;
use crate::net::encoded_batch::EncodedBatch;
use crate::net::error::NetError;
use crate::net::spec::NetSpec;
use crate::parallel::scratch_pool::ScratchPool;

/// Batch size at which a GPU reaches a high fraction of its peak throughput.
const GPU_BATCH: usize = 64;

/// Raw head outputs for one position. [`Readout`](crate::net::spec::Readout) defines how they are decoded. Outputs that
/// the network does not have are empty.
#[derive(Clone, Copy, Debug)]
pub struct RawOutput<'a> {
    /// Policy logits, `[points, policies]`, with the points in row-major order from the top left. `policies` is the
    /// number of output channels of the [policy head](crate::net::spec::heads::PolicyHead).
    pub policy: &'a [f32],
    /// Pass logits, `[policies]`.
    pub pass: &'a [f32],
    pub result: &'a [f32],
    pub score: &'a [f32],
    /// Ownership of each point before `tanh`, positive for the player to move.
    pub ownership: &'a [f32],
    /// True if an intermediate value was too large for the calibrated 16-bit integers. All outputs are then
    /// meaningless.
    pub saturated: bool,
}

/// The three modules of a network. Can be shared by any number of threads.
#[derive(Debug)]
pub struct NetworkModules {
    features: FeatureExtractor,
    policy: PolicyHead,
    value: ValueHead,
    implementation: Implementation,
    /// Maximum number of positions that candle's operations evaluate together. It limits the memory for activations.
    max_batch: usize,
    workspaces: ScratchPool<Workspaces>,
}

impl NetworkModules {
    /// Builds a network from a checked description. candle's operations evaluate at most `max_batch` positions (at
    /// least 1) together.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(spec: &NetSpec, implementation: Implementation, max_batch: usize) -> Result<Self> {
        Ok(Self {
            features: FeatureExtractor::new(spec, &implementation)?,
            policy: PolicyHead::new(&spec.policy, &implementation)?,
            value: ValueHead::new(&spec.value, &implementation)?,
            implementation,
            max_batch: max_batch.max(1),
            workspaces: ScratchPool::default(),
        })
    }

    /// Returns the CPU kernels that the modules run, or `None` if they consist of candle's operations.
    #[must_use]
    pub fn executor(&self) -> Option<&CpuExecutor> {
        match &self.implementation {
            Implementation::Fused(executor) => Some(executor),
            Implementation::Plain(_) => None,
        }
    }

    fn device(&self) -> &Device {
        match &self.implementation {
            Implementation::Fused(_) => &Device::Cpu,
            Implementation::Plain(backend) => &backend.device,
        }
    }

    /// Returns the preferred number of positions per call of [`run`](Self::run) if `threads` threads call it
    /// concurrently.
    ///
    /// On a CPU, threads evaluate positions independently of each other, and larger batches gain little. A GPU needs
    /// large batches for full throughput. All threads contribute positions to a batch.
    #[must_use]
    pub fn batch_hint(&self, threads: usize) -> usize {
        if self.device().is_cpu() {
            1
        } else {
            GPU_BATCH.div_ceil(threads.max(1))
        }
    }

    /// Evaluates all positions and calls `each` with the index and the raw outputs of each position, in order. The
    /// outputs are meaningless if `saturated` is true.
    ///
    /// The caller must have checked the lengths of the input. `each` must check that the outputs are finite, because an
    /// overflow makes outputs infinite or NaN.
    ///
    /// The CPU kernels use only the calling thread. On the CPU, candle's operations run on rayon's current thread pool.
    ///
    /// # Errors
    /// Returns the first error of `each` or of candle.
    pub fn run(
        &self,
        input: &EncodedBatch<'_>,
        mut each: impl FnMut(usize, RawOutput<'_>) -> std::result::Result<(), NetError>,
    ) -> std::result::Result<(), NetError> {
        let size = (input.height, input.width);
        let executor = self.executor();
        let max_batch = executor.map_or(self.max_batch, |cpu| cpu.minibatch_size(size));
        self.workspaces.with(|workspaces| {
            for first in (0..input.count).step_by(max_batch) {
                let count = max_batch.min(input.count - first);
                let (policies, values) = self.forward(&input.slice(first, count), workspaces)?;
                let policies = policies.chunks_exact(policies.len() / count);
                let values = values.chunks_exact(values.len() / count);
                for (index, (policy, value)) in policies.zip(values).enumerate() {
                    let (policy, pass) = self.policy.split(policy);
                    let [result, score, ownership] = self.value.split(value);
                    let raw = RawOutput {
                        policy,
                        pass,
                        result,
                        score,
                        ownership,
                        saturated: workspaces.is_board_saturated(index),
                    };
                    each(first + index, raw)?;
                }
            }
            Ok(())
        })
    }

    /// Evaluates all positions together. Returns the outputs of both heads.
    fn forward(
        &self,
        input: &EncodedBatch<'_>,
        workspaces: &mut Workspaces,
    ) -> Result<(Vec<f32>, Vec<f32>)> {
        let shape = (input.count, (), input.height, input.width);
        let planes = Tensor::from_slice(input.planes, input.planes.len(), self.device())?;
        let globals = input.global_rows();
        let global_shape = (input.count, globals.len() / input.count);
        let globals = Tensor::from_vec(globals, global_shape, self.device())?;
        let features = self
            .features
            .forward(&planes.reshape(shape)?, &globals, workspaces)?;
        let read_back = |output: Tensor| output.flatten_all()?.to_vec1();
        Ok((
            read_back(self.policy.forward(&features, workspaces)?)?,
            read_back(self.value.forward(&features, workspaces)?)?,
        ))
    }
}
