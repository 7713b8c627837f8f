//! What judges positions, as the options have it.

use std::sync::Arc;

use anyhow::{Context, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::deferred::Deferred;
use honinbo::eval::embedded;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::orient::Orientation;
use honinbo::eval::rollout::RolloutSettings;
use honinbo::eval::stack::{Base, Shared, Stack, StackSettings};
use honinbo::net::precision::Precision;

use super::{EvaluatorKind, Options};
use crate::cli::weights;

impl Options {
    /// What judges positions, with its cache and symmetries.
    pub fn evaluators(&self) -> anyhow::Result<Stack> {
        self.joined(1)
    }

    /// The same for so many searches at a time; where they are more than threads, their positions are joined.
    pub fn joined(&self, searches: usize) -> anyhow::Result<Stack> {
        let threads = self.thread_count()?;
        let seed = self.seed.unwrap_or(0);
        let judge = match self.evaluator.unwrap_or_default() {
            EvaluatorKind::Net => Base::Network(self.network(threads)?),
            EvaluatorKind::Rollout => {
                self.expect_no_network("rollout")?;
                Base::Rollout(RolloutSettings {
                    seed,
                    ..RolloutSettings::default()
                })
            }
            EvaluatorKind::Uniform => {
                self.expect_no_network("uniform")?;
                Base::Uniform
            }
        };
        let orientation = Orientation::Random { seed };
        Ok(Stack::new(
            judge,
            StackSettings {
                orientation,
                cache: self.cache_mib()? as usize,
                batch: searches.div_ceil(threads),
                at_once: threads,
            },
        ))
    }

    /// The network. Whom it is to imitate is told only where it can.
    fn network(&self, threads: usize) -> anyhow::Result<Arc<NetworkEvaluator>> {
        let (file, profile) = (self.weights.as_deref(), self.told_profile()?);
        let precision = self.precision.unwrap_or_default();
        let evaluator = weights::network(file, profile, precision, threads)?;
        let network = evaluator.network();
        ensure!(
            self.profile.is_none() || network.is_profiled(),
            "--profile: expected a net that imitates humans with it, found {}",
            network.name()
        );
        Ok(evaluator)
    }

    /// Who answers for the raw network: with `auto` not the fast way but the exact one, which is made when it is asked.
    pub fn raw(&self, stack: &Stack) -> anyhow::Result<Shared> {
        let net = self.evaluator.unwrap_or_default() == EvaluatorKind::Net;
        if !net || self.precision.unwrap_or_default() != Precision::Auto {
            return Ok(Arc::clone(&stack.base));
        }
        let (file, profile) = (self.weights.clone(), self.told_profile()?);
        Ok(Arc::new(Deferred::new(move || {
            Ok(embedded::network_or(file.as_deref(), profile, Precision::F32)? as Shared)
        })))
    }

    fn told_profile(&self) -> anyhow::Result<Profile> {
        let name = self.profile.as_deref().unwrap_or_default();
        name.parse().context("--profile")
    }
}
