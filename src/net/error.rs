//! Errors that occur when networks are read, written, built or evaluated.
//!
//! Where possible, messages state the expected and the actual value, so that the user can correct the file or the
//! command line.

use std::path::PathBuf;

/// Error that occurs when a network is read, written, built or evaluated.
///
/// A `location` is the part of the file or of the network that is invalid or was being read, for example "layer
/// stem.conv", "tensor stem.conv.weights" or "line 3 (biases of block 0)".
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The file cannot be opened, or its first bytes cannot be read.
    #[error("{path}: {source}", path = path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    /// The rest of the file cannot be read, or the file does not contain a usable network. `source` contains the
    /// reason.
    #[error("{path}: {source}", path = path.display())]
    Content {
        path: PathBuf,
        source: Box<NetError>,
    },
    /// The bytes are not a complete file in the safetensors format.
    #[error("not a complete safetensors file: {0}")]
    Format(safetensors::SafeTensorError),
    #[error("expected the metadata key \"honinbo\" with the network's configuration, found none")]
    NoConfig,
    /// The configuration cannot be parsed or does not describe a usable network.
    #[error("network configuration: {0}")]
    Config(String),
    /// The names or shapes of the tensors do not match the configuration. Contains the differences.
    #[error("the tensors do not match the configuration: {0}")]
    Tensors(String),
    /// A weight is not finite or exceeds the range of the file's number format, or the statistics of a batch norm are
    /// invalid. `index` is the position of the first invalid value in the flattened tensor. For a batch norm, `found`
    /// can be the computed scale or shift.
    #[error("{location}: expected {expected}, found {found} at index {index}")]
    Value {
        location: String,
        expected: &'static str,
        found: f32,
        index: usize,
    },
    /// A layer is invalid, is not supported or does not fit the preceding layers, or the file has other unexpected
    /// content.
    #[error("{location}: expected {expected}, found {found}")]
    Layer {
        location: String,
        expected: String,
        found: String,
    },
    /// The file ends before the network is complete.
    #[error("{location}: expected {expected}, found the end of the file")]
    UnexpectedEnd { location: String, expected: String },
    /// Reading or decompressing the file failed.
    #[error("{location}: expected {expected}, but the file cannot be read: {source}")]
    Stream {
        location: String,
        expected: String,
        source: std::io::Error,
    },
    /// The file is in none of the supported formats. Contains an excerpt or a description of its content.
    #[error(
        "expected a network (this engine's safetensors, KataGo's .bin.gz or .txt.gz, Leela Zero's .txt or .txt.gz), \
         found {0}"
    )]
    UnknownFormat(String),
    /// The length of an input does not match the network or the board.
    #[error("network input: expected {expected} values for {what}, found {found}")]
    Input {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    #[error("the network only supports 19x19 boards, not {width}x{height}")]
    BoardSize { width: usize, height: usize },
    /// An output is infinite or NaN, typically because of excessively large weights. Contains the name of the output.
    #[error("the network's {0} output is not finite")]
    NonFiniteOutput(&'static str),
    /// The environment variable `HONINBO_CPU` names an instruction set that is unknown or not supported by the
    /// processor.
    #[error("HONINBO_CPU: expected one of {expected} on this processor, found {found:?}")]
    Isa { expected: String, found: String },
    /// The calibration ranges do not match the network, or `invalid` of them are negative, infinite or NaN.
    #[error(
        "the calibration ranges do not match the network: expected {expected} finite numbers of at least 0, found {found} \
         numbers, of which {invalid} are negative or not finite"
    )]
    Ranges {
        expected: usize,
        found: usize,
        invalid: usize,
    },
    /// Calibration ranges cannot be measured, because the network does not run on the CPU kernels in 32-bit floats.
    #[error(
        "calibration ranges can only be measured in 32-bit floats with the CPU kernels, not in {found} with {by}"
    )]
    NotF32 {
        /// Number format of the network.
        found: &'static str,
        /// Instruction set, or `candle` if the network consists of candle's operations.
        by: &'static str,
    },
    #[error("tensor computation failed: {0}")]
    Candle(#[from] candle_core::Error),
}
