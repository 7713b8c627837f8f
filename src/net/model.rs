//! Evaluation of positions by a network: runs the three candle modules and decodes their outputs.
//!
//! A network is immutable and can be shared between threads. The CPU kernels run entirely on the calling thread, so
//! that a search can run one evaluation per thread in parallel. Their output for a position does not depend on the
//! other positions of the batch or on the number of threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use super::calibration::CalibrationRanges;
use super::candle::device::Backend;
use super::candle::fused::Implementation;
use super::candle::network::{NetworkModules, RawOutput};
use super::cpu::executor::CpuExecutor;
use super::cpu::isa::Isa;
use super::cpu::workspace::Workspace;
pub use super::encoded_batch::EncodedBatch;
use super::error::NetError;
use super::precision::DType;
use super::readout::{ValueEstimate, blend_policy_logits};
use super::spec::heads::{FLAT_AREA, PolicyHead, ValueHead};
use super::spec::{Inputs, NetSpec, PROFILE_LEN, Readout};

/// A network ready to evaluate positions.
#[derive(Debug)]
pub struct Network {
    name: String,
    inputs: Inputs,
    /// True if the network has a player profile as input.
    takes_profile: bool,
    /// True if a head is flat (a linear layer reads all points of the board), which fixes the board size to 19x19.
    requires_19x19: bool,
    readout: Readout,
    /// True if the value head has a score output.
    predicts_lead: bool,
    dtype: DType,
    modules: NetworkModules,
    /// The same network in 32-bit floats, for positions with values that are too large for the 16-bit integers of this
    /// network. `None` if no value can be too large.
    f32_fallback: Option<LazyNetwork>,
    /// Number of positions evaluated by `f32_fallback`.
    saturated_position_count: AtomicU64,
}

/// A network that is built on first use.
pub type LazyNetwork = LazyLock<Box<Network>, Box<dyn FnOnce() -> Box<Network> + Send>>;

/// Maximum number of positions that candle's operations evaluate together.
const MAX_CANDLE_BATCH: usize = 256;

/// Decoded output for one position. All numbers are finite. They are from the perspective of the player to move, except
/// for `value_estimate` if [`Readout::is_result_for_black`] returns true: it is then from Black's perspective.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetOutput {
    /// Policy logits, `[height, width]`; illegal moves are not masked.
    pub policy: Vec<f32>,
    /// Pass logit, on the same scale as the policy logits; `None` if the network has no pass output.
    pub pass: Option<f32>,
    /// Expected result and score.
    pub value_estimate: ValueEstimate,
    /// Expected owner of each point, `[height, width]`, from -1 (opponent) to 1 (player to move). `None` if the network
    /// has no ownership output.
    pub ownership: Option<Vec<f32>>,
}

impl Network {
    /// Builds a network from a checked description ([`NetSpec::checked`]) for the instruction set named by the
    /// environment variable `HONINBO_CPU`. If the variable is unset or empty, selects the fastest instruction set of
    /// the processor. All layers use 32-bit floats.
    ///
    /// Without the feature `cpu-kernels`, this and the following constructors use candle's operations in 32-bit floats.
    ///
    /// # Errors
    /// Returns [`NetError::Isa`] if the variable names an instruction set that is unknown or that the processor does
    /// not support.
    pub fn new(spec: &NetSpec) -> Result<Self, NetError> {
        Ok(Self::with_f32(spec, Isa::from_env_or_best()?))
    }

    /// Like [`new`](Self::new), but for the instruction set `isa`.
    #[must_use]
    pub fn with_f32(spec: &NetSpec, isa: Isa) -> Self {
        Self::with_floats(spec, isa, DType::F32)
    }

    /// Like [`with_f32`](Self::with_f32), but with bfloat16 kernels for the layers that are applied to every point.
    ///
    /// Evaluations are less accurate than in 32-bit floats, but much faster if the instruction set includes a matrix
    /// unit (AMX). Without a matrix unit, the products are computed by slow portable code that is only meant for tests.
    #[must_use]
    pub fn with_bf16(spec: &NetSpec, isa: Isa) -> Self {
        Self::with_floats(spec, isa, DType::Bf16)
    }

    fn with_floats(spec: &NetSpec, isa: Isa, dtype: DType) -> Self {
        Self::on_cpu(spec, isa, dtype, &CalibrationRanges::default())
            .expect("floats need no ranges, and candle builds every checked network on the CPU")
    }

