//! The network inside the program.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::EvalError;
use super::network::NetworkEvaluator;
use crate::net::desc::NetDesc;
use crate::net::own;

/// The default net; `weights/README.md` tells how it was made.
const BYTES: &[u8] = include_bytes!("../../weights/default.safetensors");

/// The description of the default network.
///
/// # Errors
/// When the file that the program was built with is no usable net.
pub fn description() -> Result<NetDesc, EvalError> {
    Ok(own::from_bytes(BYTES)?)
}

/// The evaluator of the default network, unpacked at the first call and shared by all later ones.
///
/// # Errors
/// When the file that the program was built with is no usable net.
pub fn network() -> Result<Arc<NetworkEvaluator>, EvalError> {
    static NETWORK: OnceCell<Arc<NetworkEvaluator>> = OnceCell::new();
    NETWORK
        .get_or_try_init(|| Ok(Arc::new(NetworkEvaluator::from_bytes(BYTES)?)))
        .cloned()
}
