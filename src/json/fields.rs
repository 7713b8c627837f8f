//! Parsing of the fields of a JSON object.
//!
//! Parsing a field removes it from the object, so the fields that remain are unknown and can be reported. Errors name
//! the field.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Maximum length of an invalid value in an error message, in characters.
const MAX_VALUE_CHARS: usize = 80;

/// Error in a field of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Name of the field.
    pub field: &'static str,
    pub message: String,
}

impl RequestError {
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }

    /// Creates an error for a value of the wrong type or out of range.
    pub fn unexpected(field: &'static str, expected: &str, found: &Value) -> Self {
        Self::new(
            field,
            format!("expected {expected}, found {}", truncated(found)),
        )
    }
}

fn truncated(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Parses a JSON object. Skips a byte order mark, which some shells add when they pipe text.
///
/// # Errors
/// Returns an error if the text is not a JSON object.
pub fn read_object(text: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_slice(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text))
}

/// Returns a value as JSON text, but a string without quotes and escapes.
pub fn to_plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Creates an object from its fields.
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    let entries = fields.map(|(name, value)| (name.to_owned(), value));
    entries.into_iter().collect()
}

/// Fields of an object that have not been parsed yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    values: Map<String, Value>,
}

impl Fields {
    pub const fn new(values: Map<String, Value>) -> Self {
        Self { values }
    }

    /// Removes and parses a field. Returns `None` if it is missing or null.
    ///
    /// # Errors
    /// Returns an error if the value cannot be deserialised as `T`, which `expected` describes.
    pub fn optional<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<T>, RequestError> {
        match self.values.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => parse_value(name, expected, value).map(Some),
        }
    }

    /// Removes and parses a required field.
    ///
    /// # Errors
    /// Returns an error if the field is missing or null, or if its value cannot be deserialised as `T`.
    pub fn required<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<T, RequestError> {
        self.optional(name, expected)?
            .ok_or_else(|| RequestError::new(name, format!("missing; expected {expected}")))
    }

    /// Removes and parses a list. Returns `None` if it is missing or null.
    ///
    /// # Errors
    /// Returns an error if the value is not a list, or an entry cannot be deserialised as `T`, which `expected`
    /// describes.
    pub fn list<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<Vec<T>>, RequestError> {
        let Some(list) = self.optional::<Vec<Value>>(name, "a list")? else {
            return Ok(None);
        };
        let entries = list.into_iter().enumerate().map(|(index, value)| {
            parse_value(name, &format!("{expected} at index {index}"), value)
        });
        entries.collect::<Result<_, _>>().map(Some)
    }

    /// Removes and parses a Boolean field, which is false by default.
    ///
    /// # Errors
    /// Returns an error if the value is not a Boolean.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, RequestError> {
        Ok(self.optional(name, "true or false")?.unwrap_or(false))
    }

    /// Returns the names of the fields that have not been parsed.
    pub fn into_unused_names(self) -> Vec<String> {
        self.values.into_iter().map(|(name, _)| name).collect()
    }
}

fn parse_value<T: DeserializeOwned>(
    name: &'static str,
    expected: &str,
    value: Value,
) -> Result<T, RequestError> {
    T::deserialize(&value).map_err(|_| RequestError::unexpected(name, expected, &value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_field_and_value() {
        let Ok(Value::Object(values)) =
            serde_json::from_str(r#"{"a":1,"b":["x",2],"c":null,"d":true}"#)
        else {
            unreachable!("the text is an object");
        };
        let mut fields = Fields::new(values);
        assert_eq!(fields.optional::<u64>("a", "a number"), Ok(Some(1)));
        let error = fields.list::<String>("b", "a string").unwrap_err();
        assert_eq!(error.to_string(), "expected a string at index 1, found 2");
        let error = fields.required::<u64>("c", "a number").unwrap_err();
        assert_eq!(
            (error.field, error.to_string().as_str()),
            ("c", "missing; expected a number")
        );
        assert_eq!(fields.into_unused_names(), ["d"]);
    }
}
