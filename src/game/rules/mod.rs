//! Rules as independent fields, and named rule sets.
//!
//! The default rule set is `chinese-ogs`: area scoring with positional superko and a komi of 7.5. The named rule sets
//! treat repetition as follows. A pass never breaks the ko rule.
//!
//! - **Positional superko** (`chinese-ogs`, `chinese-kgs`, `tromp-taylor`, `ing`, `cgos`): no move may repeat an earlier
//!   board.
//! - **Situational superko** (`aga`, `bga`, `aga-button`, `new-zealand`): no move may repeat an earlier board with the
//!   same side to move.
//! - **Simple ko** (`chinese`, `japanese`, `korean`, `stone-scoring`, `ancient-territory`): a ko may not be retaken
//!   immediately. If a move creates a board with the same side to move for the third time since the last pass, the game
//!   ends without a result.
//!
//! Earlier boards are recognised by their 64-bit Zobrist hashes, so a repetition is never overlooked. A legal move is
//! mistaken for a repetition if two different boards have the same hash. In a game of `n` moves on a board of `p`
//! points, at most `p * n` moves are compared with up to `n` boards each, which gives a probability of at most
//! `p * n^2 / 2^65`. This is less than 10^-11 for 1,000 moves on a 19x19 board.

mod text;

use std::fmt;
use std::str::FromStr;

pub use text::RuleFieldError;

use crate::io::error_text;

/// Ko rule, which defines the forbidden repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Forbids only retaking a basic ko immediately. Longer cycles may end the game without a result (see
    /// [`Position::has_no_result`](super::position::Position::has_no_result)).
    Simple,
    /// Forbids repeating any earlier board (positional superko).
    Positional,
    /// Forbids repeating any earlier board with the same side to move (situational superko).
    Situational,
}

impl KoRule {
    /// Description of the rule for users.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Simple => {
                "simple ko: a ko may not be retaken immediately; the third occurrence of a position since the last pass \
                 ends the game without a result"
            }
            Self::Positional => "positional superko: no move may repeat an earlier position",
            Self::Situational => {
                "situational superko: no move may repeat an earlier position with the same side to move"
            }
        }
    }
}

/// Scoring method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Counts living stones and surrounded empty points.
    Area,
    /// Counts surrounded empty points and prisoners.
    Territory,
}

/// Tax rule, which defines the surrounded points that do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tax {
    /// All points count.
    None,
    /// Eyes in seki do not count.
    Seki,
    /// Eyes in seki do not count, and every other group loses two of its points (group tax).
    All,
}

/// Points that White receives for Black's handicap stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    None,
    /// One point per stone except the first.
    LessOne,
    /// One point per stone.
    Each,
}

/// White's komi in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Komi {
    half_points: i16,
}

/// Maximum absolute komi in points. It exceeds the area of the largest board.
const MAX_KOMI: f64 = 400.0;

impl Komi {
    /// Description of the valid values, for use in error messages.
    pub const VALID_VALUES: &str = "a multiple of 0.5 from -400 to 400";

    /// Creates a komi from half points.
    pub const fn from_half_points(half_points: i16) -> Self {
        Self { half_points }
    }

    /// Creates a komi from points. Returns `None` if the value is not [valid](Self::VALID_VALUES).
    pub fn from_points(points: f64) -> Option<Self> {
        let half_points = points * 2.0;
        // NaN and infinities fail the first comparison.
        if points.abs() <= MAX_KOMI && half_points.fract() == 0.0 {
            return Some(Self {
                half_points: half_points as i16,
            });
        }
        None
    }

    /// Creates a komi from a number of stones, as Chinese files state it: 3.75 stones are 7.5 points. Returns `None` for
    /// numbers outside the usual range of 2.75 to 3.75 stones.
    pub fn from_stones(stones: f64) -> Option<Self> {
        let is_usual = (2.75..=3.75).contains(&stones);
        Self::from_points(2.0 * stones).filter(|_| is_usual)
    }

    /// Returns the komi in half points.
    pub const fn half_points(self) -> i16 {
        self.half_points
    }

    /// Returns the komi in points.
    pub fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}

/// Formats the komi in points with at most one decimal place: `7.5`, `0`, `-3`.
impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.points())
    }
}

/// Rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    pub ko: KoRule,
    /// Whether multi-stone suicide is legal.
    pub suicide: bool,
    pub scoring: Scoring,
    pub tax: Tax,
    /// Whether the first player to pass takes a button worth half a point. That pass does not count towards the end of
    /// the game.
    pub button: bool,
    pub handicap_bonus: HandicapBonus,
    /// Whether the players agree on dead stones after passing, so that capturing them first is unnecessary.
    pub friendly_pass: bool,
    pub komi: Komi,
}

