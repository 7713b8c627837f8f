//! Tells what kind of net a file holds, by its content, and opens it.

use std::fs::File;
use std::path::Path;

use super::desc::NetDesc;
use super::error::NetError;
use super::stream::{Stream, shown};
use super::{katago, leela_zero, own};

/// Bytes that show the kind.
const START: usize = 512;
/// Bytes of the longest header of a safetensors file.
const LONGEST_HEADER: u64 = 100_000_000;

/// Whether the first bytes are those of a kind.
type Sign = fn(&[u8]) -> bool;

/// Whose net a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// This engine's own.
    Honinbo,
    /// KataGo's.
    KataGo,
    /// Leela Zero's.
    LeelaZero,
}

impl Kind {
    /// The kind of a file, as its first bytes show it.
    ///
    /// # Errors
    /// [`NetError::Unknown`], and [`NetError::Stream`] for bytes that cannot be unpacked.
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

/// Reads the net in a file of any kind.
///
/// # Errors
/// [`NetError::File`] if the file cannot be opened or begun, and [`NetError::Content`] with the path if it holds no
/// usable net.
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

/// The length of a header in JSON, and its beginning.
fn is_safetensors(start: &[u8]) -> bool {
    start.split_first_chunk().is_some_and(|(length, rest)| {
        (1..=LONGEST_HEADER).contains(&u64::from_le_bytes(*length)) && rest.starts_with(b"{")
    })
}

/// A line with the version alone, and a line of numbers.
fn is_leela_zero(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n');
    let mut version = words(lines.next().unwrap_or_default());
    let mut numbers = words(lines.next().unwrap_or_default());
    version.next().is_some_and(whole) && version.next().is_none() && numbers.nth(1).is_some()
}

/// A name and at least two whole numbers.
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
