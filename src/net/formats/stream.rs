//! Sequential reader for network files that contain text and numbers, with transparent gzip decompression.
//!
//! Sizes stated in a file are not trusted. For any input, a method returns the requested content or an error that names
//! the location. Memory for numbers grows with the data actually read. All other buffers have a fixed size. A gzip file
//! may expand only by a factor that is plausible for a network.

use std::io::{self, BufRead, Read};
use std::str::FromStr;

use flate2::bufread::GzDecoder;

use crate::net::error::NetError;
use crate::net::spec::check::check_finite;

/// Maximum number of values in a file (2 GiB as `f32`): more than twice as many as in KataGo's largest public network
/// (b40c768nbt, 233 million).
pub const MAX_NUMBERS: usize = 1 << 29;
/// Maximum ratio of decompressed to compressed size of a gzip file whose decompressed size exceeds
/// [`UNLIMITED_EXPANSION_BYTES`].
///
/// For trained weights, the ratio is at most 1.2 in binary files and about 2.5 in text files. Malicious gzip files can
/// expand a thousandfold.
const MAX_EXPANSION: u64 = 16;
/// Decompressed size in bytes up to which any ratio is permitted, for small networks that consist mainly of zeros.
const UNLIMITED_EXPANSION_BYTES: u64 = 32 << 20;
/// Size of the buffer of a [`Stream`] in bytes.
const BUFFER_BYTES: usize = 1 << 16;
/// Maximum length of a word in bytes.
const MAX_WORD_BYTES: usize = 256;
/// Initial capacity of a vector of numbers, in elements.
const INITIAL_CAPACITY: usize = 1 << 16;
/// Magic bytes at the start of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Byte stream of a network file, decompressed if necessary.
pub struct Stream<'a> {
    source: Box<dyn Read + 'a>,
    buffer: Box<[u8]>,
    /// Index of the first unread byte in `buffer`.
    from: usize,
    /// Index after the last unread byte in `buffer`.
    to: usize,
    /// Number of further values that may be read, at most [`MAX_NUMBERS`].
    numbers_left: usize,
    /// Number of bytes read from the source so far.
    bytes_read: u64,
}

impl<'a> Stream<'a> {
    /// Creates a stream that reads from `source` and detects gzip compression.
    ///
    /// # Errors
    /// Returns the error of `source` if its first bytes cannot be read.
    pub fn new(source: impl Read + 'a) -> io::Result<Self> {
        let mut plain = Self::with_source(Box::new(source));
        if plain.peek(GZIP_MAGIC.len())?.starts_with(&GZIP_MAGIC) {
            return Ok(Self::with_source(Box::new(GzipReader {
                member: Some(GzDecoder::new(plain)),
                bytes: 0,
            })));
        }
        Ok(plain)
    }

    fn with_source(source: Box<dyn Read + 'a>) -> Self {
        Self {
            source,
            buffer: vec![0; BUFFER_BYTES].into(),
            from: 0,
            to: 0,
            numbers_left: MAX_NUMBERS,
            bytes_read: 0,
        }
    }

