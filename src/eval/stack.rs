//! Evaluators with their wrappers around them, from plain settings.

use std::sync::Arc;

use super::Evaluator;
use super::batcher::Batcher;
use super::cache::Cache;
use super::hashed::Hashed;
use super::network::NetworkEvaluator;
use super::rollout::{Rollout, RolloutSettings};
use super::symmetry::{SymmetryEvaluator, SymmetryMode};
use super::uniform::Uniform;

/// Any evaluator.
pub type SharedEvaluator = Arc<dyn Evaluator>;

/// What judges positions at the bottom of a stack.
#[derive(Debug)]
pub enum BaseEvaluator {
    /// A network.
    Network(Arc<NetworkEvaluator>),
    /// Random playouts. Each asks anew: nothing is remembered, turned or joined.
    Rollout(RolloutSettings),
    /// Answers made of hashes.
    Hashed,
    /// Nothing known.
    Uniform,
}

/// What to put around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSettings {
    /// How to turn positions.
    pub symmetry: SymmetryMode,
    /// Memory of the cache in MiB; 0 for none.
    pub cache_mib: usize,
    /// Requests to join into one batch; up to 1 for no joining.
    pub batch_size: usize,
    /// Batches under way at the same time: as many as there are processors to run them.
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

/// An evaluator and the parts of it that somebody may want to reach.
#[derive(Clone)]
pub struct EvaluatorStack {
    /// Cache, symmetry, batcher and base, as far as there are such.
    pub evaluator: SharedEvaluator,
    /// The base alone, which looks through the symmetry it is told.
    pub base: SharedEvaluator,
    /// The cache, if there is one.
    pub cache: Option<Arc<Cache<SharedEvaluator>>>,
    /// Whether the base is a network that imitates people whom a profile names.
    pub uses_human_sl_profile: bool,
}

impl EvaluatorStack {
    /// Builds cache(orient(batcher(base))).
    #[must_use]
    pub fn new(base: BaseEvaluator, settings: StackSettings) -> Self {
        match base {
            BaseEvaluator::Network(network) => {
                let uses_human_sl_profile = network.network().is_profiled();
                Self {
                    uses_human_sl_profile,
                    ..Self::wrap(network, settings)
                }
            }
            BaseEvaluator::Hashed => Self::wrap(Arc::new(Hashed), settings),
            BaseEvaluator::Uniform => Self::wrap(Arc::new(Uniform), settings),
            BaseEvaluator::Rollout(rollout) => {
                let base: SharedEvaluator = Arc::new(Rollout::new(rollout));
                Self {
                    evaluator: Arc::clone(&base),
                    base,
                    cache: None,
                    uses_human_sl_profile: false,
                }
            }
        }
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
            uses_human_sl_profile: false,
        }
    }
}
