//! Version 2 of this engine's network files, the current version. It supports networks of any architecture.
//!
//! The metadata contains the layers of the network in JSON ([`NetSpec`]) and optionally the calibration ranges. The
//! weights are stored as tensors named after their paths in [`NetSpec`].

use std::collections::HashMap;

use safetensors::SafeTensors;
use serde_json::{Map, Value, json};

use super::ranges;
use super::tensors::{EncodedTensor, FilePrecision, TensorReader, serialize};
use crate::net::error::NetError;
use crate::net::spec::NetSpec;

/// Metadata key of the configuration, a JSON object. All versions use the same key.
pub(super) const CONFIG_KEY: &str = "honinbo";
/// Value of `format` in the configuration of all versions.
pub(super) const FORMAT_NAME: &str = "honinbo-net";
/// Value of `version` in the configuration.
pub const VERSION: u64 = 2;

/// Serialises a network. [`from_bytes`](super::from_bytes) reads the result.
///
/// # Errors
/// Returns [`NetError::Value`] if a weight exceeds the range of the 16-bit format.
pub fn to_bytes(mut spec: NetSpec, precision: FilePrecision) -> Result<Vec<u8>, NetError> {
    let net = serde_json::to_value(&spec).map_err(|error| NetError::Config(error.to_string()))?;
    let config = json!({ "format": FORMAT_NAME, "version": VERSION, "net": net });
    let mut metadata = HashMap::from([(CONFIG_KEY.to_owned(), config.to_string())]);
    let ranges = spec.ranges.as_deref().map(ranges::to_text);
    metadata.extend(ranges.map(|text| (ranges::KEY.to_owned(), text)));
    let tensors = spec
        .tensors_mut()
        .iter()
        .map(|tensor| EncodedTensor::new(&tensor.name, &tensor.shape, tensor.values, precision))
        .collect::<Result<Vec<_>, _>>()?;
    serialize(&tensors, metadata)
}

/// Parses a network from the fields of its configuration and the tensors of `file`.
///
/// # Errors
/// Returns an error if the description cannot be parsed, if its layers do not fit together, or if names, shapes or
/// values of tensors are invalid.
pub(super) fn from_file(
    mut config: Map<String, Value>,
    file: &SafeTensors,
) -> Result<NetSpec, NetError> {
    let net = config.remove("net").unwrap_or_default();
    let mut spec: NetSpec =
        serde_json::from_value(net).map_err(|error| NetError::Config(error.to_string()))?;
    spec.check_layers()?;
    let mut tensors = TensorReader::new(file);
    for tensor in spec.tensors_mut() {
        *tensor.values = tensors
            .read_named(&tensor.name, &tensor.shape)?
            .unwrap_or_default();
    }
    tensors.finish()?;
    spec.checked()
}
