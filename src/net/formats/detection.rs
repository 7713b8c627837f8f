//! Detection of the format of a network file from its first bytes.

use super::stream::{Stream, excerpt};
use crate::net::error::NetError;

/// Number of leading bytes of a file that are examined.
const START_BYTES: usize = 512;
/// Maximum length of a safetensors header in bytes, the same limit as in the `safetensors` crate.
const MAX_SAFETENSORS_HEADER_BYTES: u64 = 100_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// This engine's format, based on safetensors.
    Honinbo,
    /// KataGo's `.bin` or `.txt` format.
    KataGo,
    /// Leela Zero's text format.
    LeelaZero,
}

impl Format {
    /// Detects the format from the first bytes of `stream`, without consuming them.
    ///
    /// # Errors
    /// Returns [`NetError::UnknownFormat`] if no format matches, and [`NetError::Stream`] if the bytes cannot be read
    /// or decompressed.
    pub fn detect(stream: &mut Stream) -> Result<Self, NetError> {
        let start = stream.peek_expected(START_BYTES, "a network")?;
        match &start[..start.len().min(START_BYTES)] {
            [] => Err(NetError::UnknownFormat("an empty file".to_owned())),
            start if is_safetensors(start) => Ok(Self::Honinbo),
            start if is_leela_zero(start) => Ok(Self::LeelaZero),
            start if is_katago(start) => Ok(Self::KataGo),
            start => Err(NetError::UnknownFormat(excerpt(start))),
        }
    }
}

/// Returns true if `start` contains the length of a JSON header (8 bytes, little-endian), followed by the start of the
/// header.
fn is_safetensors(start: &[u8]) -> bool {
    start.split_first_chunk().is_some_and(|(length, rest)| {
        (1..=MAX_SAFETENSORS_HEADER_BYTES).contains(&u64::from_le_bytes(*length))
            && rest.starts_with(b"{")
    })
}

/// Returns true if the first line of `start` contains only an integer (the version) and the second line contains at
/// least two words.
fn is_leela_zero(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n');
    let mut version = words(lines.next().unwrap_or_default());
    let mut numbers = words(lines.next().unwrap_or_default());
    version.next().is_some_and(is_integer) && version.next().is_none() && numbers.nth(1).is_some()
}

/// Returns true if `start` begins with a name followed by two integers.
fn is_katago(start: &[u8]) -> bool {
    let mut words = words(start);
    let named = words
        .next()
        .is_some_and(|name| name.iter().all(u8::is_ascii_graphic));
    named && words.next().is_some_and(is_integer) && words.next().is_some_and(is_integer)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
