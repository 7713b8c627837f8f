//! Parser for Leela Zero networks: text files of versions 1 and 2, optionally compressed (`.txt.gz`).
//!
//! For arbitrary input, [`read`] returns either a checked description or an error that states the location, usually the
//! line number and the name of the tensor. A file consists of the version followed by one line per tensor: four lines
//! for each convolution of the trunk (weights, biases, and the means and variances of its batch norm), then the policy
//! head and the value head. The number of blocks and channels is not stored; it is derived from the lengths of the
//! lines.
//!
//! The order of lines and the meaning of version 2 follow Leela Zero's `src/Network.cpp`.

use super::stream::Stream;
use crate::net::error::NetError;
use crate::net::spec::blocks::{Block, PostActivationBlock};
use crate::net::spec::check::{MAX_BLOCKS, MAX_WIDTH};
use crate::net::spec::heads::{FLAT_AREA, PolicyHead, ValueHead};
use crate::net::spec::layers::{self, Activation, Affine, Conv, Linear};
use crate::net::spec::{Inputs, NetSpec, Readout, Stem, TrunkNorm};

type Read<T> = Result<T, NetError>;

/// Epsilon of the batch norms, added to every variance.
const NORM_EPSILON: f32 = 1e-5;
/// Side length of the trunk's square kernels.
const TRUNK_KERNEL_SIDE: usize = 3;
const TRUNK_TAPS: usize = TRUNK_KERNEL_SIDE * TRUNK_KERNEL_SIDE;

/// Reads a network.
///
/// # Errors
/// Returns [`NetError::Layer`] or [`NetError::Value`] for invalid contents, [`NetError::UnexpectedEnd`] for a file that
/// ends too early, and [`NetError::Stream`] if reading fails.
pub fn read(stream: Stream) -> Result<NetSpec, NetError> {
    let mut lines = TensorLineReader { stream, number: 0 };
    let readout = lines.version()?;
    let inputs = Inputs::LeelaZero;
    let of = "the first convolution";
    let max = TRUNK_TAPS * inputs.planes() * MAX_WIDTH;
    let weights = lines.numbers(&format!("weights of {of}"), max)?;
    let (conv, norm) = lines.normed_conv(of, TRUNK_KERNEL_SIDE, inputs.planes(), weights)?;
    let channels = conv.outputs;
    let block_weights = TRUNK_TAPS * channels * channels;
    let mut blocks = Vec::new();
    let policy_conv = loop {
        let name = format!("weights of block {} or of the policy head", blocks.len());
        // The first convolution of a block has nine weights per pair of input and output channels. A smaller number of
        // weights belongs to the 1x1 convolution of the policy head.
        let weights = lines.numbers(&name, block_weights)?;
        if weights.len() != block_weights {
            break weights;
        }
        if blocks.len() == MAX_BLOCKS {
            let expected = format!("at most {MAX_BLOCKS} blocks");
            return Err(lines.stream.error(expected, "more"));
        }
        blocks.push(lines.block(blocks.len(), channels, weights)?);
    };
    let policy = lines.policy(channels, policy_conv)?;
    let value = lines.value(channels)?;
    lines.stream.location = format!("after line {}", lines.number);
    lines.stream.expect_end()?;
    NetSpec {
        name: format!("leela-zero-{}x{channels}", blocks.len()),
        note: None,
        ranges: None,
        inputs,
        stem: Stem {
            conv,
            global: None,
            profile: None,
            norm: Some((norm, Activation::Relu)),
        },
        blocks,
        trunk_norm: TrunkNorm::None,
        policy,
        value,
        readout,
    }
    .checked()
}

/// Reader of a file, line by line.
struct TensorLineReader<'a> {
    stream: Stream<'a>,
    /// Number of the current line, from 1.
    number: usize,
}

