//! What a plan consists of: packed layers in the order in which they run, and the buffers between them.

use super::aligned::Aligned;
use super::buffers::Buffer;
use super::finish::{Finish, Scale};
use super::pairs;
use super::pairs::gated::Gated;
use super::pairs::winograd::Sheets;
use super::product::Panels;
use super::tiles;
use crate::net::desc::blocks::Rotation;
use crate::net::desc::layers::{Activation, Pooling, RmsNorm};

/// A step of the plan.
#[derive(Debug)]
pub enum Step {
    /// A convolution or a map of rows.
    Conv(Box<Conv>),
    /// What treats each row for itself.
    Pointwise(Pointwise),
    /// Features of whole boards.
    Pool {
        /// Of the points.
        from: Buffer,
        /// Of the boards, three times as many.
        to: Buffer,
        /// Channels of the points.
        channels: usize,
        /// Which features.
        pooling: Pooling,
    },
    /// All numbers of a board in one row, channel after channel.
    Flatten {
        /// Of the points.
        from: Buffer,
        /// Of the boards.
        to: Buffer,
        /// Channels of the points.
        channels: usize,
    },
    /// Mixes values by queries and keys.
    Attention(Box<Attention>),
    /// A gated map in pairs of 16-bit integers, from the first buffer to the second.
    Gated(Buffer, Buffer, Box<Gated>),
    /// A step in tiles of 16-bit floats.
    Tiled(TileStep),
}

impl Step {
    /// Whether it multiplies pairs of 16-bit integers, in a plan that multiplies any.
    pub fn may_be_paired(&self) -> bool {
        match self {
            Self::Conv(conv) => {
                matches!(conv.plain, Plain::Pairs(_))
                    || matches!(conv.transformed, Some(Transformed::Pairs(_)))
            }
            Self::Attention(_) | Self::Gated(..) => true,
            Self::Pointwise(_) | Self::Pool { .. } | Self::Flatten { .. } | Self::Tiled(_) => false,
        }
    }
}

/// A step that treats each row for itself.
#[derive(Debug)]
pub enum Pointwise {
    /// An activation in place.
    Activate(Buffer, Activation),
    /// The first buffer times the second, number by number.
    Multiply(Buffer, Buffer),
    /// A norm with fixed statistics, from the first buffer to the second.
    Norm(Buffer, Buffer, Scale),
    /// A norm by the size of the activations, from the first buffer to the second.
    Rms(Buffer, Buffer, Rms),
}

/// A step of the plan in tiles.
#[derive(Debug)]
pub enum TileStep {
    /// A convolution or a map of points.
    Layer(Box<TileLayer>),
    /// A 32-bit buffer's numbers, normed if there is a norm, as 16-bit floats in the second buffer.
    Halve(Buffer, Half),
    /// A norm by the size of the activations, rounded to 16-bit floats.
    HalveRms(Buffer, Buffer, Rms),
    /// Mixes values by queries and keys.
    Attention(Box<TileAttention>),
}

/// A convolution or a map of rows, and what is done with its results.
#[derive(Debug)]
pub struct Conv {
    /// For the direct product.
    pub plain: Plain,
    /// For Winograd's scheme, where the kernel allows it.
    pub transformed: Option<Transformed>,
    /// Rows and columns.
    pub kernel: (usize, usize),
    /// Channels in.
    pub inputs: usize,
    /// Channels out.
    pub outputs: usize,
    /// What is done with the results.
    pub finish: Finish,
    /// The input.
    pub from: Buffer,
    /// The output.
    pub to: Buffer,
    /// Of the boards; added on all their points.
    pub added: Option<Buffer>,
    /// The number of its input: of those with the same one the first may have transformed it for all.
    pub input: usize,
}

/// Weights as they are.
#[derive(Debug)]
pub enum Plain {
    /// 32-bit floats.
    Full(Panels),
    /// Pairs of 16-bit integers, of a map of rows.
    Pairs(Box<pairs::panels::Panels>),
}

