//! The three parts of a network, and the features that the first part passes to the others.

/// Part of a network that can be run separately: the feature extractor or one of the two heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkPart {
    Features,
    Policy,
    Value,
}

/// Features of one or more boards in the layout of the executor. The vector also contains unused elements, so that the
/// features can be aligned to a cache line.
#[derive(Debug)]
pub enum FeatureStorage {
    F32(Vec<f32>),
    Bf16(Vec<u16>),
}

/// Borrowed [`FeatureStorage`].
#[derive(Clone, Copy, Debug)]
pub enum FeaturesRef<'a> {
    F32(&'a [f32]),
    Bf16(&'a [u16]),
}
