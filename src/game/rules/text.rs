//! Conversion of rules to and from text: names and values of the individual fields.
//!
//! A single table is used for formatting, parsing and setting fields, so that all protocols agree. Komi is not
//! included, because clients set it separately.

use crate::io::error_text;

use super::{HandicapBonus, KoRule, Rules, Scoring, TROMP_TAYLOR, Tax};

/// A field of the rules, with its names and values as text.
struct RuleField {
    /// Name in JSON and GTP.
    name: &'static str,
    /// Key in KataGo's compact notation.
    katago_key: &'static str,
    /// Whether the compact notation includes the field even if its value is the same as in the Tromp-Taylor rules.
    is_always_written: bool,
    /// Accepted values; case is ignored.
    values: &'static [&'static str],
    /// Returns the index of the current value in `values`.
    get: fn(&Rules) -> usize,
    /// Sets the value with the given index in `values`.
    set: fn(&mut Rules, usize),
}

/// Error for a field of the rules that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFieldError {
    /// There is no field with this name.
    #[error(
        "unknown rule {} (known: {})",
        error_text::quote_with_suggestion(found, field_names()),
        field_names().join(", ")
    )]
    UnknownField { found: String },
    /// The value is not valid for this field.
    #[error("{name} must be one of {}, not {found:?}", field_values(name))]
    InvalidValue {
        /// Name of the field.
        name: &'static str,
        found: String,
    },
}

/// Defines a [`RuleField`] for a field of [`Rules`], given its possible values and their texts.
macro_rules! rule_field {
    ($name:literal, $katago_key:literal, $is_always_written:literal, $field:ident: $($value:expr => $text:literal),+) => {
        RuleField {
            name: $name,
            katago_key: $katago_key,
            is_always_written: $is_always_written,
            values: &[$($text),+],
            get: |rules| {
                let index = [$($value),+].iter().position(|value| *value == rules.$field);
                index.expect("all values are listed")
            },
            set: |rules, index| rules.$field = [$($value),+][index],
        }
    };
}

/// All fields, in the order of KataGo's compact notation.
static RULE_FIELDS: [RuleField; 7] = [
    rule_field!("ko", "ko", true, ko:
        KoRule::Simple => "SIMPLE", KoRule::Positional => "POSITIONAL", KoRule::Situational => "SITUATIONAL"),
    rule_field!("scoring", "score", true, scoring:
        Scoring::Area => "AREA", Scoring::Territory => "TERRITORY"),
    rule_field!("tax", "tax", true, tax:
        Tax::None => "NONE", Tax::Seki => "SEKI", Tax::All => "ALL"),
    rule_field!("suicide", "sui", true, suicide: false => "false", true => "true"),
    rule_field!("hasButton", "button", false, button: false => "false", true => "true"),
    rule_field!("whiteHandicapBonus", "whb", false, handicap_bonus:
        HandicapBonus::None => "0", HandicapBonus::Each => "N", HandicapBonus::LessOne => "N-1"),
    rule_field!("friendlyPassOk", "fpok", false, friendly_pass: false => "false", true => "true"),
];

/// Returns all fields in alphabetical order of their names, as used in JSON and error messages.
fn fields_sorted_by_name() -> [&'static RuleField; 7] {
    let mut fields = RULE_FIELDS.each_ref();
    fields.sort_by_key(|field| field.name);
    fields
}

impl RuleField {
    /// Returns the value that the field has in `rules`, as text.
    fn value(&self, rules: &Rules) -> &'static str {
        self.values[(self.get)(rules)]
    }

    fn is_bool(&self) -> bool {
        self.values == ["false", "true"]
    }

    fn katago_values(&self) -> &'static [&'static str] {
        if self.is_bool() {
            &["0", "1"]
        } else {
            self.values
        }
    }
}

impl Rules {
    /// Formats all fields as a JSON object, in alphabetical order. Komi is not included.
    pub fn fields_json(&self) -> String {
        let fields = fields_sorted_by_name().map(|field| {
            let value = field.value(self);
            let quote = if field.is_bool() { "" } else { "\"" };
            format!("\"{}\":{quote}{value}{quote}", field.name)
        });
        format!("{{{}}}", fields.join(","))
    }

    /// Formats the rules in KataGo's compact notation, such as `koSIMPLEscoreAREAtaxNONEsui0whbNfpok1`.
    pub fn to_katago_string(&self) -> String {
        let mut text = String::new();
        for field in &RULE_FIELDS {
            if field.is_always_written || field.value(self) != field.value(&TROMP_TAYLOR) {
                text += field.katago_key;
                text += field.katago_values()[(field.get)(self)];
            }
        }
        text
    }

