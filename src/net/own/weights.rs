//! The weights of a net as named arrays of `f32`, and the net file (safetensors) they come from.
//!
//! Promise: a [`Weights`] holds exactly the tensors of its configuration, each of the right shape, all finite, no
//! variance negative. Whatever bytes are given, reading ends in such weights or in a typed error, and allocates no more
//! than a small multiple of the bytes given. Executors are built from weights and never look at the file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use super::config::NetConfig;
use crate::net::error::NetError;
use crate::rng::Rng;

/// Larger files are refused before they are read.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Metadata key of the configuration.
const CONFIG_KEY: &str = "honinbo";
/// Metadata key of the trainer's note.
const TRAINING_KEY: &str = "training";

/// One tensor, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its numbers; as many as the product of the dimensions.
    pub values: Vec<f32>,
}

/// A complete, checked set of weights and the description it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    config: NetConfig,
    arrays: BTreeMap<String, Array>,
    training: Option<String>,
}

/// The number format of matrices in a file. Vectors (norms, biases) are always stored as F32: their range exceeds F16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 16-bit floats, half the size; numbers are rounded to 11 significant bits.
    F16,
    /// 32-bit floats, exact.
    F32,
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

impl Weights {
    /// Joins a configuration and its arrays.
    ///
    /// # Errors
    /// If the configuration is out of range, if names or shapes differ from [`NetConfig::tensors`], if an array has
    /// another length than its shape, or if a number is not finite or a variance negative.
    pub fn new(config: NetConfig, arrays: BTreeMap<String, Array>) -> Result<Self, NetError> {
        config.validate()?;
        check_shapes(
            &config,
            |name| arrays.get(name).map(|array| array.shape.as_slice()),
            arrays.keys(),
        )?;
        for (name, array) in &arrays {
            let expected = array.shape.iter().product();
            if array.values.len() != expected {
                return Err(NetError::Input {
                    what: "a weight tensor",
                    expected,
                    found: array.values.len(),
                });
            }
            check_values(name, &array.values)?;
        }
        Ok(Self {
            config,
            arrays,
            training: None,
        })
    }

    /// Weights of a fresh net, the same for the same seed: He-scaled uniform weights, neutral norms, zero biases.
    ///
    /// # Errors
    /// If the configuration is out of range.
    pub fn random(config: NetConfig, seed: u64) -> Result<Self, NetError> {
        let mut rng = Rng::new(seed);
        let mut arrays = BTreeMap::new();
        config.validate()?;
        for (name, shape) in config.tensors() {
            let count: usize = shape.iter().product();
            let inputs: usize = shape[1..].iter().product();
            let values = match shape.len() {
                1 if name.ends_with("bias") || name.ends_with("running_mean") => vec![0.0; count],
                1 => vec![1.0; count],
                // A uniform number in -1..1 has variance 1/3, so that this one has 2 / inputs.
                _ => {
                    let scale = (6.0 / inputs as f32).sqrt();
                    (0..count)
                        .map(|_| scale * (2.0 * rng.unit_f32() - 1.0))
                        .collect()
                }
            };
            arrays.insert(name, Array { shape, values });
        }
        Self::new(config, arrays)
    }

