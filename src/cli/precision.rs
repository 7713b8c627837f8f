//! `--precision`, the same for every command that runs a network.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use honinbo::net::precision::Precision;

/// Reads a precision by its name.
pub fn parser() -> impl TypedValueParser<Value = Precision> {
    let value =
        |precision: Precision| PossibleValue::new(precision.name()).help(precision.meaning());
    PossibleValuesParser::new(Precision::ALL.map(value)).try_map(|name| name.parse::<Precision>())
}
