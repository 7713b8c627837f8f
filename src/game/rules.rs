//! Rules as independent axes, and the named sets of them.

use crate::io::error_text;
use std::fmt;
use std::str::FromStr;

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only taking straight back in a basic ko.
    Simple,
    /// Any earlier whole-board position.
    Positional,
    /// Any earlier whole-board position with the same side to move.
    Situational,
}

/// What counts at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Living stones and the empty points they surround.
    Area,
    /// Surrounded empty points and prisoners.
    Territory,
}

/// Which surrounded points are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tax {
    /// All count.
    None,
    /// Eyes in seki do not.
    Seki,
    /// Two for every living group do not, nor eyes in seki.
    All,
}

/// Points that White gets for Black's handicap stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// None.
    None,
    /// One for each stone but the first.
    LessOne,
    /// One for each stone.
    Each,
}

/// Komi in half points, White's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Komi {
    half_points: i16,
}

/// The largest komi either way, in points: more than the largest board can score.
const MAX_KOMI: f64 = 400.0;

impl Komi {
    /// What a komi may be, for errors.
    pub const EXPECTED: &str = "a multiple of 0.5 from -400 to 400";

    /// Komi of that many half points.
    #[must_use]
    pub const fn from_half_points(half_points: i16) -> Self {
        Self { half_points }
    }

    /// Komi of that many points; `None` unless they are [what may be](Self::EXPECTED).
    #[must_use]
    pub fn from_points(points: f64) -> Option<Self> {
        let half_points = points * 2.0;
        // NaN and infinities fail both comparisons.
        if points.abs() <= MAX_KOMI && half_points.fract() == 0.0 {
            return Some(Self {
                half_points: half_points as i16,
            });
        }
        None
    }

    /// In half points.
    #[must_use]
    pub const fn half_points(self) -> i16 {
        self.half_points
    }

    /// In points.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}

/// Points with at most one decimal: `7.5`, `0`, `-3`.
impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.points())
    }
}

/// The rules of a game; every axis can be set alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Forbidden repetitions.
    pub ko: KoRule,
    /// Whether a move may remove its own chain.
    pub suicide: bool,
    /// What counts.
    pub scoring: Scoring,
    /// What does not.
    pub tax: Tax,
    /// Whether the first pass earns half a point (and does not count towards the end).
    pub button: bool,
    /// White's points for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Whether players settle dead stones between them, so that passing before they are captured costs nothing.
    pub friendly_pass: bool,
    /// White's komi.
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

pub(super) const TROMP_TAYLOR: Rules = Rules {
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
/// The Computer Go Server counts every stone left on the board as alive.
const CGOS: Rules = Rules {
    friendly_pass: false,
    ..AREA_BASE
};

/// The named sets. Two names may stand for the same rules.
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

/// What programs and files call some of them, too.
const ALIASES: [(&str, &str); 4] = [
    ("ancientarea", "stone-scoring"),
    ("french", "aga"),
    ("goe", "ing"),
    ("nz", "new-zealand"),
];

/// No set of rules has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, {}", Rules::name_list(), error_text::found_with_suggestion(.0, Rules::names()))]
pub struct UnknownRulesError(String);

impl FromStr for Rules {
    type Err = UnknownRulesError;

    fn from_str(name: &str) -> Result<Self, UnknownRulesError> {
        Self::named(name).ok_or_else(|| UnknownRulesError(name.to_owned()))
    }
}

impl Rules {
    /// The named set, read without regard to case, spaces, hyphens and underscores, or a set [in short](Self::short); its
    /// usual komi comes with it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
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

    /// The komi that usually goes with the scoring.
    #[must_use]
    pub const fn default_komi(&self) -> Komi {
        Komi::from_half_points(match (self.scoring, self.button) {
            (Scoring::Territory, _) => 13,
            (Scoring::Area, true) => 14,
            (Scoring::Area, false) => 15,
        })
    }

    /// The names that [`entry`](Self::entry) knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED_RULES.iter().map(|(name, _)| *name)
    }

    /// The names in one line, as errors tell them.
    #[must_use]
    pub fn name_list() -> String {
        Self::names().collect::<Vec<_>>().join(", ")
    }

    /// The first name of a set with these axes, whatever the komi.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let matches = |rules: &Self| rules.with_komi(self.komi) == *self;
        let entry = NAMED_RULES.iter().find(|(_, rules)| matches(rules));
        entry.map(|(name, _)| *name)
    }

    /// The first name of a set with these axes, or else the axes [in short](Self::short): what [`entry`](Self::entry)
    /// reads.
    #[must_use]
    pub fn name_or_katago_string(&self) -> String {
        self.name()
            .map_or_else(|| self.to_katago_string(), str::to_owned)
    }

    /// The same rules with another komi.
    #[must_use]
    pub const fn with_komi(self, komi: Komi) -> Self {
        Self { komi, ..self }
    }

    /// Whether dead stones come off at the end without being captured.
    #[must_use]
    pub fn removes_dead_stones(&self) -> bool {
        self.friendly_pass || self.scoring == Scoring::Territory
    }

    /// White's points for that many handicap stones.
    #[must_use]
    pub fn bonus_points(&self, handicap_stones: usize) -> i32 {
        let stones = i32::try_from(handicap_stones).unwrap_or(i32::MAX);
        match self.handicap_bonus {
            HandicapBonus::Each if stones >= 2 => stones,
            HandicapBonus::LessOne if stones >= 2 => stones - 1,
            _ => 0,
        }
    }
}

/// Chinese rules with a komi of 7.5.
impl Default for Rules {
    fn default() -> Self {
        CHINESE
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
    }

    #[test]
    fn names_ignore_case_and_separators() {
        assert_eq!(Rules::named("Tromp Taylor"), Some(TROMP_TAYLOR));
        assert_eq!(Rules::named("new_zealand"), Some(NEW_ZEALAND));
        assert_eq!(Rules::named("TrompTaylor"), Some(TROMP_TAYLOR));
        assert_eq!(Rules::named("NZ"), Some(NEW_ZEALAND));
        assert_eq!(Rules::named("GOE"), Some(ING));
        assert_eq!(Rules::named("ancient-area"), Some(STONE_SCORING));
        assert_eq!(Rules::named("nonesuch"), None);
        assert_eq!(Rules::named(""), None);
    }

    #[test]
    fn handicap_bonus_starts_at_two_stones() {
        assert_eq!(CHINESE.bonus_points(1), 0);
        assert_eq!(CHINESE.bonus_points(4), 4);
        assert_eq!(AGA.bonus_points(4), 3);
        assert_eq!(JAPANESE.bonus_points(4), 0);
    }
}
