//! This engine's network files: safetensors with a configuration in the metadata.
//!
//! [`v2`] is the current version. It can store all networks that [`spec`](crate::net::spec) can describe. Version 1
//! (`v1`) stores residual networks with ReLU. The trainer writes both versions. Files of both versions may contain
//! calibration ranges ([`ranges`]).

pub mod ranges;
pub mod tensors;
mod v1;
pub mod v2;

use std::io::Read;

use safetensors::SafeTensors;
use serde_json::{Map, Value};

use super::stream::{MAX_NUMBERS, Stream};
use crate::net::error::NetError;
use crate::net::spec::NetSpec;
use tensors::TensorReader;
use v2::{CONFIG_KEY, FORMAT_NAME};

/// Maximum size of a decompressed file in bytes: the size of [`MAX_NUMBERS`] 32-bit values.
const MAX_DECOMPRESSED_BYTES: u64 = (size_of::<f32>() * MAX_NUMBERS) as u64;

/// Reads a network.
///
/// # Errors
/// Returns the errors of [`read_decompressed`] and [`from_bytes`].
pub fn read(stream: Stream) -> Result<NetSpec, NetError> {
    from_bytes(&read_decompressed(stream)?)
}

/// Reads the whole file, decompressing it if necessary.
///
/// # Errors
/// Returns [`NetError::Layer`] if the decompressed file is larger than 2 GiB, and [`NetError::Stream`] or
/// [`NetError::UnexpectedEnd`] if the file cannot be read or decompressed.
pub fn read_decompressed(mut stream: Stream) -> Result<Vec<u8>, NetError> {
    stream.location = "the file".to_owned();
    let mut bytes = Vec::new();
    let mut limited = stream.by_ref().take(MAX_DECOMPRESSED_BYTES + 1);
    let read = limited.read_to_end(&mut bytes);
    read.map_err(|source| stream.unreadable(source, "a network"))?;
    if bytes.len() as u64 > MAX_DECOMPRESSED_BYTES {
        let expected = format!("at most {MAX_DECOMPRESSED_BYTES} bytes");
        return Err(stream.error(expected, "more"));
    }
    Ok(bytes)
}

/// Parses a decompressed file of version 1 or 2.
///
/// # Errors
/// Returns [`NetError::Format`], [`NetError::NoConfig`] or [`NetError::Config`] if the file or its configuration cannot
/// be parsed, [`NetError::Tensors`], [`NetError::Layer`] or [`NetError::Value`] if names, shapes, number formats or
/// values of tensors are invalid, and the errors of [`NetSpec::checked`].
pub fn from_bytes(bytes: &[u8]) -> Result<NetSpec, NetError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
    let file = SafeTensors::deserialize(bytes).map_err(NetError::Format)?;
    let metadata = header.metadata().as_ref();
    let entry = |key| metadata.and_then(|entries| entries.get(key));
    let invalid = |error: serde_json::Error| NetError::Config(error.to_string());
    let config = entry(CONFIG_KEY).ok_or(NetError::NoConfig)?;
    let mut config: Map<String, Value> = serde_json::from_str(config).map_err(invalid)?;
    let mut expect = |key: &str, known: &[Value]| match config.remove(key) {
        Some(found) if known.contains(&found) => Ok(found),
        found => {
            let known: Vec<String> = known.iter().map(Value::to_string).collect();
            let found = found.map_or("none".to_owned(), |found| found.to_string());
            let expected = known.join(" or ");
            Err(NetError::Config(format!(
                "expected {key} {expected}, found {found}"
            )))
        }
    };
    expect("format", &[FORMAT_NAME.into()])?;
    let is_v1 = expect("version", &[v1::VERSION.into(), v2::VERSION.into()])? == v1::VERSION;
    let description = match is_v1 {
        true => v1::description(config, entry(v1::NOTE_KEY))?,
        false => config.remove("net").unwrap_or_default(),
    };
    let mut spec: NetSpec = serde_json::from_value(description).map_err(invalid)?;
    spec.check_layers()?;
    spec.ranges = entry(ranges::KEY).and_then(|text| ranges::from_text(text));
    let mut tensors = TensorReader::new(&file);
    match is_v1 {
        true => v1::read_tensors(&mut spec, &mut tensors)?,
        false => v2::read_tensors(&mut spec, &mut tensors)?,
    }
    tensors.finish()?;
    spec.checked()
}

/// Returns a copy of a decompressed file of either version that contains `numbers` as calibration ranges. They replace
/// the ranges that the file contains, if any. All other content is preserved.
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
