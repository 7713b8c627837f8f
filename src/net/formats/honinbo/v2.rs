//! Version 2 of this program's network files, the current one: networks of any architecture.
//!
//! The metadata contains the layers of the network in JSON ([`NetDesc`]) and optionally the calibration ranges. The
//! weights are stored as tensors named after their path in [`NetDesc`].

use std::collections::HashMap;

use safetensors::SafeTensors;
use serde_json::{Map, Value};

use super::metadata::{CONFIG_KEY, FORMAT, expect_entry};
use super::ranges;
use super::tensors::{EncodedTensor, FilePrecision, decode, serialize};
use crate::net::error::{Mismatch, NetError};
use crate::net::spec::NetDesc;

/// Value of `version` in the metadata.
pub const VERSION: u64 = 2;

/// Serialises a network; [`from_bytes`](super::from_bytes) is the inverse.
///
/// # Errors
/// Returns [`NetError::Value`] if a weight exceeds the range of the 16-bit format.
pub fn to_bytes(mut desc: NetDesc, precision: FilePrecision) -> Result<Vec<u8>, NetError> {
    let mut entries = Map::new();
    let unwritable = |error: serde_json::Error| NetError::Config(error.to_string());
    entries.insert("format".to_owned(), Value::from(FORMAT));
    entries.insert("version".to_owned(), Value::from(VERSION));
    let net = serde_json::to_value(&desc).map_err(unwritable)?;
    entries.insert("net".to_owned(), net);
    let stored = desc
        .tensors_mut()
        .iter()
        .map(|tensor| EncodedTensor::new(&tensor.name, &tensor.shape, tensor.values, precision))
        .collect::<Result<Vec<_>, _>>()?;
    let text = Value::Object(entries).to_string();
    let mut metadata = HashMap::from([(CONFIG_KEY.to_owned(), text)]);
    let numbers = desc.ranges.as_deref().map(ranges::to_text);
    metadata.extend(numbers.map(|text| (ranges::KEY.to_owned(), text)));
    serialize(&stored, metadata)
}

/// Parses a network from the metadata fields `entries` and the tensors in `bytes`.
///
/// # Errors
/// Returns an error if the format is not supported, if the description cannot be parsed, if names or shapes of tensors
/// do not match it, or if [`NetDesc::checked`] fails.
pub(super) fn from_bytes(
    mut entries: Map<String, Value>,
    bytes: &[u8],
) -> Result<NetDesc, NetError> {
    expect_entry(&mut entries, "format", &Value::from(FORMAT))?;
    let net = entries.remove("net").unwrap_or_default();
    let mut desc: NetDesc =
        serde_json::from_value(net).map_err(|error| NetError::Config(error.to_string()))?;
    let file = SafeTensors::deserialize(bytes).map_err(NetError::Format)?;
    let mut mismatch = Mismatch::default();
    let mut used = 0;
    for tensor in desc.tensors_mut() {
        match file.tensor(&tensor.name) {
            Ok(view) if view.shape() == tensor.shape => {
                *tensor.values = decode(&tensor.name, &view)?;
                used += 1;
            }
            Ok(view) => {
                let found = view.shape().to_vec();
                mismatch.differing.push((tensor.name, tensor.shape, found));
            }
            Err(_) => mismatch.missing.push(tensor.name),
        }
    }
    if !mismatch.is_empty() {
        return Err(NetError::Tensors(mismatch));
    }
    if used < file.len() {
        let known: Vec<String> = desc
            .tensors_mut()
            .into_iter()
            .map(|tensor| tensor.name)
            .collect();
        let names = file.names().into_iter();
        mismatch.extra = names
            .filter(|name| !known.iter().any(|known| known == name))
            .map(ToString::to_string)
            .collect();
        return Err(NetError::Tensors(mismatch));
    }
    desc.checked()
}