const AREA_BASE: Rules = Rules {
    ko: KoRule::Positional,
    suicide: false,
    scoring: Scoring::Area,
    tax: Tax::None,
    button: false,
    handicap_bonus: HandicapBonus::None,
    friendly_pass: true,
    komi: Komi::from_half_points(15),
};

const TROMP_TAYLOR: Rules = Rules {
    suicide: true,
    friendly_pass: false,
    ..AREA_BASE
};
const CHINESE: Rules = Rules {
    ko: KoRule::Simple,
    handicap_bonus: HandicapBonus::Each,
    ..AREA_BASE
};
const CHINESE_SUPERKO: Rules = Rules {
    handicap_bonus: HandicapBonus::Each,
    ..AREA_BASE
};
const JAPANESE: Rules = Rules {
    ko: KoRule::Simple,
    scoring: Scoring::Territory,
    tax: Tax::Seki,
    friendly_pass: false,
    komi: Komi::from_half_points(13),
    ..AREA_BASE
};
const STONE_SCORING: Rules = Rules {
    ko: KoRule::Simple,
    tax: Tax::All,
    ..AREA_BASE
};
const ANCIENT_TERRITORY: Rules = Rules {
    tax: Tax::All,
    ..JAPANESE
};
const AGA: Rules = Rules {
    ko: KoRule::Situational,
    handicap_bonus: HandicapBonus::LessOne,
    ..AREA_BASE
};
const NEW_ZEALAND: Rules = Rules {
    ko: KoRule::Situational,
    suicide: true,
    komi: Komi::from_half_points(14),
    ..AREA_BASE
};
const AGA_BUTTON: Rules = Rules {
    button: true,
    komi: Komi::from_half_points(14),
    ..AGA
};
const ING: Rules = Rules {
    suicide: true,
    ..AREA_BASE
};
/// Rules of the Computer Go Server, which counts all remaining stones as alive.
const CGOS: Rules = Rules {
    friendly_pass: false,
    ..AREA_BASE
};

/// Named rule sets. Several names may refer to the same rules.
const NAMED_RULES: [(&str, Rules); 14] = [
    ("tromp-taylor", TROMP_TAYLOR),
    ("chinese", CHINESE),
    ("chinese-ogs", CHINESE_SUPERKO),
    ("chinese-kgs", CHINESE_SUPERKO),
    ("japanese", JAPANESE),
    ("korean", JAPANESE),
    ("stone-scoring", STONE_SCORING),
    ("ancient-territory", ANCIENT_TERRITORY),
    ("aga", AGA),
    ("bga", AGA),
    ("new-zealand", NEW_ZEALAND),
    ("aga-button", AGA_BUTTON),
    ("ing", ING),
    ("cgos", CGOS),
];

/// Pairs of an alternative name, as used by other programs and in files, and the rule set that it denotes. The
/// alternative names contain no separators.
const ALIASES: [(&str, &str); 4] = [
    ("ancientarea", "stone-scoring"),
    ("french", "aga"),
    ("goe", "ing"),
    ("nz", "new-zealand"),
];

/// Error for a name that is not a known rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown rules {} (known: {})",
    error_text::quote_with_suggestion(.0, Rules::names()),
    Rules::name_list()
)]
pub struct UnknownRulesError(String);

impl FromStr for Rules {
    type Err = UnknownRulesError;

    fn from_str(name: &str) -> Result<Self, UnknownRulesError> {
        Self::parse(name).ok_or_else(|| UnknownRulesError(name.to_owned()))
    }
}

impl Rules {
    /// Looks up a rule set by name, ignoring case, spaces, hyphens and underscores. Also accepts KataGo's [compact
    /// notation](Self::to_katago_string). The result has the usual komi of the named rule set or, for the compact
    /// notation, the [default komi](Self::default_komi). Returns `None` if the name is unknown.
    pub fn parse(name: &str) -> Option<Self> {
        let normalize = |name: &str| name.to_ascii_lowercase().replace([' ', '_', '-'], "");
        let normalized = normalize(name);
        let alias = ALIASES
            .iter()
            .find(|(candidate, _)| *candidate == normalized);
        let canonical = alias.map_or(normalized, |(_, name)| normalize(name));
        let entry = NAMED_RULES
            .iter()
            .find(|(candidate, _)| normalize(candidate) == canonical);
        entry.map_or_else(
            || Self::from_katago_string(name.trim()),
            |(_, rules)| Some(*rules),
        )
    }

    /// Returns the default komi for rules with these fields: that of the rule set with this [name](Self::name).
    /// Without a name, it is 6.5 for territory scoring, 7 for area scoring with a button, and 7.5 for other area scoring.
    pub fn default_komi(&self) -> Komi {
        self.named_set().map_or_else(
            || {
                Komi::from_half_points(match (self.scoring, self.button) {
                    (Scoring::Territory, _) => 13,
                    (Scoring::Area, true) => 14,
                    (Scoring::Area, false) => 15,
                })
            },
            |(_, rules)| rules.komi,
        )
    }

