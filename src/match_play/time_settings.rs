//! Time settings of a match, and the GTP commands that transmit them to an engine.
//!
//! There are three commands for time settings. `time_settings` of the GTP standard supports absolute and Canadian time.
//! `kgs-time_settings` adds byo-yomi, and `kata-time_settings` adds Fischer time and fractions of seconds. For the
//! first two commands, times are rounded down to whole seconds, so that an engine never assumes more time than it has.

use std::fmt;

use super::gtp_engine::GtpEngineError;
use crate::clock::game_clock::{GameClock, TimeLeft};
use crate::clock::time_control::{Overtime, TimeControl};
use crate::game::color::Color;

/// Number of seconds by which an engine may exceed its time before the match treats it as hung.
pub const GRACE_SECONDS: f64 = 10.0;

/// Time settings of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchTime {
    /// No time settings are sent, so each engine uses its default.
    Unspecified,
    /// Time settings that specify no limit are sent.
    Unlimited,
    /// Time limit per move, in seconds. It is sent to the engines but not enforced by the match.
    PerMove(f64),
    /// Clocks enforced by the match. A player that exceeds its time loses.
    Clock(TimeControl),
}

impl MatchTime {
    /// Returns the clocks of both players at the start of a game, without an allowance for lag. The time is unlimited
    /// for all variants except [`Clock`](Self::Clock).
    pub fn clock(&self) -> GameClock {
        let settings = match *self {
            Self::Clock(settings) => settings,
            Self::Unspecified | Self::Unlimited | Self::PerMove(_) => TimeControl::UNLIMITED,
        };
        GameClock::new(settings, 0.0)
    }
}

/// GTP command that is used to send time settings to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeCommand {
    /// `kata-time_settings`: all time systems, with fractions of seconds.
    Kata,
    /// `kgs-time_settings`: no Fischer time, whole seconds.
    Kgs,
    /// `time_settings`: absolute and Canadian time, whole seconds.
    Standard,
}

impl fmt::Display for MatchTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unspecified => f.write_str("unsaid"),
            Self::Unlimited => f.write_str("unlimited"),
            Self::PerMove(seconds) => write!(f, "{seconds} s a move"),
            Self::Clock(settings) => write!(f, "clocks {settings}"),
        }
    }
}

/// Commands for time settings, in order of preference. Every engine is assumed to support the last command.
const TIME_COMMANDS: [(&str, TimeCommand); 3] = [
    ("kata-time_settings", TimeCommand::Kata),
    ("kgs-time_settings", TimeCommand::Kgs),
    ("time_settings", TimeCommand::Standard),
];

/// Tolerance for rounding down, as a fraction of the unit to which times are rounded. It compensates for rounding
/// errors in sums of times.
const ROUNDING_TOLERANCE: f64 = 1e-6;

impl TimeCommand {
    /// Returns the preferred time command for an engine that supports `commands`.
    pub fn from_commands(commands: &[String]) -> Self {
        TIME_COMMANDS
            .into_iter()
            .find(|(name, _)| commands.iter().any(|command| command == name))
            .map_or(Self::Standard, |(_, time_command)| time_command)
    }

    /// Returns the command that sends time settings.
    ///
    /// # Errors
    /// Returns [`GtpEngineError::UnsupportedCommand`] if the time command cannot express the settings.
    pub fn settings_command(self, settings: &TimeControl) -> Result<String, GtpEngineError> {
        let rounded = round_down_to_seconds(settings);
        let command = match self {
            Self::Kata => Some(format!("kata-time_settings {settings}")),
            Self::Kgs => rounded.map(|whole| format!("kgs-time_settings {whole}")),
            Self::Standard => rounded.as_ref().and_then(standard_command),
        };
        command.ok_or_else(|| GtpEngineError::UnsupportedCommand {
            required: match rounded {
                Some(_) => "`kata-time_settings` or `kgs-time_settings`",
                None => "`kata-time_settings`",
            },
            purpose: format!("the time control `{settings}`"),
        })
    }

