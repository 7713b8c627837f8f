//! The time systems, read from the arguments of `time_settings`, `kgs-time_settings` and `kata-time_settings`, and
//! written as those of the last.

use std::fmt;

use crate::names::shortened;

/// The longest time taken from a client, some three hundred years: KataGo's clients may tell 2^31 seconds.
pub const MAX_SECONDS: f64 = 1e10;

/// The systems that [`TimeSettings::from_kata`] reads, by the words it expects.
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
pub enum TimeSettings {
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
        limit: Option<f64>,
        /// No move may take longer than this many seconds.
        longest_move: Option<f64>,
    },
}

/// Why time settings were not understood.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimeError {
    /// Too few or too many words.
    #[error("expected {expected}, found {found} arguments")]
    Count {
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
    Whole {
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

impl TimeSettings {
    /// Reads `MAIN PERIOD STONES`, the arguments of `time_settings`. No stones with a period mean no limit, a
    /// period of nothing means absolute time; anything else is Canadian.
    ///
    /// # Errors
    /// When the words are not three numbers in range.
    pub fn from_gtp(words: &[&str]) -> Result<Self, TimeError> {
        let [main, period, stones] =
            exactly(words, "main time, period and stones of time_settings")?;
        canadian(main, period, stones)
    }

    /// Reads the arguments of `kgs-time_settings`: `none`, `absolute MAIN`, `byoyomi MAIN PERIOD PERIODS` or
    /// `canadian MAIN PERIOD STONES`.
    ///
    /// # Errors
    /// When the words are none of these.
    pub fn from_kgs(words: &[&str]) -> Result<Self, TimeError> {
        Self::read(words, &SYSTEMS[..4])
    }

    /// Reads the arguments of `kata-time_settings`: those of [`from_kgs`](Self::from_kgs), `fischer MAIN INCREMENT`, or
    /// `fischer-capped MAIN INCREMENT LIMIT LONGEST_MOVE` where a negative ceiling is none.
    ///
    /// # Errors
    /// When the words are none of these.
    pub fn from_kata(words: &[&str]) -> Result<Self, TimeError> {
        Self::read(words, &SYSTEMS)
    }

    fn read(words: &[&str], systems: &[&str]) -> Result<Self, TimeError> {
        let (&name, rest) = words.split_first().ok_or(TimeError::Count {
            expected: "a time system",
            found: 0,
        })?;
        let system = name.to_ascii_lowercase();
        if !systems.contains(&system.as_str()) {
            return Err(TimeError::System {
                expected: systems.join(", "),
                found: shortened(name),
            });
        }
        match system.as_str() {
            "absolute" => {
                let [main] = exactly(rest, "the main time")?;
                let main = seconds(main, "the main time")?;
                Ok(Self::Absolute { main })
            }
            "byoyomi" => {
                let [main, period, periods] =
                    exactly(rest, "main time, period and number of periods")?;
                byo_yomi(main, period, periods)
            }
            "canadian" => {
                let [main, period, stones] = exactly(rest, "main time, period and stones")?;
                canadian(main, period, stones)
            }
            "fischer" => {
                let [main, increment] = exactly(rest, "main time and increment")?;
                Ok(Self::Fischer {
                    main: seconds(main, "the main time")?,
                    increment: seconds(increment, "the increment")?,
                })
            }
            "fischer-capped" => {
                let [main, increment, limit, longest_move] = exactly(
                    rest,
                    "main time, increment, ceiling of the clock and longest move",
                )?;
                Ok(Self::FischerCapped {
                    main: seconds(main, "the main time")?,
                    increment: seconds(increment, "the increment")?,
                    limit: ceiling(limit, "the ceiling of the clock, below 0 for none")?,
                    longest_move: ceiling(longest_move, "the longest move, below 0 for none")?,
                })
            }
            // "none", which takes nothing; words after it do no harm.
            _ => Ok(Self::Unlimited),
        }
    }
}

/// As [`TimeSettings::from_kata`] reads them.
impl fmt::Display for TimeSettings {
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
                limit,
                longest_move,
            } => {
                let [limit, longest] = [limit, longest_move].map(|ceiling| ceiling.unwrap_or(-1.0));
                write!(f, "fischer-capped {main} {increment} {limit} {longest}")
            }
        }
    }
}

