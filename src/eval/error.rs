//! Errors of evaluators.

use super::Evaluator;
use crate::game::point::BoardSize;
use crate::net::candle::device::DeviceError;
use crate::net::error::NetError;

/// Error while an evaluator is created, calibrated or run. A search stops at the first error and reports it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EvalError {
    /// The network could not be loaded or run.
    #[error("evaluator: {0}")]
    Network(String),
    /// The device of the network cannot be used.
    #[error("{0}")]
    Device(String),
    /// A calibration found activations that 16-bit integers cannot represent.
    #[error("the network's activations are too large for 16-bit integers")]
    LargeActivations,
    /// An evaluation contains NaN or infinity.
    #[error("evaluator: the {part} contains {found}, which is not a finite number")]
    NotFinite {
        /// The name of the affected output.
        part: &'static str,
        /// The value that is not finite.
        found: f32,
    },
    /// The evaluator, or a thread that uses it, panicked.
    #[error("evaluator: internal error, see standard error for details")]
    Panicked,
}

impl From<DeviceError> for EvalError {
    fn from(error: DeviceError) -> Self {
        Self::Device(error.to_string())
    }
}

impl From<NetError> for EvalError {
    fn from(error: NetError) -> Self {
        Self::Network(error.to_string())
    }
}

/// Error for a board size that an evaluator does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the network does not support {0} boards")]
pub struct UnsupportedSizeError(pub BoardSize);

impl UnsupportedSizeError {
    /// Returns an error if `evaluator` does not support boards of `size`.
    pub fn check(evaluator: &dyn Evaluator, size: BoardSize) -> Result<(), Self> {
        match evaluator.supports_size(size) {
            true => Ok(()),
            false => Err(Self(size)),
        }
    }
}
