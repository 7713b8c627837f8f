//! Errors that occur when networks are read, written, built or evaluated.
//!
//! Where possible, messages state the expected and the actual value, so that the user can correct the file or the
//! command line.

use std::fmt;
use std::path::PathBuf;

/// Error that occurs when a network is read, written, built or evaluated.
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
    /// The decompressed file exceeds the size limit. Contains the limit in bytes.
    #[error("the network exceeds the limit of {0} bytes")]
    TooLarge(u64),
    /// The bytes are not a complete file in the safetensors format.
    #[error("not a complete safetensors file: {0}")]
    Format(safetensors::SafeTensorError),
    /// The metadata of the file does not contain the network's configuration.
    #[error("expected the metadata key \"honinbo\" with the network's configuration, found none")]
    NoConfig,
    /// The configuration cannot be parsed or does not describe a usable network.
    #[error("network configuration: {0}")]
    Config(String),
    /// The names or shapes of the tensors do not match the configuration.
    #[error("the tensors do not match the configuration: {0}")]
    Tensors(TensorMismatch),
    /// A tensor is stored in a number format other than F16 and F32.
    #[error("tensor {name}: expected F16 or F32, found {found}")]
    NumberFormat {
        /// Name of the tensor.
        name: String,
        /// Number format in the file.
        found: String,
    },
    /// A weight is not finite or exceeds the range of the file's number format, or the statistics of a batch norm are
    /// invalid.
    #[error("{location}: expected {expected}, found {found} at index {index}")]
    Value {
        /// Location of the value, for example "tensor stem.conv.weights" or "line 3 (biases of block 0)".
        location: String,
        /// Condition that all values at this location must satisfy.
        expected: &'static str,
        /// First value that violates the condition. For a batch norm, this can be the computed scale or shift.
        found: f32,
        /// Index of the first invalid value in the flattened tensor.
        index: usize,
    },
    /// A layer is invalid, is not supported or does not fit the preceding layers, or the file has other unexpected
    /// content.
    #[error("{location}: expected {expected}, found {found}")]
    Layer {
        /// Location of the error, for example "layer stem.conv" or "line 3 (biases of block 0)".
        location: String,
        /// Required property.
        expected: String,
        /// Actual property.
        found: String,
    },
    /// The file ends before the network is complete.
    #[error("{location}: expected {expected}, found the end of the file")]
    UnexpectedEnd {
        /// Part of the file that was being read, for example "layer stem.conv", or "after" and the name of the previous
        /// part.
        location: String,
        /// Expected content.
        expected: String,
    },
    /// Reading or decompressing the file failed.
    #[error("{location}: expected {expected}, but the file cannot be read: {source}")]
    Stream {
        /// Part of the file that was being read, for example "layer stem.conv", or "after" and the name of the previous
        /// part.
        location: String,
        /// Expected content.
        expected: String,
        /// Error from the operating system or the decompressor.
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
        /// Part of the input.
        what: &'static str,
        /// Required length.
        expected: usize,
        /// Actual length.
        found: usize,
    },
    /// The network only supports 19x19 boards.
    #[error("the network only supports 19x19 boards, not {width}x{height}")]
    BoardSize {
        /// Number of columns.
        width: usize,
        /// Number of rows.
        height: usize,
    },
    /// An output is infinite or NaN, typically because of excessively large weights. Contains the name of the output.
    #[error("the network's {0} output is not finite")]
    NonFiniteOutput(&'static str),
    /// The environment variable `HONINBO_CPU` names an unknown instruction set or one that the processor does not have.
    #[error("HONINBO_CPU: expected one of {expected} on this processor, found {found:?}")]
    Isa {
        /// Names of the instruction sets that this processor supports.
        expected: String,
        /// Value of the variable.
        found: String,
    },
    /// The calibration ranges do not match the network, or some of them are invalid.
    #[error(
        "the calibration ranges do not match the network: expected {expected} finite numbers of at least 0, found {found} \
         numbers, of which {invalid} are negative or not finite"
    )]
    Ranges {
        /// Number of ranges that the network needs.
        expected: usize,
        /// Number of ranges supplied.
        found: usize,
        /// Number of supplied ranges that are negative, infinite or NaN.
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
    /// Error reported by candle.
    #[error("tensor computation failed: {0}")]
    Candle(#[from] candle_core::Error),
}

/// Differences between the tensors of a file and those required by the configuration.
#[derive(Debug, Default)]
pub struct TensorMismatch {
    /// Names of required tensors that are missing.
    pub missing: Vec<String>,
    /// Names of tensors in the file that the configuration does not require.
    pub extra: Vec<String>,
    /// Name, expected shape and actual shape of each tensor with the wrong shape.
    pub differing: Vec<(String, Vec<usize>, Vec<usize>)>,
}

impl TensorMismatch {
    /// Returns true if there are no differences.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.differing.is_empty()
    }
}

impl fmt::Display for TensorMismatch {
    /// Writes a single line with at most five names per kind of difference.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = |(name, expected, found): &(String, Vec<usize>, Vec<usize>)| {
            format!("{name} (expected {expected:?}, found {found:?})")
        };
        let differing: Vec<String> = self.differing.iter().map(shape).collect();
        let parts = [
            ("missing", &self.missing),
            ("unexpected", &self.extra),
            ("with the wrong shape", &differing),
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
