//! Property values.
//!
//! The interpretation of a value depends on its property: text, a single line of text, a point, or a pair separated by
//! a colon. [`Value`] therefore stores the escaped text of the file, which makes reading and writing lossless. Its
//! methods interpret the text on request.

/// A property value in escaped form, without the enclosing brackets.
///
/// Contains no unescaped `]` and does not end in an unescaped backslash, so it can be written between brackets
/// unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Value(Box<str>);

impl Value {
    /// Creates a value from plain text by escaping it. [`Value::text`] restores the text, with line breaks as `\n` and
    /// other white space as spaces.
    pub fn from_text(text: &str) -> Self {
        let mut escaped = String::with_capacity(text.len());
        push_escaped(&mut escaped, text, &['\\', ']']);
        Self(escaped.into())
    }

    /// Creates a pair `first:second` from two plain texts, escaping colons inside both.
    pub fn composed(first: &str, second: &str) -> Self {
        let mut escaped = String::with_capacity(first.len() + second.len() + 1);
        push_escaped(&mut escaped, first, &['\\', ']', ':']);
        escaped.push(':');
        push_escaped(&mut escaped, second, &['\\', ']', ':']);
        Self(escaped.into())
    }

    /// Creates a value from escaped text. Returns `None` if the text cannot be written between brackets.
    pub fn from_escaped(escaped: &str) -> Option<Self> {
        let mut is_escaped = false;
        for character in escaped.chars() {
            if character == ']' && !is_escaped {
                return None;
            }
            is_escaped = character == '\\' && !is_escaped;
        }
        (!is_escaped).then(|| Self(escaped.into()))
    }

    /// Returns the escaped form, as written in a file.
    pub fn as_escaped(&self) -> &str {
        &self.0
    }

    /// Interprets the value as the SGF type Text: resolves escapes, removes escaped line breaks and returns other line
    /// breaks as `\n`.
    pub fn text(&self) -> String {
        unescape(&self.0, '\n')
    }

    /// Interprets the value as the SGF type SimpleText: like [`Value::text`], but on one line and trimmed.
    pub fn simple_text(&self) -> String {
        unescape(&self.0, ' ').trim().to_owned()
    }

    /// Splits the value at the first unescaped colon. Returns `None` if there is no such colon.
    pub fn composed_parts(&self) -> Option<(Value, Value)> {
        let mut is_escaped = false;
        for (index, character) in self.0.char_indices() {
            if character == ':' && !is_escaped {
                let (first, second) = (&self.0[..index], &self.0[index + 1..]);
                return Some((Self(first.into()), Self(second.into())));
            }
            is_escaped = character == '\\' && !is_escaped;
        }
        None
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::from_text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::from_text(&text)
    }
}

fn push_escaped(output: &mut String, text: &str, special: &[char]) {
    for character in text.chars() {
        if special.contains(&character) {
            output.push('\\');
        }
        output.push(character);
    }
}

fn unescape(escaped: &str, line_break: char) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut chars = escaped.chars().peekable();
    while let Some(character) = chars.next() {
        let (character, keeps_line_break) = match character {
            '\\' => match chars.next() {
                Some(next) => (next, false),
                None => break,
            },
            other => (other, true),
        };
        match character {
            '\n' | '\r' => {
                // CR LF and LF CR are both in use. Each counts as a single line break.
                let second_half = if character == '\n' { '\r' } else { '\n' };
                chars.next_if_eq(&second_half);
                if keeps_line_break {
                    text.push(line_break);
                }
            }
            other if other.is_ascii_whitespace() || other == '\u{b}' => text.push(' '),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> Value {
        Value::from_escaped(text).expect("a valid escaped literal")
    }

    #[test]
    fn text_resolves_escapes_and_line_breaks() {
        let value =
            escaped("Meijin NR: yeah, k\\\r\nis is a\ttab\\] \\\\ \\:\r\nnew\n\nline\r\rend\\ok");
        assert_eq!(
            value.text(),
            "Meijin NR: yeah, kis is a tab] \\ :\nnew\n\nline\n\nendok"
        );
        assert_eq!(
            value.simple_text(),
            "Meijin NR: yeah, kis is a tab] \\ : new  line  endok"
        );
        assert_eq!(escaped("a\n\rb\\\n\rc\\\td").text(), "a\nbc d");
    }

    #[test]
    fn pair_splits_at_unescaped_colon() {
        assert_eq!(
            escaped("aa:bb:cc").composed_parts(),
            Some((escaped("aa"), escaped("bb:cc")))
        );
        let (program, version) = Value::composed("a:b]\\", "1:0")
            .composed_parts()
            .expect("a pair");
        assert_eq!(
            (program.text(), version.text()),
            ("a:b]\\".into(), "1:0".into())
        );
        assert_eq!(escaped("no\\:pair").composed_parts(), None);
        assert_eq!(
            escaped("\\\\:x").composed_parts(),
            Some((escaped("\\\\"), escaped("x")))
        );
    }

    #[test]
    fn from_escaped_rejects_unescaped_brackets() {
        assert_eq!(Value::from_escaped("a]"), None);
        assert_eq!(Value::from_escaped("a\\"), None);
        assert_eq!(Value::from_escaped("a\\\\]"), None);
        assert_eq!(escaped("a\\]").text(), "a]");
        assert_eq!(Value::from_text("x[1]\\").as_escaped(), "x[1\\]\\\\");
    }
}