fn canadian(main: &str, period: &str, stones: &str) -> Result<TimeSettings, TimeError> {
    let main = seconds(main, "the main time")?;
    let period = seconds(period, "the period")?;
    let stones = whole(stones, "the stones of a period")?;
    Ok(match stones {
        0 if period > 0.0 => TimeSettings::Unlimited,
        0 => TimeSettings::Absolute { main },
        // A period of nothing would lose at once: the main time is all there is.
        _ if period == 0.0 => TimeSettings::Absolute { main },
        _ => TimeSettings::Canadian {
            main,
            period,
            stones,
        },
    })
}

fn byo_yomi(main: &str, period: &str, periods: &str) -> Result<TimeSettings, TimeError> {
    let main = seconds(main, "the main time")?;
    let period = seconds(period, "the period")?;
    let periods = whole(periods, "the number of periods")?;
    Ok(if periods == 0 || period == 0.0 {
        TimeSettings::Absolute { main }
    } else {
        TimeSettings::ByoYomi {
            main,
            period,
            periods,
        }
    })
}

fn exactly<'a, const N: usize>(
    words: &[&'a str],
    expected: &'static str,
) -> Result<[&'a str; N], TimeError> {
    words.try_into().map_err(|_| TimeError::Count {
        expected,
        found: words.len(),
    })
}

fn seconds(word: &str, expected: &'static str) -> Result<f64, TimeError> {
    match word.parse::<f64>() {
        Ok(value) if (0.0..=MAX_SECONDS).contains(&value) => Ok(value),
        _ => Err(TimeError::Seconds {
            expected,
            found: shortened(word),
        }),
    }
}

fn ceiling(word: &str, expected: &'static str) -> Result<Option<f64>, TimeError> {
    match word.parse::<f64>() {
        Ok(value) if value < 0.0 => Ok(None),
        _ => seconds(word, expected).map(Some),
    }
}

fn whole(word: &str, expected: &'static str) -> Result<u32, TimeError> {
    word.parse().map_err(|_| TimeError::Whole {
        expected,
        found: shortened(word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    fn gtp(text: &str) -> Result<TimeSettings, TimeError> {
        TimeSettings::from_gtp(&words(text))
    }

    fn kata(text: &str) -> Result<TimeSettings, TimeError> {
        TimeSettings::from_kata(&words(text))
    }

    #[test]
    fn the_special_cases_of_time_settings() {
        assert_eq!(gtp("0 1 0"), Ok(TimeSettings::Unlimited));
        assert_eq!(gtp("600 1 0"), Ok(TimeSettings::Unlimited));
        assert_eq!(gtp("600 0 0"), Ok(TimeSettings::Absolute { main: 600.0 }));
        assert_eq!(gtp("600 0 5"), Ok(TimeSettings::Absolute { main: 600.0 }));
        let canadian = TimeSettings::Canadian {
            main: 0.0,
            period: 2.5,
            stones: 1,
        };
        assert_eq!(gtp("0 2.5 1"), Ok(canadian));
    }

    #[test]
    fn all_systems_are_read() {
        assert_eq!(kata("none"), Ok(TimeSettings::Unlimited));
        assert_eq!(kata("ABSOLUTE 5"), Ok(TimeSettings::Absolute { main: 5.0 }));
        let byo_yomi = TimeSettings::ByoYomi {
            main: 300.0,
            period: 30.0,
            periods: 5,
        };
        assert_eq!(kata("byoyomi 300 30 5"), Ok(byo_yomi));
        assert_eq!(
            TimeSettings::from_kgs(&words("byoyomi 300 30 5")),
            Ok(byo_yomi)
        );
        assert_eq!(
            kata("byoyomi 9 30 0"),
            Ok(TimeSettings::Absolute { main: 9.0 })
        );
        assert_eq!(kata("canadian 9 30 0"), Ok(TimeSettings::Unlimited));
        let fischer = TimeSettings::Fischer {
            main: 60.0,
            increment: 0.5,
        };
        assert_eq!(kata("fischer 60 .5"), Ok(fischer));
        let capped = TimeSettings::FischerCapped {
            main: 60.0,
            increment: 5.0,
            limit: Some(90.0),
            longest_move: None,
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
    fn errors_say_what_was_expected_and_found() {
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
        assert!(TimeSettings::from_kgs(&words("fischer 1 2")).is_err());
    }
}
