//! Character sets of SGF files: declaration, detection and decoding.
//!
//! In order of precedence, the character set is determined by the byte order mark, the declaration in the CA property,
//! and the bytes themselves. A declaration that does not fit the bytes is replaced by a
//! [detected](detection) character set.

mod detection;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Number of bytes at the start of a file that are searched for the CA property.
const CHARSET_SEARCH_LIMIT: usize = 64 * 1024;

/// Pairs of a name of a character set and the label of that set in the Encoding Standard, which does not list the name.
/// The names are in lower case and contain only letters and digits.
const OTHER_LABELS: [(&str, &str); 20] = [
    ("936", "gbk"),
    ("cp936", "gbk"),
    ("ms936", "gbk"),
    ("windows936", "gbk"),
    ("euccn", "gbk"),
    ("gb", "gbk"),
    ("949", "euc-kr"),
    ("cp949", "euc-kr"),
    ("ms949", "euc-kr"),
    ("uhc", "euc-kr"),
    ("ksc56011987", "euc-kr"),
    ("950", "big5"),
    ("cp950", "big5"),
    ("ms950", "big5"),
    ("windows950", "big5"),
    ("932", "shift_jis"),
    ("cp932", "shift_jis"),
    ("windows932", "shift_jis"),
    ("jis", "iso-2022-jp"),
    ("unicode11utf8", "utf-8"),
];

/// Decoded text of a file, with the character set used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    /// Decoded text without the byte order mark.
    pub text: String,
    /// Name of the character set used, as in the Encoding Standard.
    pub charset: &'static str,
    /// Warning for the user. Set if the file declares a different character set or if some bytes are invalid in the
    /// character set used.
    pub warning: Option<String>,
}

/// Decodes a file. Never fails: invalid bytes become replacement characters.
///
/// Usually returns a single text. In some character sets, the second byte of a character may look like a backslash. If
/// the ends of values are ambiguous for this reason, returns several texts, the most likely one first.
///
/// The first CA property applies to the whole file, because the end of a value cannot be found before the encoding is
/// known. If the bytes are valid UTF-8, UTF-8 replaces another declared character set in two cases: the bytes are
/// invalid in that set, or the text is very unlikely to be in that set. If the declaration is UTF-8, unknown or
/// missing, the file is read as UTF-8 if it has no invalid bytes or more valid non-ASCII characters than invalid byte
/// sequences. Otherwise, the character set is detected. It is also detected if the declared set does not fit the bytes.
pub fn decode(bytes: &[u8]) -> Vec<DecodedText> {
    if let Some((encoding, bom_len)) = Encoding::for_bom(bytes) {
        return vec![decode_as(encoding, &bytes[bom_len..])];
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return vec![decode_as(encoding, bytes)];
    }
    let name = declared_charset(bytes);
    let declared_encoding = name.and_then(encoding_for_name);
    // A declaration of UTF-16 must be wrong, because the name was found by reading the file byte by byte.
    let legacy_encoding = declared_encoding
        .filter(|&encoding| encoding != UTF_8 && encoding.output_encoding() == encoding);
    let mut texts = match legacy_encoding {
        Some(encoding) => decode_as_declared(encoding, bytes),
        None => decode_undeclared(bytes),
    };
    if let Some(name) = name {
        for decoded in &mut texts {
            if declared_encoding.is_none_or(|encoding| encoding.name() != decoded.charset) {
                decoded.warning = Some(format!(
                    "the file declares the character set {name:?} (CA), but it was read as {}",
                    decoded.charset
                ));
            }
        }
    }
    texts
}

/// Wraps text that has already been decoded, removing a byte order mark.
pub fn from_text(text: &str) -> DecodedText {
    DecodedText {
        text: text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
        charset: UTF_8.name(),
        warning: None,
    }
}

fn encoding_for_name(name: &str) -> Option<&'static Encoding> {
    let normalize = |name: &str| {
        let kept = name.chars().filter(char::is_ascii_alphanumeric);
        kept.collect::<String>().to_ascii_lowercase()
    };
    let normalized = normalize(name);
    let other = OTHER_LABELS.iter().find(|(other, _)| *other == normalized);
    let label = other.map_or(name, |(_, label)| label);
    // Names differ in their separators: `GB-2312`, `gb_2312`, `GB2312`.
    let spellings = [label, &normalized, &label.replace('_', "-")];
    spellings
        .iter()
        .find_map(|label| Encoding::for_label(label.as_bytes()))
}

