//! Line reader with a length limit, which bounds the memory used for input from untrusted clients.

use std::io::{self, BufRead, Read};

/// Reader of lines of bytes with a maximum length.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    max_len: usize,
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader for lines of up to `max_len` bytes, not counting the line feed.
    pub const fn new(input: R, max_len: usize) -> Self {
        Self { input, max_len }
    }

    /// Returns the next line without its line feed, or `None` at the end of the input. The last line may lack a line
    /// feed.
    ///
    /// If a line is too long, returns its first `max_len + 1` bytes and skips the remaining ones.
    ///
    /// # Errors
    /// Returns an error if reading the input fails.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut limited = self.input.by_ref().take(self.max_len as u64 + 1);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.ends_with(b"\n") {
            line.pop();
        } else if line.len() > self.max_len {
            self.input.skip_until(b'\n')?;
        }
        Ok(Some(line))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn splits_at_line_feeds_and_eof() {
        let input = BufReader::with_capacity(3, &b"name\r\n\nquit"[..]);
        let mut reader = LineReader::new(input, 100);
        for expected in [Some("name\r"), Some(""), Some("quit"), None, None] {
            let line = reader.next_line().unwrap();
            assert_eq!(line.as_deref(), expected.map(str::as_bytes));
        }
    }

    #[test]
    fn truncates_overlong_lines() {
        let input = BufReader::with_capacity(3, &b"12345\n123456\n12345678901\nname\n1234567"[..]);
        let mut reader = LineReader::new(input, 5);
        for expected in [
            Some("12345"),
            Some("123456"),
            Some("123456"),
            Some("name"),
            Some("123456"),
            None,
        ] {
            let line = reader.next_line().unwrap();
            assert_eq!(line.as_deref(), expected.map(str::as_bytes));
        }
    }
}
