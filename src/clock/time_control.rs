//! The time systems, read from the arguments of `time_settings`, `kgs-time_settings` and `kata-time_settings`, and
//! written as those of the last.

use std::fmt;

use crate::io::error_text::truncated;

/// The longest time taken from a client, some three hundred years: KataGo's clients may tell 2^31 seconds.
pub const MAX_SECONDS: f64 = 1e10;

/// The systems that [`TimeControl::from_kata`] reads, by the words it expects.
pub const SYSTEMS: [&str; 6] = [
    "none",
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "fischer-capped",
];

/// How a game is timed; each player has this much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TimeControl {
    /// No limit.
    #[default]
    Unlimited,
    /// This much for the whole game.
    Absolute {
        /// Seconds for the game.
        main: f64,
    },
    /// After the main time, periods in each of which so many stones must be played; a new one follows the last stone.
    Canadian {
        /// Seconds before the first period.
        main: f64,
        /// Seconds of a period.
        period: f64,
        /// Stones to play within a period, at least 1.
        stones: u32,
    },
    /// After the main time, periods for one move each; only a period that runs out is used up.
    ByoYomi {
        /// Seconds before the first period.
        main: f64,
        /// Seconds of a period.
        period: f64,
        /// Periods, at least 1.
        periods: u32,
    },
    /// A time to which every move adds.
    Fischer {
        /// Seconds at the start.
        main: f64,
        /// Seconds that a move adds.
        increment: f64,
    },
    /// The same with ceilings.
    FischerCapped {
        /// Seconds at the start.
        main: f64,
        /// Seconds that a move adds.
        increment: f64,
        /// The clock never shows more than this many seconds.
        clock_limit: Option<f64>,
        /// No move may take longer than this many seconds.
        move_limit: Option<f64>,
    },
}

/// Why time settings were not understood.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimeControlError {
    /// Too few or too many words.
    #[error("expected {expected}, found {found} arguments")]
    ArgumentCount {
        /// The form that was expected.
        expected: &'static str,
        /// How many words there were.
        found: usize,
    },
    /// Not a time.
    #[error("expected {expected} (seconds from 0 to {MAX_SECONDS}), found {found:?}")]
    Seconds {
        /// Which time.
        expected: &'static str,
        /// The word found.
        found: String,
    },
    /// Not a number of stones or periods.
    #[error(
        "expected {expected} (a whole number from 0 to {}), found {found:?}",
        u32::MAX
    )]
    Integer {
        /// Which number.
        expected: &'static str,
        /// The word found.
        found: String,
    },
    /// An unknown system.
    #[error("expected one of {expected}, found {found:?}")]
    System {
        /// The names.
        expected: String,
        /// The word found.
        found: String,
    },
}

impl TimeControl {
    /// Reads `MAIN PERIOD STONES`, the arguments of `time_settings`. No stones with a period mean no limit, a
    /// period of nothing means absolute time; anything else is Canadian.
    ///
    /// # Errors
    /// When the words are not three numbers in range.
    pub fn from_gtp(arguments: &[&str]) -> Result<Self, TimeControlError> {
        let [main, period, stones] =
            expect_arguments(arguments, "main time, period and stones of time_settings")?;
        parse_canadian(main, period, stones)
    }

    /// Reads the arguments of `kgs-time_settings`: `none`, `absolute MAIN`, `byoyomi MAIN PERIOD PERIODS` or
    /// `parse_canadian MAIN PERIOD STONES`.
    ///
    /// # Errors
    /// When the words are none of these.
    pub fn from_kgs(arguments: &[&str]) -> Result<Self, TimeControlError> {
        Self::parse(arguments, &SYSTEMS[..4])
    }

    /// Reads the arguments of `kata-time_settings`: those of [`from_kgs`](Self::from_kgs), `fischer MAIN INCREMENT`, or
    /// `fischer-capped MAIN INCREMENT LIMIT LONGEST_MOVE` where a negative ceiling is none.
    ///
    /// # Errors
    /// When the words are none of these.
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
                let [main] = expect_arguments(values, "the main time")?;
                let main = parse_seconds(main, "the main time")?;
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
                    main: parse_seconds(main, "the main time")?,
                    increment: parse_seconds(increment, "the increment")?,
                })
            }
            "fischer-capped" => {
                let [main, increment, clock_limit, move_limit] = expect_arguments(
                    values,
                    "main time, increment, ceiling of the clock and longest move",
                )?;
                Ok(Self::FischerCapped {
                    main: parse_seconds(main, "the main time")?,
                    increment: parse_seconds(increment, "the increment")?,
                    clock_limit: parse_limit(
                        clock_limit,
                        "the ceiling of the clock, below 0 for none",
                    )?,
                    move_limit: parse_limit(move_limit, "the longest move, below 0 for none")?,
                })
            }
            // "none", which takes nothing; words after it do no harm.
            _ => Ok(Self::Unlimited),
        }
    }
}

/// As [`TimeControl::from_kata`] reads them.
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
    let main = parse_seconds(main, "the main time")?;
    let period = parse_seconds(period, "the period")?;
    let stones = parse_integer(stones, "the stones of a period")?;
    Ok(match stones {
        0 if period > 0.0 => TimeControl::Unlimited,
        0 => TimeControl::Absolute { main },
        // A period of nothing would lose at once: the main time is all there is.
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
    let main = parse_seconds(main, "the main time")?;
    let period = parse_seconds(period, "the period")?;
    let periods = parse_integer(periods, "the number of periods")?;
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

fn parse_seconds(text: &str, expected: &'static str) -> Result<f64, TimeControlError> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=MAX_SECONDS).contains(&value) => Ok(value),
        _ => Err(TimeControlError::Seconds {
            expected,
            found: truncated(text),
        }),
    }
}

fn parse_limit(text: &str, expected: &'static str) -> Result<Option<f64>, TimeControlError> {
    match text.parse::<f64>() {
        Ok(value) if value < 0.0 => Ok(None),
        _ => parse_seconds(text, expected).map(Some),
    }
}

fn parse_integer(text: &str, expected: &'static str) -> Result<u32, TimeControlError> {
    text.parse().map_err(|_| TimeControlError::Integer {
        expected,
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
    fn errors_report_expected_and_found() {
        for (result, text) in [
            (
                gtp("1 2"),
                "expected main time, period and stones of time_settings, found 2 arguments",
            ),
            (
                gtp("x 2 3"),
                r#"expected the main time (seconds from 0 to 10000000000), found "x""#,
            ),
            (
                gtp("1 -2 3"),
                r#"expected the period (seconds from 0 to 10000000000), found "-2""#,
            ),
            (
                gtp("1 2 3.5"),
                r#"expected the stones of a period (a whole number from 0 to 4294967295), found "3.5""#,
            ),
            (
                kata("nan"),
                r#"expected one of none, absolute, byoyomi, canadian, fischer, fischer-capped, found "nan""#,
            ),
            (kata(""), "expected a time system, found 0 arguments"),
        ] {
            assert_eq!(result.unwrap_err().to_string(), text);
        }
        for text in ["absolute nan", "absolute inf", "absolute 1e11", "fischer 1"] {
            assert!(kata(text).is_err(), "{text}");
        }
        assert!(TimeControl::from_kgs(&split("fischer 1 2")).is_err());
    }
}