/// Returns true if `text`, which is valid UTF-8, is very unlikely to be in the declared character set, even if the
/// bytes are also valid in that set. Such a mismatch arises when a program rewrites a file in UTF-8 and leaves the old
/// declaration. Two-byte sequences of UTF-8 are often valid in GBK or Shift_JIS too, but three-byte sequences rarely
/// are.
fn contradicts_declared_charset(text: &str, declared: &'static Encoding) -> bool {
    let min_char = if declared.is_single_byte() {
        '\u{80}'
    } else {
        '\u{800}'
    };
    text.chars().any(|character| character >= min_char)
}

fn decode_as_declared(declared: &'static Encoding, bytes: &[u8]) -> Vec<DecodedText> {
    let decoded = decode_as(declared, bytes);
    let utf8 = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| decoded.warning.is_some() || contradicts_declared_charset(text, declared));
    if let Some(text) = utf8 {
        return vec![from_text(text)];
    }
    match detection::replacement_for(declared, bytes) {
        Some(encoding) => vec![decode_as(encoding, bytes)],
        None => vec![decoded],
    }
}

fn decode_undeclared(bytes: &[u8]) -> Vec<DecodedText> {
    // ISO-2022-JP consists of ASCII bytes and escape sequences.
    if bytes.is_ascii() && bytes.windows(2).any(|pair| pair == b"\x1b$") {
        return vec![decode_as(ISO_2022_JP, bytes)];
    }
    let (mut non_ascii_chars, mut invalid_chunks) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        non_ascii_chars += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid_chunks += usize::from(!chunk.invalid().is_empty());
    }
    // A single truncated character does not make the rest of the file another character set.
    if invalid_chunks == 0 || non_ascii_chars > invalid_chunks {
        return vec![decode_as(UTF_8, bytes)];
    }
    let encodings = detection::detect(bytes).into_iter();
    encodings
        .map(|encoding| decode_as(encoding, bytes))
        .collect()
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> DecodedText {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    DecodedText {
        text: text.into_owned(),
        charset: encoding.name(),
        warning: malformed.then(|| format!("some bytes are not valid {}", encoding.name())),
    }
}