    /// Returns the command for a limit of `seconds` per move. If the number of seconds is whole, all dialects use
    /// `time_settings`, because some engines list the other commands but ignore them.
    ///
    /// # Errors
    /// Returns [`GtpEngineError::UnsupportedCommand`] if the time command cannot express the limit.
    pub fn time_per_move_command(self, seconds: f64) -> Result<String, GtpEngineError> {
        if seconds.fract() == 0.0 {
            return Ok(format!("time_settings 0 {seconds} 1"));
        }
        let (period, stones) = (seconds, 1);
        self.settings_command(&TimeControl::with_overtime(
            0.0,
            Overtime::Canadian { period, stones },
        ))
    }

    /// Returns the `time_left` command for the remaining time of `color`, or `None` if there is no limit. If the
    /// remaining main time rounds down to zero, the command contains the overtime that follows the main time.
    pub fn time_left_command(self, clock: &GameClock, color: Color) -> Option<String> {
        let steps_per_second = if self == Self::Kata { 1000.0 } else { 1.0 };
        let round_down = |seconds: f64| {
            (seconds * steps_per_second + ROUNDING_TOLERANCE).floor() / steps_per_second
        };
        let mut remaining = clock.time_left(color)?;
        if remaining.is_in_main_time() && round_down(remaining.seconds) == 0.0 {
            remaining = TimeLeft::at_overtime_start(clock.time_control()).unwrap_or(remaining);
        }
        let (seconds, stones_or_periods) =
            (round_down(remaining.seconds), remaining.stones_or_periods);
        Some(format!("time_left {color} {seconds} {stones_or_periods}"))
    }
}

/// Rounds the settings down to whole seconds. Returns `None` for Fischer time, or if a time that must be positive (a
/// period, or main time without overtime) would be rounded to zero.
fn round_down_to_seconds(settings: &TimeControl) -> Option<TimeControl> {
    let positive_seconds = |seconds: f64| Some(seconds.floor()).filter(|&seconds| seconds > 0.0);
    let overtime = match settings.overtime {
        Overtime::None => Overtime::None,
        Overtime::Canadian { period, stones } => Overtime::Canadian {
            period: positive_seconds(period)?,
            stones,
        },
        Overtime::ByoYomi { period, periods } => Overtime::ByoYomi {
            period: positive_seconds(period)?,
            periods,
        },
        Overtime::Fischer { .. } => return None,
    };
    let main = match (settings.main, overtime) {
        (Some(main), Overtime::None) => Some(positive_seconds(main)?),
        (main, _) => main.map(f64::floor),
    };
    Some(TimeControl { main, overtime })
}

