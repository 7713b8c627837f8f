//! Detection of character sets from the bytes of a file.
//!
//! The crate `chardetng` makes the first guess. It is made for web pages, so two properties of game files correct it.
//! Files without a declaration contain little text, often only the names of two players, and far more of them are in
//! GBK than in any other multi-byte set. And in Shift_JIS, GBK and Big5 the second byte of a character may be that of a
//! backslash, so that the wrong character set hides the end of a value.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_8859_2, ISO_8859_4, SHIFT_JIS};
use encoding_rs::{WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258};

/// Number of bytes examined. More text hardly improves the guess.
const DETECTION_LIMIT: usize = 1 << 20;
/// Number of characters examined to tell how [typical](typical_share) a text is.
const TYPICAL_CHARS: usize = 2000;
/// Number of characters from which `chardetng` distinguishes EUC-JP from GBK reliably.
const LONG_TEXT: usize = 12;
/// Multi-byte sets in which the second byte of a character may be that of a backslash, most frequent first.
const SETS_WITH_BACKSLASH: [&Encoding; 3] = [GBK, SHIFT_JIS, BIG5];
/// Single-byte sets with Latin letters. Text in a multi-byte set that has an invalid byte is mistaken for one of them.
const LATIN_SETS: [&Encoding; 7] = [
    WINDOWS_1252,
    WINDOWS_1250,
    ISO_8859_2,
    ISO_8859_4,
    WINDOWS_1254,
    WINDOWS_1257,
    WINDOWS_1258,
];
/// Latin sets that are too rare to be guessed from a few letters.
const RARE_LATIN_SETS: [&Encoding; 3] = [ISO_8859_4, WINDOWS_1257, WINDOWS_1258];
/// Frequent syllables in Korean names and texts. Most random pairs of bytes in the range of EUC-KR are other syllables.
const FREQUENT_HANGUL: &str = "이김박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염\
    여추도소석선설마길연위표명기반왕금옥육인제모탁국은용예경봉사부가복태목의는을를에다로대시리등수나자아어해라스\
    상일보그중비과화들만세드관면것게있했호훈돌창철영환희승준재규동혁수미란혜윤상덕욱식광범건병근학율웅찬섭근필\
    흑백집반불계승패바둑국수전단급제회대왕위배착점끝내기좋은한번두팻감습니입합요네에서까지않없모든음";

/// Returns the likely character sets of a file that is not in UTF-8, the most likely one first.
///
/// Usually returns one set. If a character that is not ASCII precedes a backslash, returns all sets in which these two
/// could be a single character.
pub fn detect(bytes: &[u8]) -> Vec<&'static Encoding> {
    let bytes = significant_part(bytes);
    let guess = guess(bytes);
    let mut encodings = vec![guess];
    if hides_brackets(guess, bytes) {
        let mut others: Vec<_> = SETS_WITH_BACKSLASH.into_iter().collect();
        others.retain(|&encoding| encoding != guess && decode_strictly(encoding, bytes).is_some());
        // The sort is stable: among equally typical sets, the most frequent one comes first.
        others.sort_by(|a, b| typical_share(b, bytes).total_cmp(&typical_share(a, bytes)));
        encodings.extend(others);
    }
    encodings
}

/// Returns the character set to use instead of the declared one, or `None` if the declared one fits the bytes.
pub fn replacement_for(declared: &'static Encoding, bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = significant_part(bytes);
    if bytes.is_empty() {
        return None;
    }
    let guess = guess(bytes);
    if guess == declared {
        return None;
    }
    let chars = non_ascii_chars(guess, bytes);
    let clearly_other =
        chars >= 4 && typical_share(declared, bytes) < 0.5 && typical_share(guess, bytes) > 0.8;
    (clearly_other || is_broken(declared, bytes) && !is_broken(guess, bytes)).then_some(guess)
}

/// Returns true if a large part of the characters is invalid. A single truncated character does not mean that the whole
/// text is in another character set.
fn is_broken(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    let text = encoding.decode_without_bom_handling(bytes).0;
    let invalid = text.matches(char::REPLACEMENT_CHARACTER).count();
    4 * invalid > non_ascii_chars(encoding, bytes)
}

fn non_ascii_chars(encoding: &'static Encoding, bytes: &[u8]) -> usize {
    let text = encoding.decode_without_bom_handling(bytes).0;
    text.chars().filter(|char| !char.is_ascii()).count()
}