/// Returns the byte order of a UTF-16 file without a byte order mark, or `None` if the file does not begin with `(;` in
/// UTF-16.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'(', 0, b';', 0, ..] => Some(UTF_16LE),
        [0, b'(', 0, b';', ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns the first value of a CA property that could be the name of a character set.
///
/// Searches instead of parsing: in Shift_JIS, GBK and Big5 the second byte of a character may look like a backslash or
/// a bracket, so the structure cannot be trusted before the character set is known. A mention of `CA[...]` inside
/// another value is not mistaken for the property, because a closing bracket inside a value is escaped and the name of
/// a character set contains no backslash.
fn declared_charset(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(CHARSET_SEARCH_LIMIT)];
    (0..head.len()).find_map(|start| {
        let after_identifier = head[start..].strip_prefix(b"CA")?;
        if start > 0 && head[start - 1].is_ascii_alphanumeric() {
            return None;
        }
        let value = after_identifier.trim_ascii_start().strip_prefix(b"[")?;
        // The longest label in the Encoding Standard has 19 characters.
        let end = value.iter().take(40).position(|&byte| byte == b']')?;
        let name = std::str::from_utf8(&value[..end]).ok()?.trim();
        let plausible = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_:. ".contains(&byte));
        (plausible && !name.is_empty()).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(bytes: &[u8]) -> DecodedText {
        let mut texts = decode(bytes);
        assert_eq!(texts.len(), 1);
        texts.remove(0)
    }

    fn text_of(bytes: &[u8]) -> (String, &'static str, bool) {
        let decoded = only(bytes);
        (decoded.text, decoded.charset, decoded.warning.is_some())
    }

    #[test]
    fn utf8_default_with_latin1_fallback() {
        assert_eq!(
            text_of("(;PB[藤沢])".as_bytes()),
            ("(;PB[藤沢])".into(), "UTF-8", false)
        );
        assert_eq!(
            text_of(b"(;PB[J\xf6rg])"),
            ("(;PB[Jörg])".into(), "windows-1252", false)
        );
        assert_eq!(
            text_of(b"(;CA[utf-8]PB[J\xf6rg])"),
            ("(;CA[utf-8]PB[Jörg])".into(), "windows-1252", true)
        );
    }

    #[test]
    fn truncated_character_keeps_utf8() {
        let mut bytes = b"(;CA[UTF-8]PB[".to_vec();
        bytes.extend_from_slice("申真谞]GN[".as_bytes());
        bytes.extend_from_slice(b"\xe7\x94])");
        let expected = "(;CA[UTF-8]PB[申真谞]GN[\u{fffd}])";
        assert_eq!(text_of(&bytes), (expected.into(), "UTF-8", true));
    }

    #[test]
    fn declared_charset_is_used() {
        // 表 is 95 5C in Shift_JIS (5C is a backslash in ASCII), 古力 is B9 C5 C1 A6 in GBK.
        assert_eq!(
            text_of(b"(;PB[\x95\x5c]CA[Shift_JIS])"),
            ("(;PB[表]CA[Shift_JIS])".into(), "Shift_JIS", false)
        );
        assert_eq!(
            text_of(b"(;CA [ gb2312 ]PB[\xb9\xc5\xc1\xa6])"),
            ("(;CA [ gb2312 ]PB[古力])".into(), "GBK", false)
        );
        assert_eq!(
            text_of(b"(;CA[ISO-8859-1]PB[\xe9])").0,
            "(;CA[ISO-8859-1]PB[é])"
        );
    }

    #[test]
    fn valid_utf8_overrides_wrong_charset() {
        // The dash is E2 80 94 in UTF-8. In EUC-KR, second bytes start at A1.
        let (text, charset, has_warning) = text_of("(;CA[EUC-KR]PB[—])".as_bytes());
        assert_eq!(
            (text.as_str(), charset, has_warning),
            ("(;CA[EUC-KR]PB[—])", "UTF-8", true)
        );
        let reencoded = "(;CA[GB2312]PW[申真谞]KM[6.5])";
        assert_eq!(text_of(reencoded.as_bytes()).0, reencoded);
        let single_byte = "(;CA[ISO-8859-1]PB[Jörg])";
        assert_eq!(text_of(single_byte.as_bytes()).0, single_byte);
        assert_eq!(text_of(b"(;CA[UTF-16]PB[x])").0, "(;CA[UTF-16]PB[x])");
        let unknown = only(b"(;CA[klingon]PB[x])");
        assert_eq!(
            unknown.warning.as_deref(),
            Some("the file declares the character set \"klingon\" (CA), but it was read as UTF-8")
        );
    }

    #[test]
    fn byte_order_mark_decides() {
        assert_eq!(text_of(b"\xef\xbb\xbf(;)"), ("(;)".into(), "UTF-8", false));
        assert_eq!(
            text_of(b"\xff\xfe(\0;\0)\0"),
            ("(;)".into(), "UTF-16LE", false)
        );
    }

    #[test]
    fn names_of_character_sets_vary() {
        for (name, charset) in [
            ("cp936", "GBK"),
            ("GB-2312", "GBK"),
            ("gb_2312", "GBK"),
            ("GB 2312", "GBK"),
            ("CP949", "EUC-KR"),
            ("cp950", "Big5"),
            ("Big-5", "Big5"),
            ("MS932", "Shift_JIS"),
            ("SJIS", "Shift_JIS"),
            ("Shift-JIS", "Shift_JIS"),
            ("utf8", "UTF-8"),
            ("UTF_8", "UTF-8"),
            ("Latin-1", "windows-1252"),
            ("cp1250", "windows-1250"),
        ] {
            let encoding = encoding_for_name(name).map(Encoding::name);
            assert_eq!(encoding, Some(charset), "{name}");
        }
        assert_eq!(encoding_for_name("klingon"), None);
    }

    #[test]
    fn utf16_needs_no_mark() {
        let text = "(;SZ[9]PB[古力])";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text_of(&little), (text.into(), "UTF-16LE", false));
        assert_eq!(text_of(&big), (text.into(), "UTF-16BE", false));
    }
}
