//! Notifications about a calibration.

use crate::eval::EvalError;

/// Receives notifications about a calibration, for messages to the user. The unit type ignores them.
pub trait Observer: Send + Sync {
    /// `done` of `total` positions have been evaluated. Called for each position, from several threads.
    fn on_position(&self, done: usize, total: usize);

    /// The ranges have been measured, and the network in 16-bit integers has been built.
    fn on_success(&self);

    /// The calibration failed, so the network continues to run in 32-bit floats.
    fn on_failure(&self, error: &EvalError);
}

impl Observer for () {
    fn on_position(&self, _: usize, _: usize) {}

    fn on_success(&self) {}

    fn on_failure(&self, _: &EvalError) {}
}
