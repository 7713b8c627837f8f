//! The weights of a net as named arrays of `f32`, and the net file (safetensors) they come from.
//!
//! Promise: a [`Weights`] holds exactly the tensors of its configuration, each of the right shape, all finite, no
//! variance negative. Whatever bytes are given, reading ends in such weights or in a typed error, and allocates no more
//! than a small multiple of the bytes given. Executors are built from weights and never look at the file.

use std::collections::BTreeMap;

use safetensors::SafeTensors;

use super::config::NetConfig;
use super::numbers::{Precision, Stored, numbers};
use crate::net::error::{Mismatch, NetError};
use crate::random::Rng;

/// Metadata key of the configuration.
pub(super) const CONFIG_KEY: &str = "honinbo";
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
        let stored = self
            .arrays
            .iter()
            .map(|(name, array)| Stored::new(name, &array.shape, &array.values, precision))
            .collect::<Result<Vec<_>, _>>()?;
        let config = (CONFIG_KEY.to_owned(), self.config.to_json()?);
        let training = self
            .training
            .iter()
            .map(|note| (TRAINING_KEY.to_owned(), note.clone()));
        let metadata = [config].into_iter().chain(training).collect();
        super::numbers::serialize(&stored, metadata)
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
    if mismatch.is_empty() {
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
