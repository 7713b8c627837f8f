//! The time of a game: who limits it, and what a program is told of it in the best words that it knows.
//!
//! Of the three commands that set the time, the protocol's own knows absolute and Canadian time alone, that of KGS
//! byo-yomi too, and only KataGo's has Fischer time and parts of seconds. What has to be said in whole seconds is
//! rounded down: a program that believes it has less loses nothing on time.

use std::fmt;

use super::opponent::OpponentError;
use crate::clock::settings::TimeSettings;
use crate::clock::shown::{self, Left};
use crate::clock::state::Clock;
use crate::game::color::Color;

/// Seconds that a program may answer beyond its time before it counts as hung.
pub const GRACE_SECONDS: f64 = 10.0;

/// What is said to the players about time, and whether anybody keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// Nothing: each program goes by its own settings.
    Unsaid,
    /// That there is no limit.
    Unlimited,
    /// Seconds for each move, at the players' honour.
    PerMove(f64),
    /// Clocks, which the match keeps: a player that oversteps its time loses.
    Clock(TimeSettings),
}

impl TimeControl {
    /// The clocks of a new game, as the match keeps them: what is measured counts, without an allowance for lag. There
    /// is no limit to them where the match keeps no time.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let settings = match *self {
            Self::Clock(settings) => settings,
            Self::Unsaid | Self::Unlimited | Self::PerMove(_) => TimeSettings::Unlimited,
        };
        Clock::new(settings, 0.0)
    }
}

/// The command by which a program takes time settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// All systems, with parts of seconds.
    Kata,
    /// Without Fischer time, in whole seconds.
    Kgs,
    /// Absolute and Canadian time, in whole seconds.
    Standard,
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsaid => f.write_str("unsaid"),
            Self::Unlimited => f.write_str("unlimited"),
            Self::PerMove(seconds) => write!(f, "{seconds} s a move"),
            Self::Clock(settings) => write!(f, "clocks {settings}"),
        }
    }
}

/// The commands, the best first; the last is taken for granted.
const COMMANDS: [(&str, Dialect); 3] = [
    ("kata-time_settings", Dialect::Kata),
    ("kgs-time_settings", Dialect::Kgs),
    ("time_settings", Dialect::Standard),
];

/// A part of the smallest step in which seconds are said: what sums of measured times may lack by rounding.
const ROUNDING: f64 = 1e-6;

impl Dialect {
    /// The best one for a program with these commands.
    #[must_use]
    pub fn of(commands: &[String]) -> Self {
        COMMANDS
            .into_iter()
            .find(|(name, _)| commands.iter().any(|known| known == name))
            .map_or(Self::Standard, |(_, dialect)| dialect)
    }

