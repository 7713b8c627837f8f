//! Shares of a whole, as options take them.

use std::str::FromStr;

/// A number from 0 to 1.
pub fn share<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| (T::from(0)..=T::from(1)).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to 1, found {text:?}"))
}
