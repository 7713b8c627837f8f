//! The embedded default network.

use std::path::Path;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::EvalError;
use super::calibration::observer::CalibrationObserver;
use super::device::DeviceConfig;
use super::network::{LoadedNetwork, NetworkEvaluator};
use crate::encode::katago::profile::Profile;
use crate::net::cpu::isa::Isa;
use crate::net::formats;
use crate::net::precision::DType;
use crate::net::spec::NetSpec;

/// File of the default network; `weights/README.md` describes its training.
const NETWORK_BYTES: &[u8] = include_bytes!("../../weights/default.safetensors");

/// Returns the description of the default network.
///
/// # Errors
/// Returns an error if the embedded file is not a valid network.
pub fn spec() -> Result<NetSpec, EvalError> {
    Ok(formats::honinbo::from_bytes(NETWORK_BYTES)?)
}

/// Returns the evaluator of the default network. On the CPU, one evaluator per number format is created on first use
/// and then shared. On other devices, each call creates a new one.
///
/// # Errors
/// Returns an error if the embedded file is not a valid network, if the device cannot be used, or if the instruction
/// set in the environment variable `HONINBO_CPU` is not available.
pub fn evaluator(device_config: DeviceConfig) -> Result<Arc<NetworkEvaluator>, EvalError> {
    /// One evaluator for each number format.
    static NETWORKS: [OnceCell<Arc<NetworkEvaluator>>; DType::COUNT] =
        [const { OnceCell::new() }; DType::COUNT];
    let build = || NetworkEvaluator::from_bytes(NETWORK_BYTES, device_config).map(Arc::new);
    if !device_config.device.uses_cpu_kernels() {
        return build();
    }
    let dtype = device_config.precision.dtype(Isa::from_env_or_best()?);
    NETWORKS[dtype as usize].get_or_try_init(build).cloned()
}

/// Loads a network file, or returns the default network if `file` is `None`. `profile` has no effect on the default
/// network. A calibration, if one is necessary, uses all threads of the current rayon pool.
///
/// # Errors
/// See [`LoadedNetwork::read`] and [`network`].
pub fn network_or_default(
    file: Option<&Path>,
    profile: Profile,
    device_config: DeviceConfig,
    observer: &dyn CalibrationObserver,
) -> Result<Arc<NetworkEvaluator>, EvalError> {
    match file {
        None => evaluator(device_config),
        Some(file) => {
            let loaded = LoadedNetwork::read(file, profile, device_config)?;
            Ok(Arc::new(loaded.calibrated(observer)))
        }
    }
}
