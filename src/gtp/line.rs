//! Parsing of input lines into ID, command name and arguments.
//!
//! As GTP requires, control characters are removed, tabs become spaces, and `#` starts a comment. Non-ASCII characters
//! are preserved, because file names may contain them. Invalid UTF-8 is converted to replacement characters.

/// Maximum length of a line in bytes. Longer lines are rejected as a whole.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// A line that contains a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// Number before the command name. Stored as text, because it is only echoed and may exceed any integer type.
    pub id: Option<String>,
    /// Command name. Empty if the line contains only an ID.
    pub name: String,
    /// Text after the name, without surrounding spaces.
    pub args: String,
}

impl ParsedLine {
    /// Parses a line. Returns `None` if the line is empty or contains only a comment. Such lines get no response.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let text: String = text
            .trim_start_matches('\u{feff}')
            .chars()
            .take_while(|&c| c != '#')
            .map(|c| if c == '\t' { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        let text = text.trim_matches(' ');
        if text.is_empty() {
            return None;
        }
        let (first, remaining) = split_word(text);
        let has_id = first.bytes().all(|byte| byte.is_ascii_digit());
        let (name, args) = if has_id {
            split_word(remaining)
        } else {
            (first, remaining)
        };
        Some(Self {
            id: has_id.then(|| first.to_owned()),
            name: name.to_owned(),
            args: args.to_owned(),
        })
    }

    /// Returns the ID of a line that exceeds [`MAX_LINE_BYTES`], or `None` if the line has no ID or its ID is very
    /// long.
    pub fn id_of_overlong_line(bytes: &[u8]) -> Option<String> {
        const PREFIX_BYTES: usize = 32;
        let prefix = Self::parse(&bytes[..bytes.len().min(PREFIX_BYTES)])?;
        prefix.id.filter(|_| !prefix.name.is_empty())
    }
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_once(' ')
        .map_or((text, ""), |(word, rest)| (word, rest.trim_matches(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(bytes: &[u8]) -> Option<(Option<String>, String, String)> {
        ParsedLine::parse(bytes).map(|line| (line.id, line.name, line.args))
    }

    fn expected(
        id: Option<&str>,
        name: &str,
        args: &str,
    ) -> Option<(Option<String>, String, String)> {
        Some((id.map(str::to_owned), name.to_owned(), args.to_owned()))
    }

    #[test]
    fn line_splits_into_id_name_and_args() {
        assert_eq!(parts(b"name"), expected(None, "name", ""));
        assert_eq!(
            parts(b"12 play b D4\r"),
            expected(Some("12"), "play", "b D4")
        );
        assert_eq!(
            parts(b"  007\tplay  b\tD4 "),
            expected(Some("007"), "play", "b D4")
        );
        assert_eq!(parts(b"5"), expected(Some("5"), "", ""));
        assert_eq!(parts(b"-5 name"), expected(None, "-5", "name"));
        assert_eq!(parts(b"12a name"), expected(None, "12a", "name"));
        let huge = "9".repeat(500);
        let line = format!("{huge} quit");
        assert_eq!(parts(line.as_bytes()), expected(Some(&huge), "quit", ""));
    }

    #[test]
    fn comments_and_control_characters_are_removed() {
        for ignored in [
            &b""[..],
            b"\r",
            b"   \t ",
            b"# a comment",
            b" \x01\x7f",
            b"\xef\xbb\xbf",
        ] {
            assert_eq!(parts(ignored), None, "{ignored:?}");
        }
        assert_eq!(parts(b"pl\x07ay b # D4"), expected(None, "play", "b"));
        assert_eq!(parts(b"\xef\xbb\xbfname"), expected(None, "name", ""));
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let line = "loadsgf 囲碁 対局.sgf 12".as_bytes();
        assert_eq!(parts(line), expected(None, "loadsgf", "囲碁 対局.sgf 12"));
        assert_eq!(parts(b"echo \xff!"), expected(None, "echo", "\u{fffd}!"));
    }
}
