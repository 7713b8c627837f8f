//! The command line and configuration of KataGo, as far as its clients use them: long options after a single dash, and
//! settings as `name = value`.

use std::ffi::OsString;

use anyhow::{Context, bail};

/// The arguments, those of `analysis` with two dashes before each long option that has one.
pub fn in_long_form(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = arguments.collect();
    if all.get(1).is_some_and(|command| command == "analysis") {
        for argument in all.iter_mut().skip(2) {
            if let Some(text) = argument.to_str().filter(|text| is_long(text)) {
                *argument = format!("-{text}").into();
            }
        }
    }
    all
}

/// Whether it is a dash and a word: neither a number nor one of the short options, which have one letter.
fn is_long(text: &str) -> bool {
    let word = text.strip_prefix('-').unwrap_or_default();
    word.len() > 1 && word.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// The settings of a configuration file: one a line, `#` before comments, which may be in any encoding.
pub fn settings_of_file(bytes: &[u8]) -> anyhow::Result<Vec<(String, String)>> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().enumerate().map(|(number, line)| {
        let told = line.split_once('#').map_or(line, |(told, _)| told).trim();
        (number + 1, told)
    });
    lines
        .filter(|(_, told)| !told.is_empty())
        .map(|(number, told)| setting(told).with_context(|| format!("line {number}")))
        .collect()
}

/// The settings of one option: with commas between them.
pub fn settings_of_option(text: &str) -> anyhow::Result<Vec<(String, String)>> {
    let parts = text.split(',').map(str::trim);
    parts.filter(|part| !part.is_empty()).map(setting).collect()
}

fn setting(text: &str) -> anyhow::Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        // Another file; it is named among what is not applied.
        None if text.starts_with('@') => Ok((text.to_owned(), String::new())),
        None => bail!("expected NAME = VALUE, found {text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(arguments: &[&str]) -> Vec<OsString> {
        in_long_form(arguments.iter().map(OsString::from))
    }

    #[test]
    fn single_dashes_are_doubled_for_analysis_alone() {
        assert_eq!(
            rewritten(&[
                "honinbo", "analysis", "-model", "F", "-h", "-7.5", "--komi", "-"
            ]),
            [
                "honinbo", "analysis", "--model", "F", "-h", "-7.5", "--komi", "-"
            ]
        );
        assert_eq!(
            rewritten(&["honinbo", "gtp", "-model"]),
            ["honinbo", "gtp", "-model"]
        );
    }

    #[test]
    fn settings_are_read_with_their_comments_left_out() {
        let text = "# head\nmaxVisits = 7 # few\n\n logDir=x=y\n";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [pair("maxVisits", "7"), pair("logDir", "x=y")];
        assert_eq!(settings_of_file(text.as_bytes()).unwrap(), expected);
        let marked = [b"\xef\xbb\xbf", text.as_bytes(), b"\n# \xd6\xd0"].concat();
        assert_eq!(settings_of_file(&marked).unwrap(), expected);
        assert_eq!(
            settings_of_option("maxVisits=7, logDir=x=y").unwrap(),
            expected
        );
        let error = settings_of_file(b"a = 1\nnonsense").unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "line 2: expected NAME = VALUE, found \"nonsense\""
        );
    }
}
