//! Rules as text: every axis by the name and the words that clients use for it.
//!
//! One table serves printing, reading and setting a single axis, so that all protocols agree. Komi is no axis: clients
//! set it by itself.

use crate::io::error_text;

use super::rules::{HandicapBonus, KoRule, Rules, Scoring, TROMP_TAYLOR, Tax};

/// One axis of the rules.
pub struct RuleField {
    /// The name that clients use.
    pub name: &'static str,
    /// Its values as text; case does not matter.
    pub values: &'static [&'static str],
    /// Whether the values are truth values rather than words.
    pub is_bool: bool,
    get: fn(&Rules) -> usize,
    set: fn(&mut Rules, usize),
}

/// Why an axis was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFieldError {
    /// There is no axis of that name.
    #[error("expected one of {}, {}", field_names(), error_text::found_with_suggestion(found, RULE_FIELDS.iter().map(|axis| axis.name)))]
    UnknownField {
        /// What was given.
        found: String,
    },
    /// The axis does not have that value.
    #[error("expected {} for {name}, found {found:?}", field_values(name))]
    InvalidValue {
        /// The axis.
        name: &'static str,
        /// What was given.
        found: String,
    },
}

const BOOL_VALUES: &[&str] = &["false", "true"];
const KO_RULES: [KoRule; 3] = [KoRule::Simple, KoRule::Positional, KoRule::Situational];
const SCORINGS: [Scoring; 2] = [Scoring::Area, Scoring::Territory];
const TAXES: [Tax; 3] = [Tax::None, Tax::Seki, Tax::All];
const HANDICAP_BONUSES: [HandicapBonus; 3] = [
    HandicapBonus::None,
    HandicapBonus::Each,
    HandicapBonus::LessOne,
];

/// All axes, in alphabetical order.
pub const RULE_FIELDS: [RuleField; 7] = [
    bool_field(
        "friendlyPassOk",
        |r| usize::from(r.friendly_pass),
        |r, i| r.friendly_pass = i == 1,
    ),
    bool_field(
        "hasButton",
        |r| usize::from(r.button),
        |r, i| r.button = i == 1,
    ),
    RuleField {
        name: "ko",
        values: &["SIMPLE", "POSITIONAL", "SITUATIONAL"],
        is_bool: false,
        get: |r| index_of(&KO_RULES, r.ko),
        set: |r, i| r.ko = KO_RULES[i],
    },
    RuleField {
        name: "scoring",
        values: &["AREA", "TERRITORY"],
        is_bool: false,
        get: |r| index_of(&SCORINGS, r.scoring),
        set: |r, i| r.scoring = SCORINGS[i],
    },
    bool_field(
        "suicide",
        |r| usize::from(r.suicide),
        |r, i| r.suicide = i == 1,
    ),
    RuleField {
        name: "tax",
        values: &["NONE", "SEKI", "ALL"],
        is_bool: false,
        get: |r| index_of(&TAXES, r.tax),
        set: |r, i| r.tax = TAXES[i],
    },
    RuleField {
        name: "whiteHandicapBonus",
        values: &["0", "N", "N-1"],
        is_bool: false,
        get: |r| index_of(&HANDICAP_BONUSES, r.handicap_bonus),
        set: |r, i| r.handicap_bonus = HANDICAP_BONUSES[i],
    },
];

/// The axes as they are written one after the other, and those that are left out where they are as under Tromp-Taylor
/// rules; KataGo writes rules without a name so.
const KATAGO_KEYS: [(&str, &str); 7] = [
    ("ko", "ko"),
    ("score", "scoring"),
    ("tax", "tax"),
    ("sui", "suicide"),
    ("button", "hasButton"),
    ("whb", "whiteHandicapBonus"),
    ("fpok", "friendlyPassOk"),
];
/// How many of them are always written.
const NUM_ALWAYS_WRITTEN: usize = 4;

const fn bool_field(
    name: &'static str,
    get: fn(&Rules) -> usize,
    set: fn(&mut Rules, usize),
) -> RuleField {
    RuleField {
        name,
        values: BOOL_VALUES,
        is_bool: true,
        get,
        set,
    }
}

fn index_of<T: PartialEq>(values: &[T], value: T) -> usize {
    values
        .iter()
        .position(|candidate| *candidate == value)
        .expect("the lists above hold every value of their enumeration")
}

impl RuleField {
    /// The value that the rules have on this axis.
    #[must_use]
    pub fn value(&self, rules: &Rules) -> &'static str {
        self.values[(self.get)(rules)]
    }

    const fn katago_values(&self) -> &'static [&'static str] {
        if self.is_bool {
            &["0", "1"]
        } else {
            self.values
        }
    }
}

impl Rules {
    /// All axes as a JSON object.
    #[must_use]
    pub fn fields_json(&self) -> String {
        let fields = RULE_FIELDS.map(|field| {
            let value = field.value(self);
            let quote = if field.is_bool { "" } else { "\"" };
            format!("\"{}\":{quote}{value}{quote}", field.name)
        });
        format!("{{{}}}", fields.join(","))
    }

