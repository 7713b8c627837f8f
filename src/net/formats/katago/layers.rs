//! Parser for the layers of KataGo files.
//!
//! A layer consists of its name, its sizes and its parameters. Name and sizes are whitespace-separated tokens; each
//! group of parameters is either text or a binary block. A size that the preceding layers determine must match them.
//! All other sizes must be within the limits of [`check`](crate::net::spec::check).

use std::str::FromStr;

use crate::net::error::NetError;
use crate::net::formats::stream::Stream;
use crate::net::spec::check::{MAX_BLOCKS, MAX_KERNEL_SIDE, MAX_WIDTH};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};

type Read<T> = Result<T, NetError>;

/// Marker before each group of numbers in a binary file.
const BINARY_MARKER: &[u8] = b"@BIN@";

/// Names of the activations in the file.
const ACTIVATIONS: [(&str, Activation); 4] = [
    ("ACTIVATION_IDENTITY", Activation::Identity),
    ("ACTIVATION_RELU", Activation::Relu),
    ("ACTIVATION_MISH", Activation::Mish),
    ("ACTIVATION_SILU", Activation::Silu),
];

/// First file version that names its activations. Older versions always use ReLU.
const NAMED_ACTIVATIONS_VERSION: u8 = 11;

/// Prefix of the location while a layer is being read.
const LAYER_PREFIX: &str = "layer ";

/// Reader of a file's layers, in file order.
pub struct LayerReader<'a> {
    stream: Stream<'a>,
    pub version: u8,
    /// True if numbers are stored in binary. `None` until the first group has been read.
    binary: Option<bool>,
    /// Number of further blocks that the file may contain, including nested blocks.
    blocks_left: usize,
}

impl<'a> LayerReader<'a> {
    /// Creates a reader. The caller sets the version, which is 0 (unknown) at first.
    pub fn new(stream: Stream<'a>) -> Self {
        Self {
            stream,
            version: 0,
            binary: None,
            blocks_left: MAX_BLOCKS,
        }
    }

    /// Sets the location for error messages to the content after the current layer.
    fn end_layer(&mut self) {
        if self.stream.location.starts_with(LAYER_PREFIX) {
            self.stream.location.insert_str(0, "after ");
        }
    }

    /// Advances to the next layer and returns its name. `what` describes the layer in error messages.
    pub fn begin_layer(&mut self, what: &str) -> Read<String> {
        self.end_layer();
        let name = self.word(&format!("the name of {what}"))?;
        self.stream.location = format!("{LAYER_PREFIX}{name}");
        Ok(name)
    }

    fn word(&mut self, expected: &str) -> Read<String> {
        self.stream
            .parse_word(expected, |word| Some(word.to_owned()))
    }

