//! Reference executor, written with candle operations. Other executors are compared with it.
//!
//! A network has three parts: the feature extractor ([`tower`]), the policy head and the value head. Each is built
//! from the corresponding part of a description ([`super::desc`]). Tensors are channels-last matrices with one row
//! per point, board after board, and one column per channel. A 1x1 convolution is therefore a matrix product; a
//! larger convolution is the same product with the concatenated rows of the neighbouring points. All work is done on
//! the calling thread.

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
