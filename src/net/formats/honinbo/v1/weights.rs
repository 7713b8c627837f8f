//! Weights of a version 1 network as named `f32` arrays, with conversion from and to the bytes of a safetensors file.
//!
//! A [`Weights`] value contains exactly the tensors of its configuration, with the required shapes, finite values and
//! non-negative variances. For any input, parsing returns such a value or an error, and allocates at most a small
//! multiple of the input size. Executors are built from weights and never access the file.

use std::collections::BTreeMap;

use safetensors::SafeTensors;

use super::super::metadata::CONFIG_KEY;
use super::super::tensors::{EncodedTensor, FilePrecision, decode, serialize};
use super::config::NetConfig;
use crate::net::error::{Mismatch, NetError};
use crate::random::Rng;

/// Metadata key of the trainer's note.
const TRAINING_KEY: &str = "training";

/// A tensor in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    /// Values; their number is the product of the dimensions.
    pub values: Vec<f32>,
}

/// A complete, checked set of weights with its configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    config: NetConfig,
    arrays: BTreeMap<String, Array>,
    training: Option<String>,
}

impl Weights {
    /// Combines a configuration with its tensors.
    ///
    /// # Errors
    /// Returns an error if a size of the configuration is out of range, if names or shapes differ from
    /// [`NetConfig::tensors`], if the length of an array does not match its shape, if a value is not finite, or if a
    /// variance is negative.
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

    /// Returns initial weights determined by `seed`: uniform weights with He scaling, neutral norms and zero biases.
    ///
    /// # Errors
    /// Returns an error if a size of the configuration is out of range.
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
                // A uniform number in -1..1 has variance 1/3; after scaling, the variance is 2 / inputs.
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

    /// Parses a network file. Tensors may be stored as F16 or F32.
    ///
    /// # Errors
    /// Returns [`NetError::Format`], [`NetError::NoConfig`], [`NetError::Config`], [`NetError::Tensors`],
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
                values: decode(name, &view)?,
            };
            arrays.insert(name.to_owned(), array);
        }
        Ok(Self {
            training: entry(TRAINING_KEY).cloned(),
            ..Self::new(config, arrays)?
        })
    }

    /// Serialises the weights as a network file.
    ///
    /// # Errors
    /// Returns [`NetError::Value`] if a value exceeds the range of the 16-bit format.
    pub fn to_bytes(&self, precision: FilePrecision) -> Result<Vec<u8>, NetError> {
        let stored = self
            .arrays
            .iter()
            .map(|(name, array)| EncodedTensor::new(name, &array.shape, &array.values, precision))
            .collect::<Result<Vec<_>, _>>()?;
        let config = (CONFIG_KEY.to_owned(), self.config.to_json()?);
        let training = self
            .training
            .iter()
            .map(|note| (TRAINING_KEY.to_owned(), note.clone()));
        let metadata = [config].into_iter().chain(training).collect();
        serialize(&stored, metadata)
    }

    /// Configuration of the network.
    #[must_use]
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// The trainer's note (usually JSON), if the file contains one.
    #[must_use]
    pub fn trainer_note(&self) -> Option<&str> {
        self.training.as_deref()
    }

    /// Returns all tensors with their names, sorted by name.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.arrays
            .iter()
            .map(|(name, array)| (name.as_str(), array))
    }

    /// Returns the tensor with the given name.
    ///
    /// # Errors
    /// Returns [`NetError::Tensors`] if the configuration does not contain it.
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

/// Checks that `names` and the shapes returned by `found` match the configuration.
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
    if mismatch.is_empty() {
        Ok(())
    } else {
        Err(NetError::Tensors(mismatch))
    }
}

/// Checks that all values are finite and that variances are not negative.
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
            location: format!("tensor {name}"),
            expected,
            found: values[index],
            index,
        }),
    }
}
