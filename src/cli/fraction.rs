//! Shares of a whole, as options take them.

use std::str::FromStr;

/// A number from 0 to 1.
pub fn parse_fraction<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let fraction = text.parse().ok();
    let fraction = fraction.filter(|fraction| (T::from(0)..=T::from(1)).contains(fraction));
    fraction.ok_or_else(|| format!("expected a share from 0 to 1, found {text:?}"))
}
