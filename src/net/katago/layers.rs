//! The layers of KataGo's files.
//!
//! A layer is its name and its sizes as words, then its numbers, each group of them as words or as a block of bytes.
//! Every size must be what the layers before ask for, or lie within the limits of the description.

use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::net::desc::check::{MAX_BLOCKS, MAX_KERNEL, MAX_UNIT, MAX_WIDTH};
use crate::net::desc::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use crate::net::error::NetError;
use crate::net::stream::{Stream, wrong};

type Read<T> = Result<T, NetError>;

/// Begins each group of numbers of a file whose numbers are bytes.
const BLOCK: &[u8] = b"@BIN@";

/// The activations by their names; older files name none and mean the second.
const ACTIVATIONS: [(&str, Activation); 4] = [
    ("ACTIVATION_IDENTITY", Activation::Identity),
    ("ACTIVATION_RELU", Activation::Relu),
    ("ACTIVATION_MISH", Activation::Mish),
    ("ACTIVATION_SILU", Activation::Silu),
];

/// Since this version a file names its activations.
const NAMED_ACTIVATIONS: u8 = 11;

/// A file, read layer after layer.
pub struct Layers<'a> {
    stream: Stream<'a>,
    /// Version of the file.
    pub version: u8,
    /// Whether numbers are bytes; unknown before the first.
    binary: Option<bool>,
    /// The layer that is being read, by its name in the file.
    place: String,
    /// How many more blocks there may be, those within others counted.
    blocks_left: usize,
}

impl<'a> Layers<'a> {
    /// The layers of a file of yet unknown version.
    pub fn new(stream: Stream<'a>) -> Self {
        Self {
            stream,
            version: 0,
            binary: None,
            place: "the start of the file".to_owned(),
            blocks_left: MAX_BLOCKS,
        }
    }

    /// Goes on to the next layer and gives its name.
    pub fn begin(&mut self, what: &str) -> Read<&str> {
        let place = format!("after {}", self.place);
        let expected = format!("the name of {what}");
        self.stream
            .word(&place, &expected)?
            .clone_into(&mut self.place);
        Ok(&self.place)
    }

    /// The kind of the next block.
    pub fn block_kind(&mut self, expected: &str) -> Read<String> {
        let place = format!("after {}", self.place);
        if self.blocks_left == 0 {
            return Err(wrong(
                &place,
                &format!("at most {MAX_BLOCKS} blocks"),
                b"more",
            ));
        }
        self.blocks_left -= 1;
        let kind = self.stream.word(&place, expected)?.to_owned();
        self.place = place;
        Ok(kind)
    }

    /// That the layer has something else than expected.
    pub fn wrong(&self, expected: impl Into<String>, found: impl ToString) -> NetError {
        NetError::Layer {
            layer: self.place.clone(),
            expected: expected.into(),
            found: found.to_string(),
        }
    }

    /// A number that is `right`.
    fn number<T: FromStr + ToString>(
        &mut self,
        expected: &str,
        right: impl Fn(&T) -> bool,
    ) -> Read<T> {
        let found = self.stream.parse(&self.place, expected)?;
        if right(&found) {
            Ok(found)
        } else {
            Err(self.wrong(expected, found))
        }
    }

    /// The version of the file, one of those that are `known`.
    pub fn read_version(&mut self, known: RangeInclusive<u8>) -> Read<()> {
        let expected = format!("a version from {} to {}", known.start(), known.end());
        self.version = self.number(&expected, |version| known.contains(version))?;
        Ok(())
    }

    /// How many there are of something: 1 to `most`.
    pub fn count(&mut self, what: &str, most: usize) -> Read<usize> {
        let right = |count: &usize| (1..=most).contains(count);
        self.number(&format!("1 to {most} {what}"), right)
    }

    /// A number that is known before.
    pub fn exactly(&mut self, what: &str, count: usize) -> Read<()> {
        self.number(&format!("{count} {what}"), |found: &usize| *found == count)?;
        Ok(())
    }

    /// A number that means nothing here.
    pub fn any(&mut self, what: &str) -> Read<()> {
        self.number(&format!("the number of {what}"), |_: &i64| true)?;
        Ok(())
    }

    /// Options of later versions, which must be off.
    pub fn options(&mut self, count: usize) -> Read<()> {
        for _ in 0..count {
            self.number("0 for an option that is not known", |found: &i64| {
                *found == 0
            })?;
        }
        Ok(())
    }

    /// 0 or 1.
    pub fn flag(&mut self, what: &str) -> Read<bool> {
        let expected = format!("0 or 1 for {what}");
        Ok(self.number(&expected, |found: &u8| *found <= 1)? == 1)
    }

    /// A finite number above 0.
    pub fn positive(&mut self, what: &str) -> Read<f32> {
        let right = |found: &f32| *found > 0.0 && found.is_finite();
        self.number(&format!("a number above 0 as {what}"), right)
    }

    /// What the numbers of a head count in.
    pub fn unit(&mut self, what: &str) -> Read<f32> {
        let right = |found: &f32| *found > 0.0 && *found <= MAX_UNIT;
        self.number(
            &format!("a number above 0, at most {MAX_UNIT}, as {what}"),
            right,
        )
    }

    /// A number above 0 and at most 1.
    fn small(&mut self, what: &str) -> Read<f32> {
        let right = |found: &f32| *found > 0.0 && *found <= 1.0;
        self.number(&format!("a number above 0, at most 1, as {what}"), right)
    }

