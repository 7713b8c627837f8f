//! Construction of networks that run on the CPU with this engine's kernels.

use std::sync::Arc;

use super::Network;
use crate::net::candle::network::NetworkModules;
use crate::net::cpu::calibration::CalibrationRanges;
use crate::net::cpu::executor::CpuExecutor;
use crate::net::cpu::isa::Isa;
use crate::net::error::NetError;
use crate::net::precision::DType;
use crate::net::spec::NetSpec;

impl Network {
    /// Compiles a checked description for the instruction set named by the environment variable `HONINBO_CPU`, or for
    /// the fastest one that the processor supports if the variable is unset or empty. All layers use 32-bit floats.
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
        Self::on_cpu(
            spec,
            CpuExecutor::new(spec, isa, DType::F32, &CalibrationRanges::default()),
        )
    }

    /// Compiles a checked description with bfloat16 kernels for the layers that are applied to every point.
    ///
    /// Evaluations are less accurate than in 32-bit floats, but much faster if the instruction set includes a matrix
    /// unit (AMX). Without a matrix unit, the products are computed by slow portable code that is only meant for tests.
    #[must_use]
    pub fn with_bf16(spec: &NetSpec, isa: Isa) -> Self {
        Self::on_cpu(
            spec,
            CpuExecutor::new(spec, isa, DType::Bf16, &CalibrationRanges::default()),
        )
    }

    /// Compiles a checked description with 16-bit integer kernels for the layers that are applied to every point. Uses
    /// 32-bit floats throughout if integers are not faster with this instruction set.
    ///
    /// An evaluation takes about two thirds of the time that it takes in 32-bit floats, and the outputs are close to
    /// those in 32-bit floats. If the Winograd-transformed layer inputs of a position greatly exceed `ranges`, the
    /// position is evaluated again in 32-bit floats. For this purpose, the network keeps a copy of `spec`. The weights
    /// of the copy are packed only when the first such position occurs.
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] if `ranges` does not match the network.
    pub fn with_i16_if_faster(
        spec: &NetSpec,
        ranges: &CalibrationRanges,
        isa: Isa,
    ) -> Result<Self, NetError> {
        let executor = CpuExecutor::with_i16_if_faster(spec, ranges, isa)?;
        let mut network = Self::on_cpu(spec, executor);
        if network.dtype == DType::I16 && Self::needs_ranges(spec) {
            network.f32_fallback = Some(Self::lazy_f32(spec.clone(), isa));
        }
        Ok(network)
    }

    /// Returns true if the network has layers that need [`CalibrationRanges`] to run with 16-bit integers.
    #[must_use]
    pub fn needs_ranges(spec: &NetSpec) -> bool {
        CpuExecutor::needs_ranges(spec)
    }

    fn on_cpu(spec: &NetSpec, executor: CpuExecutor) -> Self {
        let executor = Arc::new(executor);
        let modules = NetworkModules::with_cpu_kernels(spec, &executor);
        Self::with_modules(spec, executor.dtype(), modules)
    }
}
