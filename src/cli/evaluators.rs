//! Construction of evaluators from command-line options.

use std::env;
use std::sync::Arc;

use anyhow::{Context, ensure};
use honinbo::encode::katago::player_profile::Profile;
use honinbo::engine::level::Level;
use honinbo::eval::calibration::observer::CalibrationObserver;
use honinbo::eval::calibration::{self, background};
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::lazy::LazyEvaluator;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::network_source::NetworkSource;
use honinbo::eval::rollout::RolloutSettings;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, SharedEvaluator, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::net::precision::Precision;

use super::options::{EvaluatorKind, Options};
use super::progress::CalibrationProgress;
use super::threads::thread_pool;

/// Mode of the calibration for 16-bit integers. A network is calibrated if its value ranges are neither contained in
/// the network file nor stored by an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationMode {
    /// Before the first position is evaluated, so that results do not depend on timing.
    Wait,
    /// In the background, while the network evaluates positions in 32-bit floats.
    Background,
    /// Like `Background`, but without messages, because the screen shows a game.
    Silent,
}

/// Loads the network selected by `--weights`, or the default network if `weights` is `None`. If the network has to be
/// calibrated, `threads` threads calibrate it.
pub fn load_calibrated_network(
    weights: Option<&NetworkSource>,
    profile: Profile,
    device_config: DeviceConfig,
    threads: usize,
) -> anyhow::Result<Arc<NetworkEvaluator>> {
    let observer = CalibrationProgress::new();
    let source = weights.cloned().unwrap_or_default();
    let load = || source.load_calibrated(profile, device_config, &observer);
    let network = thread_pool(threads)?.install(load);
    match weights {
        Some(_) => network.context("--weights"),
        None => Ok(network?),
    }
}

impl Options {
    /// Returns the calibration mode for commands that serve a client: `Wait` if results have to be reproducible or the
    /// environment variable `HONINBO_CALIBRATION` requests it, otherwise `Background`.
    pub fn calibration_mode(&self) -> anyhow::Result<CalibrationMode> {
        let is_limited_by_visits = self.visits.is_some()
            || self
                .level
                .is_some_and(|level| level < u32::from(Level::full().number));
        let is_reproducible =
            self.thread_count()? == 1 && (self.seed.is_some() || is_limited_by_visits);
        let is_requested = env::var_os(calibration::TIMING_ENV_VARIABLE)
            .is_some_and(|x| x == calibration::WAIT_VALUE);
        Ok(match is_reproducible || is_requested {
            true => CalibrationMode::Wait,
            false => CalibrationMode::Background,
        })
    }

    /// Builds the evaluator for a single search, with a cache and random symmetries.
    pub fn evaluator_stack(&self, mode: CalibrationMode) -> anyhow::Result<EvaluatorStack> {
        self.evaluator_stack_for_searches(1, mode)
    }

    /// Builds the evaluator for `searches` concurrent searches, with a cache and random symmetries. If there are more
    /// searches than threads, positions are evaluated in batches.
    pub fn evaluator_stack_for_searches(
        &self,
        searches: usize,
        mode: CalibrationMode,
    ) -> anyhow::Result<EvaluatorStack> {
        let threads = self.thread_count()?;
        let seed = self.seed.unwrap_or(0);
        let settings = StackSettings {
            symmetry: SymmetryMode::Random { seed },
            cache_mib: self.cache_mib()? as usize,
            batch_size: searches.div_ceil(threads),
            max_concurrent_batches: threads,
        };
        let base = match self.evaluator.unwrap_or_default() {
            EvaluatorKind::Net => return self.network_stack(settings, threads, mode),
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
        Ok(EvaluatorStack::new(base, settings))
    }

    /// Loads the network and builds its evaluator.
    fn network_stack(
        &self,
        settings: StackSettings,
        threads: usize,
        mode: CalibrationMode,
    ) -> anyhow::Result<EvaluatorStack> {
        let (profile, device_config) = (self.profile_setting()?, self.device_config());
        let observer: Arc<dyn CalibrationObserver> = match mode {
            CalibrationMode::Silent => Arc::new(()),
            _ => Arc::new(CalibrationProgress::new()),
        };
        let source = match (&self.weights, mode) {
            (Some(source), CalibrationMode::Background | CalibrationMode::Silent) => source,
            (weights, _) => {
                let network =
                    load_calibrated_network(weights.as_ref(), profile, device_config, threads)?;
                self.check_profile(&network)?;
                return Ok(EvaluatorStack::new(
                    BaseEvaluator::Network(network),
                    settings,
                ));
            }
        };
        let loaded = source.load(profile, device_config).context("--weights")?;
        self.check_profile(&loaded.evaluator)?;
        // Half of the threads calibrate the network. The others remain for the searches.
        let (stack, _) = background::build_stack(loaded, settings, threads.div_ceil(2), observer);
        Ok(stack)
    }

    /// Returns an error if `--profile` is set and the network is not human-style.
    fn check_profile(&self, evaluator: &NetworkEvaluator) -> anyhow::Result<()> {
        let network = evaluator.network();
        ensure!(
            self.profile.is_none() || network.takes_profile(),
            "--profile needs a human-style network; {} is not one",
            network.name()
        );
        Ok(())
    }

    /// Returns the evaluator for raw network output.
    ///
    /// With `--precision auto` on the CPU, this evaluator is a separate copy of the network in 32-bit floats, which is
    /// loaded on first use. Otherwise, it is the base evaluator of `stack`.
    pub fn raw_output_evaluator(&self, stack: &EvaluatorStack) -> anyhow::Result<SharedEvaluator> {
        let uses_network = self.evaluator.unwrap_or_default() == EvaluatorKind::Net;
        let DeviceConfig { device, precision } = self.device_config();
        if !uses_network || precision != Precision::Auto || !device.uses_cpu_kernels() {
            return Ok(Arc::clone(&stack.base));
        }
        let source = self.weights.clone().unwrap_or_default();
        let profile = self.profile_setting()?;
        Ok(Arc::new(LazyEvaluator::new(move || {
            // No calibration takes place in 32-bit floats.
            let device_config = DeviceConfig::on_cpu(Precision::F32);
            let network = source.load_calibrated(profile, device_config, &())?;
            Ok(network as SharedEvaluator)
        })))
    }

    fn device_config(&self) -> DeviceConfig {
        DeviceConfig {
            device: self.device.unwrap_or_default(),
            precision: self.precision.unwrap_or_default(),
        }
    }

    fn profile_setting(&self) -> anyhow::Result<Profile> {
        let name = self.profile.as_deref().unwrap_or_default();
        name.parse().context("--profile")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproducible_commands_wait_for_calibration() {
        let mode = |threads, seed, visits, level| {
            let options = Options {
                threads: Some(threads),
                seed,
                visits,
                level,
                ..Options::default()
            };
            options.calibration_mode().unwrap()
        };
        for waiting in [
            mode(1, Some(0), None, None),
            mode(1, None, Some(9), None),
            mode(1, None, None, Some(3)),
        ] {
            assert_eq!(waiting, CalibrationMode::Wait);
        }
        for answering in [
            mode(1, None, None, None),
            mode(1, None, None, Some(10)),
            mode(2, Some(0), Some(9), Some(3)),
        ] {
            assert_eq!(answering, CalibrationMode::Background);
        }
    }
}
