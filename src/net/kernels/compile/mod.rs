//! Compiler from network descriptions to the steps of a plan.
//!
//! Terms used in this module: tiles are bfloat16 kernels (AMX), and halves are bfloat16 values. Pairs are 16-bit
//! integer kernels, which multiply and sum pairs of adjacent inputs. A sheet is one of several weight matrices in the
//! same packed storage. A map is a fully connected layer or a 1x1 convolution, applied to each row of its input.

mod blocks;
mod compiler;
mod heads;
mod layer;
mod stem;
mod tiles;

use super::buffers::{Buffer, Shape};
use super::steps::{Heads, Pointwise, Step};
use super::winograd;
use crate::net::desc::blocks::Block;
use crate::net::desc::heads::{PolicyHead, ValueHead};
use crate::net::desc::layers::Conv;
use crate::net::desc::{NetDesc, Tip};
use crate::net::precision::Arithmetic;
use compiler::Compiler;
pub use compiler::Numbers;
use stem::Stem;

/// Maximum total size of the Winograd weights, in bytes.
///
/// The Winograd form has four times as many weights as the original 3x3 kernels. Networks above the limit use direct
/// products to save memory.
const MOST_TRANSFORMED: usize = 128 << 20;

/// Total of `inputs * outputs` over all convolutions that have a Winograd scheme.
pub fn winograd_products(desc: &NetDesc) -> usize {
    let policy = match &desc.policy {
        PolicyHead::Pooled(head) => of(&head.conv) + of(&head.pool_conv) + of(&head.out),
        PolicyHead::Flat { conv, .. } => of(conv),
    };
    let value = match &desc.value {
        ValueHead::Pooled(head) => of(&head.conv) + head.ownership.as_ref().map_or(0, of),
        ValueHead::Flat { conv, .. } => of(conv),
    };
    of(&desc.stem.conv) + of_blocks(&desc.blocks) + policy + value
}

fn of(conv: &Conv) -> usize {
    match winograd::tile((conv.height, conv.width)) {
        Some(_) => conv.inputs * conv.outputs,
        None => 0,
    }
}

fn of_blocks(blocks: &[Block]) -> usize {
    let of_block = |block: &Block| match block {
        Block::Ordinary(block) => of(&block.conv1) + of(&block.conv2),
        Block::Pooling(block) => of(&block.conv1) + of(&block.pool_conv) + of(&block.conv2),
        Block::Nested(block) => of(&block.down) + of_blocks(&block.blocks) + of(&block.up),
        Block::PostActivation(block) => of(&block.conv1) + of(&block.conv2),
        Block::Attention(_) | Block::FeedForward(_) => 0,
    };
    blocks.iter().map(of_block).sum()
}

/// Returns true if Winograd weights with elements of `size` bytes are within the memory limit.
///
/// `products` is the result of [`winograd_products`].
pub const fn is_transformed(products: usize, size: usize) -> bool {
    size * winograd::FREQUENCIES * products <= MOST_TRANSFORMED
}

/// Compiled network.
#[derive(Debug)]
pub struct Compiled {
    /// Steps in execution order.
    pub steps: Vec<Step>,
    /// Arithmetic of the layers of points, where they are wide enough.
    pub arithmetic: Arithmetic,
    /// Buffer shapes, indexed by buffer.
    pub shapes: Vec<Shape>,
    /// Number of convolutions that have a Winograd scheme. It is used only on sufficiently large boards.
    pub convolutions: usize,
    /// Border around each input board, in points.
    pub entry_border: usize,
    /// Border around each board in all other buffers, in points.
    pub border: usize,
    /// Input planes.
    pub planes: Buffer,
    /// Global inputs.
    pub globals: Option<Buffer>,
    /// Player profile.
    pub profile: Option<Buffer>,
    /// Outputs of the heads.
    pub heads: Heads,
}

/// Compiles a description for SIMD vectors with `lanes` lanes.
pub fn compile(desc: &NetDesc, lanes: usize, numbers: Numbers<'_>) -> Compiled {
    let size = match numbers {
        Numbers::Full | Numbers::Tiles => size_of::<f32>(),
        Numbers::Pairs(_) => size_of::<i16>(),
    };
    let transforms = is_transformed(winograd_products(desc), size);
    let mut compiler = Compiler::new(lanes, transforms, numbers);
    let tiles = compiler.tiles;
    let Stem {
        planes,
        globals,
        profile,
        mut x,
    } = compiler.stem(&desc.stem);
    // Without packing, the input boards and all other boards have the same border.
    let mut entry_border = compiler.border;
    if tiles {
        compiler.border = 0;
    }
    if let Some((norm, activation)) = &desc.stem.norm {
        x = compiler.apart(x, norm, *activation);
    }
    compiler.blocks(&desc.blocks, x);
    let features = match &desc.tip {
        Tip::Plain => compiler.readable(x),
        Tip::Affine { norm, act } => compiler.normed(x, norm, *act),
        Tip::Rms { norm, act } => {
            let to = compiler.rms(x, norm);
            compiler.push(Step::Pointwise(Pointwise::Activate(to, *act)));
            compiler.readable(to)
        }
    };
    let heads = compiler.heads(desc, features);
    if !tiles {
        entry_border = compiler.border;
    }
    Compiled {
        arithmetic: match numbers {
            Numbers::Tiles => Arithmetic::Tiles,
            Numbers::Pairs(_) if compiler.steps.iter().any(Step::may_be_paired) => {
                Arithmetic::Pairs
            }
            Numbers::Full | Numbers::Pairs(_) => Arithmetic::F32,
        },
        steps: compiler.steps,
        shapes: compiler.shapes,
        entry_border,
        convolutions: compiler.convolutions,
        border: compiler.border,
        planes,
        globals,
        profile,
        heads,
    }
}
