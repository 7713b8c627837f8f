//! This program's network files: safetensors with a configuration in the metadata.
//!
//! [`v2`] is the current version. It stores networks of any architecture. [`v1`], which the trainer writes, stores
//! networks of one architecture. Files of both versions may contain calibration ranges ([`ranges`]).

mod metadata;
pub mod ranges;
pub mod tensors;
pub mod v1;
pub mod v2;

use std::io::Read;

use safetensors::SafeTensors;
use serde_json::{Map, Value};

use super::stream::{Stream, unreadable};
use crate::net::error::NetError;
use crate::net::spec::NetDesc;
use metadata::CONFIG_KEY;
use v1::weights::Weights;

/// Maximum size of a decompressed file in bytes.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// Reads a network.
///
/// # Errors
/// Returns the errors of [`read_bytes`] and [`from_bytes`].
pub fn read(stream: Stream) -> Result<NetDesc, NetError> {
    from_bytes(&read_bytes(stream)?)
}

/// Reads and decompresses a whole file.
///
/// # Errors
/// Returns [`NetError::TooLarge`] for more than 4 GiB, and [`NetError::Stream`] or [`NetError::End`] if the file cannot
/// be read or decompressed.
pub fn read_bytes(stream: Stream) -> Result<Vec<u8>, NetError> {
    let mut bytes = Vec::new();
    let read = stream.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|source| unreadable(source, "the file", "a network"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(NetError::TooLarge(MAX_FILE_BYTES));
    }
    Ok(bytes)
}

/// Parses a decompressed file of version 1 or 2.
///
/// # Errors
/// Returns the errors of [`Weights::from_bytes`] for version 1. For version 2, returns an error if the description cannot
/// be parsed, if names or shapes of tensors do not match it, or if [`NetDesc::checked`] fails.
pub fn from_bytes(bytes: &[u8]) -> Result<NetDesc, NetError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
    let metadata = header.metadata().as_ref();
    let entry = |key| metadata.and_then(|entries| entries.get(key));
    let entries: Map<String, Value> =
        serde_json::from_str(entry(CONFIG_KEY).ok_or(NetError::NoConfig)?)
            .map_err(|error| NetError::Config(error.to_string()))?;
    let desc = if entries.get("version") == Some(&Value::from(v2::VERSION)) {
        v2::from_bytes(entries, bytes)?
    } else {
        v1::describe(&Weights::from_bytes(bytes)?)?
    };
    Ok(NetDesc {
        ranges: entry(ranges::KEY).and_then(|text| ranges::from_text(text)),
        ..desc
    })
}

/// Returns a copy of a file of either version with its calibration ranges replaced by `numbers`. All other content is
/// preserved.
///
/// # Errors
/// Returns [`NetError::Format`] if `bytes` is not a complete safetensors file.
pub fn with_ranges(bytes: &[u8], numbers: &[f32]) -> Result<Vec<u8>, NetError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
    let mut metadata = header.metadata().clone().unwrap_or_default();
    metadata.insert(ranges::KEY.to_owned(), ranges::to_text(numbers));
    let file = SafeTensors::deserialize(bytes).map_err(NetError::Format)?;
    safetensors::serialize(file.iter(), Some(metadata)).map_err(NetError::Format)
}
