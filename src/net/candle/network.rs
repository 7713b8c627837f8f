//! Complete network: feature extractor, policy head and value head.

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};

use super::device::Backend;
use super::features::{FeatureExtractor, Trunk};
use super::fused::Workspaces;
use super::policy_head::PolicyHead;
use super::value_head::ValueHead;
use crate::net::cpu::executor::CpuExecutor;
use crate::net::encoded_batch::EncodedBatch;
use crate::net::error::NetError;
use crate::net::raw_output::RawOutput;
use crate::net::spec::NetSpec;
use crate::parallel::scratch_pool::ScratchPool;

/// Batch size at which a GPU reaches a high fraction of its peak throughput.
const GPU_BATCH: usize = 64;

/// The three modules of a network. Can be shared by any number of threads.
#[derive(Debug)]
pub struct NetworkModules {
    features: FeatureExtractor,
    policy: PolicyHead,
    value: ValueHead,
    device: Device,
    /// Maximum number of positions that candle's operations evaluate together. It limits the memory for activations.
    max_batch: usize,
    workspaces: ScratchPool<Workspaces>,
}

impl NetworkModules {
    /// Builds a network that runs candle's operations from a checked description, and copies its weights to the device.
    /// At most `max_batch` positions (at least 1) are evaluated together.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn with_candle_ops(spec: &NetSpec, backend: &Backend, max_batch: usize) -> Result<Self> {
        Ok(Self {
            features: FeatureExtractor::Plain(Box::new(Trunk::new(spec, backend)?)),
            policy: PolicyHead::new(&spec.policy, backend)?,
            value: ValueHead::new(&spec.value, backend)?,
            device: backend.device.clone(),
            max_batch: max_batch.max(1),
            workspaces: ScratchPool::default(),
        })
    }

    /// Creates a network that runs this engine's kernels on the CPU. `executor` must have been created from `spec`.
    #[must_use]
    pub fn with_cpu_kernels(spec: &NetSpec, executor: &Arc<CpuExecutor>) -> Self {
        Self {
            features: FeatureExtractor::Fused(Arc::clone(executor)),
            policy: PolicyHead::with_cpu_kernels(&spec.policy, Arc::clone(executor)),
            value: ValueHead::with_cpu_kernels(&spec.value, Arc::clone(executor)),
            device: Device::Cpu,
            max_batch: 1,
            workspaces: ScratchPool::default(),
        }
    }

    /// Returns the maximum number of positions evaluated together on boards of this size.
    fn max_batch(&self, height: usize, width: usize) -> usize {
        match &self.features {
            FeatureExtractor::Fused(executor) => executor.minibatch_size((height, width)),
            FeatureExtractor::Plain(_) => self.max_batch,
        }
    }

    /// Returns the preferred number of positions per call of [`run`](Self::run) if `threads` threads call it
    /// concurrently.
    ///
    /// On a CPU, each thread evaluates its positions alone, and there is little to gain from evaluating several
    /// positions together. A GPU needs large batches for full throughput. All threads contribute positions to a batch.
    #[must_use]
    pub fn batch_hint(&self, threads: usize) -> usize {
        if self.device.is_cpu() {
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
        mut each: impl FnMut(usize, &RawOutput) -> std::result::Result<(), NetError>,
    ) -> std::result::Result<(), NetError> {
        let max_batch = self.max_batch(input.height, input.width);
        let mut raw = RawOutput::default();
        self.workspaces.with(|workspaces| {
            for first in (0..input.count).step_by(max_batch) {
                let count = max_batch.min(input.count - first);
                let (policy, value) = self.forward(input, first, count, workspaces)?;
                for index in 0..count {
                    raw.clear();
                    raw.saturated = workspaces.is_board_saturated(index);
                    self.policy
                        .append_output(row(&policy, index, count), &mut raw);
                    self.value
                        .append_output(row(&value, index, count), &mut raw);
                    each(first + index, &raw)?;
                }
            }
            Ok(())
        })
    }

    /// Evaluates `count` positions starting at `first`. Returns the outputs of both heads.
    fn forward(
        &self,
        input: &EncodedBatch<'_>,
        first: usize,
        count: usize,
        workspaces: &mut Workspaces,
    ) -> Result<(Vec<f32>, Vec<f32>)> {
        let (planes, globals) = input.planes_and_globals(first, count);
        let shape = (count, (), input.height, input.width);
        let planes = Tensor::from_slice(planes, planes.len(), &self.device)?.reshape(shape)?;
        let shape = (count, globals.len() / count);
        let globals = Tensor::from_vec(globals, shape, &self.device)?;
        let features = self.features.forward(&planes, &globals, workspaces)?;
        let policy = self.policy.forward(&features, workspaces)?;
        let value = self.value.forward(&features, workspaces)?;
        let read_back = |output: Tensor| output.flatten_all()?.to_vec1();
        Ok((read_back(policy)?, read_back(value)?))
    }
}

/// Returns row `index` of `values`, which consists of `count` rows.
fn row(values: &[f32], index: usize, count: usize) -> &[f32] {
    let length = values.len() / count;
    &values[index * length..][..length]
}
