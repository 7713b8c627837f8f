//! Construction of evaluators from command-line options.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::device::Placement;
use honinbo::eval::embedded;
use honinbo::eval::lazy::LazyEvaluator;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::rollout::RolloutSettings;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, SharedEvaluator, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::net::precision::Precision;

use super::options::{EvaluatorKind, Options};
use super::threads::thread_pool;

/// Loads the network from `file` (option `--weights`), or the built-in network if there is no file.
///
/// If the file contains no integer ranges, the network is calibrated on `threads` threads.
pub fn load_network(
    file: Option<&Path>,
    profile: Profile,
    placement: Placement,
    threads: usize,
) -> anyhow::Result<Arc<NetworkEvaluator>> {
    let load = || embedded::network_or_default(file, profile, placement);
    let network = thread_pool(threads)?.install(load);
    match file {
        Some(_) => network.context("--weights"),
        None => Ok(network?),
    }
}

impl Options {
    /// Builds the evaluator for a single search, with cache and symmetries.
    pub fn evaluators(&self) -> anyhow::Result<EvaluatorStack> {
        self.evaluators_for(1)
    }

    /// Builds the evaluator for `searches` concurrent searches, with cache and symmetries. If there are more searches
    /// than threads, positions are evaluated in batches.
    pub fn evaluators_for(&self, searches: usize) -> anyhow::Result<EvaluatorStack> {
        let threads = self.thread_count()?;
        let seed = self.seed.unwrap_or(0);
        let base = match self.evaluator.unwrap_or_default() {
            EvaluatorKind::Net => BaseEvaluator::Network(self.network(threads)?),
            EvaluatorKind::Rollout => {
                self.reject_network_options("rollout")?;
                BaseEvaluator::Rollout(RolloutSettings {
                    seed,
                    ..RolloutSettings::default()
                })
            }
            EvaluatorKind::Uniform => {
                self.reject_network_options("uniform")?;
                BaseEvaluator::Uniform
            }
        };
        Ok(EvaluatorStack::new(
            base,
            StackSettings {
                symmetry: SymmetryMode::Random { seed },
                cache_mib: self.cache_mib()? as usize,
                batch_size: searches.div_ceil(threads),
                max_concurrent_batches: threads,
            },
        ))
    }

    /// Loads the network. Returns an error if `--profile` is set and the network is not human-style.
    fn network(&self, threads: usize) -> anyhow::Result<Arc<NetworkEvaluator>> {
        let (file, profile) = (self.weights.as_deref(), self.profile_setting()?);
        let evaluator = load_network(file, profile, self.placement(), threads)?;
        let network = evaluator.network();
        ensure!(
            self.profile.is_none() || network.is_profiled(),
            "--profile needs a human-style network; {} is not one",
            network.name()
        );
        Ok(evaluator)
    }

    /// Builds the evaluator for raw network output.
    ///
    /// With `--precision auto` on the CPU, this is a separate copy of the network in 32-bit floats. It is loaded on
    /// first use.
    pub fn raw_evaluator(&self, stack: &EvaluatorStack) -> anyhow::Result<SharedEvaluator> {
        let uses_network = self.evaluator.unwrap_or_default() == EvaluatorKind::Net;
        let Placement { device, precision } = self.placement();
        if !uses_network || precision != Precision::Auto || !device.is_cpu() {
            return Ok(Arc::clone(&stack.base));
        }
        let (file, profile) = (self.weights.clone(), self.profile_setting()?);
        Ok(Arc::new(LazyEvaluator::new(move || {
            Ok(
                embedded::network_or_default(file.as_deref(), profile, Precision::F32.into())?
                    as SharedEvaluator,
            )
        })))
    }

    fn placement(&self) -> Placement {
        Placement {
            device: self.device.unwrap_or_default(),
            precision: self.precision.unwrap_or_default(),
        }
    }

    fn profile_setting(&self) -> anyhow::Result<Profile> {
        let name = self.profile.as_deref().unwrap_or_default();
        name.parse().context("--profile")
    }
}