    /// Reads a net file.
    ///
    /// # Errors
    /// As [`Weights::from_bytes`], with the path, and if the file cannot be read or is larger than 1 GiB.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let unreadable = |source| NetError::File {
            path: path.to_owned(),
            source,
        };
        let unusable = |source| NetError::Content {
            path: path.to_owned(),
            source: Box::new(source),
        };
        let found = std::fs::metadata(path).map_err(unreadable)?.len();
        if found > MAX_FILE_BYTES {
            return Err(unusable(NetError::TooLarge {
                limit: MAX_FILE_BYTES,
                found,
            }));
        }
        Self::from_bytes(&std::fs::read(path).map_err(unreadable)?).map_err(unusable)
    }

    /// Reads the bytes of a net file. Tensors may be F16 or F32.
    ///
    /// # Errors
    /// [`NetError::Format`], [`NetError::NoConfig`], [`NetError::Config`], [`NetError::Tensors`],
    /// [`NetError::NumberFormat`] or [`NetError::Value`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
        let metadata = header.metadata().as_ref();
        let entry = |key| metadata.and_then(|entries| entries.get(key));
        let config = NetConfig::from_json(entry(CONFIG_KEY).ok_or(NetError::NoConfig)?)?;
        let file = SafeTensors::deserialize(bytes).map_err(NetError::Format)?;
        let infos = header.tensors();
        check_shapes(
            &config,
            |name| infos.get(name).map(|info| info.shape.as_slice()),
            infos.keys(),
        )?;
        let mut arrays = BTreeMap::new();
        for (name, view) in file.iter() {
            let array = Array {
                shape: view.shape().to_vec(),
                values: numbers(name, &view)?,
            };
            arrays.insert(name.to_owned(), array);
        }
        Ok(Self {
            training: entry(TRAINING_KEY).cloned(),
            ..Self::new(config, arrays)?
        })
    }

    /// The bytes of a net file which holds these weights.
    ///
    /// # Errors
    /// [`NetError::Value`] if a number does not fit the 16-bit format.
    pub fn to_bytes(&self, precision: Precision) -> Result<Vec<u8>, NetError> {
        let mut stored = Vec::new();
        for (name, array) in &self.arrays {
            let short = precision == Precision::F16 && array.shape.len() > 1;
            let bytes = if short {
                half_bytes(name, &array.values)?
            } else {
                single_bytes(&array.values)
            };
            stored.push((
                name,
                if short { Dtype::F16 } else { Dtype::F32 },
                &array.shape,
                bytes,
            ));
        }
        let mut views = Vec::new();
        for (name, dtype, shape, bytes) in &stored {
            views.push((
                name.as_str(),
                TensorView::new(*dtype, (*shape).clone(), bytes).map_err(NetError::Format)?,
            ));
        }
        let config = (CONFIG_KEY.to_owned(), self.config.to_json()?);
        let training = self
            .training
            .iter()
            .map(|note| (TRAINING_KEY.to_owned(), note.clone()));
        let metadata = [config].into_iter().chain(training).collect();
        safetensors::serialize(views, Some(metadata)).map_err(NetError::Format)
    }

    /// Writes a net file.
    ///
    /// # Errors
    /// As [`Weights::to_bytes`], and if the file cannot be written.
    pub fn write(&self, path: &Path, precision: Precision) -> Result<(), NetError> {
        let bytes = self.to_bytes(precision)?;
        std::fs::write(path, bytes).map_err(|source| NetError::File {
            path: path.to_owned(),
            source,
        })
    }

    /// The description these weights fit.
    #[must_use]
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// The trainer's note (JSON as a rule), if the file has one.
    #[must_use]
    pub fn training(&self) -> Option<&str> {
        self.training.as_deref()
    }

    /// All tensors in the order of their names.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.arrays
            .iter()
            .map(|(name, array)| (name.as_str(), array))
    }

    /// The tensor `name`.
    ///
    /// # Errors
    /// [`NetError::Tensors`] if the configuration has no such tensor.
    pub fn array(&self, name: &str) -> Result<&Array, NetError> {
        let missing = || Mismatch {
            missing: vec![name.to_owned()],
            ..Mismatch::default()
        };
        self.arrays
            .get(name)
            .ok_or_else(|| NetError::Tensors(missing()))
    }
}

/// Compares the `names` and `found` shapes of given tensors with those of the configuration.
fn check_shapes<'a>(
    config: &NetConfig,
    found: impl Fn(&str) -> Option<&'a [usize]>,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), NetError> {
    let expected: BTreeMap<String, Vec<usize>> = config.tensors().into_iter().collect();
    let mut mismatch = Mismatch {
        extra: names
            .filter(|name| !expected.contains_key(*name))
            .cloned()
            .collect(),
        ..Mismatch::default()
    };
    mismatch.extra.sort();
    for (name, shape) in expected {
        match found(&name) {
            None => mismatch.missing.push(name),
            Some(given) if given != shape => mismatch.differing.push((name, shape, given.to_vec())),
            Some(_) => {}
        }
    }
    let fits =
        mismatch.missing.is_empty() && mismatch.extra.is_empty() && mismatch.differing.is_empty();
    if fits {
        Ok(())
    } else {
        Err(NetError::Tensors(mismatch))
    }
}

/// Refuses numbers which would make every evaluation meaningless.
fn check_values(name: &str, values: &[f32]) -> Result<(), NetError> {
    let variance = name.ends_with("running_var");
    let expected = if variance {
        "finite numbers of at least 0"
    } else {
        "finite numbers"
    };
    match values
        .iter()
        .position(|value| !value.is_finite() || (variance && *value < 0.0))
    {
        None => Ok(()),
        Some(index) => Err(NetError::Value {
            name: name.to_owned(),
            expected,
            found: values[index],
            index,
        }),
    }
}

/// The numbers of a stored tensor as `f32`.
fn numbers(name: &str, view: &TensorView) -> Result<Vec<f32>, NetError> {
    let (pairs, _) = view.data().as_chunks::<2>();
    let (quads, _) = view.data().as_chunks::<4>();
    match view.dtype() {
        Dtype::F16 => Ok(pairs
            .iter()
            .map(|&bytes| f16::from_le_bytes(bytes).to_f32())
            .collect()),
        Dtype::F32 => Ok(quads
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect()),
        other => Err(NetError::NumberFormat {
            name: name.to_owned(),
            found: other.to_string(),
        }),
    }
}

/// `values` as F16 bytes.
fn half_bytes(name: &str, values: &[f32]) -> Result<Vec<u8>, NetError> {
    let mut halves = vec![f16::ZERO; values.len()];
    halves.convert_from_f32_slice(values);
    match halves.iter().position(|half| !half.is_finite()) {
        None => Ok(halves.iter().flat_map(|half| half.to_le_bytes()).collect()),
        Some(index) => Err(NetError::Value {
            name: name.to_owned(),
            expected: "numbers within the range of 16-bit floats (65504)",
            found: values[index],
            index,
        }),
    }
}

/// `values` as F32 bytes.
fn single_bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
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
