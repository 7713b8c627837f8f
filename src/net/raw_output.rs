//! Raw head outputs of a network: the result type of all executors.

/// Raw head outputs for one position. [`Readout`](super::spec::Readout) defines how they are decoded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawOutput {
    /// Policy logits, `[points, policies]`, with the points in row-major order from the top left. `policies` is the
    /// number of output channels of the [policy head](super::spec::heads::PolicyHead).
    pub policy: Vec<f32>,
    /// Pass logits, `[policies]`; empty if the network has no pass output.
    pub pass: Vec<f32>,
    /// Outputs for the game result; [`Readout`](super::spec::Readout) defines their meaning.
    pub result: Vec<f32>,
    /// Outputs for the score; empty if the network has none.
    pub score: Vec<f32>,
    /// Ownership of each point before `tanh`, positive for the player to move; empty if the network has no ownership
    /// output.
    pub ownership: Vec<f32>,
    /// True if an intermediate value was too large for the calibrated 16-bit integers. All outputs are then
    /// meaningless.
    pub saturated: bool,
}

impl RawOutput {
    /// Empties all vectors and resets `saturated`. The vectors keep their capacity, so that the allocations are reused
    /// for the next position.
    pub fn clear(&mut self) {
        let Self {
            policy,
            pass,
            result,
            score,
            ownership,
            saturated,
        } = self;
        *saturated = false;
        for part in [policy, pass, result, score, ownership] {
            part.clear();
        }
    }
}
