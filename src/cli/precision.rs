//! `--precision`, the same for every command that runs a network.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use honinbo::net::precision::Precision;

/// Reads a precision by its name.
pub fn parser() -> impl TypedValueParser<Value = Precision> {
    let possible_value =
        |precision: Precision| PossibleValue::new(precision.name()).help(precision.meaning());
    PossibleValuesParser::new(Precision::ALL.map(possible_value))
        .try_map(|name| name.parse::<Precision>())
}
