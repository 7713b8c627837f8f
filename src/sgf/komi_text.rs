//! Komi as people and programs write it in game files: `6.5`, `6,5`, `6目半`, `3 3/4`, `黑贴3又3/4子`.

use std::ops::RangeInclusive;

use crate::game::rules::Komi;

/// Usual range of komi in points, used to infer the unit of a number. Komi outside this range is rare.
const USUAL_POINTS: RangeInclusive<f64> = 5.0..=8.0;

/// A number with its unit, as in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct KomiText {
    number: f64,
    /// True if the number counts stones, of which each is worth two points.
    in_stones: bool,
}

/// Komi read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParsedKomi {
    pub komi: Komi,
    /// True if the unit was inferred from an unusually large number.
    pub was_in_hundredths: bool,
}

/// Parses a komi. `in_hundredths` is true if the file comes from a server that writes komi in hundredths. Returns
/// `None` if the text is not understood or the komi is not [valid](Komi::VALID_VALUES).
///
/// In Chinese counting, komi is in stones: 3.75 stones are 7.5 points. A number from 2.75 to 3.75 counts as stones even
/// without a unit.
pub(super) fn parse_komi(text: &str, in_hundredths: bool) -> Option<ParsedKomi> {
    let KomiText { number, in_stones } = parse_number_and_unit(text)?;
    let plain = |komi| ParsedKomi {
        komi,
        was_in_hundredths: false,
    };
    if in_stones {
        return Komi::from_points(2.0 * number).map(plain);
    }
    let points = number / 100.0;
    let hundredths = Komi::from_stones(points).or_else(|| Komi::from_points(points));
    // Numbers below 50 are in points even on such a server.
    if in_hundredths && number.abs() >= 50.0 {
        return hundredths.map(plain);
    }
    let usual = hundredths.filter(|komi| number >= 100.0 && USUAL_POINTS.contains(&komi.points()));
    match usual {
        Some(komi) => Some(ParsedKomi {
            komi,
            was_in_hundredths: true,
        }),
        None => from_points_or_stones(number).map(plain),
    }
}

/// Converts a komi in points or, if it is from 2.75 to 3.75, in stones.
fn from_points_or_stones(number: f64) -> Option<Komi> {
    Komi::from_points(number).or_else(|| Komi::from_stones(number))
}

fn parse_number_and_unit(text: &str) -> Option<KomiText> {
    let text = with_ascii_numbers(text.trim());
    let first_digit = text.find(|char: char| char.is_ascii_digit())?;
    let start = first_digit - usize::from(text[..first_digit].ends_with('.'));
    let (prefix, number_text) = text.split_at(start);
    let is_negative = prefix.ends_with('-') || prefix.contains(['倒', '逆']);
    let (mut number, mut rest) = take_number(number_text)?;
    if let Some((fraction, tail)) = take_fraction(number, rest) {
        (number, rest) = (fraction, tail);
    }
    let unit = rest.trim_start();
    let half_units = ["目半", "点半", "點半", "집반", "호반", "半"];
    if half_units.iter().any(|half| unit.starts_with(half)) && number.fract() == 0.0 {
        number += 0.5;
    }
    // Text such as an exponent or a second decimal point changes the meaning of the number.
    let suffix = rest.split_whitespace().next().unwrap_or_default();
    let is_attached = !rest.starts_with(char::is_whitespace);
    if is_attached && suffix.contains(|char: char| char.is_ascii_digit()) {
        return None;
    }
    Some(KomiText {
        number: if is_negative { -number } else { number },
        in_stones: unit.starts_with('子') || unit.starts_with("stone"),
    })
}

/// Reads a number such as `6`, `6.5` or `6,5` at the start of a text. Returns the rest of the text too.
fn take_number(text: &str) -> Option<(f64, &str)> {
    let is_digit = |char: char| char.is_ascii_digit();
    let integer_len = text.find(|char| !is_digit(char)).unwrap_or(text.len());
    let tail = &text[integer_len..];
    let decimals = tail.strip_prefix(['.', ',']).unwrap_or_default();
    let decimals_len = decimals
        .find(|char| !is_digit(char))
        .unwrap_or(decimals.len());
    let has_point = tail.starts_with(['.', ',']);
    let len = integer_len + if has_point { 1 + decimals_len } else { 0 };
    let number = text[..len].replace(',', ".").parse().ok()?;
    Some((number, &text[len..]))
}