    /// Reads a name from `choices` and returns the associated value.
    fn choice<T: Copy>(&mut self, choices: &[(&str, T)]) -> Read<T> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let expected = format!("one of {}", names.join(", "));
        self.stream.parse_word(&expected, |word| {
            let known = choices.iter().find(|(name, _)| *name == word)?;
            Some(known.1)
        })
    }

    /// Reads the kind of the next block, one of `kinds`, and the name of the block.
    ///
    /// Returns an error if the file exceeds the maximum number of blocks.
    pub fn begin_block<T: Copy>(&mut self, kinds: &[(&str, T)]) -> Read<T> {
        self.end_layer();
        if self.blocks_left == 0 {
            return Err(self.error(format!("at most {MAX_BLOCKS} blocks"), "more"));
        }
        self.blocks_left -= 1;
        let kind = self.choice(kinds)?;
        self.begin_layer("a block")?;
        Ok(kind)
    }

    /// Creates an error for the current layer.
    pub fn error(&self, expected: impl Into<String>, found: impl ToString) -> NetError {
        self.stream.error(expected, found)
    }

    /// Reads a number that satisfies `is_valid`.
    pub fn valid_number<T: FromStr + ToString>(
        &mut self,
        expected: &str,
        is_valid: impl Fn(&T) -> bool,
    ) -> Read<T> {
        let found = self.stream.number(expected)?;
        match is_valid(&found) {
            true => Ok(found),
            false => Err(self.error(expected, found)),
        }
    }

    /// Reads a count from 1 to `max`.
    pub fn count_up_to(&mut self, what: &str, max: usize) -> Read<usize> {
        let is_valid = |count: &usize| (1..=max).contains(count);
        self.valid_number(&format!("1 to {max} {what}"), is_valid)
    }

    /// Reads a number that must equal `count`.
    pub fn expect_count(&mut self, what: &str, count: usize) -> Read<()> {
        self.valid_number(&format!("{count} {what}"), |found: &usize| *found == count)?;
        Ok(())
    }

    /// Reads `count` options that this parser does not support. All of them must be 0.
    pub fn expect_zero_options(&mut self, count: usize) -> Read<()> {
        for _ in 0..count {
            self.valid_number("0 for an unknown option", |found: &i64| *found == 0)?;
        }
        Ok(())
    }

    /// Reads a flag, 0 or 1.
    pub fn flag(&mut self, what: &str) -> Read<bool> {
        let expected = format!("0 or 1 for {what}");
        Ok(self.valid_number(&expected, |found: &u8| *found <= 1)? == 1)
    }

    /// Reads a number greater than 0 and at most `max`.
    pub fn positive_f32(&mut self, max: f32, what: &str) -> Read<f32> {
        let limit = match max {
            f32::MAX => String::new(),
            max => format!(" and at most {max}"),
        };
        let is_valid = |found: &f32| *found > 0.0 && *found <= max;
        self.valid_number(&format!("a number above 0{limit} as {what}"), is_valid)
    }

    /// Reads the next group of numbers. The first group of a file determines whether all groups are text or binary.
    pub fn read_tensor(&mut self, shape: &[usize]) -> Read<Vec<f32>> {
        let binary = match self.binary {
            Some(binary) => binary,
            None => {
                let next = self.stream.next_after(u8::is_ascii_whitespace, "numbers")?;
                next == Some(BINARY_MARKER[0])
            }
        };
        self.binary = Some(binary);
        if binary {
            self.stream.expect_bytes(BINARY_MARKER)?;
        }
        self.stream.read_tensor(shape, binary)
    }

    /// Reads the number of outputs. It must equal `known` if `known` is `Some`. Otherwise, it must not exceed
    /// [`MAX_WIDTH`].
    fn outputs(&mut self, known: Option<usize>) -> Read<usize> {
        match known {
            None => self.count_up_to("outputs", MAX_WIDTH),
            Some(outputs) => self.expect_count("outputs", outputs).map(|()| outputs),
        }
    }

    /// Reads a convolution with `inputs` input channels. If `outputs` is `Some`, the convolution must have that number
    /// of output channels. The sides of the kernel must be odd, and the dilations must be 1.
    pub fn conv(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Conv> {
        self.begin_layer("a convolution")?;
        let height = self.side()?;
        let width = self.side()?;
        self.expect_count("inputs", inputs)?;
        let outputs = self.outputs(outputs)?;
        for direction in ["row", "column"] {
            let expected = format!("a {direction} dilation of 1");
            self.valid_number(&expected, |dilation: &usize| *dilation == 1)?;
        }
        Ok(Conv {
            height,
            width,
            inputs,
            outputs,
            weights: self.read_tensor(&[height, width, inputs, outputs])?,
        })
    }

    fn side(&mut self) -> Read<usize> {
        let side = self.count_up_to("rows or columns of a kernel", MAX_KERNEL_SIDE)?;
        match side % 2 {
            0 => Err(self.error("a kernel with odd sides", side)),
            _ => Ok(side),
        }
    }

    /// Reads a batch norm and folds it into a scale and a shift for each channel.
    pub fn batch_norm(&mut self, channels: usize) -> Read<Affine> {
        self.begin_layer("a batch norm")?;
        self.expect_count("channels", channels)?;
        let epsilon = self.positive_f32(f32::MAX, "epsilon")?;
        let scaled = self.flag("a scale")?;
        let shifted = self.flag("a shift")?;
        let mean = self.read_tensor(&[channels])?;
        let variance = self.read_tensor(&[channels])?;
        let mut optional = |is_stored: bool, neutral: f32| match is_stored {
            true => self.read_tensor(&[channels]),
            false => Ok(vec![neutral; channels]),
        };
        let scale = optional(scaled, 1.0)?;
        let shift = optional(shifted, 0.0)?;
        Affine::from_batch_norm(
            &self.stream.location,
            &mean,
            &variance,
            epsilon,
            &scale,
            &shift,
        )
    }

    /// Reads an RMS norm: over the channels of each point and without a shift, or the norm at the end of the trunk. The
    /// latter has a shift, and the file specifies whether its mean square covers each point or the whole board.
    pub fn rms_norm(&mut self, channels: usize, ends_trunk: bool) -> Read<RmsNorm> {
        self.begin_layer("an RMS norm")?;
        self.expect_count("channels", channels)?;
        let mut norm = RmsNorm {
            channels,
            epsilon: self.positive_f32(1.0, "epsilon")?,
            shifted: ends_trunk,
            ..RmsNorm::default()
        };
        if ends_trunk {
            norm.over_board = self.flag("a mean over the board")?;
            self.expect_count("as the size of groups", 0)?;
        }
        norm.weight = self.read_tensor(&[channels])?;
        if ends_trunk {
            norm.shift = self.read_tensor(&[channels])?;
        }
        Ok(norm)
    }

    /// Reads an activation. Files before version 11 always use ReLU.
    pub fn activation(&mut self) -> Read<Activation> {
        self.begin_layer("an activation")?;
        if self.version < NAMED_ACTIVATIONS_VERSION {
            return Ok(Activation::Relu);
        }
        self.choice(&ACTIVATIONS)
    }

    /// Reads a matrix with `inputs` rows as a linear layer without a bias. If `outputs` is `Some`, the matrix must have
    /// that number of columns.
    pub fn linear(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Linear> {
        self.begin_layer("a matrix")?;
        self.expect_count("inputs", inputs)?;
        let outputs = self.outputs(outputs)?;
        Ok(Linear {
            inputs,
            outputs,
            biased: false,
            weights: self.read_tensor(&[inputs, outputs])?,
            bias: Vec::new(),
        })
    }

    /// Reads a linear layer with a bias: a matrix like [`linear`](Self::linear), followed by the bias.
    pub fn biased_linear(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Linear> {
        let linear = self.linear(inputs, outputs)?;
        self.begin_layer("a bias")?;
        self.expect_count("channels", linear.outputs)?;
        Ok(Linear {
            biased: true,
            bias: self.read_tensor(&[linear.outputs])?,
            ..linear
        })
    }

    /// Returns an error unless the end of the file has been reached.
    pub fn expect_end(&mut self) -> Read<()> {
        self.end_layer();
        self.stream.expect_end()
    }
}
