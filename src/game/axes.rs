//! Rules as text: every axis by the name and the words that clients use for it.
//!
//! One table serves printing, reading and setting a single axis, so that all protocols agree. Komi is no axis: clients
//! set it by itself.

use crate::names;

use super::rules::{HandicapBonus, KoRule, Rules, Scoring, TROMP_TAYLOR, Tax};

/// One axis of the rules.
pub struct Axis {
    /// The name that clients use.
    pub name: &'static str,
    /// Its values as text; case does not matter.
    pub values: &'static [&'static str],
    /// Whether the values are truth values rather than words.
    pub is_flag: bool,
    get: fn(&Rules) -> usize,
    set: fn(&mut Rules, usize),
}

/// Why an axis was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxisError {
    /// There is no axis of that name.
    #[error("expected one of {}, {}", listed(), names::found(found, AXES.iter().map(|axis| axis.name)))]
    Name {
        /// What was given.
        found: String,
    },
    /// The axis does not have that value.
    #[error("expected {} for {name}, found {found:?}", values(name))]
    Value {
        /// The axis.
        name: &'static str,
        /// What was given.
        found: String,
    },
}

const FLAG: &[&str] = &["false", "true"];
const KO: [KoRule; 3] = [KoRule::Simple, KoRule::Positional, KoRule::Situational];
const SCORING: [Scoring; 2] = [Scoring::Area, Scoring::Territory];
const TAX: [Tax; 3] = [Tax::None, Tax::Seki, Tax::All];
const BONUS: [HandicapBonus; 3] = [
    HandicapBonus::None,
    HandicapBonus::Each,
    HandicapBonus::LessOne,
];

/// All axes, in alphabetical order.
pub const AXES: [Axis; 7] = [
    flag(
        "friendlyPassOk",
        |r| usize::from(r.friendly_pass),
        |r, i| r.friendly_pass = i == 1,
    ),
    flag(
        "hasButton",
        |r| usize::from(r.button),
        |r, i| r.button = i == 1,
    ),
    Axis {
        name: "ko",
        values: &["SIMPLE", "POSITIONAL", "SITUATIONAL"],
        is_flag: false,
        get: |r| place(&KO, r.ko),
        set: |r, i| r.ko = KO[i],
    },
    Axis {
        name: "scoring",
        values: &["AREA", "TERRITORY"],
        is_flag: false,
        get: |r| place(&SCORING, r.scoring),
        set: |r, i| r.scoring = SCORING[i],
    },
    flag(
        "suicide",
        |r| usize::from(r.suicide),
        |r, i| r.suicide = i == 1,
    ),
    Axis {
        name: "tax",
        values: &["NONE", "SEKI", "ALL"],
        is_flag: false,
        get: |r| place(&TAX, r.tax),
        set: |r, i| r.tax = TAX[i],
    },
    Axis {
        name: "whiteHandicapBonus",
        values: &["0", "N", "N-1"],
        is_flag: false,
        get: |r| place(&BONUS, r.handicap_bonus),
        set: |r, i| r.handicap_bonus = BONUS[i],
    },
];

/// The axes as they are written one after the other, and those that are left out where they are as under Tromp-Taylor
/// rules; KataGo writes rules without a name so.
const SHORT: [(&str, &str); 7] = [
    ("ko", "ko"),
    ("score", "scoring"),
    ("tax", "tax"),
    ("sui", "suicide"),
    ("button", "hasButton"),
    ("whb", "whiteHandicapBonus"),
    ("fpok", "friendlyPassOk"),
];
/// How many of them are always written.
const ALWAYS: usize = 4;

const fn flag(name: &'static str, get: fn(&Rules) -> usize, set: fn(&mut Rules, usize)) -> Axis {
    Axis {
        name,
        values: FLAG,
        is_flag: true,
        get,
        set,
    }
}

fn place<T: PartialEq>(all: &[T], value: T) -> usize {
    all.iter()
        .position(|one| *one == value)
        .expect("the lists above hold every value of their enumeration")
}

impl Axis {
    /// The value that the rules have on this axis.
    #[must_use]
    pub fn value(&self, rules: &Rules) -> &'static str {
        self.values[(self.get)(rules)]
    }

    const fn short_values(&self) -> &'static [&'static str] {
        if self.is_flag {
            &["0", "1"]
        } else {
            self.values
        }
    }
}

impl Rules {
    /// All axes as a JSON object.
    #[must_use]
    pub fn axes(&self) -> String {
        let axes = AXES.map(|axis| {
            let value = axis.value(self);
            let quote = if axis.is_flag { "" } else { "\"" };
            format!("\"{}\":{quote}{value}{quote}", axis.name)
        });
        format!("{{{}}}", axes.join(","))
    }