/// Returns the `time_settings` command for settings in whole seconds, or `None` if it cannot express them.
fn standard_command(settings: &TimeControl) -> Option<String> {
    match (settings.main, settings.overtime) {
        // According to the GTP standard, a non-zero period with zero stones means that there is no limit.
        (None, _) => Some("time_settings 0 1 0".to_owned()),
        (Some(main), Overtime::None) => Some(format!("time_settings {main} 0 0")),
        (Some(main), Overtime::Canadian { period, stones }) => {
            Some(format!("time_settings {main} {period} {stones}"))
        }
        (Some(_), Overtime::ByoYomi { .. } | Overtime::Fischer { .. }) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TimeCommand::{Kata, Kgs, Standard};

    fn settings(words: &str) -> TimeControl {
        let words: Vec<_> = words.split(' ').collect();
        TimeControl::from_kata(&words).unwrap()
    }

    #[test]
    fn best_time_command_is_chosen() {
        for (commands, time_command) in [
            (
                "name kgs-time_settings kata-time_settings time_settings",
                Kata,
            ),
            ("time_settings kgs-time_settings", Kgs),
            ("time_settings", Standard),
            ("name", Standard),
        ] {
            let commands: Vec<_> = commands.split(' ').map(str::to_owned).collect();
            assert_eq!(
                TimeCommand::from_commands(&commands),
                time_command,
                "{commands:?}"
            );
        }
    }

    #[test]
    fn settings_are_rendered_per_dialect() {
        for (words, kgs, standard) in [
            ("none", Some("none"), Some("0 1 0")),
            ("absolute 60.75", Some("absolute 60"), Some("60 0 0")),
            ("absolute 0.75", None, None),
            (
                "canadian 10 20.5 5",
                Some("canadian 10 20 5"),
                Some("10 20 5"),
            ),
            ("canadian 10 0.5 5", None, None),
            ("byoyomi 0.5 5 3", Some("byoyomi 0 5 3"), None),
            ("byoyomi 10 0.5 3", None, None),
            ("fischer 10 1", None, None),
            ("fischer-capped 10 1 20 5", None, None),
        ] {
            let command =
                |time_command: TimeCommand| time_command.settings_command(&settings(words)).ok();
            let kata = Some(format!("kata-time_settings {words}"));
            assert_eq!(command(Kata), kata, "{words}");
            assert_eq!(
                command(Kgs),
                kgs.map(|kgs| format!("kgs-time_settings {kgs}")),
                "{words}"
            );
            let standard = standard.map(|standard| format!("time_settings {standard}"));
            assert_eq!(command(Standard), standard, "{words}");
        }
    }

    #[test]
    fn unsupported_settings_name_required_command() {
        let error_text = |time_command: TimeCommand, words| {
            time_command
                .settings_command(&settings(words))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error_text(Standard, "byoyomi 10 5 3"),
            "the program does not support `kata-time_settings` or `kgs-time_settings`, needed for the time control `byoyomi \
             10 5 3`"
        );
        for (time_command, words) in [
            (Standard, "fischer 10 1"),
            (Kgs, "fischer-capped 10 1 20 5"),
            (Kgs, "byoyomi 10 0.5 3"),
        ] {
            let message = error_text(time_command, words);
            assert!(
                message.starts_with("the program does not support `kata-time_settings`, "),
                "{message}"
            );
        }
    }

    #[test]
    fn time_left_is_rounded_down() {
        for (words, elapsed, kata, rounded) in [
            ("absolute 60", 0.0, "60 0", "60 0"),
            ("absolute 60", 9.0625, "50.937 0", "50 0"),
            ("absolute 60", 59.75, "0.25 0", "0 0"),
            // 0.3 - 0.1 is slightly less than 0.2 in binary floating point.
            ("absolute 0.3", 0.1, "0.2 0", "0 0"),
            ("canadian 0 20 5", 0.0, "20 5", "20 5"),
            ("canadian 10 20 5", 9.5, "0.5 0", "20 5"),
            ("canadian 10 20 5", 10.0, "20 5", "20 5"),
            ("canadian 10 20 5", 12.25, "17.75 4", "17 4"),
            ("byoyomi 10 5 3", 4.5, "5.5 0", "5 0"),
            ("byoyomi 10 5 3", 10.0, "5 3", "5 3"),
            ("byoyomi 10 5 3", 16.0, "5 2", "5 2"),
        ] {
            let mut clock = MatchTime::Clock(settings(words)).clock();
            clock.record_move_time(Color::White, elapsed);
            for (time_command, expected) in [(Kata, kata), (Kgs, rounded), (Standard, rounded)] {
                let command = time_command.time_left_command(&clock, Color::White);
                assert_eq!(
                    command,
                    Some(format!("time_left white {expected}")),
                    "{words}, {elapsed}"
                );
            }
        }
        for time in [MatchTime::Unlimited, MatchTime::Clock(settings("none"))] {
            assert_eq!(Kata.time_left_command(&time.clock(), Color::Black), None);
        }
    }
}
