//! This engine's own net files: safetensors with a description in the metadata.
//!
//! Version 1 is what the trainer writes: the sizes of a net of one kind ([`config`], [`weights`]), which [`describe`]
//! turns into a description. Version 2 ([`described`]) holds any network. Files of both may tell their network's ranges
//! ([`ranges`]).

pub mod config;
pub mod describe;
pub mod described;
pub mod numbers;
pub mod ranges;
pub mod weights;

use std::io::Read;

use safetensors::SafeTensors;
use serde_json::{Map, Value};

use super::desc::NetDesc;
use super::error::NetError;
use super::stream::{Stream, unreadable};
use weights::{CONFIG_KEY, Weights};

/// Larger files are refused.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// The network in a file.
///
/// # Errors
/// As [`bytes`] and [`from_bytes`].
pub fn read(stream: Stream) -> Result<NetDesc, NetError> {
    from_bytes(&bytes(stream)?)
}

/// The bytes of a file, unpacked.
///
/// # Errors
/// [`NetError::TooLarge`] above 4 GiB, and [`NetError::Stream`] or [`NetError::End`] for bytes that cannot be read or
/// unpacked.
pub fn bytes(stream: Stream) -> Result<Vec<u8>, NetError> {
    let mut bytes = Vec::new();
    let read = stream.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|source| unreadable(source, "the file", "a network"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(NetError::TooLarge(MAX_FILE_BYTES));
    }
    Ok(bytes)
}

/// The network of a file of either version.
///
/// # Errors
/// As [`Weights::from_bytes`] for version 1; for version 2 when the description is not understood, when tensors are
/// missing or have other shapes, and as [`NetDesc::checked`].
pub fn from_bytes(bytes: &[u8]) -> Result<NetDesc, NetError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
    let metadata = header.metadata().as_ref();
    let entry = |key| metadata.and_then(|entries| entries.get(key));
    let entries: Map<String, Value> =
        serde_json::from_str(entry(CONFIG_KEY).ok_or(NetError::NoConfig)?)
            .map_err(|error| NetError::Config(error.to_string()))?;
    let desc = if entries.get("version") == Some(&Value::from(described::VERSION)) {
        described::from_bytes(entries, bytes)?
    } else {
        describe::describe(&Weights::from_bytes(bytes)?)?
    };
    Ok(NetDesc {
        ranges: entry(ranges::KEY).and_then(|text| ranges::from_text(text)),
        ..desc
    })
}

/// The bytes of the same file of either version with these ranges in it; all else stays as it is.
///
/// # Errors
/// [`NetError::Format`] if it is no complete safetensors file.
pub fn with_ranges(bytes: &[u8], numbers: &[f32]) -> Result<Vec<u8>, NetError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
    let mut metadata = header.metadata().clone().unwrap_or_default();
    metadata.insert(ranges::KEY.to_owned(), ranges::to_text(numbers));
    let file = SafeTensors::deserialize(bytes).map_err(NetError::Format)?;
    safetensors::serialize(file.iter(), Some(metadata)).map_err(NetError::Format)
}
