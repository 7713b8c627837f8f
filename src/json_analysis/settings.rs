//! Settings of queries: limits, perspective and search parameters.
//!
//! Settings have the names of KataGo's configuration. Search parameters are also accepted under this engine's names.

use std::time::Duration;

use crate::game::color::Color;
use crate::io::error_text;
use crate::search::params::SearchParams;

/// Default visit limit per position. Applies if neither a visit limit nor a time limit is specified.
pub const DEFAULT_VISITS: u64 = 500;
/// Smallest value of `maxTime`, in seconds, that means no limit.
const UNLIMITED_SECONDS: f64 = 1e9;
/// KataGo's setting for the players that a network imitates. A client that sets it depends on its effect, so it is an
/// error, as in KataGo with a network that does not imitate players.
const HUMAN_PROFILE: &str = "humanSLProfile";

/// Perspective of reported values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perspective {
    #[default]
    SideToMove,
    Black,
    White,
}

impl Perspective {
    /// Parses `SIDETOMOVE`, `SIDE`, `BLACK`, `B`, `WHITE` or `W`, ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "SIDETOMOVE" | "SIDE" => Some(Self::SideToMove),
            "BLACK" | "B" => Some(Self::Black),
            "WHITE" | "W" => Some(Self::White),
            _ => None,
        }
    }

    /// Returns true if this is the perspective of the opponent of `to_move`. If so, values from the perspective of
    /// `to_move` have to be converted.
    pub fn flips(self, to_move: Color) -> bool {
        match self {
            Self::SideToMove => false,
            Self::Black => to_move == Color::White,
            Self::White => to_move == Color::Black,
        }
    }
}

/// Settings of a query. A session has default settings, which a query can override.
#[derive(Clone, Debug, PartialEq)]
pub struct QuerySettings {
    /// Maximum number of root visits. `None` means no limit.
    pub max_visits: Option<u64>,
    /// Maximum search time per position. `None` means no limit.
    pub max_time: Option<Duration>,
    /// Perspective of reported values.
    pub perspective: Perspective,
    /// Maximum length of a principal variation, not counting its first move.
    pub pv_len: usize,
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

/// Error returned when a setting cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuerySettingError {
    /// The engine has no setting of this name.
    #[error("unknown setting {}", error_text::quote_with_suggestion(.0, setting_names()))]
    Unknown(String),
    /// The setting selects the players that a network imitates.
    #[error(
        "{HUMAN_PROFILE} cannot be set by a query: start the engine with a network that imitates human players and \
         --profile"
    )]
    HumanProfile,
    /// The value is not valid for the setting.
    #[error("{name}: expected {expected}, found {found:?}")]
    Value {
        name: String,
        expected: String,
        found: String,
    },
}

/// Returns the names of all settings, for suggestions in error messages.
fn setting_names() -> impl Iterator<Item = &'static str> {
    let limits_and_output = [
        "maxVisits",
        "maxTime",
        "analysisPVLen",
        "reportAnalysisWinratesAs",
    ];
    let params = SearchParams::TABLE.iter().map(|info| info.name);
    limits_and_output.into_iter().chain(params)
}

impl QuerySettings {
    /// Sets the setting or search parameter `name` to a value given as text.
    ///
    /// # Errors
    /// Returns an error, leaving the settings unchanged, if the name is unknown or the value is invalid, or if a query
    /// cannot change the setting.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), QuerySettingError> {
        let invalid = |expected: &str| QuerySettingError::Value {
            name: name.to_owned(),
            expected: expected.to_owned(),
            found: value.to_owned(),
        };
        match name {
            "maxVisits" => {
                let visits = value.parse().ok().filter(|&visits: &u64| visits > 0);
                self.max_visits = Some(visits.ok_or_else(|| invalid("a positive integer"))?);
            }
            "maxTime" => {
                let seconds = value.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
                let seconds = seconds.ok_or_else(|| invalid("a positive number of seconds"))?;
                self.max_time =
                    (seconds < UNLIMITED_SECONDS).then(|| Duration::from_secs_f64(seconds));
            }
            "analysisPVLen" => {
                let length = value.parse();
                self.pv_len = length.map_err(|_| invalid("a non-negative integer"))?;
            }
            "reportAnalysisWinratesAs" => {
                let perspective = Perspective::parse(value);
                let error = || invalid("BLACK, WHITE or SIDETOMOVE");
                self.perspective = perspective.ok_or_else(error)?;
            }
            HUMAN_PROFILE if value.is_empty() => {}
            HUMAN_PROFILE => return Err(QuerySettingError::HumanProfile),
            _ => {
                let info = SearchParams::find_info(name);
                let info = info.ok_or_else(|| QuerySettingError::Unknown(name.to_owned()))?;
                // NaN is rejected below, because it is outside every range.
                let number = value.parse().unwrap_or(f32::NAN);
                let error = |_| invalid(&format!("a number from {} to {}", info.min, info.max));
                self.params.set(info.name, number).map_err(error)?;
            }
        }
        Ok(())
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
        let unknown = QuerySettingError::Unknown("homeDataDir".to_owned());
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
                matches!(error, QuerySettingError::Value { .. }),
                "{name}={value}"
            );
        }
        assert_eq!(settings, QuerySettings::default());
    }
}