/// Reads the fraction after an integer: `3/4` of `3 3/4`, `3又3/4` or `3又4分之3`, or the rest of a plain `3/4`. Returns
/// the sum and the rest of the text.
fn take_fraction(integer: f64, text: &str) -> Option<(f64, &str)> {
    if integer.fract() != 0.0 {
        return None;
    }
    if let Some(text) = text.strip_prefix('/') {
        let (denominator, rest) = take_number(text)?;
        return (denominator > 0.0).then_some((integer / denominator, rest));
    }
    let text = text.trim_start().trim_start_matches(['又', 'と', '+', '-']);
    let (first, rest) = take_number(text.trim_start())?;
    let (numerator, denominator, rest) = match rest.strip_prefix('/') {
        Some(rest) => {
            let (denominator, rest) = take_number(rest)?;
            (first, denominator, rest)
        }
        None => {
            let rest = rest
                .strip_prefix("分之")
                .or_else(|| rest.strip_prefix("分の"))?;
            let (numerator, rest) = take_number(rest)?;
            (numerator, first, rest)
        }
    };
    (denominator > 0.0).then_some((integer + numerator / denominator, rest))
}

/// Replaces full-width and Chinese digits, fractions and minus signs with ASCII.
fn with_ascii_numbers(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '０'..='９' => ascii.extend(char::from_digit(char as u32 - '０' as u32, 10)),
            '．' | '。' => ascii.push('.'),
            '，' => ascii.push(','),
            '／' => ascii.push('/'),
            '－' | '−' | '–' => ascii.push('-'),
            '½' => ascii.push_str(" 1/2"),
            '¼' => ascii.push_str(" 1/4"),
            '¾' => ascii.push_str(" 3/4"),
            '两' | '兩' => ascii.push('2'),
            _ => match "〇一二三四五六七八九"
                .chars()
                .position(|digit| digit == char)
            {
                Some(digit) => ascii.push_str(&digit.to_string()),
                None => ascii.push(char),
            },
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Option<f64> {
        parse_komi(text, false).map(|parsed| parsed.komi.points())
    }

    #[test]
    fn komi_is_read_in_many_spellings() {
        for (text, expected) in [
            ("6.5", 6.5),
            ("6,5", 6.5),
            ("+6.5", 6.5),
            (" 6.5 points", 6.5),
            ("6.5目", 6.5),
            ("6目半", 6.5),
            ("六目半", 6.5),
            ("6집반", 6.5),
            ("6½", 6.5),
            ("６．５", 6.5),
            (".5", 0.5),
            ("-5.5", -5.5),
            ("−5.5", -5.5),
            ("0", 0.0),
            ("7.0", 7.0),
            ("7.", 7.0),
            ("8 points", 8.0),
            ("komi 6.5", 6.5),
            ("3.75", 7.5),
            ("2.75", 5.5),
            ("3.5", 3.5),
            ("3 3/4", 7.5),
            ("3-3/4", 7.5),
            ("3又3/4子", 7.5),
            ("黑贴3又3/4子", 7.5),
            ("黑贴三又四分之三子", 7.5),
            ("3.75子", 7.5),
            ("2 3/4", 5.5),
            ("1子", 2.0),
            ("6 1/2", 6.5),
            ("375", 7.5),
            ("325", 6.5),
            ("650", 6.5),
            ("750", 7.5),
            ("550", 5.5),
            ("100", 100.0),
            ("350", 7.0),
            ("komi: 6.5", 6.5),
            ("Komi. 6.5", 6.5),
        ] {
            assert_eq!(points(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn unknown_komi_is_rejected() {
        for text in [
            "", "none", "nan", "inf", "3.3", "1e9", "6.5.3", "0.25", "9999", "5/0", ".",
        ] {
            assert_eq!(points(text), None, "{text}");
        }
    }

    #[test]
    fn hundredths_of_servers_are_converted() {
        for (text, expected) in [
            ("375", 7.5),
            ("650", 6.5),
            ("0", 0.0),
            ("50", 0.5),
            ("7.5", 7.5),
        ] {
            let parsed = parse_komi(text, true).unwrap();
            assert_eq!(parsed.komi.points(), expected, "{text}");
            assert!(!parsed.was_in_hundredths, "{text}");
        }
        assert!(parse_komi("375", false).unwrap().was_in_hundredths);
    }
}