impl TensorLineReader<'_> {
    /// Sets the location for error messages to the current line.
    fn set_location(&mut self, name: &str) {
        self.stream.location = format!("line {} ({name})", self.number);
    }

    /// Reads the version, which determines the perspective of the value output.
    fn version(&mut self) -> Read<Readout> {
        let numbers = self.numbers("version", 1)?;
        match numbers[..] {
            [1.0] => Ok(Readout::LeelaZero),
            [2.0] => Ok(Readout::LeelaZeroBlack),
            _ => {
                let found = numbers.first().map_or("none".to_owned(), f32::to_string);
                Err(self.stream.error("1 or 2", found))
            }
        }
    }

    /// Reads the next line, which may contain up to `max` numbers.
    fn numbers(&mut self, name: &str, max: usize) -> Read<Vec<f32>> {
        self.number += 1;
        self.set_location(name);
        self.stream.numbers_in_line(max)
    }

    /// Reads the next line, which must contain exactly `count` numbers.
    fn tensor(&mut self, name: &str, count: usize) -> Read<Vec<f32>> {
        let numbers = self.numbers(name, count)?;
        if numbers.len() == count {
            Ok(numbers)
        } else {
            Err(self.stream.error(format!("{count} numbers"), numbers.len()))
        }
    }

    /// Returns the number of outputs of a layer, given its weights and the number of weights per output.
    fn output_count(&self, weights: &[f32], per_output: usize) -> Read<usize> {
        if weights.is_empty() || !weights.len().is_multiple_of(per_output) {
            let expected = format!("a multiple of {per_output} numbers ({per_output} per output)");
            return Err(self.stream.error(expected, weights.len()));
        }
        Ok(weights.len() / per_output)
    }

    /// Creates a convolution with a square kernel from `weights` and reads its norm. The number of weights determines
    /// the number of outputs.
    fn normed_conv(
        &mut self,
        of: &str,
        side: usize,
        inputs: usize,
        weights: Vec<f32>,
    ) -> Read<(Conv, Affine)> {
        self.set_location(&format!("weights of {of}"));
        let outputs = self.output_count(&weights, side * side * inputs)?;
        let conv = Conv::from_pytorch_layout(&weights, outputs, inputs, [side, side]);
        drop(weights);
        Ok((conv, self.norm(of, outputs)?))
    }

    /// Reads the biases of a convolution and the statistics of its batch norm, and folds them into a scale and a shift
    /// per channel.
    fn norm(&mut self, of: &str, channels: usize) -> Read<Affine> {
        let biases = self.tensor(&format!("biases of {of}"), channels)?;
        let mut means = self.tensor(&format!("means of {of}"), channels)?;
        let variances = self.tensor(&format!("variances of {of}"), channels)?;
        // Adding a constant to the input of a norm is equivalent to subtracting it from the mean.
        for (mean, bias) in means.iter_mut().zip(biases) {
            *mean -= bias;
        }
        let (scale, shift) = (vec![1.0; channels], vec![0.0; channels]);
        let location = &self.stream.location;
        Affine::from_batch_norm(location, &means, &variances, NORM_EPSILON, &scale, &shift)
    }

    /// Reads block `index`, given the weights of its first convolution.
    fn block(&mut self, index: usize, channels: usize, weights: Vec<f32>) -> Read<Block> {
        let of = format!("block {index}, first convolution");
        let (conv1, norm1) = self.normed_conv(&of, TRUNK_KERNEL_SIDE, channels, weights)?;
        let of = format!("block {index}, second convolution");
        let count = TRUNK_TAPS * channels * channels;
        let weights = self.tensor(&format!("weights of {of}"), count)?;
        let (conv2, norm2) = self.normed_conv(&of, TRUNK_KERNEL_SIDE, channels, weights)?;
        Ok(Block::PostActivation(PostActivationBlock {
            conv1,
            norm1,
            conv2,
            norm2,
        }))
    }

    /// Reads a fully connected layer with `inputs` inputs. If `outputs` is `Some`, the layer must have that number of
    /// outputs. Otherwise, the number of weights determines the number of outputs.
    fn linear(&mut self, of: &str, inputs: usize, outputs: Option<usize>) -> Read<Linear> {
        let name = format!("weights of {of}, for a 19x19 board");
        let (weights, outputs) = match outputs {
            Some(outputs) => (self.tensor(&name, inputs * outputs)?, outputs),
            None => {
                let weights = self.numbers(&name, inputs * MAX_WIDTH)?;
                let outputs = self.output_count(&weights, inputs)?;
                (weights, outputs)
            }
        };
        Ok(Linear {
            inputs,
            outputs,
            biased: true,
            weights: layers::transpose_to_outputs_last(&weights, outputs, inputs, 1),
            bias: self.tensor(&format!("biases of {of}"), outputs)?,
        })
    }

    fn policy(&mut self, channels: usize, weights: Vec<f32>) -> Read<PolicyHead> {
        let (conv, norm) = self.normed_conv("the policy's convolution", 1, channels, weights)?;
        let inputs = conv.outputs * FLAT_AREA;
        Ok(PolicyHead::Flat {
            conv,
            norm,
            out: self.linear("the policy's linear layer", inputs, Some(FLAT_AREA + 1))?,
        })
    }

    fn value(&mut self, channels: usize) -> Read<ValueHead> {
        let of = "the value's convolution";
        let weights = self.numbers(&format!("weights of {of}"), channels * MAX_WIDTH)?;
        let (conv, norm) = self.normed_conv(of, 1, channels, weights)?;
        let inputs = conv.outputs * FLAT_AREA;
        let hidden = self.linear("the value's first linear layer", inputs, None)?;
        let result = self.linear("the value's second linear layer", hidden.outputs, Some(1))?;
        Ok(ValueHead::Flat {
            conv,
            norm,
            hidden,
            result,
        })
    }
}
