//! What judges positions, as the options have it.

use std::sync::Arc;

use anyhow::{Context, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::embedded;
use honinbo::eval::lazy::LazyEvaluator;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::rollout::RolloutSettings;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, SharedEvaluator, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::net::precision::Precision;

use super::{EvaluatorKind, Options};
use crate::cli::weights;

impl Options {
    /// What judges positions, with its cache and symmetries.
    pub fn evaluators(&self) -> anyhow::Result<EvaluatorStack> {
        self.evaluators_for(1)
    }

    /// The same for so many searches at a time; where they are more than threads, their positions are joined.
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
        let orientation = SymmetryMode::Random { seed };
        Ok(EvaluatorStack::new(
            base,
            StackSettings {
                symmetry: orientation,
                cache_mib: self.cache_mib()? as usize,
                batch_size: searches.div_ceil(threads),
                max_concurrent_batches: threads,
            },
        ))
    }

    /// The network. Whom it is to imitate is told only where it can.
    fn network(&self, threads: usize) -> anyhow::Result<Arc<NetworkEvaluator>> {
        let (file, profile) = (self.weights.as_deref(), self.profile_setting()?);
        let precision = self.precision.unwrap_or_default();
        let evaluator = weights::load_network(file, profile, precision, threads)?;
        let network = evaluator.network();
        ensure!(
            self.profile.is_none() || network.is_profiled(),
            "--profile: expected a net that imitates humans with it, found {}",
            network.name()
        );
        Ok(evaluator)
    }

    /// Who answers for the raw network: with `auto` not the fast way but the exact one, which is made when it is asked.
    pub fn raw_evaluator(&self, stack: &EvaluatorStack) -> anyhow::Result<SharedEvaluator> {
        let uses_network = self.evaluator.unwrap_or_default() == EvaluatorKind::Net;
        if !uses_network || self.precision.unwrap_or_default() != Precision::Auto {
            return Ok(Arc::clone(&stack.base));
        }
        let (file, profile) = (self.weights.clone(), self.profile_setting()?);
        Ok(Arc::new(LazyEvaluator::new(move || {
            Ok(
                embedded::network_or_default(file.as_deref(), profile, Precision::F32)?
                    as SharedEvaluator,
            )
        })))
    }

    fn profile_setting(&self) -> anyhow::Result<Profile> {
        let name = self.profile.as_deref().unwrap_or_default();
        name.parse().context("--profile")
    }
}
