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

type Parsed<T> = Result<T, NetError>;

/// Maximum number of values in a file (2 GiB as `f32`): more than twice the number in KataGo's largest public network
/// (b40c768nbt, 233 million).
pub const MAX_NUMBERS: usize = 1 << 29;
/// Maximum ratio of decompressed to compressed size of a gzip file. The limit applies to decompressed sizes above
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
/// Maximum number of bytes in an excerpt of a file.
const MAX_EXCERPT_BYTES: usize = 32;
/// Initial location of a stream.
const START_LOCATION: &str = "the start of the file";
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
    /// Part of the file that is being read, for error messages. Set by the parser.
    pub(super) location: String,
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
            location: START_LOCATION.to_owned(),
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
    pub(super) fn peek_expected(&mut self, count: usize, expected: &str) -> Parsed<&[u8]> {
        match self.peek(count) {
            Ok(_) => Ok(&self.buffer[self.from..self.to]),
            Err(error) => Err(self.unreadable(error, expected)),
        }
    }

    /// Skips bytes that satisfy `skipped` and returns the next byte without consuming it, or `None` at the end of the
    /// file.
    pub(super) fn next_after(
        &mut self,
        skipped: fn(&u8) -> bool,
        expected: &str,
    ) -> Parsed<Option<u8>> {
        loop {
            let ahead = self.peek_expected(1, expected)?;
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

    /// Skips white space and consumes `text`. Returns an error if other bytes follow the white space.
    pub(super) fn expect_bytes(&mut self, text: &[u8]) -> Parsed<()> {
        let expected = text.escape_ascii().to_string();
        self.next_after(u8::is_ascii_whitespace, &expected)?;
        let ahead = self.peek_expected(text.len(), &expected)?;
        let found = ahead[..ahead.len().min(text.len())].to_vec();
        if found == text {
            self.from += text.len();
            Ok(())
        } else if found.len() < text.len() {
            Err(self.unexpected_end(&expected))
        } else {
            Err(self.unexpected(&expected, &found))
        }
    }

    /// Reads the next word and converts it with `parse`. A word consists of at most [`MAX_WORD_BYTES`] printable ASCII
    /// characters and is delimited by white space.
    pub(super) fn parse_word<T>(
        &mut self,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Parsed<T> {
        if self
            .next_after(u8::is_ascii_whitespace, expected)?
            .is_none()
        {
            return Err(self.unexpected_end(expected));
        }
        let ahead = self.peek_expected(MAX_WORD_BYTES + 1, expected)?;
        let end = ahead.iter().position(u8::is_ascii_whitespace);
        let length = end.unwrap_or(ahead.len());
        let word = &self.buffer[self.from..self.from + length];
        let is_word = length <= MAX_WORD_BYTES && word.iter().all(u8::is_ascii_graphic);
        let text = std::str::from_utf8(word).ok().filter(|_| is_word);
        let Some(value) = text.and_then(parse) else {
            return Err(self.unexpected(expected, word));
        };
        self.from += length;
        Ok(value)
    }

    /// Reads the next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, expected: &str) -> Parsed<T> {
        self.parse_word(expected, |word| word.parse().ok())
    }

    /// Reads a tensor of finite numbers, which are stored as little-endian `f32` if `binary` is true, and as text
    /// otherwise.
    pub(super) fn read_tensor(&mut self, shape: &[usize], binary: bool) -> Parsed<Vec<f32>> {
        let mut sides = shape.iter();
        let count = sides.try_fold(1_usize, |count, &side| count.checked_mul(side));
        let Some(count) = count.filter(|&count| count <= self.numbers_left) else {
            let expected = format!("at most {MAX_NUMBERS} numbers in the file");
            return Err(self.error(expected, format!("more (tensor of shape {shape:?})")));
        };
        self.numbers_left -= count;
        let mut values = Vec::new();
        while values.len() < count {
            let room = grow_capacity(&mut values, count);
            if binary {
                self.read_binary(&mut values, room, count)?;
            } else {
                values.push(self.number("a number")?);
            }
        }
        check_finite(&self.location, &values)?;
        Ok(values)
    }

    /// Reads between 1 and `max` of `count` little-endian `f32` numbers and appends them to `values`.
    fn read_binary(&mut self, values: &mut Vec<f32>, max: usize, count: usize) -> Parsed<()> {
        let expected = format!("{count} numbers");
        let (ahead, _) = self.peek_expected(4, &expected)?.as_chunks();
        let numbers = &ahead[..ahead.len().min(max)];
        values.extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        match numbers.len() {
            0 => Err(self.unexpected_end(&expected)),
            read => {
                self.from += 4 * read;
                Ok(())
            }
        }
    }

    /// Reads the numbers up to the end of the line. Returns an error if there are more than `max` numbers or if a
    /// number is not finite.
    pub(super) fn numbers_in_line(&mut self, max: usize) -> Parsed<Vec<f32>> {
        let expected = "a line of numbers";
        let max = max.min(self.numbers_left);
        let mut values = Vec::new();
        loop {
            let blank = |byte: &u8| *byte != b'\n' && byte.is_ascii_whitespace();
            match self.next_after(blank, expected)? {
                None if values.is_empty() => return Err(self.unexpected_end(expected)),
                None => break,
                Some(b'\n') => {
                    self.from += 1;
                    break;
                }
                Some(_) if values.len() == max => {
                    return Err(self.error(format!("at most {max} numbers"), "more"));
                }
                Some(_) => {
                    grow_capacity(&mut values, max);
                    values.push(self.number("a number")?);
                }
            }
        }
        self.numbers_left -= values.len();
        values.shrink_to_fit();
        check_finite(&self.location, &values)?;
        Ok(values)
    }

    /// Checks that only white space remains.
    pub(super) fn expect_end(&mut self) -> Parsed<()> {
        let expected = "the end of the file";
        if self
            .next_after(u8::is_ascii_whitespace, expected)?
            .is_none()
        {
            return Ok(());
        }
        let found = self.peek_expected(MAX_EXCERPT_BYTES, expected)?.to_vec();
        Err(self.unexpected(expected, &found))
    }

    /// Creates the error for invalid content at the current location.
    pub(super) fn error(&self, expected: impl Into<String>, found: impl ToString) -> NetError {
        NetError::Layer {
            location: self.location.clone(),
            expected: expected.into(),
            found: found.to_string(),
        }
    }

    fn unexpected(&self, expected: &str, found: &[u8]) -> NetError {
        self.error(expected, excerpt(found))
    }

    fn unexpected_end(&self, expected: &str) -> NetError {
        NetError::UnexpectedEnd {
            location: self.location.clone(),
            expected: expected.to_owned(),
        }
    }

    /// Creates the error for a failure of the source or the decompressor. A truncated gzip file is reported as
    /// [`NetError::UnexpectedEnd`].
    pub(super) fn unreadable(&self, source: io::Error, expected: &str) -> NetError {
        if source.kind() == io::ErrorKind::UnexpectedEof {
            return self.unexpected_end(expected);
        }
        NetError::Stream {
            location: self.location.clone(),
            expected: expected.to_owned(),
            source,
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

/// Formats the start of `found` in quotes, escaping all but printable ASCII characters.
pub(super) fn excerpt(found: &[u8]) -> String {
    let start = &found[..found.len().min(MAX_EXCERPT_BYTES)];
    let more = if start.len() < found.len() { "..." } else { "" };
    format!("\"{}{more}\"", start.escape_ascii())
}
