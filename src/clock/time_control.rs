//! Time systems, and parsing of the arguments of `time_settings`, `kgs-time_settings` and `kata-time_settings`.

use std::fmt;

use crate::io::error_text::truncated;

/// Maximum time accepted from a client, about three hundred years. KataGo's clients may send 2^31 seconds.
pub const MAX_SECONDS: f64 = 1e10;

/// Names of the time systems accepted by [`TimeControl::from_kata`].
pub const SYSTEMS: [&str; 6] = [
    "none",
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "fischer-capped",
];

/// Time system of a game. The times are per player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TimeControl {
    #[default]
    Unlimited,
    /// A fixed time for the whole game.
    Absolute {
        /// Seconds.
        main: f64,
    },
    /// Main time, then periods with a number of stones to play in each. A new period starts after the last stone.
    Canadian {
        /// Main time in seconds.
        main: f64,
        /// Length of a period in seconds.
        period: f64,
        /// Number of stones to play in a period, at least 1.
        stones: u32,
    },
    /// Main time, then periods for a single move each. Only an expired period is used up.
    ByoYomi {
        /// Main time in seconds.
        main: f64,
        /// Length of a period in seconds.
        period: f64,
        /// Number of periods, at least 1.
        periods: u32,
    },
    /// A main time that increases with every move.
    Fischer {
        /// Seconds at the start.
        main: f64,
        /// Seconds added after a move.
        increment: f64,
    },
    /// Fischer time with limits.
    FischerCapped {
        /// Seconds at the start.
        main: f64,
        /// Seconds added after a move.
        increment: f64,
        /// Maximum time on the clock in seconds.
        clock_limit: Option<f64>,
        /// Maximum duration of a move in seconds.
        move_limit: Option<f64>,
    },
}

/// Error in the arguments of a time settings command.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimeControlError {
    /// Wrong number of arguments.
    #[error("time settings need {expected} (got {found} arguments)")]
    ArgumentCount {
        /// Names of the required arguments.
        expected: &'static str,
        /// Number of arguments given.
        found: usize,
    },
    /// Not a valid time.
    #[error("{name} must be from 0 to {MAX_SECONDS} seconds, not {found:?}")]
    Seconds {
        /// Name of the argument.
        name: &'static str,
        found: String,
    },
    /// Not a valid number of stones or periods.
    #[error("{name} must be a whole number from 0 to {}, not {found:?}", u32::MAX)]
    Integer {
        /// Name of the argument.
        name: &'static str,
        found: String,
    },
    /// Unknown time system.
    #[error("unknown time system {found:?}; use one of {expected}")]
    System {
        /// Valid names.
        expected: String,
        found: String,
    },
}

impl TimeControl {
    /// Parses `MAIN PERIOD STONES`, the arguments of `time_settings`.
    ///
    /// Zero stones with a positive period mean no time limit. A period of 0 s means absolute time. All other values
    /// mean Canadian time.
    ///
    /// # Errors
    /// Returns an error if the arguments are not three numbers in range.
    pub fn from_gtp(arguments: &[&str]) -> Result<Self, TimeControlError> {
        let [main, period, stones] = expect_arguments(arguments, "main time, period and stones")?;
        parse_canadian(main, period, stones)
    }

    /// Parses the arguments of `kgs-time_settings`: `none`, `absolute MAIN`, `byoyomi MAIN PERIOD PERIODS` or
    /// `canadian MAIN PERIOD STONES`.
    ///
    /// # Errors
    /// Returns an error if the arguments have a different form.
    pub fn from_kgs(arguments: &[&str]) -> Result<Self, TimeControlError> {
        Self::parse(arguments, &SYSTEMS[..4])
    }

    /// Parses the arguments of `kata-time_settings`: those of [`from_kgs`](Self::from_kgs), `fischer MAIN INCREMENT`,
    /// or `fischer-capped MAIN INCREMENT CLOCK_LIMIT MOVE_LIMIT`, where negative limits mean no limit.
    ///
    /// # Errors
    /// Returns an error if the arguments have a different form.
    pub fn from_kata(arguments: &[&str]) -> Result<Self, TimeControlError> {
        Self::parse(arguments, &SYSTEMS)
    }

