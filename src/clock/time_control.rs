//! Time systems, and parsers for the arguments of `time_settings`, `kgs-time_settings` and `kata-time_settings`.

use std::fmt;

use crate::io::error_text::excerpt;

/// Maximum time accepted from a client, in seconds: about three hundred years. KataGo's clients may send 2^31 seconds.
pub const MAX_SECONDS: f64 = 1e10;

/// Names of the time systems accepted by [`TimeControl::from_kata`].
pub const TIME_SYSTEMS: [&str; 6] = [
    "none",
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "fischer-capped",
];

/// Time system of a game. All times are in seconds and apply to each player separately.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeControl {
    /// Main time. `None` if the time is unlimited.
    pub main: Option<f64>,
    pub overtime: Overtime,
}

/// Overtime system: the time that follows the main time or is added to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Overtime {
    /// The main time must last for the whole game (absolute time).
    #[default]
    None,
    /// In each period, a fixed number of stones must be played. A new period starts after the last stone.
    Canadian {
        /// Length of a period.
        period: f64,
        /// Number of stones to play in a period, at least 1.
        stones: u32,
    },
    /// Each period is for a single move. A move uses up a period only if it takes longer than the period.
    ByoYomi {
        /// Length of a period.
        period: f64,
        /// Number of periods, at least 1.
        periods: u32,
    },
    /// Each move adds time to the main time.
    Fischer {
        /// Time added after each move.
        increment: f64,
        /// Maximum time on the clock, or `None` for no limit.
        clock_limit: Option<f64>,
        /// Maximum duration of a move, or `None` for no limit.
        move_limit: Option<f64>,
    },
}

/// Error in the arguments of a time settings command.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimeControlError {
    /// Wrong number of arguments.
    #[error("wrong number of arguments: expected {expected}, found {found}")]
    ArgumentCount {
        /// Names of the required arguments.
        expected: &'static str,
        /// Number of arguments given.
        found: usize,
    },
    /// An argument is not a valid time in seconds.
    #[error("{name} must be between 0 and {MAX_SECONDS} seconds, not {found:?}")]
    Seconds {
        /// Name of the argument.
        name: &'static str,
        found: String,
    },
    /// An argument is not a valid number of stones or periods.
    #[error(
        "{name} must be a whole number between 0 and {}, not {found:?}",
        u32::MAX
    )]
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
    /// No time limit.
    pub const UNLIMITED: Self = Self {
        main: None,
        overtime: Overtime::None,
    };

    /// Creates a time control with `main` seconds for the whole game.
    pub const fn absolute(main: f64) -> Self {
        Self::with_overtime(main, Overtime::None)
    }

    /// Creates a time control with `main` seconds of main time and the given overtime.
    pub const fn with_overtime(main: f64, overtime: Overtime) -> Self {
        Self {
            main: Some(main),
            overtime,
        }
    }

    /// Parses `MAIN PERIOD STONES`, the arguments of `time_settings`.
    ///
    /// Zero stones with a positive period mean that the time is unlimited. A period of 0 s means absolute time. All
    /// other values mean Canadian overtime.
    ///
    /// # Errors
    /// Returns an error if the arguments are not three numbers in range.
    pub fn from_gtp(arguments: &[&str]) -> Result<Self, TimeControlError> {
        let names = "main time, period and stones";
        let (main, period, stones) = parse_main_and_periods(arguments, names, "number of stones")?;
        Ok(match stones {
            0 if period > 0.0 => Self::UNLIMITED,
            // A player would lose immediately in a period of 0 s, so there is only main time.
            _ if period == 0.0 => Self::absolute(main),
            _ => Self::with_overtime(main, Overtime::Canadian { period, stones }),
        })
    }

    /// Parses the arguments of `kgs-time_settings`: `none`, `absolute MAIN`, `byoyomi MAIN PERIOD PERIODS` or
    /// `canadian MAIN PERIOD STONES`.
    ///
    /// `byoyomi` with no periods, or with a period of 0 s, means absolute time. The arguments of `canadian` have the
    /// same meaning as in [`from_gtp`](Self::from_gtp).
    ///
    /// # Errors
    /// Returns an error if the arguments have a different form or a value is out of range.
    pub fn from_kgs(arguments: &[&str]) -> Result<Self, TimeControlError> {
        Self::parse(arguments, &TIME_SYSTEMS[..4])
    }

    /// Parses the arguments of `kata-time_settings`: any form that [`from_kgs`](Self::from_kgs) accepts,
    /// `fischer MAIN INCREMENT`, or `fischer-capped MAIN INCREMENT CLOCK_LIMIT MOVE_LIMIT`, where negative limits mean
    /// no limit.
    ///
    /// # Errors
    /// Returns an error if the arguments have a different form or a value is out of range.
    pub fn from_kata(arguments: &[&str]) -> Result<Self, TimeControlError> {
        Self::parse(arguments, &TIME_SYSTEMS)
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
                found: excerpt(name),
            });
        }
        match system.as_str() {
            "absolute" => {
                let [main] = expect_arguments(values, "a main time")?;
                Ok(Self::absolute(parse_seconds(main, "main time")?))
            }
            "byoyomi" => {
                let names = "main time, period and number of periods";
                let (main, period, periods) =
                    parse_main_and_periods(values, names, "number of periods")?;
                Ok(if periods == 0 || period == 0.0 {
                    Self::absolute(main)
                } else {
                    Self::with_overtime(main, Overtime::ByoYomi { period, periods })
                })
            }
            "canadian" => Self::from_gtp(values),
            "fischer" => {
                let [main, increment] = expect_arguments(values, "main time and increment")?;
                parse_fischer(main, increment, ["-1"; 2])
            }
            "fischer-capped" => {
                let [main, increment, clock_limit, move_limit] =
                    expect_arguments(values, "main time, increment, clock limit and move limit")?;
                parse_fischer(main, increment, [clock_limit, move_limit])
            }
            // "none". Further arguments are ignored.
            _ => Ok(Self::UNLIMITED),
        }
    }
}

