//! The network inside the program.

use std::path::Path;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::EvalError;
use super::network::NetworkEvaluator;
use crate::encode::katago::profile::Profile;
use crate::net::desc::NetDesc;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::own;
use crate::net::precision::{Arithmetic, Precision};

/// The default net; `weights/README.md` tells how it was made.
const NETWORK_BYTES: &[u8] = include_bytes!("../../weights/default.safetensors");

/// The description of the default network.
///
/// # Errors
/// When the file that the program was built with is no usable net.
pub fn description() -> Result<NetDesc, EvalError> {
    Ok(own::from_bytes(NETWORK_BYTES)?)
}

/// The evaluator of the default network in that precision, unpacked at the first call and shared by all later ones.
///
/// # Errors
/// When the file that the program was built with is no usable net, or the environment names no vocabulary of the
/// processor.
pub fn network(precision: Precision) -> Result<Arc<NetworkEvaluator>, EvalError> {
    /// One for each arithmetic.
    static NETWORKS: [OnceCell<Arc<NetworkEvaluator>>; Arithmetic::COUNT] =
        [const { OnceCell::new() }; Arithmetic::COUNT];
    let arithmetic = precision.arithmetic(Vocabulary::chosen()?);
    NETWORKS[arithmetic as usize]
        .get_or_try_init(|| {
            Ok(Arc::new(NetworkEvaluator::from_bytes(
                NETWORK_BYTES,
                precision,
            )?))
        })
        .cloned()
}

/// The evaluator of a network file, or where none is named of the default network, to which a profile means nothing.
///
/// # Errors
/// As [`NetworkEvaluator::read`] and [`network`].
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
