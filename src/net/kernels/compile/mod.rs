//! From a description to the steps of a plan.

mod blocks;
mod compiler;
mod heads;
mod layer;
mod stem;
mod tiles;

use super::ranges::Ranges;
use super::steps::{Buffer, Heads, Shape, Step};
use super::winograd;
use crate::net::desc::blocks::Block;
use crate::net::desc::layers::Conv;
use crate::net::desc::{NetDesc, Tip};
use compiler::Compiler;
use stem::Stem;

/// Most bytes that Winograd's weights may take in all: they are four times as many as the plain ones, and larger nets
/// shall not take that much memory. They run as direct products.
const MOST_TRANSFORMED: usize = 128 << 20;

/// Inputs times outputs of all convolutions that Winograd's scheme serves.
fn small_convolutions(blocks: &[Block]) -> usize {
    let one = |conv: &Conv| match winograd::tile((conv.height, conv.width)) {
        Some(_) => conv.inputs * conv.outputs,
        None => 0,
    };
    let of_block = |block: &Block| match block {
        Block::Ordinary(block) => one(&block.conv1) + one(&block.conv2),
        Block::Pooling(block) => one(&block.conv1) + one(&block.pool_conv) + one(&block.conv2),
        Block::Nested(block) => {
            one(&block.down) + small_convolutions(&block.blocks) + one(&block.up)
        }
        Block::PostActivation(block) => one(&block.conv1) + one(&block.conv2),
        Block::Attention(_) | Block::FeedForward(_) => 0,
    };
    blocks.iter().map(of_block).sum()
}

/// A description, compiled.
#[derive(Debug)]
pub struct Compiled {
    /// In the order in which they run.
    pub steps: Vec<Step>,
    /// Whether layers of points run in tiles.
    pub tiles: bool,
    /// Whether they run in pairs of integers.
    pub pairs: bool,
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

/// What layers of points multiply.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// 32-bit floats.
    Full,
    /// Tiles of 16-bit floats.
    Tiles,
    /// 32-bit floats, but pairs of 16-bit integers where Winograd's scheme serves, in maps of points that are wide enough
    /// and in attention.
    Pairs(&'a Ranges),
}

/// Compiles for vectors of so many lanes.
pub fn compile(desc: &NetDesc, lanes: usize, numbers: Numbers<'_>) -> Compiled {
    let size = match numbers {
        Numbers::Full | Numbers::Tiles => size_of::<f32>(),
        Numbers::Pairs(_) => size_of::<i16>(),
    };
    let transformed = size * winograd::FREQUENCIES * small_convolutions(&desc.blocks);
    let mut compiler = Compiler::new(lanes, transformed <= MOST_TRANSFORMED, numbers);
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
            compiler.push(Step::Activate(to, *act));
            compiler.readable(to)
        }
    };
    let heads = compiler.heads(desc, features);
    if !tiles {
        entry_border = compiler.border;
    }
    Compiled {
        tiles,
        pairs: compiler.has_pairs(),
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
