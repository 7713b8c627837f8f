//! Parsers for the policy and value heads of a KataGo file.

use super::layers::LayerReader;
use crate::net::error::NetError;
use crate::net::spec::heads::{PassHead, PolicyHead, PooledPolicy, PooledValue, ValueHead};

type Read<T> = Result<T, NetError>;

/// First file version with a hidden layer between the pooled features and the pass logits.
const HIDDEN_PASS_VERSION: u8 = 15;
/// First file version in which each head starts with options and the policy head also states its channel count.
const HEAD_OPTIONS_VERSION: u8 = 17;

/// Reads the policy head. `channels` is the number of trunk channels.
pub fn policy(layers: &mut LayerReader, channels: usize) -> Read<PolicyHead> {
    layers.begin_layer("the policy head")?;
    let outputs = read_policy_channels(layers)?;
    let conv = layers.conv(channels, None)?;
    let width = conv.outputs;
    let pool_conv = layers.conv(channels, None)?;
    let pooled = 3 * pool_conv.outputs;
    Ok(PolicyHead::Pooled(Box::new(PooledPolicy {
        conv,
        pool_norm: layers.batch_norm(pool_conv.outputs)?,
        pool_conv,
        pool_act: layers.activation()?,
        pool_linear: layers.linear(pooled, Some(width))?,
        norm: layers.batch_norm(width)?,
        act: layers.activation()?,
        out: layers.conv(width, Some(outputs))?,
        pass: Some(pass(layers, pooled, width, outputs)?),
    })))
}

fn read_policy_channels(layers: &mut LayerReader) -> Read<usize> {
    match layers.version {
        ..12 => Ok(1),
        12..16 => Ok(2),
        16 => Ok(4),
        HEAD_OPTIONS_VERSION.. => {
            let is_valid = |channels: &usize| matches!(channels, 2 | 4);
            let channels = layers.valid_number("2 or 4 policy channels", is_valid)?;
            layers.expect_zero_options(3)?;
            Ok(channels)
        }
    }
}

fn pass(layers: &mut LayerReader, pooled: usize, width: usize, outputs: usize) -> Read<PassHead> {
    if layers.version < HIDDEN_PASS_VERSION {
        let out = layers.linear(pooled, Some(outputs))?;
        return Ok(PassHead { hidden: None, out });
    }
    let hidden = layers.biased_linear(pooled, Some(width))?;
    Ok(PassHead {
        hidden: Some((hidden, layers.activation()?)),
        out: layers.linear(width, Some(outputs))?,
    })
}

/// Reads the value head. `channels` is the number of trunk channels, and `score_outputs` is the number of score
/// outputs.
pub fn value(layers: &mut LayerReader, channels: usize, score_outputs: usize) -> Read<ValueHead> {
    layers.begin_layer("the value head")?;
    if layers.version >= HEAD_OPTIONS_VERSION {
        layers.expect_zero_options(3)?;
    }
    let conv = layers.conv(channels, None)?;
    let width = conv.outputs;
    let norm = layers.batch_norm(width)?;
    let act = layers.activation()?;
    let hidden = layers.biased_linear(3 * width, None)?;
    let hidden_act = layers.activation()?;
    let units = hidden.outputs;
    Ok(ValueHead::Pooled(Box::new(PooledValue {
        conv,
        norm,
        act,
        hidden,
        hidden_act,
        result: layers.biased_linear(units, Some(3))?,
        score: Some(layers.biased_linear(units, Some(score_outputs))?),
        ownership: Some(layers.conv(width, Some(1))?),
    })))
}
