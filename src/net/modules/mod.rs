//! The executor written with candle's operations: the reference for every other.
//!
//! Three parts, as every net has them: the feature extractor ([`tower`]), the policy head and the value head. Each is
//! built from its part of a description ([`super::desc`]) and works on channels-last matrices: one row per point,
//! position after position, one column per channel. So a 1x1 convolution is a matrix product, and a larger one is the
//! same product over the rows of the neighbours. Everything runs on the calling thread alone.

pub(super) mod attention;
pub(super) mod block;
pub(super) mod grid;
pub(super) mod layer;
pub(super) mod network;
pub(super) mod norm;
pub(super) mod policy;
pub(super) mod product;
pub(super) mod tower;
pub(super) mod value;