    /// All axes in short, as `koSIMPLEscoreAREAtaxNONEsui0whbNfpok1`.
    #[must_use]
    pub fn to_katago_string(&self) -> String {
        let default_rules = TROMP_TAYLOR;
        let mut text = String::new();
        for (index, (key, name)) in KATAGO_KEYS.into_iter().enumerate() {
            let Some(field) = RULE_FIELDS.iter().find(|field| field.name == name) else {
                continue;
            };
            if index < NUM_ALWAYS_WRITTEN || field.value(self) != field.value(&default_rules) {
                text += key;
                text += field.katago_values()[(field.get)(self)];
            }
        }
        text
    }

    /// Rules [in short](Self::to_katago_string), with their usual komi; what is left out is as under Tromp-Taylor rules, but for the
    /// tax that goes with the scoring.
    pub(super) fn from_katago_string(text: &str) -> Option<Self> {
        let mut fields: Vec<(&str, String)> = Vec::new();
        let mut remaining = text;
        while !remaining.is_empty() {
            let (name, tail) = (KATAGO_KEYS.iter())
                .find_map(|(key, name)| Some((*name, remaining.strip_prefix(key)?)))?;
            let field = RULE_FIELDS.iter().find(|field| field.name == name)?;
            // Of "N" and "N-1" the longer one.
            let (index, value) = (field.katago_values().iter().enumerate())
                .filter(|(_, value)| tail.starts_with(**value))
                .max_by_key(|(_, value)| value.len())?;
            fields.push((name, field.values[index].to_owned()));
            remaining = &tail[value.len()..];
        }
        let rules = Self::from_fields(&fields).ok()?;
        (!fields.is_empty()).then_some(rules)
    }

    /// The rules of these axes, names and values given as text, with their usual komi; what is left out is as under
    /// Tromp-Taylor rules, but for the tax that goes with the scoring.
    ///
    /// # Errors
    /// When there is no such axis or value.
    pub fn from_fields(fields: &[(&str, String)]) -> Result<Self, RuleFieldError> {
        let mut rules = TROMP_TAYLOR;
        for (name, value) in fields {
            rules.set_field(name, value)?;
        }
        if !fields.iter().any(|(name, _)| matches_name("tax", name)) {
            rules.tax = match rules.scoring {
                Scoring::Area => Tax::None,
                Scoring::Territory => Tax::Seki,
            };
        }
        Ok(rules.with_komi(rules.default_komi()))
    }

    /// Sets one axis, both given as text.
    ///
    /// # Errors
    /// When there is no such axis or value; nothing has changed then.
    pub fn set_field(&mut self, name: &str, value: &str) -> Result<(), RuleFieldError> {
        let field = RULE_FIELDS
            .iter()
            .find(|field| matches_name(field.name, name))
            .ok_or_else(|| RuleFieldError::UnknownField {
                found: error_text::truncated(name),
            })?;
        let index = field
            .values
            .iter()
            .position(|candidate| candidate.eq_ignore_ascii_case(value))
            .ok_or_else(|| RuleFieldError::InvalidValue {
                name: field.name,
                found: error_text::truncated(value),
            })?;
        (field.set)(self, index);
        Ok(())
    }
}

/// Whether an axis may be called so: without regard to case, and the scoring by its short name.
fn matches_name(field_name: &str, name: &str) -> bool {
    field_name.eq_ignore_ascii_case(name)
        || field_name == "scoring" && name.eq_ignore_ascii_case("score")
}

fn field_names() -> String {
    RULE_FIELDS.map(|field| field.name).join(", ")
}

fn field_values(name: &str) -> String {
    RULE_FIELDS
        .iter()
        .filter(|field| field.name == name)
        .map(|field| field.values.join(" or "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip_named_rules() {
        for name in Rules::names() {
            let rules = Rules::named(name).unwrap();
            let mut other = Rules::named("tromp-taylor").unwrap().with_komi(rules.komi);
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
            let rules = Rules::named(name).unwrap();
            let parsed = Rules::named(&rules.to_katago_string()).unwrap();
            assert_eq!(parsed.with_komi(rules.komi), rules, "{name}");
        }
        let katago_string = |name: &str| Rules::named(name).unwrap().to_katago_string();
        assert_eq!(
            katago_string("tromp-taylor"),
            "koPOSITIONALscoreAREAtaxNONEsui1"
        );
        assert_eq!(
            katago_string("aga-button"),
            "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1"
        );
        let territory = Rules::named("koPOSITIONALscoreTERRITORYtaxSEKIsui0").unwrap();
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
            assert_eq!(Rules::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn field_values_of_aga_rules() {
        let rules = Rules::named("aga").unwrap();
        let text: Vec<_> = RULE_FIELDS
            .iter()
            .map(|field| field.value(&rules))
            .collect();
        assert_eq!(
            text,
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
            "expected one of friendlyPassOk, hasButton, ko, scoring, suicide, tax, whiteHandicapBonus, found \"koo\"; did you mean ko?"
        );
        assert_eq!(
            rules.set_field("ko", "yes").unwrap_err().to_string(),
            "expected SIMPLE or POSITIONAL or SITUATIONAL for ko, found \"yes\""
        );
        assert_eq!(rules, Rules::default());
    }
}
