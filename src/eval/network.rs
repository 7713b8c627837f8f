//! An evaluator based on a neural network.
//!
//! Positions are encoded under the symmetry of the request. The network output is mapped back, illegal moves are
//! masked, and a softmax turns the remaining logits, including that of a pass, into priors. The evaluator accepts all
//! board sizes that the network supports. If one call contains boards of different sizes, the positions of each size
//! are evaluated together.

use std::path::Path;

use super::calibration::build::{BuiltNetwork, PendingCalibration};
use super::calibration::cache_file;
use super::calibration::observer::CalibrationObserver;
use super::cpu_fallback::CpuFallback;
use super::device::{DeviceConfig, build_on_candle_device};
use super::input::{InputBatch, InputFormat};
use super::{EvalError, Evaluation, Evaluator, Request, priors};
use crate::encode::katago::player_profile::Profile;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::symmetry::Symmetry;
use crate::net::candle::device::DeviceChoice;
use crate::net::cpu::isa::Isa;
use crate::net::formats;
use crate::net::model::{NetOutput, Network};
use crate::net::spec::NetSpec;
use crate::parallel::scratch_pool::ScratchPool;

/// Prior of a pass if the network has no pass output. If no other move is legal, the prior is 1 instead.
const DEFAULT_PASS_PRIOR: f32 = 0.001;
/// Weight of the optimistic policy for networks that have one. KataGo uses the same value at the root.
const OPTIMISM: f32 = 0.2;

/// Evaluator that runs a neural network.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Network,
    /// Present if the network runs on a GPU.
    fallback: Option<CpuFallback>,
    input_format: InputFormat,
    scratch: ScratchPool<InputBatch>,
}

/// Evaluator for a network that may still have to be calibrated for 16-bit integers.
#[derive(Debug)]
pub struct LoadedNetwork {
    pub evaluator: NetworkEvaluator,
    /// Pending calibration, which is necessary to run the network in 16-bit integers. Until it has been performed, the
    /// network runs in 32-bit floats. `None` if no calibration is necessary.
    pub calibration: Option<PendingCalibration>,
}

impl LoadedNetwork {
    /// Builds a network from a validated description.
    ///
    /// Calibration ranges for 16-bit integers are taken from the description or from the user's cache folder, where an
    /// earlier calibration may have stored them.
    ///
    /// # Errors
    /// Returns an error if the device cannot be used, if the instruction set in the environment variable `HONINBO_CPU`
    /// is not available, or if the engine has no encoder for the inputs.
    pub fn from_spec(
        spec: NetSpec,
        profile: Profile,
        device_config: DeviceConfig,
    ) -> Result<Self, EvalError> {
        let DeviceConfig { device, precision } = device_config;
        let isa = Isa::from_env_or_best()?;
        let Some(network) = build_on_candle_device(&spec, device, isa)? else {
            let built = BuiltNetwork::new(spec, precision, isa, cache_file::folder())?;
            return Self::from_built(built, profile);
        };
        let mut loaded = Self::from_built(network.into(), profile)?;
        if device != DeviceChoice::Candle {
            loaded.evaluator.fallback = Some(CpuFallback::new(spec, isa));
        }
        Ok(loaded)
    }

    /// Creates an evaluator for a network that has already been built. A pending calibration of the network remains
    /// pending.
    ///
    /// # Errors
    /// See [`NetworkEvaluator::new`].
    pub fn from_built(built: BuiltNetwork, profile: Profile) -> Result<Self, EvalError> {
        Ok(Self {
            evaluator: NetworkEvaluator::new(built.network, profile)?,
            calibration: built.calibration,
        })
    }

    /// Returns the evaluator, after calibrating its network if necessary. Uses all threads of the current rayon pool.
    /// If the calibration fails, the network runs in 32-bit floats.
    pub fn calibrated(self, observer: &dyn CalibrationObserver) -> NetworkEvaluator {
        let Self {
            evaluator,
            calibration,
        } = self;
        let calibrated = calibration.and_then(|it| evaluator.calibrated(it, observer));
        calibrated.unwrap_or(evaluator)
    }
}

impl NetworkEvaluator {
    /// Creates an evaluator for `network`. Human-style networks imitate the player described by `profile`.
    ///
    /// # Errors
    /// Returns an error if the engine has no encoder for the inputs of the network.
    pub fn new(network: Network, profile: Profile) -> Result<Self, EvalError> {
        Ok(Self {
            input_format: InputFormat::for_network(&network, profile)?,
            network,
            fallback: None,
            scratch: ScratchPool::default(),
        })
    }

    /// Loads a network file of any supported format and calibrates the network if necessary.
    ///
    /// # Errors
    /// Returns an error if the file is not a supported network. Otherwise like [`LoadedNetwork::from_spec`].
    pub fn read_calibrated(
        path: &Path,
        profile: Profile,
        device_config: DeviceConfig,
    ) -> Result<Self, EvalError> {
        let spec = formats::read(path)?;
        Ok(LoadedNetwork::from_spec(spec, profile, device_config)?.calibrated(&()))
    }