    /// Parses the [compact notation](Self::to_katago_string). Missing fields have the same defaults as in
    /// [`from_fields`](Self::from_fields). Returns `None` if the text is empty or malformed.
    pub(super) fn from_katago_string(text: &str) -> Option<Self> {
        let mut fields: Vec<(&str, String)> = Vec::new();
        let mut remaining = text;
        while !remaining.is_empty() {
            let (field, tail) = (RULE_FIELDS.iter())
                .find_map(|field| Some((field, remaining.strip_prefix(field.katago_key)?)))?;
            // Prefers "N-1" to its prefix "N".
            let (index, value) = (field.katago_values().iter().enumerate())
                .filter(|(_, value)| tail.starts_with(**value))
                .max_by_key(|(_, value)| value.len())?;
            fields.push((field.name, field.values[index].to_owned()));
            remaining = &tail[value.len()..];
        }
        let rules = Self::from_fields(&fields).ok()?;
        (!fields.is_empty()).then_some(rules)
    }

    /// Creates rules from the names and values of fields, with the [default komi](Self::default_komi) of these rules.
    /// Missing fields take their values from the Tromp-Taylor rules, except that the default tax depends on the scoring
    /// method.
    ///
    /// # Errors
    /// Returns an error if a field or value is unknown.
    pub fn from_fields(fields: &[(&str, String)]) -> Result<Self, RuleFieldError> {
        let mut rules = TROMP_TAYLOR;
        for (name, value) in fields {
            rules.set_field(name, value)?;
        }
        if !fields
            .iter()
            .any(|(name, _)| matches_field_name("tax", name))
        {
            rules.tax = match rules.scoring {
                Scoring::Area => Tax::None,
                Scoring::Territory => Tax::Seki,
            };
        }
        Ok(rules.with_komi(rules.default_komi()))
    }

    /// Sets the field `name` to the value given as text. Case is ignored in both.
    ///
    /// # Errors
    /// Returns an error, leaving the rules unchanged, if the field or value is unknown.
    pub fn set_field(&mut self, name: &str, value: &str) -> Result<(), RuleFieldError> {
        let field = RULE_FIELDS
            .iter()
            .find(|field| matches_field_name(field.name, name))
            .ok_or_else(|| RuleFieldError::UnknownField {
                found: error_text::excerpt(name),
            })?;
        let index = field
            .values
            .iter()
            .position(|candidate| candidate.eq_ignore_ascii_case(value))
            .ok_or_else(|| RuleFieldError::InvalidValue {
                name: field.name,
                found: error_text::excerpt(value),
            })?;
        (field.set)(self, index);
        Ok(())
    }
}

/// Returns true if `name` denotes the field `field_name`, ignoring case. The field `scoring` is also called `score`.
fn matches_field_name(field_name: &str, name: &str) -> bool {
    field_name.eq_ignore_ascii_case(name)
        || field_name == "scoring" && name.eq_ignore_ascii_case("score")
}

fn field_names() -> [&'static str; 7] {
    fields_sorted_by_name().map(|field| field.name)
}

fn field_values(name: &str) -> String {
    RULE_FIELDS
        .iter()
        .filter(|field| field.name == name)
        .map(|field| field.values.join(", "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip_named_rules() {
        for name in Rules::names() {
            let rules = Rules::parse(name).unwrap();
            let mut other = Rules::parse("tromp-taylor").unwrap().with_komi(rules.komi);
            for field in &RULE_FIELDS {
                other
                    .set_field(field.name, &field.value(&rules).to_ascii_lowercase())
                    .unwrap();
            }
            assert_eq!(other, rules, "{name}");
        }
    }

    #[test]
    fn katago_string_round_trips() {
        for name in Rules::names() {
            let rules = Rules::parse(name).unwrap();
            let parsed = Rules::parse(&rules.to_katago_string()).unwrap();
            assert_eq!(parsed.with_komi(rules.komi), rules, "{name}");
        }
        let katago_string = |name: &str| Rules::parse(name).unwrap().to_katago_string();
        assert_eq!(
            katago_string("tromp-taylor"),
            "koPOSITIONALscoreAREAtaxNONEsui1"
        );
        assert_eq!(
            katago_string("aga-button"),
            "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1"
        );
        let territory = Rules::parse("koPOSITIONALscoreTERRITORYtaxSEKIsui0").unwrap();
        assert_eq!(
            (territory.scoring, territory.komi.points()),
            (Scoring::Territory, 6.5)
        );
        for wrong in [
            "ko",
            "koSIMPLE score",
            "koSIMPLEx",
            "sui2",
            "whbM",
            "SIMPLE",
        ] {
            assert_eq!(Rules::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn field_values_of_aga_rules() {
        let rules = Rules::parse("aga").unwrap();
        assert_eq!(
            fields_sorted_by_name().map(|field| field.value(&rules)),
            [
                "true",
                "false",
                "SITUATIONAL",
                "AREA",
                "false",
                "NONE",
                "N-1"
            ]
        );
    }

    #[test]
    fn errors_list_valid_values() {
        let mut rules = Rules::default();
        assert_eq!(
            rules.set_field("koo", "SIMPLE").unwrap_err().to_string(),
            "unknown rule \"koo\"; did you mean ko? (known: friendlyPassOk, hasButton, ko, scoring, suicide, tax, whiteHandicapBonus)"
        );
        assert_eq!(
            rules.set_field("ko", "yes").unwrap_err().to_string(),
            "ko must be one of SIMPLE, POSITIONAL, SITUATIONAL, not \"yes\""
        );
        assert_eq!(rules, Rules::default());
    }
}