    /// Iterates over the names of all rule sets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED_RULES.iter().map(|(name, _)| *name)
    }

    /// Returns the names of all rule sets, separated by commas, for use in messages.
    pub fn name_list() -> String {
        Self::names().collect::<Vec<_>>().join(", ")
    }

    /// Returns the name of the first rule set that equals these rules except for komi, if any.
    pub fn name(&self) -> Option<&'static str> {
        self.named_set().map(|(name, _)| name)
    }

    /// Returns the first named rule set that equals these rules except for komi.
    fn named_set(&self) -> Option<(&'static str, Self)> {
        let matches = |rules: &Self| rules.with_komi(self.komi) == *self;
        NAMED_RULES.into_iter().find(|(_, rules)| matches(rules))
    }

    /// Returns the [name](Self::name) of these rules if there is one, and the [compact
    /// notation](Self::to_katago_string) otherwise. [`parse`](Self::parse) accepts both.
    pub fn name_or_katago_string(&self) -> String {
        self.name()
            .map_or_else(|| self.to_katago_string(), str::to_owned)
    }

    /// Returns these rules with another komi.
    #[must_use]
    pub const fn with_komi(self, komi: Komi) -> Self {
        Self { komi, ..self }
    }

    /// Returns true if dead stones are removed before counting, so that players need not capture them first.
    pub fn removes_dead_stones(&self) -> bool {
        self.friendly_pass || self.scoring == Scoring::Territory
    }

    /// Returns White's bonus points for the given number of handicap stones. There is no bonus for fewer than two
    /// stones.
    pub fn handicap_bonus_points(&self, handicap_stones: usize) -> i32 {
        let stones = i32::try_from(handicap_stones).unwrap_or(i32::MAX);
        match self.handicap_bonus {
            HandicapBonus::Each if stones >= 2 => stones,
            HandicapBonus::LessOne if stones >= 2 => stones - 1,
            _ => 0,
        }
    }
}

/// Chinese rules with positional superko and a komi of 7.5.
impl Default for Rules {
    fn default() -> Self {
        CHINESE_SUPERKO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_must_be_multiple_of_half() {
        assert_eq!(Komi::from_points(6.5).map(Komi::half_points), Some(13));
        assert_eq!(Komi::from_points(-3.0).map(Komi::half_points), Some(-6));
        for points in [f64::NAN, f64::INFINITY, 0.3, 6.25, 400.5, -1e300] {
            assert_eq!(Komi::from_points(points), None, "{points}");
        }
        assert_eq!(Komi::from_half_points(15).to_string(), "7.5");
        assert_eq!(Komi::from_half_points(0).to_string(), "0");
        assert_eq!(Komi::from_stones(3.75).map(Komi::half_points), Some(15));
        for stones in [2.5, 3.6, 4.0, f64::NAN] {
            assert_eq!(Komi::from_stones(stones), None, "{stones}");
        }
    }

    #[test]
    fn names_ignore_case_and_separators() {
        assert_eq!(Rules::parse("Tromp Taylor"), Some(TROMP_TAYLOR));
        assert_eq!(Rules::parse("new_zealand"), Some(NEW_ZEALAND));
        assert_eq!(Rules::parse("TrompTaylor"), Some(TROMP_TAYLOR));
        assert_eq!(Rules::parse("NZ"), Some(NEW_ZEALAND));
        assert_eq!(Rules::parse("GOE"), Some(ING));
        assert_eq!(Rules::parse("ancient-area"), Some(STONE_SCORING));
        assert_eq!(Rules::parse("nonesuch"), None);
        assert_eq!(Rules::parse(""), None);
    }

    #[test]
    fn default_komi_is_that_of_the_named_rules() {
        for name in Rules::names() {
            let rules = Rules::parse(name).unwrap();
            let other = rules.with_komi(Komi::from_half_points(1));
            assert_eq!(other.default_komi(), rules.komi, "{name}");
        }
        let unnamed = Rules {
            suicide: true,
            ..JAPANESE
        };
        assert_eq!(unnamed.default_komi().half_points(), 13);
    }

    #[test]
    fn handicap_bonus_starts_at_two_stones() {
        assert_eq!(CHINESE.handicap_bonus_points(1), 0);
        assert_eq!(CHINESE.handicap_bonus_points(4), 4);
        assert_eq!(AGA.handicap_bonus_points(4), 3);
        assert_eq!(JAPANESE.handicap_bonus_points(4), 0);
    }
}
