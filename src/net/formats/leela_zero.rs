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

/// Reads a network.
///
/// # Errors
/// Returns [`NetError::Layer`] or [`NetError::Value`] for invalid contents, [`NetError::UnexpectedEnd`] for a file that
/// ends too early, and [`NetError::Stream`] if reading fails.
pub fn read(stream: Stream) -> Result<NetSpec, NetError> {
    let mut lines = TensorLineReader { stream, number: 0 };
    let readout = lines.version()?;
    let inputs = Inputs::LeelaZero;
    let (conv, norm) = lines.stem(inputs.planes())?;
    let channels = conv.outputs;
    let mut blocks = Vec::new();
    let policy_conv = loop {
        let name = format!("weights of block {} or of the policy head", blocks.len());
        // The first convolution of a block has nine weights per pair of input and output channels. A smaller number of
        // weights belongs to the 1x1 convolution of the policy head.
        let weights = lines.numbers(
            &name,
            TRUNK_KERNEL_SIDE * TRUNK_KERNEL_SIDE * channels * channels,
        )?;
        if weights.len() != TRUNK_KERNEL_SIDE * TRUNK_KERNEL_SIDE * channels * channels {
            break weights;
        }
        if blocks.len() == MAX_BLOCKS {
            return Err(lines.error(&name, format!("at most {MAX_BLOCKS} blocks"), "more"));
        }
        let name = format!("block {}", blocks.len());
        blocks.push(lines.block(&name, channels, weights)?);
    };
    let policy = lines.policy(channels, policy_conv)?;
    let value = lines.value(channels)?;
    lines
        .stream
        .expect_end(&format!("after line {}", lines.number))?;
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
    fn location(&self, name: &str) -> String {
        format!("line {} ({name})", self.number)
    }

    fn error(&self, name: &str, expected: String, found: impl ToString) -> NetError {
        NetError::Layer {
            location: self.location(name),
            expected,
            found: found.to_string(),
        }
    }

    /// Reads the version, which determines the perspective of the value output.
    fn version(&mut self) -> Read<Readout> {
        let name = "version";
        let numbers = self.numbers(name, 1)?;
        match numbers[..] {
            [1.0] => Ok(Readout::LeelaZero),
            [2.0] => Ok(Readout::LeelaZeroBlack),
            _ => {
                let found = numbers.first().map_or("none".to_owned(), f32::to_string);
                Err(self.error(name, "1 or 2".to_owned(), found))
            }
        }
    }

    /// Reads the next line, which may contain up to `max` numbers.
    fn numbers(&mut self, name: &str, max: usize) -> Read<Vec<f32>> {
        self.number += 1;
        let location = self.location(name);
        self.stream.numbers_in_line(max, &location)
    }

    /// Reads the next line, which must contain exactly `count` numbers.
    fn tensor(&mut self, name: &str, count: usize) -> Read<Vec<f32>> {
        let numbers = self.numbers(name, count)?;
        if numbers.len() == count {
            Ok(numbers)
        } else {
            Err(self.error(name, format!("{count} numbers"), numbers.len()))
        }
    }

    /// Reads the first convolution and its norm. The number of weights determines the number of output channels.
    fn stem(&mut self, planes: usize) -> Read<(Conv, Affine)> {
        let name = "weights of the first convolution";
        let per_output = TRUNK_KERNEL_SIDE * TRUNK_KERNEL_SIDE * planes;
        let weights = self.numbers(name, per_output * MAX_WIDTH)?;
        if weights.is_empty() || !weights.len().is_multiple_of(per_output) {
            let expected = describe_multiple(per_output);
            return Err(self.error(name, expected, weights.len()));
        }
        let conv = conv(
            &weights,
            TRUNK_KERNEL_SIDE,
            planes,
            weights.len() / per_output,
        );
        let norm = self.norm("the first convolution", conv.outputs)?;
        Ok((conv, norm))
    }

    /// Reads the biases of a convolution and the statistics of its batch norm, and folds them into a scale and a shift
    /// per channel.
    fn norm(&mut self, of: &str, channels: usize) -> Read<Affine> {
        let biases = self.tensor(&format!("biases of {of}"), channels)?;
        let mut means = self.tensor(&format!("means of {of}"), channels)?;
        let name = format!("variances of {of}");
        let variances = self.tensor(&name, channels)?;
        // Adding a constant to the input of a norm is equivalent to subtracting it from the mean.
        for (mean, bias) in means.iter_mut().zip(biases) {
            *mean -= bias;
        }
        let (scale, shift) = (vec![1.0; channels], vec![0.0; channels]);
        let location = self.location(&name);
        Affine::from_batch_norm(&location, &means, &variances, NORM_EPSILON, &scale, &shift)
    }

    fn block(&mut self, name: &str, channels: usize, weights: Vec<f32>) -> Read<Block> {
        let conv1 = conv(&weights, TRUNK_KERNEL_SIDE, channels, channels);
        drop(weights);
        let norm1 = self.norm(&format!("{name}, first convolution"), channels)?;
        let of = format!("{name}, second convolution");
        let weights = self.tensor(
            &format!("weights of {of}"),
            TRUNK_KERNEL_SIDE * TRUNK_KERNEL_SIDE * channels * channels,
        )?;
        Ok(Block::PostActivation(PostActivationBlock {
            conv1,
            norm1,
            conv2: conv(&weights, TRUNK_KERNEL_SIDE, channels, channels),
            norm2: self.norm(&of, channels)?,
        }))
    }

    /// Creates a head's 1x1 convolution from `weights`, whose length determines the number of outputs, and reads its
    /// norm.
    fn head(&mut self, of: &str, channels: usize, weights: &[f32]) -> Read<(Conv, Affine)> {
        if weights.is_empty() || !weights.len().is_multiple_of(channels) {
            let expected = describe_multiple(channels);
            let name = format!("weights of {of}");
            return Err(self.error(&name, expected, weights.len()));
        }
        let conv = conv(weights, 1, channels, weights.len() / channels);
        let norm = self.norm(of, conv.outputs)?;
        Ok((conv, norm))
    }

    /// Reads a fully connected layer with `inputs` inputs. If `outputs` is `Some`, the layer must have that number of
    /// outputs. Otherwise, the number of weights determines the number of outputs.
    fn linear(&mut self, of: &str, inputs: usize, outputs: Option<usize>) -> Read<Linear> {
        let name = format!("weights of {of}, for a 19x19 board");
        let weights = self.numbers(&name, inputs * outputs.unwrap_or(MAX_WIDTH))?;
        let expected = match outputs {
            Some(outputs) => format!("{} numbers", inputs * outputs),
            None => describe_multiple(inputs),
        };
        let outputs = outputs.unwrap_or((weights.len() / inputs).max(1));
        if weights.len() != inputs * outputs {
            return Err(self.error(&name, expected, weights.len()));
        }
        Ok(Linear {
            inputs,
            outputs,
            biased: true,
            weights: layers::transpose_to_outputs_last(&weights, outputs, inputs, 1),
            bias: self.tensor(&format!("biases of {of}"), outputs)?,
        })
    }

    fn policy(&mut self, channels: usize, weights: Vec<f32>) -> Read<PolicyHead> {
        let (conv, norm) = self.head("the policy's convolution", channels, &weights)?;
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
        let (conv, norm) = self.head(of, channels, &weights)?;
        let hidden = self.linear(
            "the value's first linear layer",
            conv.outputs * FLAT_AREA,
            None,
        )?;
        Ok(ValueHead::Flat {
            conv,
            norm,
            result: self.linear("the value's second linear layer", hidden.outputs, Some(1))?,
            hidden,
        })
    }
}

/// Describes the expected number of weights of a layer with an unknown number of outputs, for use in error messages.
fn describe_multiple(per_output: usize) -> String {
    format!("a multiple of {per_output} numbers ({per_output} per output)")
}

/// Creates a convolution with a square kernel from weights in the order `[outputs, inputs, side, side]`.
fn conv(weights: &[f32], side: usize, inputs: usize, outputs: usize) -> Conv {
    Conv::from_pytorch_layout(weights, outputs, inputs, [side, side])
}
