//! From raw bytes to a command: what in a line counts, and its parts.
//!
//! The protocol drops control characters, reads a tab as a space, and ends a line at `#`. Bytes that are not UTF-8 are
//! replaced, the rest of UTF-8 stays as it is, since file names are written in it.

/// Bytes of a line; a longer one is refused as a whole.
pub const MAX_LINE: usize = 1 << 20;

/// The parts of a line that holds a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The number before the command, as it was written: it is echoed and never counted with.
    pub id: Option<String>,
    /// The command's name; empty when there was a number alone.
    pub name: String,
    /// Everything after the name, without spaces around it.
    pub rest: String,
}

impl Line {
    /// Reads a line; `None` when nothing is left of it, which answers nothing.
    #[must_use]
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
        let (first, after) = split_word(text);
        let numbered = first.bytes().all(|byte| byte.is_ascii_digit());
        let (name, rest) = if numbered {
            split_word(after)
        } else {
            (first, after)
        };
        Some(Self {
            id: numbered.then(|| first.to_owned()),
            name: name.to_owned(),
            rest: rest.to_owned(),
        })
    }

    /// The number before a command whose line is too long to be read; none if that is long, too.
    #[must_use]
    pub fn id_of_long(bytes: &[u8]) -> Option<String> {
        const LONGEST: usize = 32;
        let start = Self::parse(&bytes[..bytes.len().min(LONGEST)])?;
        start.id.filter(|_| !start.name.is_empty())
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
        Line::parse(bytes).map(|line| (line.id, line.name, line.rest))
    }

    fn some(id: Option<&str>, name: &str, rest: &str) -> Option<(Option<String>, String, String)> {
        Some((id.map(str::to_owned), name.to_owned(), rest.to_owned()))
    }

    #[test]
    fn lines_fall_into_id_name_and_rest() {
        assert_eq!(parts(b"name"), some(None, "name", ""));
        assert_eq!(parts(b"12 play b D4\r"), some(Some("12"), "play", "b D4"));
        assert_eq!(
            parts(b"  007\tplay  b\tD4 "),
            some(Some("007"), "play", "b D4")
        );
        assert_eq!(parts(b"5"), some(Some("5"), "", ""));
        assert_eq!(parts(b"-5 name"), some(None, "-5", "name"));
        assert_eq!(parts(b"12a name"), some(None, "12a", "name"));
        let huge = "9".repeat(500);
        let line = format!("{huge} quit");
        assert_eq!(parts(line.as_bytes()), some(Some(&huge), "quit", ""));
    }

    #[test]
    fn comments_controls_and_empty_lines_are_dropped() {
        for nothing in [
            &b""[..],
            b"\r",
            b"   \t ",
            b"# a comment",
            b" \x01\x7f",
            b"\xef\xbb\xbf",
        ] {
            assert_eq!(parts(nothing), None, "{nothing:?}");
        }
        assert_eq!(parts(b"pl\x07ay b # D4"), some(None, "play", "b"));
        assert_eq!(parts(b"\xef\xbb\xbfname"), some(None, "name", ""));
    }

    #[test]
    fn text_stays_utf8_and_other_bytes_are_replaced() {
        let line = "loadsgf 囲碁 対局.sgf 12".as_bytes();
        assert_eq!(parts(line), some(None, "loadsgf", "囲碁 対局.sgf 12"));
        assert_eq!(parts(b"echo \xff!"), some(None, "echo", "\u{fffd}!"));
    }
}
