//! The words of others in errors: what was found, in short, and the known name closest to it.

/// Names less alike than this (by Jaro and Winkler, from 0 to 1) are no misspellings of one another.
const ALIKE: f64 = 0.8;

/// The end of an error about a name that is none of the `known` ones: what was found, and what may have been meant.
#[must_use]
pub fn found<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let shown = shortened(name);
    match meant(&shown, known) {
        Some(known) => format!("found {shown:?}; did you mean {known}?"),
        None => format!("found {shown:?}"),
    }
}

/// Letters of what was found that errors show.
const SHOWN: usize = 60;

/// What was found, in an error: a client may send a megabyte.
#[must_use]
pub fn shortened(found: &str) -> String {
    beginning(found, SHOWN)
}

/// The first letters of what others have said, at most so many, in one line; what would command a terminal becomes `?`.
#[must_use]
pub fn beginning(said: &str, most: usize) -> String {
    let mut letters = said.chars();
    let mut shown: String = (letters.by_ref().take(most))
        .map(|letter| match letter {
            letter if letter.is_whitespace() => ' ',
            letter if letter.is_control() => '?',
            letter => letter,
        })
        .collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// The known name that may have been meant: the one most like this one, whatever its case, if it is like it at all.
#[must_use]
pub fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let alike = |known: &'a str| {
        let alike = strsim::jaro_winkler(&lower, &known.to_lowercase());
        (known, alike)
    };
    let closest = (known.into_iter().map(alike)).max_by(|(_, a), (_, b)| a.total_cmp(b));
    closest
        .filter(|&(_, alike)| alike >= ALIKE)
        .map(|(known, _)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_the_closest_of_what_is_alike() {
        let known = ["genmove", "reg_genmove", "komi"];
        assert_eq!(
            found("genmov", known),
            r#"found "genmov"; did you mean genmove?"#
        );
        assert_eq!(found("KOMY", known), r#"found "KOMY"; did you mean komi?"#);
        assert_eq!(found("quit", known), r#"found "quit""#);
        assert_eq!(found("", []), r#"found """#);
    }

    #[test]
    fn what_others_say_is_shown_in_short_and_commands_no_terminal() {
        assert_eq!(beginning("\u{1b}[31mError\u{7}", 20), "?[31mError?");
        assert_eq!(beginning("囲碁の対局", 2), "囲碁…");
        assert_eq!(beginning("囲\n碁", 3), "囲 碁");
        let long = found(&"x".repeat(1_000_000), ["komi"]);
        assert_eq!(long, format!("found \"{}…\"", "x".repeat(60)));
    }
}