    /// Buffers at least `count` bytes, or all remaining bytes if there are fewer, and returns all buffered bytes
    /// without consuming them. `count` must not exceed 64 KiB.
    ///
    /// # Errors
    /// Returns the error of the source, or `InvalidInput` or `InvalidData` for a gzip file that is corrupt or expands
    /// too much.
    pub fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.to - self.from < count {
            self.buffer.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        while self.to - self.from < count {
            match self.source.read(&mut self.buffer[self.to..]) {
                Ok(0) => break,
                Ok(read) => {
                    self.to += read;
                    self.bytes_read += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.from..self.to])
    }

    /// Like [`peek`](Self::peek), but returns an error that names the location and the expected content.
    pub(super) fn peek_with_location(
        &mut self,
        count: usize,
        location: &str,
        expected: &str,
    ) -> Result<&[u8], NetError> {
        self.peek(count)
            .map_err(|error| unreadable(error, location, expected))
    }

    /// Skips bytes that satisfy `skipped` and returns the next byte without consuming it, or `None` at the end of the
    /// file.
    fn next_after(
        &mut self,
        skipped: fn(&u8) -> bool,
        location: &str,
        expected: &str,
    ) -> Result<Option<u8>, NetError> {
        loop {
            let ahead = self.peek_with_location(1, location, expected)?;
            if ahead.is_empty() {
                return Ok(None);
            }
            let skip = ahead.iter().take_while(|byte| skipped(byte)).count();
            let next = ahead.get(skip).copied();
            self.from += skip;
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Skips white space and returns the next byte without consuming it, or `None` at the end of the file.
    pub(super) fn skip_whitespace_and_peek(
        &mut self,
        location: &str,
        expected: &str,
    ) -> Result<Option<u8>, NetError> {
        self.next_after(u8::is_ascii_whitespace, location, expected)
    }

    /// Skips white space and consumes `text`. Returns an error if other bytes follow the white space.
    pub(super) fn expect_bytes_after_whitespace(
        &mut self,
        text: &[u8],
        location: &str,
    ) -> Result<(), NetError> {
        let expected = text.escape_ascii().to_string();
        self.skip_whitespace_and_peek(location, &expected)?;
        let ahead = self.peek_with_location(text.len(), location, &expected)?;
        if !ahead.starts_with(text) {
            let found = &ahead[..ahead.len().min(text.len())];
            return Err(match found.len() == text.len() {
                true => unexpected(location, &expected, found),
                false => unexpected_end(location, &expected),
            });
        }
        self.from += text.len();
        Ok(())
    }

    /// Reads the next word: at most [`MAX_WORD_BYTES`] printable ASCII characters, delimited by white space.
    pub(super) fn word(&mut self, location: &str, expected: &str) -> Result<&str, NetError> {
        if self.skip_whitespace_and_peek(location, expected)?.is_none() {
            return Err(unexpected_end(location, expected));
        }
        let ahead = self.peek_with_location(MAX_WORD_BYTES + 1, location, expected)?;
        let length = ahead
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(ahead.len());
        let from = self.from;
        let word = &self.buffer[from..from + length];
        if length > MAX_WORD_BYTES || !word.iter().all(u8::is_ascii_graphic) {
            return Err(unexpected(location, expected, word));
        }
        self.from += length;
        std::str::from_utf8(&self.buffer[from..from + length])
            .map_err(|_| unexpected(location, expected, &self.buffer[from..from + length]))
    }

    /// Reads and parses the next word.
    pub(super) fn parse_word<T: FromStr>(
        &mut self,
        location: &str,
        expected: &str,
    ) -> Result<T, NetError> {
        let word = self.word(location, expected)?;
        word.parse()
            .map_err(|_| unexpected(location, expected, word.as_bytes()))
    }

    /// Reads a tensor of finite numbers, which are stored as little-endian `f32` if `binary` is true, and as text
    /// otherwise.
    pub(super) fn read_tensor(
        &mut self,
        shape: &[usize],
        binary: bool,
        location: &str,
    ) -> Result<Vec<f32>, NetError> {
        let count = shape
            .iter()
            .try_fold(1_usize, |count, &side| count.checked_mul(side))
            .filter(|&count| count <= self.numbers_left)
            .ok_or_else(|| NetError::Layer {
                location: location.to_owned(),
                expected: format!("at most {MAX_NUMBERS} numbers in the file"),
                found: format!("more (tensor of shape {shape:?})"),
            })?;
        self.numbers_left -= count;
        let expected = format!("{count} numbers");
        let mut values = Vec::new();
        while values.len() < count {
            let room = grow_capacity(&mut values, count);
            if binary {
                self.read_binary(&mut values, room, location, &expected)?;
            } else {
                values.push(self.parse_word(location, "a number")?);
            }
        }
        check_finite(location, &values)?;
        Ok(values)
    }

    /// Reads between 1 and `max` little-endian `f32` numbers and appends them to `values`.
    fn read_binary(
        &mut self,
        values: &mut Vec<f32>,
        max: usize,
        location: &str,
        expected: &str,
    ) -> Result<(), NetError> {
        let (ahead, _) = self
            .peek_with_location(4, location, expected)?
            .as_chunks::<4>();
        let numbers = &ahead[..ahead.len().min(max)];
        if numbers.is_empty() {
            return Err(unexpected_end(location, expected));
        }
        values.extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        self.from += 4 * numbers.len();
        Ok(())
    }

    /// Reads the numbers up to the end of the line. Returns an error if there are more than `max` numbers or if a
    /// number is not finite.
    pub(super) fn numbers_in_line(
        &mut self,
        max: usize,
        location: &str,
    ) -> Result<Vec<f32>, NetError> {
        let expected = "a line of numbers";
        let max = max.min(self.numbers_left);
        let mut values = Vec::new();
        loop {
            let blank = |byte: &u8| *byte != b'\n' && byte.is_ascii_whitespace();
            match self.next_after(blank, location, expected)? {
                None if values.is_empty() => return Err(unexpected_end(location, expected)),
                None => break,
                Some(b'\n') => {
                    self.from += 1;
                    break;
                }
                Some(_) if values.len() == max => {
                    return Err(NetError::Layer {
                        location: location.to_owned(),
                        expected: format!("at most {max} numbers"),
                        found: "more".to_owned(),
                    });
                }
                Some(_) => {
                    grow_capacity(&mut values, max);
                    values.push(self.parse_word(location, "a number")?);
                }
            }
        }
        self.numbers_left -= values.len();
        values.shrink_to_fit();
        check_finite(location, &values)?;
        Ok(values)
    }

    /// Checks that only white space remains.
    pub(super) fn expect_end(&mut self, location: &str) -> Result<(), NetError> {
        let expected = "the end of the file";
        match self.skip_whitespace_and_peek(location, expected)? {
            None => Ok(()),
            Some(_) => Err(unexpected(
                location,
                expected,
                self.peek_with_location(32, location, expected)?,
            )),
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ahead = self.peek(1)?;
        let count = ahead.len().min(into.len());
        into[..count].copy_from_slice(&ahead[..count]);
        self.from += count;
        Ok(count)
    }
}

impl BufRead for Stream<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.peek(1)
    }

    fn consume(&mut self, count: usize) {
        self.from += count;
    }
}

/// Reader of the decompressed content of a gzip file with one or more members. Like the gzip program, it ignores data
/// after the last member, because some systems append padding to files.
struct GzipReader<'a> {
    /// Current member; `None` after the last one.
    member: Option<GzDecoder<Stream<'a>>>,
    /// Number of bytes decompressed so far.
    bytes: u64,
}

impl Read for GzipReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(into)?;
            self.bytes += read as u64;
            if self.bytes
                > UNLIMITED_EXPANSION_BYTES.max(MAX_EXPANSION * member.get_ref().bytes_read)
            {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("the gzip file expands to more than {MAX_EXPANSION} times its size"),
                ));
            }
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let rest = self.member.take().map(GzDecoder::into_inner);
            if let Some(mut rest) = rest
                && rest.peek(GZIP_MAGIC.len())?.starts_with(&GZIP_MAGIC)
            {
                self.member = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// Makes room in `values`, which is to contain `count` numbers in the end. Returns how many of the missing numbers can
/// be appended without another allocation. The first call reserves up to [`INITIAL_CAPACITY`] elements, and a later call
/// at most doubles the capacity.
fn grow_capacity(values: &mut Vec<f32>, count: usize) -> usize {
    let missing = count - values.len();
    if values.len() == values.capacity() {
        values.reserve_exact(missing.min(values.len().max(INITIAL_CAPACITY)));
    }
    missing.min(values.capacity() - values.len())
}

/// Creates the error for the content `found` at a location where `expected` is required.
pub(super) fn unexpected(location: &str, expected: &str, found: &[u8]) -> NetError {
    NetError::Layer {
        location: location.to_owned(),
        expected: expected.to_owned(),
        found: excerpt(found),
    }
}

/// Formats the first 32 bytes of `found` in quotes, escaping all but printable ASCII characters.
pub(super) fn excerpt(found: &[u8]) -> String {
    let start = &found[..found.len().min(32)];
    let more = if start.len() < found.len() { "..." } else { "" };
    format!("\"{}{more}\"", start.escape_ascii())
}

fn unexpected_end(location: &str, expected: &str) -> NetError {
    NetError::UnexpectedEnd {
        location: location.to_owned(),
        expected: expected.to_owned(),
    }
}

/// Creates the error for a failure of the source or the decompressor. A truncated gzip file is reported as
/// [`NetError::UnexpectedEnd`].
pub(super) fn unreadable(source: io::Error, location: &str, expected: &str) -> NetError {
    if source.kind() == io::ErrorKind::UnexpectedEof {
        return unexpected_end(location, expected);
    }
    NetError::Stream {
        location: location.to_owned(),
        expected: expected.to_owned(),
        source,
    }
}
