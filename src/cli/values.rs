//! Parsers and checks for the values of options.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use honinbo::engine::settings::MAX_TIME_SECONDS;
use honinbo::eval::network_source::NetworkSource;
use honinbo::game::rules::Komi;
use honinbo::net::precision::Precision;

/// Parses a fraction from 0 to 1.
pub fn parse_fraction<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let fraction = text.parse().ok();
    let fraction = fraction.filter(|fraction| (T::from(0)..=T::from(1)).contains(fraction));
    fraction.ok_or_else(|| "must be between 0 and 1".to_owned())
}

/// Returns the value parser of options that select a network: the name of a built-in network, or a file.
pub fn network_parser() -> impl TypedValueParser<Value = NetworkSource> {
    PathBufValueParser::new().map(NetworkSource::from)
}

/// Returns the value parser of `--precision`, which includes a description of each value for the help.
pub fn precision_parser() -> impl TypedValueParser<Value = Precision> {
    let possible_value =
        |precision: Precision| PossibleValue::new(precision.name()).help(precision.description());
    PossibleValuesParser::new(Precision::ALL.map(possible_value))
        .try_map(|name| name.parse::<Precision>())
}

/// Converts the value of `--komi`, or returns an error if it is not a valid komi.
pub fn komi_from_points(points: f64) -> anyhow::Result<Komi> {
    Komi::from_points(points)
        .with_context(|| format!("--komi must be {}, not {points}", Komi::VALID_VALUES))
}

/// Converts the value of `--time`, or returns an error if it is below `min` or above the maximum.
pub fn checked_seconds(min: f64, seconds: f64) -> anyhow::Result<Duration> {
    let max = MAX_TIME_SECONDS;
    // This also rejects NaN, which no range contains.
    if !(min..=max).contains(&seconds) {
        bail!("--time must be between {min} and {max} seconds, not {seconds}");
    }
    Ok(Duration::from_secs_f64(seconds))
}
