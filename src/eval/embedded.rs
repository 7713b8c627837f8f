//! The embedded default network.

use std::path::Path;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::EvalError;
use super::network::NetworkEvaluator;
use crate::encode::katago::profile::Profile;
use crate::net::cpu::isa::Isa;
use crate::net::desc::NetDesc;
use crate::net::own;
use crate::net::precision::{DType, Precision};

/// File of the default network; `weights/README.md` describes its training.
const NETWORK_BYTES: &[u8] = include_bytes!("../../weights/default.safetensors");

/// Returns the description of the default network.
///
/// # Errors
/// Returns an error if the embedded file is not a valid network.
pub fn description() -> Result<NetDesc, EvalError> {
    Ok(own::from_bytes(NETWORK_BYTES)?)
}

/// Returns the evaluator of the default network for `precision`. It is created on the first call and then shared.
///
/// # Errors
/// Returns an error if the embedded file is not a valid network, or if the instruction set named by the environment is
/// not available.
pub fn network(precision: Precision) -> Result<Arc<NetworkEvaluator>, EvalError> {
    /// One evaluator for each kind of arithmetic.
    static NETWORKS: [OnceCell<Arc<NetworkEvaluator>>; DType::COUNT] =
        [const { OnceCell::new() }; DType::COUNT];
    let arithmetic = precision.dtype(Isa::chosen()?);
    NETWORKS[arithmetic as usize]
        .get_or_try_init(|| {
            Ok(Arc::new(NetworkEvaluator::from_bytes(
                NETWORK_BYTES,
                precision,
            )?))
        })
        .cloned()
}

/// Loads a network file, or returns the default network if `file` is `None`. The default network takes no profile.
///
/// # Errors
/// See [`NetworkEvaluator::read`] and [`network`].
pub fn network_or_default(
    file: Option<&Path>,
    profile: Profile,
    precision: Precision,
) -> Result<Arc<NetworkEvaluator>, EvalError> {
    match file {
        None => network(precision),
        Some(file) => NetworkEvaluator::read(file, profile, precision).map(Arc::new),
    }
}
