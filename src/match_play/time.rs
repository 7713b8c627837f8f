//! The time of a game: who limits it, and what a program is told of it in the best words that it knows.
//!
//! Of the three commands that set the time, the protocol's own knows absolute and Canadian time alone, that of KGS
//! byo-yomi too, and only KataGo's has Fischer time and parts of seconds. What has to be said in whole seconds is
//! rounded down: a program that believes it has less loses nothing on time.

use std::fmt;

use super::gtp_engine::GtpEngineError;
use crate::clock::game_clock::{Clock, TimeLeft};
use crate::clock::time_control::TimeControl;
use crate::game::color::Color;

/// Seconds that a program may answer beyond its time before it counts as hung.
pub const GRACE_SECONDS: f64 = 10.0;

/// What is said to the players about time, and whether anybody keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchTime {
    /// Nothing: each program goes by its own settings.
    Unspecified,
    /// That there is no limit.
    Unlimited,
    /// Seconds for each move, at the players' honour.
    PerMove(f64),
    /// Clocks, which the match keeps: a player that oversteps its time loses.
    Clock(TimeControl),
}

impl MatchTime {
    /// The clocks of a new game, as the match keeps them: what is measured counts, without an allowance for lag. There
    /// is no limit to them where the match keeps no time.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let settings = match *self {
            Self::Clock(settings) => settings,
            Self::Unspecified | Self::Unlimited | Self::PerMove(_) => TimeControl::Unlimited,
        };
        Clock::new(settings, 0.0)
    }
}

/// The command by which a program takes time settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeDialect {
    /// All systems, with parts of seconds.
    Kata,
    /// Without Fischer time, in whole seconds.
    Kgs,
    /// Absolute and Canadian time, in whole seconds.
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

/// The commands, the best first; the last is taken for granted.
const TIME_COMMANDS: [(&str, TimeDialect); 3] = [
    ("kata-time_settings", TimeDialect::Kata),
    ("kgs-time_settings", TimeDialect::Kgs),
    ("time_settings", TimeDialect::Standard),
];

/// A part of the smallest step in which seconds are said: what sums of measured times may lack by rounding.
const ROUNDING_TOLERANCE: f64 = 1e-6;

impl TimeDialect {
    /// The best one for a program with these commands.
    #[must_use]
    pub fn from_commands(commands: &[String]) -> Self {
        TIME_COMMANDS
            .into_iter()
            .find(|(name, _)| commands.iter().any(|command| command == name))
            .map_or(Self::Standard, |(_, dialect)| dialect)
    }

    /// The command that sets the time.
    ///
    /// # Errors
    /// [`GtpEngineError::UnsupportedCommand`] when these settings cannot be said.
    pub fn settings_command(self, settings: &TimeControl) -> Result<String, GtpEngineError> {
        let rounded = whole_seconds(settings);
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
            purpose: format!("the time `{settings}`"),
        })
    }

    /// The command that sets so many seconds for each move: the protocol's own where it can say that, since programs heed
    /// it that only list the others.
    ///
    /// # Errors
    /// [`GtpEngineError::UnsupportedCommand`] when it cannot be said.
    pub fn per_move_command(self, seconds: f64) -> Result<String, GtpEngineError> {
        if seconds.fract() == 0.0 {
            return Ok(format!("time_settings 0 {seconds} 1"));
        }
        self.settings_command(&TimeControl::Canadian {
            main: 0.0,
            period: seconds,
            stones: 1,
        })
    }

    /// The command that says what a player's clock shows, under settings said in this dialect; `None` when there is no
    /// limit. Main time that is used up shows as the overtime that follows it.
    #[must_use]
    pub fn time_left_command(self, clock: &Clock, color: Color) -> Option<String> {
        let steps_per_second = if self == Self::Kata { 1000.0 } else { 1.0 };
        let round_down = |seconds: f64| {
            (seconds * steps_per_second + ROUNDING_TOLERANCE).floor() / steps_per_second
        };
        let remaining = match clock.time_left(color)? {
            TimeLeft::Main(main) if round_down(main) == 0.0 => {
                TimeLeft::overtime(clock.time_control()).unwrap_or(TimeLeft::Main(main))
            }
            left => left,
        };
        let (seconds, stones_or_periods) = match remaining {
            TimeLeft::Main(seconds) => (seconds, 0),
            TimeLeft::Stones { seconds, stones } => (seconds, stones),
            TimeLeft::Periods { seconds, periods } => (seconds, periods),
        };
        let seconds = round_down(seconds);
        Some(format!("time_left {color} {seconds} {stones_or_periods}"))
    }
}

/// The settings in whole seconds; `None` when that cannot be said: of Fischer time, and of times below a second that
/// are all there is, or all that comes again.
fn whole_seconds(settings: &TimeControl) -> Option<TimeControl> {
    let positive_seconds = |seconds: f64| Some(seconds.floor()).filter(|&seconds| seconds > 0.0);
    match *settings {
        TimeControl::Unlimited => Some(TimeControl::Unlimited),
        TimeControl::Absolute { main } => Some(TimeControl::Absolute {
            main: positive_seconds(main)?,
        }),
        TimeControl::Canadian {
            main,
            period,
            stones,
        } => Some(TimeControl::Canadian {
            main: main.floor(),
            period: positive_seconds(period)?,
            stones,
        }),
        TimeControl::ByoYomi {
            main,
            period,
            periods,
        } => Some(TimeControl::ByoYomi {
            main: main.floor(),
            period: positive_seconds(period)?,
            periods,
        }),
        TimeControl::Fischer { .. } | TimeControl::FischerCapped { .. } => None,
    }
}

/// The protocol's own command for settings in whole seconds, if it has words for them.
fn standard_command(settings: &TimeControl) -> Option<String> {
    match settings {
        // A period of some length for no stones: the protocol's way to say so.
        TimeControl::Unlimited => Some("time_settings 0 1 0".to_owned()),
        TimeControl::Absolute { main } => Some(format!("time_settings {main} 0 0")),
        TimeControl::Canadian {
            main,
            period,
            stones,
        } => Some(format!("time_settings {main} {period} {stones}")),
        TimeControl::ByoYomi { .. }
        | TimeControl::Fischer { .. }
        | TimeControl::FischerCapped { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TimeDialect::{Kata, Kgs, Standard};

    fn settings(words: &str) -> TimeControl {
        let words: Vec<_> = words.split(' ').collect();
        TimeControl::from_kata(&words).unwrap()
    }

    #[test]
    fn best_time_command_is_chosen() {
        for (commands, dialect) in [
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
                TimeDialect::from_commands(&commands),
                dialect,
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
            let command = |dialect: TimeDialect| dialect.settings_command(&settings(words)).ok();
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
        let error_text = |dialect: TimeDialect, words| {
            dialect
                .settings_command(&settings(words))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error_text(Standard, "byoyomi 10 5 3"),
            "expected `kata-time_settings` or `kgs-time_settings` among the program's commands, to tell it the time \
             `byoyomi 10 5 3`, found no such command"
        );
        for (dialect, words) in [
            (Standard, "fischer 10 1"),
            (Kgs, "fischer-capped 10 1 20 5"),
            (Kgs, "byoyomi 10 0.5 3"),
        ] {
            let message = error_text(dialect, words);
            assert!(
                message.starts_with("expected `kata-time_settings` among"),
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
            // 0.3 - 0.1 is a little less than 0.2 in binary.
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
            clock.charge(Color::White, elapsed);
            for (dialect, expected) in [(Kata, kata), (Kgs, rounded), (Standard, rounded)] {
                let command = dialect.time_left_command(&clock, Color::White);
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
