//! Deserialisation of the fields of a JSON object, with errors that name the field.
//!
//! Deserialising a field removes it from the object. Fields that remain at the end are unknown and can be reported.

use std::fmt::Display;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

/// Maximum length of an error message in characters. A longer message, which quotes a long value, is shortened in the
/// middle.
const MAX_MESSAGE_CHARS: usize = 500;

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
        let mut message = message.into();
        let length = message.chars().count();
        if length > MAX_MESSAGE_CHARS {
            let start = message.chars().take(MAX_MESSAGE_CHARS / 2);
            let end = message.chars().skip(length - MAX_MESSAGE_CHARS / 2);
            message = start.chain(['…']).chain(end).collect();
        }
        Self { field, message }
    }

    /// Creates an error for a missing field.
    pub fn missing(field: &'static str) -> Self {
        Self::new(field, "missing; this field is required")
    }
}

impl Error for RequestError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new("", message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self::missing(field)
    }
}

/// Parses a value of a request, for use in an implementation of `TryFrom<Value>`.
///
/// # Errors
/// If `parse` returns `None`, returns a message that contains the value and `expected`, a description of valid values.
pub fn convert_value<T>(
    value: &Value,
    expected: impl Display,
    parse: impl FnOnce(&Value) -> Option<T>,
) -> Result<T, String> {
    parse(value).ok_or_else(|| format!("expected {expected}, found {value}"))
}

/// Parses a JSON object. Skips a byte order mark, which some shells add when they pipe text.
///
/// # Errors
/// Returns an error if the text is not a JSON object.
pub fn read_object(text: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_slice(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text))
}

/// Returns a value as JSON text. A string is returned without quotes and escapes.
pub fn to_unquoted_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A whole number from `MIN` to `MAX`, both inclusive, stored as a `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value", bound = "T: TryFrom<i64>")]
pub struct BoundedInteger<const MIN: i64, const MAX: i64, T = i64>(pub T);

impl<const MIN: i64, const MAX: i64, T: TryFrom<i64>> TryFrom<Value>
    for BoundedInteger<MIN, MAX, T>
{
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let expected = format_args!("a whole number from {MIN} to {MAX}");
        convert_value(&value, expected, |value| {
            let number = value.as_i64().filter(|number| (MIN..=MAX).contains(number));
            T::try_from(number?).ok().map(Self)
        })
    }
}

/// Fields of an object that have not been deserialised yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    values: Map<String, Value>,
}

impl Fields {
    pub const fn new(values: Map<String, Value>) -> Self {
        Self { values }
    }

    /// Removes the fields of the structure `T` and deserialises them. Fields with the value null count as missing.
    ///
    /// # Errors
    /// Returns an error if a required field is missing or a value is invalid.
    pub fn take_struct<T: DeserializeOwned>(&mut self) -> Result<T, RequestError> {
        T::deserialize(self)
    }

    /// Removes and deserialises a field. Returns `None` if it is missing or null.
    ///
    /// # Errors
    /// Returns an error if the value is invalid.
    pub fn optional<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, RequestError> {
        let value = self.remove(name).map(T::deserialize).transpose();
        value.map_err(|error| RequestError::new(name, error.to_string()))
    }

    /// Removes and deserialises a required field.
    ///
    /// # Errors
    /// Returns an error if the field is missing or null, or if its value is invalid.
    pub fn required<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, RequestError> {
        let value = self.optional(name)?;
        value.ok_or_else(|| RequestError::missing(name))
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        self.values.remove(name).filter(|value| !value.is_null())
    }

    /// Returns the names of the fields that have not been deserialised.
    pub fn into_unused_names(self) -> Vec<String> {
        self.values.into_iter().map(|(name, _)| name).collect()
    }
}

impl<'de> Deserializer<'de> for &mut Fields {
    type Error = RequestError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RequestError> {
        visitor.visit_map(StructFieldAccess {
            fields: self,
            names: names.iter(),
            current: None,
        })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RequestError> {
        self.deserialize_struct("", &[], visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Access to the fields of a structure during deserialisation. Reading the name of a field removes the field from the
/// object.
struct StructFieldAccess<'a> {
    fields: &'a mut Fields,
    names: std::slice::Iter<'static, &'static str>,
    /// Name and value of the current field. Only the name has been read.
    current: Option<(&'static str, Value)>,
}

impl<'de> MapAccess<'de> for StructFieldAccess<'_> {
    type Error = RequestError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, RequestError> {
        self.current = self
            .names
            .find_map(|&name| Some((name, self.fields.remove(name)?)));
        let name = self.current.as_ref().map(|(name, _)| name);
        name.map(|name| seed.deserialize(StrDeserializer::new(name)))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, RequestError> {
        let (name, value) = self.current.take().expect("a name precedes each value");
        seed.deserialize(value)
            .map_err(|error| RequestError::new(name, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Example {
        a: BoundedInteger<1, 5>,
        b: Vec<String>,
        c: Option<bool>,
    }

    fn take(object: Value) -> (Result<Example, RequestError>, Vec<String>) {
        let Value::Object(values) = object else {
            panic!("an object");
        };
        let mut fields = Fields::new(values);
        (fields.take_struct(), fields.into_unused_names())
    }

    #[test]
    fn fields_are_removed_and_errors_name_them() {
        let (example, unused) = take(json!({"a": 5, "b": ["x"], "c": null, "d": true}));
        let (a, b) = (BoundedInteger(5), vec!["x".to_owned()]);
        assert_eq!(example, Ok(Example { a, b, c: None }));
        assert_eq!(unused, ["d"]);
        for (object, field, message) in [
            (json!({"a": 6}), "a", "a whole number from 1 to 5, found 6"),
            (json!({"a": 1.5}), "a", "found 1.5"),
            (json!({"a": 1}), "b", "missing"),
            (json!({"a": 1, "b": null}), "b", "missing"),
            (json!({"a": 1, "b": ["x", 2]}), "b", "integer `2`"),
            (json!({"a": 1, "b": [], "c": 1}), "c", "expected a boolean"),
            (json!({"a": 1, "b": "x".repeat(9999)}), "b", "a sequence"),
        ] {
            let error = take(object.clone()).0.unwrap_err();
            assert_eq!(error.field, field, "{object}");
            assert!(error.message.contains(message), "{object}: {error}");
            assert!(error.message.len() < 2 * MAX_MESSAGE_CHARS, "{error}");
        }
    }
}