    fn parse(arguments: &[&str], systems: &[&str]) -> Result<Self, TimeControlError> {
        let (&name, values) = arguments
            .split_first()
            .ok_or(TimeControlError::ArgumentCount {
                expected: "a time system",
                found: 0,
            })?;
        let system = name.to_ascii_lowercase();
        if !systems.contains(&system.as_str()) {
            return Err(TimeControlError::System {
                expected: systems.join(", "),
                found: truncated(name),
            });
        }
        match system.as_str() {
            "absolute" => {
                let [main] = expect_arguments(values, "a main time")?;
                let main = parse_seconds(main, "main time")?;
                Ok(Self::Absolute { main })
            }
            "byoyomi" => {
                let [main, period, periods] =
                    expect_arguments(values, "main time, period and number of periods")?;
                parse_byo_yomi(main, period, periods)
            }
            "canadian" => {
                let [main, period, stones] =
                    expect_arguments(values, "main time, period and stones")?;
                parse_canadian(main, period, stones)
            }
            "fischer" => {
                let [main, increment] = expect_arguments(values, "main time and increment")?;
                Ok(Self::Fischer {
                    main: parse_seconds(main, "main time")?,
                    increment: parse_seconds(increment, "increment")?,
                })
            }
            "fischer-capped" => {
                let [main, increment, clock_limit, move_limit] =
                    expect_arguments(values, "main time, increment, clock limit and move limit")?;
                Ok(Self::FischerCapped {
                    main: parse_seconds(main, "main time")?,
                    increment: parse_seconds(increment, "increment")?,
                    clock_limit: parse_limit(clock_limit, "clock limit")?,
                    move_limit: parse_limit(move_limit, "move limit")?,
                })
            }
            // "none". Further arguments are ignored.
            _ => Ok(Self::Unlimited),
        }
    }
}

/// Formats a time control as [`TimeControl::from_kata`] parses it.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unlimited => f.write_str("none"),
            Self::Absolute { main } => write!(f, "absolute {main}"),
            Self::Canadian {
                main,
                period,
                stones,
            } => write!(f, "canadian {main} {period} {stones}"),
            Self::ByoYomi {
                main,
                period,
                periods,
            } => write!(f, "byoyomi {main} {period} {periods}"),
            Self::Fischer { main, increment } => write!(f, "fischer {main} {increment}"),
            Self::FischerCapped {
                main,
                increment,
                clock_limit,
                move_limit,
            } => {
                let [clock_limit, move_limit] =
                    [clock_limit, move_limit].map(|limit| limit.unwrap_or(-1.0));
                write!(
                    f,
                    "fischer-capped {main} {increment} {clock_limit} {move_limit}"
                )
            }
        }
    }
}

fn parse_canadian(main: &str, period: &str, stones: &str) -> Result<TimeControl, TimeControlError> {
    let main = parse_seconds(main, "main time")?;
    let period = parse_seconds(period, "period")?;
    let stones = parse_integer(stones, "number of stones")?;
    Ok(match stones {
        0 if period > 0.0 => TimeControl::Unlimited,
        0 => TimeControl::Absolute { main },
        // A period of 0 s would lose immediately, so there is only main time.
        _ if period == 0.0 => TimeControl::Absolute { main },
        _ => TimeControl::Canadian {
            main,
            period,
            stones,
        },
    })
}

fn parse_byo_yomi(
    main: &str,
    period: &str,
    periods: &str,
) -> Result<TimeControl, TimeControlError> {
    let main = parse_seconds(main, "main time")?;
    let period = parse_seconds(period, "period")?;
    let periods = parse_integer(periods, "number of periods")?;
    Ok(if periods == 0 || period == 0.0 {
        TimeControl::Absolute { main }
    } else {
        TimeControl::ByoYomi {
            main,
            period,
            periods,
        }
    })
}

fn expect_arguments<'a, const N: usize>(
    arguments: &[&'a str],
    expected: &'static str,
) -> Result<[&'a str; N], TimeControlError> {
    arguments
        .try_into()
        .map_err(|_| TimeControlError::ArgumentCount {
            expected,
            found: arguments.len(),
        })
}

