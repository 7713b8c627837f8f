//! The three parts of a network.

/// Part of a network that can be run separately: the feature extractor or one of the two heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkPart {
    Features,
    Policy,
    Value,
}