    /// Like [`with_f32`](Self::with_f32), but with 16-bit integer kernels for the layers that are applied to every
    /// point. Uses 32-bit floats throughout if integers are not faster with this instruction set.
    ///
    /// An evaluation takes about two thirds of the time that it takes in 32-bit floats, and the outputs are close to
    /// those in 32-bit floats. If the Winograd-transformed layer inputs of a position greatly exceed `ranges`, the
    /// position is evaluated again in 32-bit floats. For this purpose, the network stores a copy of `spec`. The weights
    /// of the copy are packed only when the first such position occurs.
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] if `ranges` does not match the network.
    pub fn with_i16_if_faster(
        spec: &NetSpec,
        ranges: &CalibrationRanges,
        isa: Isa,
    ) -> Result<Self, NetError> {
        let mut network = Self::on_cpu(spec, isa, DType::I16, ranges)?;
        let executor = network.modules.executor();
        if executor.is_some_and(CpuExecutor::can_saturate) {
            network.f32_fallback = Some(Self::lazy_f32(spec.clone(), isa));
        }
        Ok(network)
    }

    fn on_cpu(
        spec: &NetSpec,
        isa: Isa,
        dtype: DType,
        ranges: &CalibrationRanges,
    ) -> Result<Self, NetError> {
        let Some(executor) = CpuExecutor::new(spec, isa, dtype, ranges)? else {
            return Self::with_backend(spec, &Backend::default());
        };
        let dtype = executor.dtype();
        Self::with_implementation(spec, dtype, Implementation::Fused(Arc::new(executor)))
    }

    /// Builds a network that runs candle's operations on the device of `backend`. `spec` must be checked
    /// ([`NetSpec::checked`]).
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn with_backend(spec: &NetSpec, backend: &Backend) -> Result<Self, NetError> {
        Self::with_implementation(
            spec,
            backend.dtype(),
            Implementation::Plain(backend.clone()),
        )
    }

    fn with_implementation(
        spec: &NetSpec,
        dtype: DType,
        implementation: Implementation,
    ) -> Result<Self, NetError> {
        Ok(Self {
            modules: NetworkModules::new(spec, implementation, MAX_CANDLE_BATCH)?,
            name: spec.name.clone(),
            inputs: spec.inputs,
            takes_profile: spec.stem.profile.is_some(),
            requires_19x19: matches!(spec.policy, PolicyHead::Flat { .. })
                || matches!(spec.value, ValueHead::Flat { .. }),
            readout: spec.readout,
            predicts_lead: spec.value.score_outputs() > 0,
            dtype,
            f32_fallback: None,
            saturated_position_count: AtomicU64::new(0),
        })
    }

    /// Returns a network in 32-bit floats on the CPU. It is built from the checked description on first use.
    pub fn lazy_f32(spec: NetSpec, isa: Isa) -> LazyNetwork {
        LazyLock::new(Box::new(move || Box::new(Self::with_f32(&spec, isa))))
    }

    /// Returns true if the network has layers that need [`CalibrationRanges`] to run with 16-bit integers.
    #[must_use]
    pub fn needs_ranges(spec: &NetSpec) -> bool {
        CpuExecutor::needs_ranges(spec)
    }

    /// Returns the name stored in the network file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn inputs(&self) -> Inputs {
        self.inputs
    }

    #[must_use]
    pub fn readout(&self) -> Readout {
        self.readout
    }

    #[must_use]
    pub fn predicts_lead(&self) -> bool {
        self.predicts_lead
    }

    #[must_use]
    pub fn takes_profile(&self) -> bool {
        self.takes_profile
    }

    /// Returns true if the network supports boards with `width` columns and `height` rows.
    #[must_use]
    pub fn supports_board(&self, width: usize, height: usize) -> bool {
        !self.requires_19x19 || (width == height && width * height == FLAT_AREA)
    }

    /// Returns the number format of most multiplications.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the name of the instruction set of the CPU kernels, or `candle` if the modules consist of candle's
    /// operations.
    #[must_use]
    pub fn isa_name_or_candle(&self) -> &'static str {
        self.modules
            .executor()
            .map_or("candle", |cpu| cpu.isa().name())
    }

    /// Returns the preferred number of positions per call of [`evaluate`](Self::evaluate) if `threads` threads call it
    /// concurrently.
    #[must_use]
    pub fn batch_hint(&self, threads: usize) -> usize {
        self.modules.batch_hint(threads)
    }

    /// Returns the number of multiply-adds per position that Winograd's algorithm saves on boards with `width` columns
    /// and `height` rows, compared with direct convolution ([`NetSpec::multiply_adds`]).
    #[must_use]
    pub fn saved_multiply_adds(&self, width: usize, height: usize) -> usize {
        let executor = self.modules.executor();
        executor.map_or(0, |cpu| cpu.saved_multiply_adds((height, width)))
    }

    /// Measures the peak multiply-adds per second of a single thread in the number format of this network.
    ///
    /// Returns `None` if the modules consist of candle's operations.
    #[must_use]
    pub fn measure_peak_multiply_adds(&self) -> Option<f64> {
        self.modules
            .executor()
            .map(|cpu| cpu.measure_peak_multiply_adds())
    }

    /// Evaluates the positions of `input` and returns one output per position, in the same order.
    ///
    /// # Errors
    /// Returns [`NetError::Input`] if a slice has the wrong length, [`NetError::BoardSize`] if the network does not
    /// support the board size, [`NetError::NonFiniteOutput`] if an output is not finite, and [`NetError::Candle`] if
    /// candle reports an error.
    pub fn evaluate(&self, input: &EncodedBatch) -> Result<Vec<NetOutput>, NetError> {
        self.check_input(input)?;
        let mut outputs = Vec::with_capacity(input.count);
        let each = |index: usize, raw: RawOutput<'_>| {
            match &self.f32_fallback {
                Some(network) if raw.saturated => {
                    self.saturated_position_count
                        .fetch_add(1, Ordering::Relaxed);
                    outputs.append(&mut network.evaluate(&input.slice(index, 1))?);
                }
                _ => outputs.push(self.decode(raw, input, index)?),
            }
            Ok(())
        };
        self.modules.run(input, each)?;
        Ok(outputs)
    }

    /// Returns the number of positions that were evaluated again in 32-bit floats because their values were too large
    /// for 16-bit integers.
    #[must_use]
    pub fn saturated_position_count(&self) -> u64 {
        self.saturated_position_count.load(Ordering::Relaxed)
    }

    /// Measures the calibration ranges that [`with_i16_if_faster`](Self::with_i16_if_faster) needs: the largest absolute
    /// values of the Winograd-transformed layer inputs over all positions of `inputs`.
    ///
    /// In later evaluations with 16-bit integers, values may slightly exceed the ranges. Positions with much larger
    /// values are evaluated again in 32-bit floats.
    ///
    /// # Errors
    /// Returns [`NetError::Input`] and [`NetError::BoardSize`] as [`evaluate`](Self::evaluate) does, and
    /// [`NetError::NotF32`] unless the network runs on the CPU kernels in 32-bit floats.
    pub fn measure_ranges(
        &self,
        inputs: &[EncodedBatch<'_>],
    ) -> Result<CalibrationRanges, NetError> {
        let (Some(cpu), DType::F32) = (self.modules.executor(), self.dtype) else {
            return Err(NetError::NotF32 {
                found: self.dtype.name(),
                by: self.isa_name_or_candle(),
            });
        };
        let mut ranges = CalibrationRanges::default();
        let mut workspace = Workspace::default();
        for input in inputs {
            self.check_input(input)?;
            for index in 0..input.count {
                let position = input.slice(index, 1);
                let inputs = (position.planes, &*position.global_rows());
                let size = (input.height, input.width);
                cpu.record_position_ranges(size, inputs, &mut workspace, &mut ranges);
            }
        }
        Ok(ranges)
    }

    /// Checks the board size and the lengths of all slices.
    fn check_input(&self, input: &EncodedBatch) -> Result<(), NetError> {
        let area = input.width * input.height;
        if !self.supports_board(input.width, input.height) {
            return Err(NetError::BoardSize {
                width: input.width,
                height: input.height,
            });
        }
        let profile = if self.takes_profile { PROFILE_LEN } else { 0 };
        for (what, length, found) in [
            ("planes", self.inputs.planes() * area, input.planes.len()),
            ("globals", self.inputs.globals(), input.globals.len()),
            ("profiles", profile, input.profiles.len()),
            ("rules", 1, input.no_result.len()),
        ] {
            let expected = input.count * length;
            if expected != found {
                return Err(NetError::Input {
                    what,
                    expected,
                    found,
                });
            }
        }
        Ok(())
    }

    /// Decodes the raw outputs of position `index`.
    fn decode(
        &self,
        raw: RawOutput<'_>,
        input: &EncodedBatch<'_>,
        index: usize,
    ) -> Result<NetOutput, NetError> {
        let area = input.width * input.height;
        let logits = raw.policy.chunks_exact(raw.policy.len() / area);
        let policy: Vec<f32> = logits
            .map(|logits| blend_policy_logits(logits, input.optimism))
            .collect();
        let pass = (!raw.pass.is_empty()).then(|| blend_policy_logits(raw.pass, input.optimism));
        let value_estimate =
            self.readout
                .decode_value(raw.result, raw.score, input.no_result[index], area);
        for (what, numbers) in [
            ("policy", &*policy),
            ("pass", pass.as_slice()),
            ("value", raw.result),
            ("score", raw.score),
            ("score", value_estimate.lead.as_slice()),
            ("ownership", raw.ownership),
        ] {
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(NetError::NonFiniteOutput(what));
            }
        }
        let owners = raw.ownership.iter().map(|owner| owner.tanh());
        Ok(NetOutput {
            policy,
            pass,
            value_estimate,
            ownership: (!raw.ownership.is_empty()).then(|| owners.collect()),
        })
    }
}