fn parse_seconds(text: &str, name: &'static str) -> Result<f64, TimeControlError> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=MAX_SECONDS).contains(&value) => Ok(value),
        _ => Err(TimeControlError::Seconds {
            name,
            found: truncated(text),
        }),
    }
}

fn parse_limit(text: &str, name: &'static str) -> Result<Option<f64>, TimeControlError> {
    match text.parse::<f64>() {
        Ok(value) if value < 0.0 => Ok(None),
        _ => parse_seconds(text, name).map(Some),
    }
}

fn parse_integer(text: &str, name: &'static str) -> Result<u32, TimeControlError> {
    text.parse().map_err(|_| TimeControlError::Integer {
        name,
        found: truncated(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    fn gtp(text: &str) -> Result<TimeControl, TimeControlError> {
        TimeControl::from_gtp(&split(text))
    }

    fn kata(text: &str) -> Result<TimeControl, TimeControlError> {
        TimeControl::from_kata(&split(text))
    }

    #[test]
    fn time_settings_special_cases() {
        assert_eq!(gtp("0 1 0"), Ok(TimeControl::Unlimited));
        assert_eq!(gtp("600 1 0"), Ok(TimeControl::Unlimited));
        assert_eq!(gtp("600 0 0"), Ok(TimeControl::Absolute { main: 600.0 }));
        assert_eq!(gtp("600 0 5"), Ok(TimeControl::Absolute { main: 600.0 }));
        let canadian = TimeControl::Canadian {
            main: 0.0,
            period: 2.5,
            stones: 1,
        };
        assert_eq!(gtp("0 2.5 1"), Ok(canadian));
    }

    #[test]
    fn all_time_systems_are_parsed() {
        assert_eq!(kata("none"), Ok(TimeControl::Unlimited));
        assert_eq!(kata("ABSOLUTE 5"), Ok(TimeControl::Absolute { main: 5.0 }));
        let byo_yomi = TimeControl::ByoYomi {
            main: 300.0,
            period: 30.0,
            periods: 5,
        };
        assert_eq!(kata("byoyomi 300 30 5"), Ok(byo_yomi));
        assert_eq!(
            TimeControl::from_kgs(&split("byoyomi 300 30 5")),
            Ok(byo_yomi)
        );
        assert_eq!(
            kata("byoyomi 9 30 0"),
            Ok(TimeControl::Absolute { main: 9.0 })
        );
        assert_eq!(kata("canadian 9 30 0"), Ok(TimeControl::Unlimited));
        let fischer = TimeControl::Fischer {
            main: 60.0,
            increment: 0.5,
        };
        assert_eq!(kata("fischer 60 .5"), Ok(fischer));
        let capped = TimeControl::FischerCapped {
            main: 60.0,
            increment: 5.0,
            clock_limit: Some(90.0),
            move_limit: None,
        };
        assert_eq!(kata("fischer-capped 60 5 90 -1"), Ok(capped));
        for text in [
            "none",
            "absolute 5",
            "byoyomi 0.25 30 5",
            "canadian 9 30 25",
            "fischer 60 0.5",
            "fischer-capped 60 5 -1 7.5",
        ] {
            assert_eq!(kata(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_name_argument_and_value() {
        for (result, text) in [
            (
                gtp("1 2"),
                "time settings need main time, period and stones (got 2 arguments)",
            ),
            (
                gtp("x 2 3"),
                r#"main time must be from 0 to 10000000000 seconds, not "x""#,
            ),
            (
                gtp("1 -2 3"),
                r#"period must be from 0 to 10000000000 seconds, not "-2""#,
            ),
            (
                gtp("1 2 3.5"),
                r#"number of stones must be a whole number from 0 to 4294967295, not "3.5""#,
            ),
            (
                kata("nan"),
                r#"unknown time system "nan"; use one of none, absolute, byoyomi, canadian, fischer, fischer-capped"#,
            ),
            (
                kata(""),
                "time settings need a time system (got 0 arguments)",
            ),
        ] {
            assert_eq!(result.unwrap_err().to_string(), text);
        }
        for text in ["absolute nan", "absolute inf", "absolute 1e11", "fischer 1"] {
            assert!(kata(text).is_err(), "{text}");
        }
        assert!(TimeControl::from_kgs(&split("fischer 1 2")).is_err());
    }
}
