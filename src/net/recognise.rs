//! Detects the format of a network file from its content and reads it.

use std::fs::File;
use std::path::Path;

use super::desc::NetDesc;
use super::error::NetError;
use super::stream::{Stream, shown};
use super::{katago, leela_zero, own};

/// Number of leading bytes used for detection.
const START: usize = 512;
/// Maximum length of a safetensors header in bytes, the same limit as in the `safetensors` crate.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// Function that returns true if the first bytes of a file match one format.
type Sign = fn(&[u8]) -> bool;

/// Format of a network file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// This engine's format, based on safetensors.
    Honinbo,
    /// KataGo's `.bin` or `.txt` format.
    KataGo,
    /// Leela Zero's text format.
    LeelaZero,
}

impl Kind {
    /// Detects the format from the first bytes of `stream`, without consuming them.
    ///
    /// # Errors
    /// Returns [`NetError::Unknown`] if no format matches, and [`NetError::Stream`] if the bytes cannot be read or
    /// decompressed.
    pub fn of(stream: &mut Stream) -> Result<Self, NetError> {
        let start = stream.ahead(START, "the start of the file", "a network")?;
        let start = &start[..start.len().min(START)];
        let kinds: [(Sign, Self); 3] = [
            (is_safetensors, Self::Honinbo),
            (is_leela_zero, Self::LeelaZero),
            (is_katago, Self::KataGo),
        ];
        match kinds.iter().find(|(is, _)| is(start)) {
            Some((_, kind)) => Ok(*kind),
            None if start.is_empty() => Err(NetError::Unknown("an empty file".to_owned())),
            None => Err(NetError::Unknown(shown(start))),
        }
    }
}

/// Reads a network file of any supported format.
///
/// # Errors
/// Returns [`NetError::File`] if the file cannot be opened or its first bytes cannot be read, and [`NetError::Content`]
/// if it does not contain a usable network. Both contain the path.
pub fn read(path: &Path) -> Result<NetDesc, NetError> {
    let unreadable = |source| NetError::File {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut stream = Stream::new(file).map_err(unreadable)?;
    let net = match Kind::of(&mut stream) {
        Ok(Kind::Honinbo) => own::read(stream),
        Ok(Kind::KataGo) => katago::read(stream),
        Ok(Kind::LeelaZero) => leela_zero::read(stream),
        Err(error) => Err(error),
    };
    net.map_err(|source| NetError::Content {
        path: path.to_owned(),
        source: Box::new(source),
    })
}

/// Matches the length of a JSON header (8 bytes, little-endian) and the start of the header.
fn is_safetensors(start: &[u8]) -> bool {
    start.split_first_chunk().is_some_and(|(length, rest)| {
        (1..=MAX_HEADER_BYTES).contains(&u64::from_le_bytes(*length)) && rest.starts_with(b"{")
    })
}

/// Matches a line that contains only the version, followed by a line with at least two numbers.
fn is_leela_zero(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n');
    let mut version = words(lines.next().unwrap_or_default());
    let mut numbers = words(lines.next().unwrap_or_default());
    version.next().is_some_and(whole) && version.next().is_none() && numbers.nth(1).is_some()
}

/// Matches a name followed by at least two integers.
fn is_katago(start: &[u8]) -> bool {
    let mut words = words(start);
    let named = words
        .next()
        .is_some_and(|name| name.iter().all(u8::is_ascii_graphic));
    named && words.next().is_some_and(whole) && words.next().is_some_and(whole)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

fn whole(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