    /// Loads a network from the bytes of a file in this engine's format. Otherwise like
    /// [`read_calibrated`](Self::read_calibrated).
    pub(super) fn from_bytes(bytes: &[u8], device_config: DeviceConfig) -> Result<Self, EvalError> {
        let spec = formats::honinbo::from_bytes(bytes)?;
        Ok(LoadedNetwork::from_spec(spec, Profile::default(), device_config)?.calibrated(&()))
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Performs the pending calibration of this evaluator's network, which runs in 32-bit floats. Returns an evaluator
    /// that runs the network in 16-bit integers, or `None` if the calibration fails; see [`PendingCalibration::run`].
    pub(super) fn calibrated(
        &self,
        calibration: PendingCalibration,
        observer: &dyn CalibrationObserver,
    ) -> Option<Self> {
        Some(Self {
            network: calibration.run(&self.network, observer)?,
            fallback: None,
            input_format: self.input_format,
            scratch: ScratchPool::default(),
        })
    }

    /// Evaluates requests. All boards must have the size `transformed_size` after the symmetries have been applied.
    fn evaluate_same_size(
        &self,
        transformed_size: BoardSize,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let outputs = self.scratch.with(|input| {
            let positions = requests.iter();
            let positions = positions.map(|request| (request.position, request.symmetry));
            input.write(&self.input_format, positions);
            let input = input.as_encoded_batch(transformed_size, OPTIMISM);
            match &self.fallback {
                Some(fallback) => {
                    fallback.evaluate_with_fallback(|input| self.network.evaluate(input), &input)
                }
                None => self.network.evaluate(&input),
            }
        })?;
        for ((request, evaluation), output) in requests.iter().zip(evaluations).zip(&outputs) {
            write_evaluation(
                output,
                request,
                self.input_format.input_symmetry(request.symmetry),
                evaluation,
            );
            if self.network.readout().is_result_for_black() {
                evaluation.value = request.position.to_move().to_perspective(evaluation.value);
            }
            evaluation.check_finite()?;
        }
        Ok(())
    }
}

impl Evaluator for NetworkEvaluator {
    fn predicts_lead(&self) -> bool {
        self.network.predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        self.network.supports_board(size.width(), size.height())
    }

    fn batch_hint(&self, threads: usize) -> usize {
        self.network.batch_hint(threads)
    }

    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        let sizes: Vec<BoardSize> = requests.iter().map(transformed_size).collect();
        let Some(&first) = sizes.first() else {
            return Ok(());
        };
        if sizes.iter().all(|&size| size == first) {
            return self.evaluate_same_size(first, requests, evaluations);
        }
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&index| (sizes[index].width(), sizes[index].height()));
        for group in order.chunk_by(|&a, &b| sizes[a] == sizes[b]) {
            let requests: Vec<Request<'_>> = group.iter().map(|&index| requests[index]).collect();
            let taken = group
                .iter()
                .map(|&index| std::mem::take(&mut evaluations[index]));
            let mut outputs: Vec<Evaluation> = taken.collect();
            self.evaluate_same_size(sizes[group[0]], &requests, &mut outputs)?;
            for (&index, output) in group.iter().zip(outputs) {
                evaluations[index] = output;
            }
        }
        Ok(())
    }
}

/// Returns the board size after applying the symmetry of the request.
fn transformed_size(request: &Request<'_>) -> BoardSize {
    request.symmetry.map_size(request.position.size())
}

/// Converts a network output to an evaluation.
///
/// The output is mapped back from `symmetry`, under which the network saw the board. Illegal moves are masked, and the
/// lead is clamped to the possible range. The perspective of the value is the same as in `output`.
pub(crate) fn write_evaluation(
    output: &NetOutput,
    request: &Request<'_>,
    symmetry: Symmetry,
    evaluation: &mut Evaluation,
) {
    let size = request.position.size();
    let (area, transformed_size) = (size.area(), symmetry.map_size(size));
    let net_index = |point| transformed_size.index(symmetry.map_point(size, point));
    evaluation.clear(size);
    evaluation.policy.fill(f32::NEG_INFINITY);
    let legal = request.position.legal_points();
    for point in legal {
        evaluation.policy[size.index(point)] = output.policy[net_index(point)];
    }
    match output.pass {
        Some(logit) => evaluation.policy[area] = logit,
        // A pass is the only legal move.
        None if legal.is_empty() => evaluation.policy[area] = 0.0,
        None => {}
    }
    priors::softmax(&mut evaluation.policy);
    if output.pass.is_none() && !legal.is_empty() {
        for prior in &mut evaluation.policy {
            *prior *= 1.0 - DEFAULT_PASS_PRIOR;
        }
        evaluation.policy[area] = DEFAULT_PASS_PRIOR;
    }
    let output_values = &output.value_estimate;
    evaluation.value = output_values.value.clamp(-1.0, 1.0);
    evaluation.no_result = output_values.no_result;
    evaluation.score_lead =
        (output_values.lead).map_or(0.0, |lead| clamp_lead(request.position, lead));
    evaluation.details = output_values.details;
    if let (true, Some(owners)) = (request.ownership, &output.ownership) {
        let owners = size
            .points()
            .map(|point| owners[net_index(point)].clamp(-1.0, 1.0));
        evaluation.ownership.extend(owners);
    }
}

/// Clamps a lead to values that are possible on the board, because networks are unreliable on very small boards.
///
/// Apart from komi and handicap compensation, the maximum is the area of the board, or twice the area under territory
/// scoring, where captured stones count as well.
fn clamp_lead(position: &Position, lead: f32) -> f32 {
    let area = position.size().area() as f32;
    let max_lead = match position.rules().scoring {
        Scoring::Area => area,
        Scoring::Territory => 2.0 * area,
    };
    let for_white = position.white_bonus_half_points() as f32 / 2.0;
    let empty_board_lead = position.to_move().to_perspective(-for_white);
    lead.clamp(empty_board_lead - max_lead, empty_board_lead + max_lead)
}