/// Formats the time control in the form that [`TimeControl::from_kata`] parses.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(main) = self.main else {
            return f.write_str("none");
        };
        match self.overtime {
            Overtime::None => write!(f, "absolute {main}"),
            Overtime::Canadian { period, stones } => write!(f, "canadian {main} {period} {stones}"),
            Overtime::ByoYomi { period, periods } => write!(f, "byoyomi {main} {period} {periods}"),
            Overtime::Fischer {
                increment,
                clock_limit: None,
                move_limit: None,
            } => write!(f, "fischer {main} {increment}"),
            Overtime::Fischer {
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

/// Parses the main time, the length of a period, and the number of stones or periods. In error messages, `expected`
/// lists all arguments and `count_name` is the name of the last one.
fn parse_main_and_periods(
    arguments: &[&str],
    expected: &'static str,
    count_name: &'static str,
) -> Result<(f64, f64, u32), TimeControlError> {
    let [main, period, count] = expect_arguments(arguments, expected)?;
    let (main, period) = (
        parse_seconds(main, "main time")?,
        parse_seconds(period, "period")?,
    );
    let count = count.parse().map_err(|_| TimeControlError::Integer {
        name: count_name,
        found: excerpt(count),
    })?;
    Ok((main, period, count))
}

fn parse_fischer(
    main: &str,
    increment: &str,
    [clock_limit, move_limit]: [&str; 2],
) -> Result<TimeControl, TimeControlError> {
    let main = parse_seconds(main, "main time")?;
    let overtime = Overtime::Fischer {
        increment: parse_seconds(increment, "increment")?,
        clock_limit: parse_optional_limit(clock_limit, "clock limit")?,
        move_limit: parse_optional_limit(move_limit, "move limit")?,
    };
    Ok(TimeControl::with_overtime(main, overtime))
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
            found: excerpt(text),
        }),
    }
}

fn parse_optional_limit(text: &str, name: &'static str) -> Result<Option<f64>, TimeControlError> {
    match text.parse::<f64>() {
        Ok(value) if value < 0.0 => Ok(None),
        _ => parse_seconds(text, name).map(Some),
    }
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
        assert_eq!(gtp("0 1 0"), Ok(TimeControl::UNLIMITED));
        assert_eq!(gtp("600 1 0"), Ok(TimeControl::UNLIMITED));
        assert_eq!(gtp("600 0 0"), Ok(TimeControl::absolute(600.0)));
        assert_eq!(gtp("600 0 5"), Ok(TimeControl::absolute(600.0)));
        let (period, stones) = (2.5, 1);
        let canadian = TimeControl::with_overtime(0.0, Overtime::Canadian { period, stones });
        assert_eq!(gtp("0 2.5 1"), Ok(canadian));
    }

    #[test]
    fn all_time_systems_are_parsed() {
        assert_eq!(kata("none"), Ok(TimeControl::UNLIMITED));
        assert_eq!(kata("ABSOLUTE 5"), Ok(TimeControl::absolute(5.0)));
        let (period, periods) = (30.0, 5);
        let byo_yomi = TimeControl::with_overtime(300.0, Overtime::ByoYomi { period, periods });
        assert_eq!(kata("byoyomi 300 30 5"), Ok(byo_yomi));
        assert_eq!(
            TimeControl::from_kgs(&split("byoyomi 300 30 5")),
            Ok(byo_yomi)
        );
        assert_eq!(kata("byoyomi 9 30 0"), Ok(TimeControl::absolute(9.0)));
        assert_eq!(kata("canadian 9 30 0"), Ok(TimeControl::UNLIMITED));
        let fischer = |increment, clock_limit| {
            let overtime = Overtime::Fischer {
                increment,
                clock_limit,
                move_limit: None,
            };
            Ok(TimeControl::with_overtime(60.0, overtime))
        };
        assert_eq!(kata("fischer 60 .5"), fischer(0.5, None));
        assert_eq!(kata("fischer-capped 60 5 90 -1"), fischer(5.0, Some(90.0)));
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
                "wrong number of arguments: expected main time, period and stones, found 2",
            ),
            (
                gtp("x 2 3"),
                r#"main time must be between 0 and 10000000000 seconds, not "x""#,
            ),
            (
                gtp("1 -2 3"),
                r#"period must be between 0 and 10000000000 seconds, not "-2""#,
            ),
            (
                gtp("1 2 3.5"),
                r#"number of stones must be a whole number between 0 and 4294967295, not "3.5""#,
            ),
            (
                kata("nan"),
                r#"unknown time system "nan"; use one of none, absolute, byoyomi, canadian, fischer, fischer-capped"#,
            ),
            (
                kata(""),
                "wrong number of arguments: expected a time system, found 0",
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
