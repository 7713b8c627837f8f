//! Compatibility with KataGo's command line and configuration: long options with a single dash, and settings of the
//! form `name = value`.

use std::ffi::OsString;

use anyhow::{Context, bail};

/// Replaces the single dash of long options with two dashes. Only changes the arguments of the command `analysis`.
pub fn expand_analysis_dashes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments
        .get(1)
        .is_some_and(|command| command == "analysis")
    {
        for argument in arguments.iter_mut().skip(2) {
            if let Some(text) = argument.to_str().filter(|text| is_long_option(text)) {
                *argument = format!("-{text}").into();
            }
        }
    }
    arguments
}

/// Returns true for a long option with a single dash. Numbers and one-letter options are not long options.
fn is_long_option(text: &str) -> bool {
    let name = text.strip_prefix('-').unwrap_or_default();
    name.len() > 1 && name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Parses a configuration file with one setting per line. Returns the names and values of the settings. Comments start
/// with `#` and may be in any encoding.
pub fn parse_config(bytes: &[u8]) -> anyhow::Result<Vec<(String, String)>> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().enumerate().map(|(number, line)| {
        let content = line
            .split_once('#')
            .map_or(line, |(setting, _)| setting)
            .trim();
        (number + 1, content)
    });
    lines
        .filter(|(_, content)| !content.is_empty())
        .map(|(number, content)| parse_setting(content).with_context(|| format!("line {number}")))
        .collect()
}

/// Parses the value of `--override-config`: settings separated by commas. Returns their names and values.
pub fn parse_override(text: &str) -> anyhow::Result<Vec<(String, String)>> {
    let parts = text.split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(parse_setting)
        .collect()
}

fn parse_setting(text: &str) -> anyhow::Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        // Include directives are not supported. They are reported together with the ignored settings.
        None if text.starts_with('@') => Ok((text.to_owned(), String::new())),
        None => bail!("expected NAME = VALUE, found {text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(arguments: &[&str]) -> Vec<OsString> {
        expand_analysis_dashes(arguments.iter().map(OsString::from))
    }

    #[test]
    fn analysis_long_dashes_are_doubled() {
        assert_eq!(
            doubled(&[
                "honinbo", "analysis", "-model", "F", "-h", "-7.5", "--komi", "-"
            ]),
            [
                "honinbo", "analysis", "--model", "F", "-h", "-7.5", "--komi", "-"
            ]
        );
        assert_eq!(
            doubled(&["honinbo", "gtp", "-model"]),
            ["honinbo", "gtp", "-model"]
        );
    }

    #[test]
    fn config_comments_are_ignored() {
        let text = "# head\nmaxVisits = 7 # few\n\n logDir=x=y\n";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [pair("maxVisits", "7"), pair("logDir", "x=y")];
        assert_eq!(parse_config(text.as_bytes()).unwrap(), expected);
        let with_bom = [b"\xef\xbb\xbf", text.as_bytes(), b"\n# \xd6\xd0"].concat();
        assert_eq!(parse_config(&with_bom).unwrap(), expected);
        assert_eq!(parse_override("maxVisits=7, logDir=x=y").unwrap(), expected);
        let error = parse_config(b"a = 1\nnonsense").unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "line 2: expected NAME = VALUE, found \"nonsense\""
        );
    }
}
