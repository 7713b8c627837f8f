//! Construction of evaluators with their wrappers.

use std::sync::Arc;

use super::Evaluator;
use super::batcher::Batcher;
use super::cache::Cache;
use super::hashed::HashEvaluator;
use super::network::NetworkEvaluator;
use super::rollout::{RolloutEvaluator, RolloutSettings};
use super::swap::SwappableEvaluator;
use super::symmetry::{SymmetryEvaluator, SymmetryMode};
use super::uniform::UniformEvaluator;

/// A reference-counted evaluator of any type.
pub type SharedEvaluator = Arc<dyn Evaluator>;

/// Innermost evaluator, to which wrappers are added.
#[derive(Debug)]
pub enum BaseEvaluator {
    /// A network.
    Network(Arc<NetworkEvaluator>),
    /// Random playouts. Their results differ from request to request, so no wrappers are added.
    Rollout(RolloutSettings),
    /// Pseudo-random evaluations derived from position hashes.
    Hashed,
    /// Uniform priors and the value 0.
    Uniform,
}

/// Configuration of the wrappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSettings {
    /// Choice of symmetries.
    pub symmetry: SymmetryMode,
    /// Memory limit of the cache in MiB; 0 disables it.
    pub cache_mib: usize,
    /// Maximum number of positions per batch, collected from concurrent requests; 0 or 1 disables batching. If the
    /// network runs on a GPU, values below [`Evaluator::batch_hint`] are raised to it.
    pub batch_size: usize,
    /// Maximum number of batches evaluated concurrently, usually the number of processors. If the network runs on a
    /// GPU, values above two count as two.
    pub max_concurrent_batches: usize,
}

impl Default for StackSettings {
    fn default() -> Self {
        Self {
            symmetry: SymmetryMode::Random { seed: 0 },
            cache_mib: 256,
            batch_size: 1,
            max_concurrent_batches: 1,
        }
    }
}

/// Maximum number of concurrent batches for a GPU: while the GPU evaluates one batch, the CPU encodes the inputs of the
/// other.
const MAX_GPU_BATCHES: usize = 2;

impl StackSettings {
    /// Adapts the batch settings to a network that prefers `batch_hint` positions per batch. On the CPU, where
    /// `batch_hint` is 1, the settings are unchanged.
    fn for_batch_hint(self, batch_hint: usize) -> Self {
        if batch_hint <= 1 {
            return self;
        }
        Self {
            batch_size: self.batch_size.max(batch_hint),
            max_concurrent_batches: self.max_concurrent_batches.min(MAX_GPU_BATCHES),
            ..self
        }
    }
}

/// Evaluator composed of a base and wrappers, with access to some of these layers.
#[derive(Clone)]
pub struct EvaluatorStack {
    /// The complete evaluator: the base with all configured wrappers.
    pub evaluator: SharedEvaluator,
    /// The base evaluator, which applies the symmetry of each request.
    pub base: SharedEvaluator,
    /// The cache, if enabled. `None` if the base can be replaced.
    pub cache: Option<Arc<Cache<SharedEvaluator>>>,
    /// True if the base is a human-style network, which takes a player profile.
    pub takes_profile: bool,
}

impl EvaluatorStack {
    /// Wraps `base` in a batcher, then a symmetry layer, then a cache (outermost), as configured. Random playouts are
    /// not wrapped.
    pub fn new(base: BaseEvaluator, settings: StackSettings) -> Self {
        match base {
            BaseEvaluator::Network(network) => {
                let takes_profile = network.network().takes_profile();
                let settings = settings.for_batch_hint(network.batch_hint(1));
                Self {
                    takes_profile,
                    ..Self::wrap(network, settings)
                }
            }
            BaseEvaluator::Hashed => Self::wrap(Arc::new(HashEvaluator), settings),
            BaseEvaluator::Uniform => Self::wrap(Arc::new(UniformEvaluator), settings),
            BaseEvaluator::Rollout(rollout) => {
                let base: SharedEvaluator = Arc::new(RolloutEvaluator::new(rollout));
                Self {
                    evaluator: Arc::clone(&base),
                    base,
                    cache: None,
                    takes_profile: false,
                }
            }
        }
    }

    /// Like [`new`](Self::new), but also returns a handle with which the base can be replaced while the program runs.
    pub fn swappable(base: BaseEvaluator, settings: StackSettings) -> (Self, BaseReplacer) {
        let stack = Self::new(base, settings);
        let replacer = BaseReplacer {
            evaluator: Arc::new(SwappableEvaluator::new(stack.evaluator)),
            base: Arc::new(SwappableEvaluator::new(stack.base)),
            settings,
        };
        let stack = Self {
            evaluator: Arc::<SwappableEvaluator>::clone(&replacer.evaluator),
            base: Arc::<SwappableEvaluator>::clone(&replacer.base),
            cache: None,
            takes_profile: stack.takes_profile,
        };
        (stack, replacer)
    }

    fn wrap(base: SharedEvaluator, settings: StackSettings) -> Self {
        let mut evaluator = Arc::clone(&base);
        if settings.batch_size > 1 {
            evaluator = Arc::new(Batcher::new(
                evaluator,
                settings.batch_size,
                settings.max_concurrent_batches,
            ));
        }
        evaluator = Arc::new(SymmetryEvaluator::new(evaluator, settings.symmetry));
        let cache = (settings.cache_mib > 0)
            .then(|| Arc::new(Cache::new(Arc::clone(&evaluator), settings.cache_mib)));
        if let Some(cache) = &cache {
            evaluator = Arc::<Cache<SharedEvaluator>>::clone(cache);
        }
        Self {
            evaluator,
            base,
            cache,
            takes_profile: false,
        }
    }
}

/// Handle for replacing the base of a stack.
pub struct BaseReplacer {
    evaluator: Arc<SwappableEvaluator>,
    base: Arc<SwappableEvaluator>,
    settings: StackSettings,
}

impl BaseReplacer {
    /// Replaces the base and all wrappers. The new cache is empty, so that it returns no evaluations of the old base.
    /// Searches that are already running keep the old base until they end.
    pub fn replace(&self, base: BaseEvaluator) {
        let stack = EvaluatorStack::new(base, self.settings);
        self.evaluator.replace(stack.evaluator);
        self.base.replace(stack.base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpu_batches_are_large_and_few() {
        let settings = StackSettings {
            batch_size: 4,
            max_concurrent_batches: 16,
            ..StackSettings::default()
        };
        assert_eq!(settings.for_batch_hint(1), settings);
        for (batch_hint, expected) in [(64, 64), (2, 4)] {
            let adapted = settings.for_batch_hint(batch_hint);
            assert_eq!(adapted.batch_size, expected);
            assert_eq!(adapted.max_concurrent_batches, 2);
        }
    }
}
