//! Parsers for the trunk blocks of a KataGo file, selected by the name of the block kind.

use super::layers::LayerReader;
use crate::net::error::NetError;
use crate::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock, RotaryAngles,
};
use crate::net::spec::check::{MAX_BLOCKS, MAX_NESTING_DEPTH, MAX_WIDTH, max_attention_width};
use crate::net::spec::layers::{Activation, Affine, Conv};

type Read<T> = Result<T, NetError>;

/// Function that reads a block. The two numbers are the number of input channels and the nesting depth of the block.
type BlockReader = fn(&mut LayerReader, usize, usize) -> Read<Block>;

/// Names of the block kinds in the file, and the functions that read these blocks.
const KINDS: [(&str, BlockReader); 5] = [
    ("ordinary_block", ordinary),
    ("gpool_block", pooling),
    ("nested_bottleneck_block", nested),
    ("transformer_attention_block", attention),
    ("transformer_ffn_block", feed_forward),
];

/// Reads the next `count` blocks, each with `channels` input and output channels.
///
/// `depth` is the number of enclosing nested blocks.
pub fn blocks(
    layers: &mut LayerReader,
    count: usize,
    channels: usize,
    depth: usize,
) -> Read<Vec<Block>> {
    let mut block = || layers.begin_block(&KINDS)?(layers, channels, depth);
    (0..count).map(|_| block()).collect()
}

/// Reads a batch norm, an activation and a convolution with `channels` input channels.
///
/// If `outputs` is given, the convolution must have that number of output channels.
fn normed_conv(
    layers: &mut LayerReader,
    channels: usize,
    outputs: Option<usize>,
) -> Read<(Affine, Activation, Conv)> {
    Ok((
        layers.batch_norm(channels)?,
        layers.activation()?,
        layers.conv(channels, outputs)?,
    ))
}

fn ordinary(layers: &mut LayerReader, channels: usize, _depth: usize) -> Read<Block> {
    let (norm1, act1, conv1) = normed_conv(layers, channels, None)?;
    let (norm2, act2, conv2) = normed_conv(layers, conv1.outputs, Some(channels))?;
    Ok(Block::Ordinary(OrdinaryBlock {
        norm1,
        act1,
        conv1,
        norm2,
        act2,
        conv2,
    }))
}

fn pooling(layers: &mut LayerReader, channels: usize, _depth: usize) -> Read<Block> {
    let (norm1, act1, conv1) = normed_conv(layers, channels, None)?;
    let pool_conv = layers.conv(channels, None)?;
    let pool_norm = layers.batch_norm(pool_conv.outputs)?;
    let pool_act = layers.activation()?;
    let pool_linear = layers.linear(3 * pool_conv.outputs, Some(conv1.outputs))?;
    let (norm2, act2, conv2) = normed_conv(layers, conv1.outputs, Some(channels))?;
    Ok(Block::Pooling(PoolingBlock {
        norm1,
        act1,
        conv1,
        pool_conv,
        pool_norm,
        pool_act,
        pool_linear,
        norm2,
        act2,
        conv2,
    }))
}

fn nested(layers: &mut LayerReader, channels: usize, depth: usize) -> Read<Block> {
    if depth == MAX_NESTING_DEPTH {
        let expected = format!("blocks nested at most {MAX_NESTING_DEPTH} levels deep");
        return Err(layers.error(expected, "more"));
    }
    let count = layers.count_up_to("blocks", MAX_BLOCKS)?;
    let (down_norm, down_act, down) = normed_conv(layers, channels, None)?;
    let blocks = blocks(layers, count, down.outputs, depth + 1)?;
    let (up_norm, up_act, up) = normed_conv(layers, down.outputs, Some(channels))?;
    Ok(Block::Nested(NestedBlock {
        down_norm,
        down_act,
        down,
        blocks,
        up_norm,
        up_act,
        up,
    }))
}

fn attention(layers: &mut LayerReader, channels: usize, _depth: usize) -> Read<Block> {
    let widest = max_attention_width(channels);
    let heads = layers.count_up_to("query heads", widest)?;
    let kv_heads = layers.count_up_to("key heads", heads)?;
    if heads % kv_heads != 0 {
        let expected = format!("a number of key heads that divides {heads}");
        return Err(layers.error(expected, kv_heads));
    }
    let width = layers.count_up_to("numbers per query", widest / heads)?;
    let value_width = layers.count_up_to("numbers per value", widest / heads)?;
    let rotated = layers.flag("a rotation")?;
    let learnt = layers.flag("learnt angles")?;
    if rotated && width % 2 != 0 {
        return Err(layers.error(
            "an even number of channels per query (needed for the rotation)",
            width,
        ));
    }
    Ok(Block::Attention(AttentionBlock {
        norm: layers.rms_norm(channels, false)?,
        heads,
        kv_heads,
        query: layers.linear(channels, Some(heads * width))?,
        key: layers.linear(channels, Some(kv_heads * width))?,
        value: layers.linear(channels, Some(kv_heads * value_width))?,
        out: layers.linear(heads * value_width, Some(channels))?,
        rotation: match rotated {
            true => rotation(layers, learnt, kv_heads, width / 2)?,
            false => RotaryAngles::None,
        },
    }))
}

fn rotation(
    layers: &mut LayerReader,
    learnt: bool,
    kv_heads: usize,
    pairs: usize,
) -> Read<RotaryAngles> {
    if !learnt {
        layers.begin_layer("the base of a rotation")?;
        let theta = layers.positive_f32(f32::MAX, "base")?;
        return Ok(RotaryAngles::Fixed { theta });
    }
    layers.begin_layer("the angles of a rotation")?;
    layers.expect_count("heads", kv_heads)?;
    layers.expect_count("pairs of numbers", pairs)?;
    layers.expect_count("directions", 2)?;
    let angles = layers.read_tensor(&[kv_heads, pairs, 2])?;
    Ok(RotaryAngles::Learnt { angles })
}

fn feed_forward(layers: &mut LayerReader, channels: usize, _depth: usize) -> Read<Block> {
    layers.expect_count("channels", channels)?;
    let width = layers.count_up_to("inner channels", MAX_WIDTH)?;
    if !layers.flag("a gate")? {
        let expected = "a gate (layers without a gate are not supported)";
        return Err(layers.error(expected, "none"));
    }
    Ok(Block::FeedForward(FeedForwardBlock {
        norm: layers.rms_norm(channels, false)?,
        wide: layers.linear(channels, Some(width))?,
        gate: layers.linear(channels, Some(width))?,
        out: layers.linear(width, Some(channels))?,
    }))
}