/// Returns the part of the file from the first byte that is not ASCII, with a few bytes before it.
fn significant_part(bytes: &[u8]) -> &[u8] {
    let first = bytes.iter().position(|byte| !byte.is_ascii());
    let start = first.map_or(bytes.len(), |first| first.saturating_sub(16));
    &bytes[start..bytes.len().min(start + DETECTION_LIMIT)]
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if guess.is_single_byte() && has_kana(bytes) {
        return SHIFT_JIS;
    }
    if LATIN_SETS.contains(&guess) {
        return correct_latin_guess(guess, bytes);
    }
    let may_be_gbk = [EUC_KR, EUC_JP, BIG5].contains(&guess) && typical_share(GBK, bytes) == 1.0;
    let text = may_be_gbk.then(|| decode_strictly(guess, bytes)).flatten();
    let Some(text) = text else {
        return guess;
    };
    let is_hangul = |char: &char| ('\u{ac00}'..='\u{d7a3}').contains(char);
    let hangul: Vec<char> = text.chars().filter(is_hangul).collect();
    let frequent = hangul
        .iter()
        .filter(|&&char| FREQUENT_HANGUL.contains(char));
    let is_korean = guess == EUC_KR && 2 * frequent.count() > hangul.len();
    let is_long = text.chars().filter(|char| !char.is_ascii()).count() >= LONG_TEXT;
    let is_japanese = guess == EUC_JP && (is_long || text.chars().any(is_kana));
    if is_korean || is_japanese { guess } else { GBK }
}

fn is_kana(char: char) -> bool {
    ('\u{3041}'..='\u{30ff}').contains(&char)
}

/// Returns true if the bytes are valid Shift_JIS and contain kana next to each other.
fn has_kana(bytes: &[u8]) -> bool {
    let text = decode_strictly(SHIFT_JIS, bytes).unwrap_or_default();
    let following = text.chars().skip(1);
    let mut pairs = text.chars().zip(following);
    pairs.any(|(first, second)| is_kana(first) && is_kana(second))
        && typical_share(SHIFT_JIS, bytes) > 0.9
        && is_in_words(SHIFT_JIS, bytes)
}

/// Returns the likely set of a text that was taken for one with Latin letters.
fn correct_latin_guess(guess: &'static Encoding, bytes: &[u8]) -> &'static Encoding {
    let is_short_gbk = typical_share(GBK, bytes) == 1.0
        && non_ascii_chars(GBK, bytes) >= 2
        && is_in_words(GBK, bytes);
    if is_short_gbk {
        return GBK;
    }
    let is_unlikely = RARE_LATIN_SETS.contains(&guess) && non_ascii_chars(guess, bytes) < 4;
    let latin = if is_unlikely { WINDOWS_1252 } else { guess };
    with_invalid_bytes(bytes).unwrap_or(latin)
}

/// Returns true if most characters outside ASCII are next to another one. In Western text taken for a multi-byte set,
/// they are isolated: each consists of an accented letter or an apostrophe and the letter after it.
fn is_in_words(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    let text = encoding.decode_without_bom_handling(bytes).0;
    let words = text.split(|char: char| char.is_ascii());
    let lengths = words.map(|word| word.chars().count());
    let (mut alone, mut together) = (0, 0);
    for length in lengths {
        match length {
            1 => alone += 1,
            _ => together += length,
        }
    }
    together > 2 * alone
}

/// Returns the multi-byte set of a text that has some invalid bytes but otherwise consists of typical characters.
fn with_invalid_bytes(bytes: &[u8]) -> Option<&'static Encoding> {
    let sets = [GBK, SHIFT_JIS, BIG5, EUC_KR].into_iter();
    let shares = sets.map(|encoding| (encoding, typical_share(encoding, bytes)));
    let typical = shares.filter(|&(encoding, share)| {
        share > 0.8
            && non_ascii_chars(encoding, bytes) >= 6
            && !is_broken(encoding, bytes)
            && is_in_words(encoding, bytes)
    });
    typical
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(encoding, _)| encoding)
}

/// Decodes the bytes. Returns `None` if one of them is invalid, except at the cut end.
fn decode_strictly(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let complete = &bytes[..bytes.len() - usize::from(bytes.len() == DETECTION_LIMIT)];
    let text = encoding.decode_without_bom_handling_and_without_replacement(complete);
    text.map(String::from)
}

/// Returns true if a character that is not ASCII precedes a backslash in the decoded text.
fn hides_brackets(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    let text = encoding.decode_without_bom_handling(bytes).0;
    let after = text.split('\\').map(|part| part.chars().next_back());
    let count = text.matches('\\').count();
    after.take(count).flatten().any(|before| !before.is_ascii())
}

/// Returns the fraction of the characters outside ASCII that belong to the most frequent part of a multi-byte character
/// set: punctuation, kana and the first level of Chinese characters or Hangul. Returns 0 for single-byte sets.
fn typical_share(encoding: &'static Encoding, bytes: &[u8]) -> f64 {
    let text = encoding.decode_without_bom_handling(bytes).0;
    let (mut count, mut typical) = (0, 0);
    let mut buffer = [0; 4];
    for char in text
        .chars()
        .filter(|char| !char.is_ascii())
        .take(TYPICAL_CHARS)
    {
        let (encoded, ..) = encoding.encode(char.encode_utf8(&mut buffer));
        count += 1;
        typical +=
            usize::from(matches!(*encoded, [lead, trail] if is_typical(encoding, lead, trail)));
    }
    f64::from(typical as u32) / f64::from(count.max(1))
}

