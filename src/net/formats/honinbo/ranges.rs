//! Text format of calibration ranges ([`crate::net::calibration`]): the format version, the number of values and
//! the values themselves, separated by single spaces.
//!
//! Network files of both versions may contain this text in their metadata. The calibration cache uses the same format.

/// Version of the format. It must be increased whenever the meaning of the values changes, for example with a new
/// Winograd transform or a different order of layers.
pub const VERSION: u32 = 1;
/// Metadata key of the ranges in network files.
pub(super) const KEY: &str = "ranges";

/// Formats `numbers`. [`from_text`] restores exactly the same values.
#[must_use]
pub fn to_text(numbers: &[f32]) -> String {
    let words = [VERSION.to_string(), numbers.len().to_string()];
    let words = words.into_iter().chain(numbers.iter().map(f32::to_string));
    words.collect::<Vec<_>>().join(" ")
}

/// Parses calibration ranges. Returns `None` if the version is not [`VERSION`], the number of values is wrong, or a
/// value is malformed, negative or not finite.
#[must_use]
pub fn from_text(text: &str) -> Option<Vec<f32>> {
    let mut words = text.split(' ');
    let version: u32 = words.next()?.parse().ok()?;
    let count: usize = words.next()?.parse().ok()?;
    let numbers = words.map(|word| word.parse().ok());
    let numbers: Vec<f32> = numbers.collect::<Option<_>>()?;
    let sizes = numbers.iter().all(|size| size.is_finite() && *size >= 0.0);
    (version == VERSION && count == numbers.len() && sizes).then_some(numbers)
}
