//! What can go wrong with a net: its file, its weights, the input it is given.
//!
//! Every text says what was expected and what was found, so that the user can mend the file or the command line.

use std::fmt;
use std::path::PathBuf;

/// An unusable net file, unusable weights or an unusable input.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content of a file is no usable net; `source` says why.
    #[error("{path}: {source}", path = path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with its content.
        source: Box<NetError>,
    },
    /// More bytes than any net of this engine can have.
    #[error("expected a net of at most {0} bytes, found a larger one")]
    TooLarge(u64),
    /// The bytes are not in the safetensors format, or not all of them are there.
    #[error("expected a complete safetensors file: {0}")]
    Format(safetensors::SafeTensorError),
    /// The metadata lacks the configuration.
    #[error("expected the metadata key \"honinbo\" with the net's configuration, found none")]
    NoConfig,
    /// The configuration cannot be understood or describes no usable net.
    #[error("net configuration: {0}")]
    Config(String),
    /// Names or shapes of the tensors are not those of the configuration.
    #[error("the tensors do not fit the configuration: {0}")]
    Tensors(Mismatch),
    /// A tensor is stored in a number format other than F16 and F32.
    #[error("tensor {name}: expected F16 or F32, found {found}")]
    NumberFormat {
        /// The tensor.
        name: String,
        /// Its number format.
        found: String,
    },
    /// A weight is not finite, or a variance is negative.
    #[error("tensor {name}: expected {expected}, found {found} at index {index}")]
    Value {
        /// The tensor.
        name: String,
        /// What its values must be.
        expected: &'static str,
        /// The offending value.
        found: f32,
        /// Its place in the flat tensor.
        index: usize,
    },
    /// A layer does not fit the one before it, or is of no kind that is known.
    #[error("layer {layer}: expected {expected}, found {found}")]
    Layer {
        /// The layer.
        layer: String,
        /// What it must have.
        expected: String,
        /// What it has.
        found: String,
    },
    /// The file ends before the net does.
    #[error("layer {layer}: expected {expected}, found the end of the file")]
    End {
        /// The layer, or the one before it.
        layer: String,
        /// What it must have.
        expected: String,
    },
    /// The file cannot be read on, or not be unpacked.
    #[error("layer {layer}: expected {expected}, found what cannot be read: {source}")]
    Stream {
        /// The layer, or the one before it.
        layer: String,
        /// What it must have.
        expected: String,
        /// What the system or the unpacking said.
        source: std::io::Error,
    },
    /// The file is no network of any kind that is known.
    #[error(
        "expected a network (safetensors of this engine, KataGo's .bin.gz or .txt.gz, Leela Zero's .txt or .txt.gz), \
         found {0}"
    )]
    Unknown(String),
    /// An input whose size does not fit the net or the board.
    #[error("net input: expected {what} of {expected} numbers, found {found}")]
    Input {
        /// Which part of the input.
        what: &'static str,
        /// The right length.
        expected: usize,
        /// The given length.
        found: usize,
    },
    /// The net is made for 19x19 alone.
    #[error("net: expected a board of 19x19, the only one it was made for, found {width}x{height}")]
    BoardSize {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The net computed something infinite or undefined, as too large weights do.
    #[error("the net's {0} output is not finite")]
    Output(&'static str),
    /// The environment asks for vector instructions that are not known or that the processor lacks.
    #[error("HONINBO_CPU: expected one of {expected} on this processor, found {found:?}")]
    Vocabulary {
        /// What the processor has.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// Ranges that are not those of this network.
    #[error("ranges: expected {expected} finite numbers that are not negative, found {found}")]
    Ranges {
        /// How many the network has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Ranges of a network that does not run in 32-bit floats by the packed plan.
    #[error(
        "ranges: expected a network in 32-bit floats by the packed plan, found one in {found} by {by}"
    )]
    Unplain {
        /// How it runs.
        found: &'static str,
        /// In which instructions, or by whom.
        by: &'static str,
    },
    /// A failure inside candle.
    #[error("tensor computation: {0}")]
    Candle(#[from] candle_core::Error),
}

/// How names and shapes of tensors differ from what the configuration asks for.
#[derive(Debug, Default)]
pub struct Mismatch {
    /// Expected, but not there.
    pub missing: Vec<String>,
    /// There, but not expected.
    pub extra: Vec<String>,
    /// Name, expected shape, found shape.
    pub differing: Vec<(String, Vec<usize>, Vec<usize>)>,
}

impl Mismatch {
    /// Whether there is no difference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.differing.is_empty()
    }
}

impl fmt::Display for Mismatch {
    /// One line; long lists are cut after the first few names.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = |(name, expected, found): &(String, Vec<usize>, Vec<usize>)| {
            format!("{name} (expected {expected:?}, found {found:?})")
        };
        let differing: Vec<String> = self.differing.iter().map(shape).collect();
        let parts = [
            ("missing", &self.missing),
            ("not expected", &self.extra),
            ("of another shape", &differing),
        ];
        let mut separator = "";
        for (label, names) in parts.into_iter().filter(|(_, names)| !names.is_empty()) {
            let shown = &names[..names.len().min(5)];
            write!(
                out,
                "{separator}{} {label}: {}",
                names.len(),
                shown.join(", ")
            )?;
            let hidden = names.len() - shown.len();
            if hidden > 0 {
                write!(out, " and {hidden} more")?;
            }
            separator = "; ";
        }
        Ok(())
    }
}
