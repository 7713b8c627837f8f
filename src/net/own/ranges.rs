//! Ranges ([`crate::net::kernels::ranges`]) as text: the version of the format, how many numbers, the numbers.
//!
//! A file of this engine of either version may have such a text among its metadata; others kept elsewhere look the same.

/// Changes whenever the numbers come to mean something else: with the transforms, or with the order of layers.
pub const VERSION: u32 = 1;
/// Key of the text in the metadata of a file.
pub(super) const KEY: &str = "ranges";

/// The text of these numbers; [`from_text`] gives back the very same.
#[must_use]
pub fn to_text(numbers: &[f32]) -> String {
    let words = [VERSION.to_string(), numbers.len().to_string()];
    let words = words.into_iter().chain(numbers.iter().map(f32::to_string));
    words.collect::<Vec<_>>().join(" ")
}

/// The numbers of a text; nothing if it is of another version, damaged, or holds other numbers than ranges can be.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for numbers in [
            &[][..],
            &[0.0, 0.1, 1.0 / 3.0, 7.5e-30, 123_456.79, f32::MAX],
        ] {
            assert_eq!(from_text(&to_text(numbers)).as_deref(), Some(numbers));
        }
        assert_eq!(to_text(&[0.5, 2.0]), "1 2 0.5 2");
    }

    #[test]
    fn other_texts_are_not_taken_for_ranges() {
        for text in [
            "",
            "1",
            "2 1 0.5",
            "1 2 0.5",
            "1 1 0.5 2",
            "1 1 -1",
            "1 1 NaN",
            "1 1 inf",
            "1 1 x",
            "1 1 0.5\n",
            "x 0",
        ] {
            assert_eq!(from_text(text), None, "{text:?}");
        }
    }
}