    /// All axes in short, as `koSIMPLEscoreAREAtaxNONEsui0whbNfpok1`.
    #[must_use]
    pub fn short(&self) -> String {
        let plain = TROMP_TAYLOR;
        let mut text = String::new();
        for (at, (short, name)) in SHORT.into_iter().enumerate() {
            let Some(axis) = AXES.iter().find(|axis| axis.name == name) else {
                continue;
            };
            if at < ALWAYS || axis.value(self) != axis.value(&plain) {
                text += short;
                text += axis.short_values()[(axis.get)(self)];
            }
        }
        text
    }

    /// Rules [in short](Self::short), with their usual komi; what is left out is as under Tromp-Taylor rules, but for the
    /// tax that goes with the scoring.
    pub(super) fn from_short(text: &str) -> Option<Self> {
        let mut axes: Vec<(&str, String)> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (name, after) = (SHORT.iter())
                .find_map(|(short, name)| Some((*name, rest.strip_prefix(short)?)))?;
            let axis = AXES.iter().find(|axis| axis.name == name)?;
            // Of "N" and "N-1" the longer one.
            let (index, value) = (axis.short_values().iter().enumerate())
                .filter(|(_, value)| after.starts_with(**value))
                .max_by_key(|(_, value)| value.len())?;
            axes.push((name, axis.values[index].to_owned()));
            rest = &after[value.len()..];
        }
        let rules = Self::from_axes(&axes).ok()?;
        (!axes.is_empty()).then_some(rules)
    }

    /// The rules of these axes, names and values given as text, with their usual komi; what is left out is as under
    /// Tromp-Taylor rules, but for the tax that goes with the scoring.
    ///
    /// # Errors
    /// When there is no such axis or value.
    pub fn from_axes(axes: &[(&str, String)]) -> Result<Self, AxisError> {
        let mut rules = TROMP_TAYLOR;
        for (name, value) in axes {
            rules.set_axis(name, value)?;
        }
        if !axes.iter().any(|(name, _)| is_named("tax", name)) {
            rules.tax = match rules.scoring {
                Scoring::Area => Tax::None,
                Scoring::Territory => Tax::Seki,
            };
        }
        Ok(rules.with_komi(rules.usual_komi()))
    }

    /// Sets one axis, both given as text.
    ///
    /// # Errors
    /// When there is no such axis or value; nothing has changed then.
    pub fn set_axis(&mut self, name: &str, value: &str) -> Result<(), AxisError> {
        let axis = AXES
            .iter()
            .find(|axis| is_named(axis.name, name))
            .ok_or_else(|| AxisError::Name {
                found: names::shortened(name),
            })?;
        let index = axis
            .values
            .iter()
            .position(|known| known.eq_ignore_ascii_case(value))
            .ok_or_else(|| AxisError::Value {
                name: axis.name,
                found: names::shortened(value),
            })?;
        (axis.set)(self, index);
        Ok(())
    }
}

/// Whether an axis may be called so: without regard to case, and the scoring by its short name.
fn is_named(axis: &str, name: &str) -> bool {
    axis.eq_ignore_ascii_case(name) || axis == "scoring" && name.eq_ignore_ascii_case("score")
}

fn listed() -> String {
    AXES.map(|axis| axis.name).join(", ")
}

fn values(name: &str) -> String {
    AXES.iter()
        .filter(|axis| axis.name == name)
        .map(|axis| axis.values.join(" or "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_carry_every_named_set_over() {
        for name in Rules::names() {
            let rules = Rules::named(name).unwrap();
            let mut other = Rules::named("tromp-taylor").unwrap().with_komi(rules.komi);
            for axis in &AXES {
                other
                    .set_axis(axis.name, &axis.value(&rules).to_ascii_lowercase())
                    .unwrap();
            }
            assert_eq!(other, rules, "{name}");
        }
    }

    #[test]
    fn rules_in_short_are_read_as_written() {
        for name in Rules::names() {
            let rules = Rules::named(name).unwrap();
            let read = Rules::named(&rules.short()).unwrap();
            assert_eq!(read.with_komi(rules.komi), rules, "{name}");
        }
        let short = |name: &str| Rules::named(name).unwrap().short();
        assert_eq!(short("tromp-taylor"), "koPOSITIONALscoreAREAtaxNONEsui1");
        assert_eq!(
            short("aga-button"),
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
    fn axes_print_the_usual_words() {
        let rules = Rules::named("aga").unwrap();
        let text: Vec<_> = AXES.iter().map(|axis| axis.value(&rules)).collect();
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
    fn errors_list_what_was_expected() {
        let mut rules = Rules::default();
        assert_eq!(
            rules.set_axis("koo", "SIMPLE").unwrap_err().to_string(),
            "expected one of friendlyPassOk, hasButton, ko, scoring, suicide, tax, whiteHandicapBonus, found \"koo\"; did you mean ko?"
        );
        assert_eq!(
            rules.set_axis("ko", "yes").unwrap_err().to_string(),
            "expected SIMPLE or POSITIONAL or SITUATIONAL for ko, found \"yes\""
        );
        assert_eq!(rules, Rules::default());
    }
}