    /// The command that sets the time.
    ///
    /// # Errors
    /// [`OpponentError::Lacks`] when these settings cannot be said.
    pub fn settings(self, settings: &TimeSettings) -> Result<String, OpponentError> {
        let whole = whole_seconds(settings);
        let said = match self {
            Self::Kata => Some(format!("kata-time_settings {settings}")),
            Self::Kgs => whole.map(|whole| format!("kgs-time_settings {whole}")),
            Self::Standard => whole.as_ref().and_then(standard),
        };
        said.ok_or_else(|| OpponentError::Lacks {
            needed: match whole {
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
    /// [`OpponentError::Lacks`] when it cannot be said.
    pub fn per_move(self, seconds: f64) -> Result<String, OpponentError> {
        if seconds.fract() == 0.0 {
            return Ok(format!("time_settings 0 {seconds} 1"));
        }
        self.settings(&TimeSettings::Canadian {
            main: 0.0,
            period: seconds,
            stones: 1,
        })
    }

    /// The command that says what a player's clock shows, under settings said in this dialect; `None` when there is no
    /// limit. Main time that is used up shows as the overtime that follows it.
    #[must_use]
    pub fn time_left(self, clock: &Clock, color: Color) -> Option<String> {
        let steps = if self == Self::Kata { 1000.0 } else { 1.0 };
        let said = |seconds: f64| (seconds * steps + ROUNDING).floor() / steps;
        let left = match clock.left(color)? {
            Left::Main(main) if said(main) == 0.0 => {
                shown::overtime(clock.settings()).unwrap_or(Left::Main(main))
            }
            left => left,
        };
        let (seconds, stones_or_periods) = match left {
            Left::Main(seconds) => (seconds, 0),
            Left::Stones { seconds, stones } => (seconds, stones),
            Left::Periods { seconds, periods } => (seconds, periods),
        };
        let seconds = said(seconds);
        Some(format!("time_left {color} {seconds} {stones_or_periods}"))
    }
}

/// The settings in whole seconds; `None` when that cannot be said: of Fischer time, and of times below a second that
/// are all there is, or all that comes again.
fn whole_seconds(settings: &TimeSettings) -> Option<TimeSettings> {
    let some = |seconds: f64| Some(seconds.floor()).filter(|&seconds| seconds > 0.0);
    match *settings {
        TimeSettings::Unlimited => Some(TimeSettings::Unlimited),
        TimeSettings::Absolute { main } => Some(TimeSettings::Absolute { main: some(main)? }),
        TimeSettings::Canadian {
            main,
            period,
            stones,
        } => Some(TimeSettings::Canadian {
            main: main.floor(),
            period: some(period)?,
            stones,
        }),
        TimeSettings::ByoYomi {
            main,
            period,
            periods,
        } => Some(TimeSettings::ByoYomi {
            main: main.floor(),
            period: some(period)?,
            periods,
        }),
        TimeSettings::Fischer { .. } | TimeSettings::FischerCapped { .. } => None,
    }
}

/// The protocol's own command for settings in whole seconds, if it has words for them.
fn standard(settings: &TimeSettings) -> Option<String> {
    match settings {
        // A period of some length for no stones: the protocol's way to say so.
        TimeSettings::Unlimited => Some("time_settings 0 1 0".to_owned()),
        TimeSettings::Absolute { main } => Some(format!("time_settings {main} 0 0")),
        TimeSettings::Canadian {
            main,
            period,
            stones,
        } => Some(format!("time_settings {main} {period} {stones}")),
        TimeSettings::ByoYomi { .. }
        | TimeSettings::Fischer { .. }
        | TimeSettings::FischerCapped { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dialect::{Kata, Kgs, Standard};

    fn settings(words: &str) -> TimeSettings {
        let words: Vec<_> = words.split(' ').collect();
        TimeSettings::from_kata(&words).unwrap()
    }

    #[test]
    fn the_best_command_is_used() {
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
            assert_eq!(Dialect::of(&commands), dialect, "{commands:?}");
        }
    }

    #[test]
    fn settings_are_said_as_each_command_takes_them() {
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
            let said = |dialect: Dialect| dialect.settings(&settings(words)).ok();
            let kata = Some(format!("kata-time_settings {words}"));
            assert_eq!(said(Kata), kata, "{words}");
            assert_eq!(
                said(Kgs),
                kgs.map(|kgs| format!("kgs-time_settings {kgs}")),
                "{words}"
            );
            let standard = standard.map(|standard| format!("time_settings {standard}"));
            assert_eq!(said(Standard), standard, "{words}");
        }
    }

    #[test]
    fn what_cannot_be_said_names_the_command_that_could() {
        let complaint =
            |dialect: Dialect, words| dialect.settings(&settings(words)).unwrap_err().to_string();
        assert_eq!(
            complaint(Standard, "byoyomi 10 5 3"),
            "expected `kata-time_settings` or `kgs-time_settings` among the program's commands, to tell it the time \
             `byoyomi 10 5 3`, found no such command"
        );
        for (dialect, words) in [
            (Standard, "fischer 10 1"),
            (Kgs, "fischer-capped 10 1 20 5"),
            (Kgs, "byoyomi 10 0.5 3"),
        ] {
            let complaint = complaint(dialect, words);
            assert!(
                complaint.starts_with("expected `kata-time_settings` among"),
                "{complaint}"
            );
        }
    }

    #[test]
    fn clocks_show_no_more_than_is_left() {
        for (words, taken, kata, whole) in [
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
            let mut clock = TimeControl::Clock(settings(words)).clock();
            clock.charge(Color::White, taken);
            for (dialect, expected) in [(Kata, kata), (Kgs, whole), (Standard, whole)] {
                let said = dialect.time_left(&clock, Color::White);
                assert_eq!(
                    said,
                    Some(format!("time_left white {expected}")),
                    "{words}, {taken}"
                );
            }
        }
        for control in [TimeControl::Unlimited, TimeControl::Clock(settings("none"))] {
            assert_eq!(Kata.time_left(&control.clock(), Color::Black), None);
        }
    }
}
