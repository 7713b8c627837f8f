//! Helpers for error messages: quoting user input safely and suggesting the most similar known name.

use std::borrow::Cow;

/// Minimum Jaro-Winkler similarity (0 to 1) for a suggestion.
const MIN_SIMILARITY: f64 = 0.8;

/// Formats the end of an error message about an unknown name: `found "genmov"; did you mean genmove?`. The suggestion
/// is omitted if none of the `candidates` is similar.
pub fn found_with_suggestion<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    format!("found {}", quote_with_suggestion(name, candidates))
}

/// Quotes an unknown name and appends a suggestion, if there is one: `"genmov"; did you mean genmove?`.
pub fn quote_with_suggestion<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    quote_with_fallback_hint(name, candidates, "")
}

/// Quotes an unknown name and appends a suggestion or, if no candidate is similar, a hint. An empty `hint` is omitted.
pub fn quote_with_fallback_hint<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    hint: &str,
) -> String {
    let quoted = excerpt(name);
    match suggest(&quoted, candidates) {
        Some(suggestion) => format!("{quoted:?}; did you mean {suggestion}?"),
        None if hint.is_empty() => format!("{quoted:?}"),
        None => format!("{quoted:?}; {hint}"),
    }
}

/// Maximum number of characters of user input that an error message quotes.
const MAX_QUOTED_CHARS: usize = 60;

/// Shortens user input for quoting in an error message, because clients may send lines of a megabyte. Makes the result
/// printable like [`excerpt_up_to`].
pub fn excerpt(text: &str) -> String {
    excerpt_up_to(text, MAX_QUOTED_CHARS)
}

/// Returns the first `max_chars` characters as a single printable line, followed by `…` if the text is longer.
///
/// Each white space character becomes a space. Other control characters become `?`, so that quoted text cannot send
/// commands to a terminal.
pub fn excerpt_up_to(text: &str, max_chars: usize) -> String {
    let mut chars = text.chars();
    let mut prefix: String = (chars.by_ref().take(max_chars))
        .map(|c| match c {
            c if c.is_whitespace() => ' ',
            c if c.is_control() => '?',
            c => c,
        })
        .collect();
    if chars.next().is_some() {
        prefix.push('…');
    }
    prefix
}

/// Returns a text in which control characters other than line breaks and tabs have become `?`, so that a name or a
/// comment in it cannot send commands to a terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_command = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    match text.contains(is_command) {
        true => text.replace(is_command, "?").into(),
        false => text.into(),
    }
}

/// Returns the candidate most similar to `name`, ignoring case, or `None` if none is similar enough.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let score = |candidate: &'a str| {
        let similarity = strsim::jaro_winkler(&lower, &candidate.to_lowercase());
        (candidate, similarity)
    };
    let closest = (candidates.into_iter().map(score)).max_by(|(_, a), (_, b)| a.total_cmp(b));
    closest
        .filter(|&(_, similarity)| similarity >= MIN_SIMILARITY)
        .map(|(candidate, _)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_closest_similar_name() {
        let known = ["genmove", "reg_genmove", "komi"];
        assert_eq!(
            found_with_suggestion("genmov", known),
            r#"found "genmov"; did you mean genmove?"#
        );
        assert_eq!(
            found_with_suggestion("KOMY", known),
            r#"found "KOMY"; did you mean komi?"#
        );
        assert_eq!(found_with_suggestion("quit", known), r#"found "quit""#);
        assert_eq!(found_with_suggestion("", []), r#"found """#);
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(excerpt_up_to("\u{1b}[31mError\u{7}", 20), "?[31mError?");
        assert_eq!(
            printable("\u{9b}2J\u{1b}]0;x\u{7}\tb\r\n"),
            "?2J?]0;x?\tb?\n"
        );
        assert_eq!(excerpt_up_to("囲碁の対局", 2), "囲碁…");
        assert_eq!(excerpt_up_to("囲\n碁", 3), "囲 碁");
        let long = found_with_suggestion(&"x".repeat(1_000_000), ["komi"]);
        assert_eq!(long, format!("found \"{}…\"", "x".repeat(60)));
    }
}
