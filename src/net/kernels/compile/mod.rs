//! From a description to the steps of a plan.

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

/// Most bytes that Winograd's weights may take in all: they are four times as many as the plain ones, and larger nets
/// shall not take that much memory. They run as direct products.
const MOST_TRANSFORMED: usize = 128 << 20;

/// Inputs times outputs of all convolutions that Winograd's scheme serves.
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

/// Whether convolutions with so many [products](winograd_products) in all get Winograd's weights too, in numbers of so
/// many bytes.
pub const fn is_transformed(products: usize, size: usize) -> bool {
    size * winograd::FREQUENCIES * products <= MOST_TRANSFORMED
}

/// A description, compiled.
#[derive(Debug)]
pub struct Compiled {
    /// In the order in which they run.
    pub steps: Vec<Step>,
    /// What layers of points multiply, where they are wide enough.
    pub arithmetic: Arithmetic,
    /// The buffers by number.
    pub shapes: Vec<Shape>,
    /// Convolutions that Winograd's scheme serves, on boards that are large enough.
    pub convolutions: usize,
    /// How far the kernel that reads the planes reaches beyond a point.
    pub entry_border: usize,
    /// How far the others reach.
    pub border: usize,
    /// The planes.
    pub planes: Buffer,
    /// The numbers for the whole board.
    pub globals: Option<Buffer>,
    /// What is known of the players.
    pub profile: Option<Buffer>,
    /// Where the answers are.
    pub heads: Heads,
}

/// Compiles for vectors of so many lanes.
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
    // Boards that are not packed all have the widest border.
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