fn is_typical(encoding: &'static Encoding, lead: u8, trail: u8) -> bool {
    if encoding == SHIFT_JIS {
        return matches!(lead, 0x81..=0x83 | 0x88..=0x98);
    }
    if encoding == BIG5 {
        return matches!(lead, 0xa1..=0xc6);
    }
    let leads = match encoding {
        _ if encoding == GBK => 0xb0..=0xd7,
        _ if encoding == EUC_KR => 0xb0..=0xc8,
        _ if encoding == EUC_JP => 0xb0..=0xcf,
        _ => return false,
    };
    trail >= 0xa1 && (leads.contains(&lead) || matches!(lead, 0xa1..=0xa5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};

    #[test]
    fn short_names_are_detected() {
        for (encoding, text) in [
            (GBK, "(;PB[古力])"),
            (GBK, "(;GM[1]SZ[9]PB[古力]PW[李世石];B[ee];W[cc])"),
            (GBK, "(;SZ[19]PB[聂卫平];B[pd])"),
            (GBK, "(;PB[柯洁]PW[朴廷桓]RE[黑中盘胜]C[这步棋非常好])"),
            (SHIFT_JIS, "(;PB[藤沢秀行])"),
            (SHIFT_JIS, "(;PB[小林光一]PW[趙治勲]EV[棋聖戦])"),
            (SHIFT_JIS, "(;C[この手は悪手])"),
            (EUC_JP, "(;C[この手はよい])"),
            (EUC_JP, "(;PB[小林光一]PW[加藤正夫]EV[名人戦]RO[決勝])"),
            (EUC_KR, "(;PB[이창호]PW[조훈현])"),
            (EUC_KR, "(;PB[이세돌])"),
            (BIG5, "(;PB[周俊勳]PW[林海峰])"),
            (BIG5, "(;C[這一手很好，黑棋成功])"),
            (WINDOWS_1252, "(;PB[Jörg Müller]PW[François])"),
            (GBK, "(;PB[时越])"),
            (WINDOWS_1252, "(;C[naïve])"),
            (
                WINDOWS_1252,
                "(;C[don’t; can’t; it’s; isn’t; “no” he’s; we’d; they’ll; I’m; that’s all])",
            ),
            (WINDOWS_1250, "(;PB[Józef Łukasz Żak])"),
            (WINDOWS_1251, "(;PB[Иван Шикшин])"),
        ] {
            let (bytes, _, unmappable) = encoding.encode(text);
            assert!(!unmappable, "{text}");
            let found = detect(&bytes);
            assert_eq!(found[0].name(), encoding.name(), "{text}: {found:?}");
        }
    }

    #[test]
    fn hidden_brackets_give_several_sets() {
        for (encoding, text) in [
            (SHIFT_JIS, "(;PB[代表]PW[x];B[ee])"),
            (GBK, "(;B[ee]C[誠];W[cc])"),
            (BIG5, "(;B[ee]C[功];W[cc])"),
        ] {
            let found = detect(&encoding.encode(text).0);
            assert!(found.contains(&encoding), "{text}: {found:?}");
        }
    }

    #[test]
    fn wrong_declaration_is_replaced() {
        let gbk = GBK.encode("(;CA[Shift_JIS]PB[古力]PW[李世石])").0;
        assert_eq!(replacement_for(SHIFT_JIS, &gbk), Some(GBK));
        assert_eq!(replacement_for(GBK, &gbk), None);
        assert_eq!(replacement_for(WINDOWS_1252, &gbk), Some(GBK));
        let latin = WINDOWS_1252
            .encode("(;PB[Jörg]PW[Müller]C[très très bien])")
            .0;
        assert_eq!(replacement_for(WINDOWS_1252, &latin), None);
        assert_eq!(replacement_for(WINDOWS_1252, b"(;PB[x])"), None);
    }

    #[test]
    fn truncated_character_keeps_the_set() {
        for (encoding, text) in [
            (GBK, "(;PB[古力]PW[李世石]C[这步棋非常好，黑棋领先]"),
            (
                SHIFT_JIS,
                "(;PB[小林光一]PW[趙治勲]EV[棋聖戦]C[この手はよい手です]",
            ),
        ] {
            let mut bytes = encoding.encode(text).0.into_owned();
            // A first byte without its second one.
            bytes.extend_from_slice(b"EV[\x95 ])");
            assert_eq!(detect(&bytes)[0], encoding, "{text}");
            assert_eq!(replacement_for(encoding, &bytes), None, "{text}");
            assert_eq!(
                replacement_for(WINDOWS_1252, &bytes),
                Some(encoding),
                "{text}"
            );
        }
    }
}
