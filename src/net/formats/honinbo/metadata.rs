//! Metadata entries that files of both versions contain.

use serde_json::{Map, Value};

use crate::net::error::NetError;

/// Metadata key of the configuration, a JSON object.
pub const CONFIG_KEY: &str = "honinbo";
/// Value of `format` in the configuration.
pub const FORMAT: &str = "honinbo-net";

/// Removes `key` from `entries` and checks that its value was `expected`.
pub fn expect_entry(
    entries: &mut Map<String, Value>,
    key: &str,
    expected: &Value,
) -> Result<(), NetError> {
    match entries.remove(key) {
        Some(found) if found == *expected => Ok(()),
        Some(found) => Err(NetError::Config(format!(
            "expected {key} {expected}, found {found}"
        ))),
        None => Err(NetError::Config(format!(
            "expected {key} {expected}, found none"
        ))),
    }
}
