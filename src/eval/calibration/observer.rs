//! Progress and result notifications of a calibration.

use crate::eval::EvalError;

/// Receiver of notifications about a calibration, for messages to the user. The implementation for `()` ignores all
/// notifications.
pub trait CalibrationObserver: Send + Sync {
    /// Called by several threads, each time a position has been evaluated. `done` of `total` positions are finished.
    fn on_position(&self, done: usize, total: usize);

    /// Called when the ranges have been measured and the network in 16-bit integers has been built.
    fn on_success(&self);

    /// Called when the calibration has failed. The network continues to run in 32-bit floats.
    fn on_failure(&self, error: &EvalError);
}

impl CalibrationObserver for () {
    fn on_position(&self, _: usize, _: usize) {}

    fn on_success(&self) {}

    fn on_failure(&self, _: &EvalError) {}
}
