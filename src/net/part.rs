//! The three parts of a network.

/// Part of a network that can be run separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Features,
    Policy,
    Value,
}
