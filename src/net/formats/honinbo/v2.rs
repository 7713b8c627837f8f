//! Version 2 of this engine's network files, the current version. It supports networks of any architecture.
//!
//! The metadata contains the layers of the network in JSON ([`NetSpec`]) and optionally the calibration ranges. The
//! weights are stored as tensors named after their paths in [`NetSpec`].

use std::collections::HashMap;

use serde_json::json;

use super::ranges;
use super::tensors::{FilePrecision, TensorReader, serialize};
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
    serialize(&spec.tensors_mut(), precision, metadata)
}

/// Reads all tensors of a network.
///
/// # Errors
/// Returns [`NetError::Value`] for numbers that are not finite.
pub(super) fn read_tensors(spec: &mut NetSpec, tensors: &mut TensorReader) -> Result<(), NetError> {
    for tensor in spec.tensors_mut() {
        let values = tensors.read_named(&tensor.name, &tensor.shape)?;
        *tensor.values = values.unwrap_or_default();
    }
    Ok(())
}
