//! This engine's own net files: safetensors with a description in the metadata.
//!
//! Version 1 is what the trainer writes: the sizes of a net of one kind ([`config`], [`weights`]), which [`describe`]
//! turns into a description. Version 2 ([`described`]) holds any network.

pub mod config;
pub mod describe;
pub mod described;
pub mod numbers;
pub mod weights;

use std::path::Path;

use safetensors::SafeTensors;
use serde_json::Value;

use super::desc::NetDesc;
use super::error::NetError;
use weights::{CONFIG_KEY, Weights};

/// Larger files are refused before they are read.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// The network in a file.
///
/// # Errors
/// As [`from_bytes`], with the path, and if the file cannot be read or is larger than 4 GiB.
pub fn read(path: &Path) -> Result<NetDesc, NetError> {
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
    from_bytes(&std::fs::read(path).map_err(unreadable)?).map_err(unusable)
}

/// The network of a file of either version.
///
/// # Errors
/// As [`Weights::from_bytes`] for version 1; for version 2 when the description is not understood, when tensors are
/// missing or have other shapes, and as [`NetDesc::checked`].
pub fn from_bytes(bytes: &[u8]) -> Result<NetDesc, NetError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NetError::Format)?;
    let metadata = header.metadata().as_ref();
    let text = metadata.and_then(|entries| entries.get(CONFIG_KEY));
    let entries: Value = serde_json::from_str(text.ok_or(NetError::NoConfig)?)
        .map_err(|error| NetError::Config(error.to_string()))?;
    if entries.get("version") == Some(&Value::from(described::VERSION)) {
        let net = entries.get("net").cloned().unwrap_or_default();
        return described::from_bytes(net, bytes);
    }
    describe::describe(&Weights::from_bytes(bytes)?)
}