/// Weights in Winograd's transformed space.
#[derive(Debug)]
pub enum Transformed {
    /// 32-bit floats.
    Full(Panels),
    /// Pairs of 16-bit integers.
    Pairs(Box<Sheets>),
}

/// A convolution or a map of points in tiles, and what is done with its results.
#[derive(Debug)]
pub struct TileLayer {
    /// The weights.
    pub panels: tiles::panels::Panels,
    /// One for each output.
    pub bias: Aligned,
    /// Of the boards; added on all their points.
    pub added: Option<Buffer>,
    /// Whether what stands in the output is added.
    pub accumulate: bool,
    /// Of the sum.
    pub activation: Activation,
    /// Whether each sixteen outputs, after their activation, are multiplied with the next sixteen: half as many results,
    /// all of which are halves.
    pub gated: bool,
    /// The input, halves.
    pub from: Buffer,
    /// The output, if anybody needs all of it.
    pub to: Option<Buffer>,
    /// The output as the next layer reads it.
    pub half: Option<Half>,
}

/// Results as a layer in tiles reads them.
#[derive(Debug)]
pub struct Half {
    /// Where they go.
    pub to: Buffer,
    /// What is done before they are rounded: a scale and a shift for each channel.
    pub norm: Option<(Aligned, Aligned)>,
    /// Of what has been normed.
    pub activation: Activation,
}

impl Half {
    /// The results as they are.
    pub const fn plain(to: Buffer) -> Self {
        Self {
            to,
            norm: None,
            activation: Activation::Identity,
        }
    }
}

/// A norm by the size of the activations.
#[derive(Debug)]
pub struct Rms {
    /// The norm.
    pub norm: RmsNorm,
    /// Its weight, filled up with zeros.
    pub weight: Aligned,
    /// Its shift, zero if there is none.
    pub shift: Aligned,
}

/// Attention between all points of a board.
#[derive(Debug)]
pub struct Attention {
    /// The queries: the numbers of a pair stand half a head apart where they are turned.
    pub query: Buffer,
    /// The keys, in the same order.
    pub key: Buffer,
    /// The values.
    pub value: Buffer,
    /// The mixed values.
    pub to: Buffer,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values.
    pub kv_heads: usize,
    /// Numbers of a query.
    pub width: usize,
    /// Numbers of a value.
    pub value_width: usize,
    /// How queries and keys are turned.
    pub rotation: Rotation,
    /// The number of its table of turns.
    pub turns: usize,
}

/// Attention between all points of a board in tiles.
#[derive(Debug)]
pub struct TileAttention {
    /// The queries: the numbers of a pair stand half a head apart. They are so scaled that powers of two make shares.
    pub query: Buffer,
    /// The keys, in the same order.
    pub key: Buffer,
    /// The values.
    pub value: Buffer,
    /// The mixed values, halves.
    pub to: Buffer,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values.
    pub kv_heads: usize,
    /// Numbers of a query, filled up to whole steps of tiles.
    pub width: usize,
    /// Pairs of them that are turned.
    pub pairs: usize,
    /// Numbers of a value, filled up to whole tiles.
    pub value_width: usize,
    /// How queries and keys are turned.
    pub rotation: Rotation,
    /// The number of its table of turns.
    pub turns: usize,
}

/// Where the heads' numbers stand after a run.
#[derive(Debug)]
pub struct Heads {
    /// Logits of the points.
    pub policy: Policy,
    /// Logits of the pass, and how many; none with a flat policy, which has them.
    pub pass: Option<(Buffer, usize)>,
    /// The result and how many numbers tell it.
    pub result: (Buffer, usize),
    /// The score and how many numbers tell it.
    pub score: Option<(Buffer, usize)>,
    /// One number for each point.
    pub ownership: Option<Buffer>,
}

/// How the policy lies.
#[derive(Clone, Copy, Debug)]
pub enum Policy {
    /// So many logits at each point.
    Points(Buffer, usize),
    /// Points and pass in one row.
    Flat(Buffer),
}

/// What [`floor`] leaves to do.
pub fn rest(activation: Activation) -> Option<Activation> {
    match activation {
        Activation::Identity | Activation::Relu => None,
        other => Some(other),
    }
}
