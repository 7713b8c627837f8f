//! Evaluators with their wrappers around them, from plain settings.

use std::sync::Arc;

use super::Evaluator;
use super::batcher::Batcher;
use super::cache::Cache;
use super::hashed::Hashed;
use super::network::NetworkEvaluator;
use super::orient::{Orient, Orientation};
use super::rollout::{Rollout, RolloutSettings};
use super::uniform::Uniform;

/// Any evaluator.
pub type Shared = Arc<dyn Evaluator>;

/// What judges positions at the bottom of a stack.
#[derive(Debug)]
pub enum Base {
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
    pub orientation: Orientation,
    /// Memory of the cache in MiB; 0 for none.
    pub cache: usize,
    /// Requests to join into one batch; up to 1 for no joining.
    pub batch: usize,
    /// Batches under way at the same time: as many as there are processors to run them.
    pub at_once: usize,
}

impl Default for StackSettings {
    fn default() -> Self {
        Self {
            orientation: Orientation::Random { seed: 0 },
            cache: 256,
            batch: 1,
            at_once: 1,
        }
    }
}

/// An evaluator and the parts of it that somebody may want to reach.
#[derive(Clone)]
pub struct Stack {
    /// Cache, symmetry, batcher and base, as far as there are such.
    pub evaluator: Shared,
    /// The base alone, which looks through the symmetry it is told.
    pub base: Shared,
    /// The cache, if there is one.
    pub cache: Option<Arc<Cache<Shared>>>,
    /// Whether the base is a network that imitates people whom a profile names.
    pub imitates: bool,
}

impl Stack {
    /// Builds cache(orient(batcher(base))).
    #[must_use]
    pub fn new(base: Base, settings: StackSettings) -> Self {
        match base {
            Base::Network(network) => {
                let imitates = network.network().is_profiled();
                Self {
                    imitates,
                    ..Self::around(network, settings)
                }
            }
            Base::Hashed => Self::around(Arc::new(Hashed), settings),
            Base::Uniform => Self::around(Arc::new(Uniform), settings),
            Base::Rollout(rollout) => {
                let base: Shared = Arc::new(Rollout::new(rollout));
                Self {
                    evaluator: Arc::clone(&base),
                    base,
                    cache: None,
                    imitates: false,
                }
            }
        }
    }

    fn around(base: Shared, settings: StackSettings) -> Self {
        let mut evaluator = Arc::clone(&base);
        if settings.batch > 1 {
            evaluator = Arc::new(Batcher::new(evaluator, settings.batch, settings.at_once));
        }
        evaluator = Arc::new(Orient::new(evaluator, settings.orientation));
        let cache = (settings.cache > 0)
            .then(|| Arc::new(Cache::new(Arc::clone(&evaluator), settings.cache)));
        if let Some(cache) = &cache {
            evaluator = Arc::<Cache<Shared>>::clone(cache);
        }
        Self {
            evaluator,
            base,
            cache,
            imitates: false,
        }
    }
}
