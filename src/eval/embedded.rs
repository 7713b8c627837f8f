//! The embedded networks.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::EvalError;
use super::device::DeviceConfig;
use super::network::NetworkEvaluator;
use crate::net::cpu::isa::Isa;
use crate::net::error::NetError;
use crate::net::formats;
use crate::net::precision::DType;
use crate::net::spec::NetSpec;

/// File of the default network; `weights/README.md` describes its training.
const NETWORK_BYTES: &[u8] = include_bytes!("../../weights/default.safetensors");
/// File of the classic network, the smallest one, which predicts only moves and the winner.
const CLASSIC_BYTES: &[u8] = include_bytes!("../../weights/classic.safetensors");

/// Returns the description of the default network.
///
/// # Errors
/// Returns an error if the embedded file is not a valid network.
pub fn spec() -> Result<NetSpec, NetError> {
    formats::honinbo::from_bytes(NETWORK_BYTES)
}

/// Returns the description of the classic network.
///
/// # Errors
/// Returns an error if the embedded file is not a valid network.
pub fn classic_spec() -> Result<NetSpec, NetError> {
    formats::honinbo::from_bytes(CLASSIC_BYTES)
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
