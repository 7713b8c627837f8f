//! The fields of a JSON object, taken one by one, so that a fault names its field and nothing is passed over.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Characters of a faulty value that are shown.
const MAX_VALUE_CHARS: usize = 80;

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// The field.
    pub field: &'static str,
    /// What was expected of it and what was found.
    pub message: String,
}

impl RequestError {
    /// A fault of that field.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }

    /// Another value than one was hoped for.
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

/// Reads a JSON object, with or without the byte order mark that some shells put before what they send.
///
/// # Errors
/// When it is none.
pub fn read_object(text: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_slice(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text))
}

/// A value as text: without the quotes if it is text already.
pub fn to_plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// An object of these fields.
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    let entries = fields.map(|(name, value)| (name.to_owned(), value));
    entries.into_iter().collect()
}

/// The fields of an object that have not been taken yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    values: Map<String, Value>,
}

impl Fields {
    /// All fields of an object.
    pub const fn new(values: Map<String, Value>) -> Self {
        Self { values }
    }

    /// Takes a field; `None` when it is missing or null.
    ///
    /// # Errors
    /// When the value is no `T`; `expected` says what that is.
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

    /// Takes a field that must be there.
    ///
    /// # Errors
    /// When it is not, and as [`optional`](Self::optional).
    pub fn required<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<T, RequestError> {
        self.optional(name, expected)?
            .ok_or_else(|| RequestError::new(name, format!("expected {expected}, found nothing")))
    }

    /// Takes a list; `None` when it is missing or null. `expected` says what each entry is.
    ///
    /// # Errors
    /// When it is no list, or an entry is no `T`.
    pub fn list<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<Vec<T>>, RequestError> {
        let Some(list) = self.optional::<Vec<Value>>(name, "a list")? else {
            return Ok(None);
        };
        let entries = list.into_iter().enumerate().map(|(index, value)| {
            parse_value(
                name,
                &format!("{expected} in place {index} of the list"),
                value,
            )
        });
        entries.collect::<Result<_, _>>().map(Some)
    }

    /// Takes a truth value; false when it is missing.
    ///
    /// # Errors
    /// When it is something else.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, RequestError> {
        Ok(self.optional(name, "true or false")?.unwrap_or(false))
    }

    /// The names that nobody has taken.
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
    fn errors_report_expected_and_found() {
        let Ok(Value::Object(values)) =
            serde_json::from_str(r#"{"a":1,"b":["x",2],"c":null,"d":true}"#)
        else {
            unreachable!("an object is written above");
        };
        let mut fields = Fields::new(values);
        assert_eq!(fields.optional::<u64>("a", "a number"), Ok(Some(1)));
        let error = fields.list::<String>("b", "a word").unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a word in place 1 of the list, found 2"
        );
        let error = fields.required::<u64>("c", "a number").unwrap_err();
        assert_eq!(
            (error.field, error.to_string().as_str()),
            ("c", "expected a number, found nothing")
        );
        assert_eq!(fields.into_unused_names(), ["d"]);
    }
}