    /// The next group of numbers. The first of a file shows how it writes them.
    pub fn numbers(&mut self, shape: &[usize]) -> Read<Vec<f32>> {
        let binary = match self.binary {
            Some(binary) => binary,
            None => self.stream.next(&self.place, "numbers")? == Some(BLOCK[0]),
        };
        self.binary = Some(binary);
        if binary {
            self.stream.pass(BLOCK, &self.place)?;
        }
        self.stream.numbers(shape, binary, &self.place)
    }

    /// The number of a layer's outputs: `known`, or any within the limits.
    fn outputs(&mut self, known: Option<usize>) -> Read<usize> {
        match known {
            None => self.count("outputs", MAX_WIDTH),
            Some(outputs) => self.exactly("outputs", outputs).map(|()| outputs),
        }
    }

    /// A convolution of `inputs` channels.
    pub fn conv(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Conv> {
        self.begin("a convolution")?;
        let height = self.side()?;
        let width = self.side()?;
        self.exactly("inputs", inputs)?;
        let outputs = self.outputs(outputs)?;
        for direction in ["dilation of rows", "dilation of columns"] {
            self.exactly(direction, 1)?;
        }
        Ok(Conv {
            height,
            width,
            inputs,
            outputs,
            weights: self.numbers(&[height, width, inputs, outputs])?,
        })
    }

    fn side(&mut self) -> Read<usize> {
        let side = self.count("rows or columns of a kernel", MAX_KERNEL)?;
        match side % 2 {
            0 => Err(self.wrong("a kernel of odd sides", side)),
            _ => Ok(side),
        }
    }

    /// A batch norm, folded.
    pub fn batch_norm(&mut self, channels: usize) -> Read<Affine> {
        self.begin("a batch norm")?;
        self.exactly("channels", channels)?;
        let epsilon = self.positive("epsilon")?;
        let scaled = self.flag("a scale")?;
        let shifted = self.flag("a shift")?;
        let mean = self.numbers(&[channels])?;
        let variance = self.numbers(&[channels])?;
        if let Some(index) = variance.iter().position(|variance| *variance < 0.0) {
            return Err(NetError::Value {
                name: self.place.clone(),
                expected: "variances of at least 0",
                found: variance[index],
                index,
            });
        }
        let mut given = |there: bool, neutral: f32| match there {
            true => self.numbers(&[channels]),
            false => Ok(vec![neutral; channels]),
        };
        let scale = given(scaled, 1.0)?;
        let shift = given(shifted, 0.0)?;
        let norm = Affine::of_batch_norm(&mean, &variance, epsilon, &scale, &shift);
        match norm.scale.iter().chain(&norm.shift).all(|n| n.is_finite()) {
            true => Ok(norm),
            false => Err(self.wrong("statistics that give finite factors", "others")),
        }
    }

    /// A norm by the size of each point's channels.
    pub fn point_norm(&mut self, channels: usize) -> Read<RmsNorm> {
        self.begin("an RMS norm")?;
        self.exactly("channels", channels)?;
        Ok(RmsNorm {
            channels,
            epsilon: self.small("epsilon")?,
            over_board: false,
            shifted: false,
            weight: self.numbers(&[channels])?,
            shift: Vec::new(),
        })
    }

    /// A norm by the size of channels or of the whole board, with a shift.
    pub fn tip_norm(&mut self, channels: usize) -> Read<RmsNorm> {
        self.begin("an RMS norm")?;
        self.exactly("channels", channels)?;
        let epsilon = self.small("epsilon")?;
        let over_board = self.flag("a mean over the board")?;
        self.exactly("as the size of groups", 0)?;
        Ok(RmsNorm {
            channels,
            epsilon,
            over_board,
            shifted: true,
            weight: self.numbers(&[channels])?,
            shift: self.numbers(&[channels])?,
        })
    }

    /// An activation.
    pub fn activation(&mut self) -> Read<Activation> {
        self.begin("an activation")?;
        if self.version < NAMED_ACTIVATIONS {
            return Ok(Activation::Relu);
        }
        let expected = one_of(&ACTIVATIONS.map(|(name, _)| name));
        let found = self.stream.word(&self.place, &expected)?;
        let known = ACTIVATIONS.iter().find(|(name, _)| *name == found);
        match known {
            Some((_, activation)) => Ok(*activation),
            None => Err(wrong(&self.place, &expected, found.as_bytes())),
        }
    }

    /// A map of `inputs` numbers, without bias.
    pub fn linear(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Linear> {
        self.begin("a matrix")?;
        self.exactly("inputs", inputs)?;
        let outputs = self.outputs(outputs)?;
        Ok(Linear {
            inputs,
            outputs,
            biased: false,
            weights: self.numbers(&[inputs, outputs])?,
            bias: Vec::new(),
        })
    }

    /// A map of `inputs` numbers and the bias that follows it.
    pub fn biased(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Linear> {
        let linear = self.linear(inputs, outputs)?;
        self.begin("a bias")?;
        self.exactly("channels", linear.outputs)?;
        Ok(Linear {
            biased: true,
            bias: self.numbers(&[linear.outputs])?,
            ..linear
        })
    }

    /// Makes sure that the file ends here.
    pub fn end(&mut self) -> Read<()> {
        self.stream.end(&format!("after {}", self.place))
    }
}

/// Names that may stand somewhere, for an error.
pub fn one_of(names: &[&str]) -> String {
    format!("one of {}", names.join(", "))
}
