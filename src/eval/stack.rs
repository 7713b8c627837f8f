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
pub enum Judge {
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
    /// Batches under way at the same time, where whoever asks comes and goes; none where all who ask take seats.
    pub at_once: Option<usize>,
}

impl Default for StackSettings {
    fn default() -> Self {
        Self {
            orientation: Orientation::Random { seed: 0 },
            cache: 256,
            batch: 1,
            at_once: None,
        }
    }
}

/// An evaluator and the parts of it that somebody may want to reach.
#[derive(Clone)]
pub struct Stack {
    /// Cache, symmetry, batcher and judge, as far as there are such.
    pub evaluator: Shared,
    /// The judge alone, which looks through the symmetry it is told.
    pub judge: Shared,
    /// Where to take seats, if requests are joined.
    pub batcher: Option<Arc<Batcher<Shared>>>,
    /// The cache, if there is one.
    pub cache: Option<Arc<Cache<Shared>>>,
}

impl Stack {
    /// Builds cache(orient(batcher(judge))).
    #[must_use]
    pub fn new(judge: Judge, settings: StackSettings) -> Self {
        match judge {
            Judge::Network(network) => Self::around(network, settings),
            Judge::Hashed => Self::around(Arc::new(Hashed), settings),
            Judge::Uniform => Self::around(Arc::new(Uniform), settings),
            Judge::Rollout(rollout) => {
                let judge: Shared = Arc::new(Rollout::new(rollout));
                Self {
                    evaluator: Arc::clone(&judge),
                    judge,
                    batcher: None,
                    cache: None,
                }
            }
        }
    }

    fn around(judge: Shared, settings: StackSettings) -> Self {
        let mut evaluator = Arc::clone(&judge);
        let batcher = (settings.batch > 1).then(|| {
            let inner = Arc::clone(&evaluator);
            Arc::new(match settings.at_once {
                Some(most) => Batcher::flowing(inner, settings.batch, most),
                None => Batcher::new(inner, settings.batch),
            })
        });
        if let Some(batcher) = &batcher {
            evaluator = Arc::<Batcher<Shared>>::clone(batcher);
        }
        evaluator = Arc::new(Orient::new(evaluator, settings.orientation));
        let cache = (settings.cache > 0)
            .then(|| Arc::new(Cache::new(Arc::clone(&evaluator), settings.cache)));
        if let Some(cache) = &cache {
            evaluator = Arc::<Cache<Shared>>::clone(cache);
        }
        Self {
            evaluator,
            judge,
            batcher,
            cache,
        }
    }
}
