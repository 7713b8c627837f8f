//! What can be set for all queries or for one: limits, the side that numbers are told for, the search's parameters.
//!
//! Names are those of KataGo's configuration, which clients send; the parameters of this engine's own search are known
//! by their own names too.

use std::time::Duration;

use crate::game::color::Color;
use crate::search::params::SearchParams;

/// Visits of a query that names no limit.
pub const DEFAULT_VISITS: u64 = 500;
/// Seconds from which a time is no limit at all.
const UNLIMITED_SECONDS: f64 = 1e9;

/// The side that values are told for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perspective {
    /// The side to move.
    #[default]
    SideToMove,
    /// Black.
    Black,
    /// White.
    White,
}

impl Perspective {
    /// Reads `SIDETOMOVE`, `SIDE`, `BLACK`, `B`, `WHITE` or `W` in any case.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "SIDETOMOVE" | "SIDE" => Some(Self::SideToMove),
            "BLACK" | "B" => Some(Self::Black),
            "WHITE" | "W" => Some(Self::White),
            _ => None,
        }
    }

    /// Whether values for the side to move are to be turned round.
    pub fn flips(self, to_move: Color) -> bool {
        match self {
            Self::SideToMove => false,
            Self::Black => to_move == Color::White,
            Self::White => to_move == Color::Black,
        }
    }
}

/// Settings of a query, before its own fields.
#[derive(Clone, Debug, PartialEq)]
pub struct QuerySettings {
    /// Visits of the root.
    pub max_visits: Option<u64>,
    /// Time of a position.
    pub max_time: Option<Duration>,
    /// The side that values are told for.
    pub perspective: Perspective,
    /// Moves of a line of play after its first.
    pub pv_len: usize,
    /// The search's parameters.
    pub params: SearchParams,
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self {
            max_visits: Some(DEFAULT_VISITS),
            max_time: None,
            perspective: Perspective::SideToMove,
            pv_len: 15,
            params: SearchParams::default(),
        }
    }
}

/// Why a setting was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is none of that name here.
    #[error("{0} has no effect in this engine")]
    Unknown(String),
    /// The value is not one for it.
    #[error("{name}: expected {expected}, found {found:?}")]
    Value {
        /// The setting.
        name: String,
        /// What it takes.
        expected: String,
        /// What was given.
        found: String,
    },
}

struct Setting {
    name: &'static str,
    expected: &'static str,
    set: fn(&mut QuerySettings, &str) -> Option<()>,
}

const SETTINGS: [Setting; 4] = [
    Setting {
        name: "maxVisits",
        expected: "a whole number from 1",
        set: |settings, text| {
            settings.max_visits = Some(text.parse().ok().filter(|&visits| visits > 0)?);
            Some(())
        },
    },
    Setting {
        name: "maxTime",
        expected: "seconds above 0",
        set: |settings, text| {
            let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0)?;
            settings.max_time =
                (seconds < UNLIMITED_SECONDS).then(|| Duration::from_secs_f64(seconds));
            Some(())
        },
    },
    Setting {
        name: "analysisPVLen",
        expected: "a whole number from 0",
        set: |settings, text| {
            settings.pv_len = text.parse().ok()?;
            Some(())
        },
    },
    Setting {
        name: "reportAnalysisWinratesAs",
        expected: "BLACK, WHITE or SIDETOMOVE",
        set: |settings, text| {
            settings.perspective = Perspective::parse(text)?;
            Some(())
        },
    },
];

impl QuerySettings {
    /// Makes a setting, both given as text.
    ///
    /// # Errors
    /// When there is no such setting or value; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let invalid = |expected: String| SettingError::Value {
            name: name.to_owned(),
            expected,
            found: value.to_owned(),
        };
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) {
            return (setting.set)(self, value).ok_or_else(|| invalid(setting.expected.to_owned()));
        }
        let info = SearchParams::info(name);
        let info = info.ok_or_else(|| SettingError::Unknown(name.to_owned()))?;
        // What is no number is in no range either.
        let number = value.parse().unwrap_or(f32::NAN);
        self.params
            .set(info.name, number)
            .map_err(|_| invalid(format!("a number from {} to {}", info.min, info.max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_accept_kata_and_own_names() {
        let mut settings = QuerySettings::default();
        for (name, value) in [
            ("maxVisits", "7"),
            ("maxTime", "1e20"),
            ("reportAnalysisWinratesAs", "black"),
            ("wideRootNoise", "0.04"),
            ("cpuct", "2"),
        ] {
            assert_eq!(settings.set(name, value), Ok(()), "{name}");
        }
        assert_eq!((settings.max_visits, settings.max_time), (Some(7), None));
        assert_eq!(settings.perspective, Perspective::Black);
        let params = &settings.params;
        assert_eq!((params.wide_root_noise, params.cpuct), (0.04, 2.0));
    }

    #[test]
    fn invalid_settings_change_nothing() {
        let mut settings = QuerySettings::default();
        let unknown = SettingError::Unknown("homeDataDir".to_owned());
        assert_eq!(settings.set("homeDataDir", "."), Err(unknown));
        for (name, value) in [
            ("maxVisits", "0"),
            ("maxVisits", "many"),
            ("maxTime", "nan"),
            ("analysisPVLen", "-1"),
            ("reportAnalysisWinratesAs", "RED"),
            ("wideRootNoise", "-1"),
            ("cpuctExploration", "x"),
        ] {
            let error = settings.set(name, value).unwrap_err();
            assert!(
                matches!(error, SettingError::Value { .. }),
                "{name}={value}"
            );
        }
        assert_eq!(settings, QuerySettings::default());
    }
}
