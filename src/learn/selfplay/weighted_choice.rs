//! Weighted random choices, and their text form: entries with optional weights, such as `9:3,13:1,19`, or `7..19:2` for
//! a range of sizes.

use crate::game::point::BoardSize;
use crate::game::rules::Rules;
use crate::io::error_text::excerpt;
use crate::random::Rng;

/// Weighted random choice between values. There is at least one value, and all weights are positive.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedChoice<T> {
    entries: Vec<(T, f64)>,
}

/// Error in the text form of a weighted choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightedChoiceError {
    /// The name in an entry is invalid.
    #[error("invalid entry {found:?}; use {expected}")]
    Entry {
        /// Description of the valid entries, for use in error messages.
        expected: String,
        found: String,
    },
    /// A weight is not a positive number.
    #[error("the weight of {entry} must be a positive number, not {found:?}")]
    Weight { entry: String, found: String },
}

impl<T: Copy> WeightedChoice<T> {
    /// Draws a value at random, with probabilities proportional to the weights.
    pub fn draw(&self, rng: &mut Rng) -> T {
        let weights: Vec<f64> = self.entries.iter().map(|&(_, weight)| weight).collect();
        let index = rng
            .sample_weighted(&weights)
            .expect("a choice has an entry of positive weight");
        self.entries[index].0
    }

    /// Parses comma-separated entries `NAME` or `NAME:WEIGHT`. The default weight is 1. `parse_name` returns the values
    /// that a name denotes, or `None` if the name is invalid. `expected` describes the valid names for the error
    /// message.
    fn parse(
        text: &str,
        expected: impl Fn() -> String,
        parse_name: impl Fn(&str) -> Option<Vec<T>>,
    ) -> Result<Self, WeightedChoiceError> {
        let mut entries = Vec::new();
        for entry in text.split(',') {
            let (name, weight) = entry.split_once(':').unwrap_or((entry, "1"));
            let values = parse_name(name.trim()).ok_or_else(|| WeightedChoiceError::Entry {
                expected: expected(),
                found: excerpt(name),
            })?;
            let parsed_weight = weight.trim().parse().ok();
            let parsed_weight =
                parsed_weight.filter(|weight: &f64| weight.is_finite() && *weight > 0.0);
            let parsed_weight = parsed_weight.ok_or_else(|| WeightedChoiceError::Weight {
                entry: excerpt(name),
                found: excerpt(weight),
            })?;
            entries.extend(values.into_iter().map(|value| (value, parsed_weight)));
        }
        Ok(Self { entries })
    }
}

impl WeightedChoice<BoardSize> {
    /// Parses a choice of board sizes. Each entry is a side length, `WIDTHxHEIGHT`, or an inclusive range of side
    /// lengths such as `7..19`, in which each size has the weight of the entry.
    ///
    /// # Errors
    /// Returns an error if an entry is not a valid board size or range, or if a weight is not a positive number.
    pub fn parse_sizes(text: &str) -> Result<Self, WeightedChoiceError> {
        let expected = || "a side from 2 to 19, WIDTHxHEIGHT or FROM..TO".to_owned();
        Self::parse(text, expected, |name| {
            let Some((from, to)) = name.split_once("..") else {
                return Some(vec![name.parse().ok()?]);
            };
            let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
            let sides: Option<Vec<_>> = (from..=to.min(BoardSize::STANDARD.width() + 1))
                .map(|side| BoardSize::new(side, side))
                .collect();
            sides.filter(|row| !row.is_empty())
        })
    }
}

impl WeightedChoice<Rules> {
    /// Parses a choice of rule sets, specified by their names.
    ///
    /// # Errors
    /// Returns an error if a name is unknown or a weight is not a positive number.
    pub fn parse_rules(text: &str) -> Result<Self, WeightedChoiceError> {
        let expected = || format!("one of {}", Rules::name_list());
        Self::parse(text, expected, |name| Some(vec![Rules::parse(name)?]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_weights() {
        let sizes = WeightedChoice::parse_sizes("9:3, 13x7,5..7:0.5").unwrap();
        let mut rng = Rng::new(1);
        let mut counts = std::collections::BTreeMap::<String, u32>::new();
        for _ in 0..11_000 {
            *counts.entry(sizes.draw(&mut rng).to_string()).or_default() += 1;
        }
        for (size, expected) in [("9x9", 6000), ("13x7", 2000), ("5x5", 1000), ("7x7", 1000)] {
            let count = counts[size];
            assert!(count.abs_diff(expected) < expected / 10, "{counts:?}");
        }
        assert_eq!(counts.len(), 5);
    }

    #[test]
    fn invalid_choices_are_rejected() {
        for text in [
            "", "1", "20", "9,", "9:0", "9:-1", "9:nan", "9:x", "7..", "9..7", "18..99", "9x",
        ] {
            assert!(WeightedChoice::parse_sizes(text).is_err(), "{text:?}");
        }
        assert!(WeightedChoice::parse_rules("chinese:2,aga").is_ok());
        let message = WeightedChoice::parse_rules("chinese,gomoku")
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("tromp-taylor") && message.contains("gomoku"),
            "{message}"
        );
    }
}
