//! Connection to the client: queued input lines and output.
//!
//! Each complete response is flushed, and so is each line of a streamed response. An output error is stored and ends
//! the session after the running command, so commands do not have to handle output errors.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::response::{GtpError, format_response};
use crate::io::protocol_log::ProtocolLog;

/// Capacity, in lines, of the channel from the input thread. When the channel is full, the thread stops reading, which
/// blocks the client. The queue of pending lines has the same limit.
pub const MAX_QUEUED_LINES: usize = 4096;
/// Comment line with which GoGui requests an immediate move.
const INTERRUPT_COMMENT: &[u8] = b"# interrupt";

/// A line from the client, or the error that occurred while reading it.
pub type IncomingLine = io::Result<Vec<u8>>;

/// Connection to the client.
pub struct Connection<'a> {
    inbox: Receiver<IncomingLine>,
    /// Lines received but not yet processed.
    pending: VecDeque<IncomingLine>,
    input_closed: bool,
    output: &'a mut dyn Write,
    output_error: Option<io::Error>,
    /// Log of all lines, marked `<` for input and `>` for output.
    log: ProtocolLog,
}

impl<'a> Connection<'a> {
    /// Creates a connection that receives lines from `inbox`.
    pub const fn new(
        inbox: Receiver<IncomingLine>,
        output: &'a mut dyn Write,
        log: ProtocolLog,
    ) -> Self {
        Self {
            inbox,
            pending: VecDeque::new(),
            input_closed: false,
            output,
            output_error: None,
            log,
        }
    }

    /// Waits for the next line and returns it, or `None` at the end of input.
    ///
    /// # Errors
    /// Returns an error if reading the input has failed, or if an earlier output operation has failed.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(error) = self.output_error.take() {
            return Err(error);
        }
        self.wait_for_input(None);
        let line = self.pending.pop_front().transpose()?;
        if let Some(line) = &line {
            self.log_lines('<', line);
        }
        Ok(line)
    }

    /// Waits until a line is queued, the input has ended, or an output error has occurred, and returns true. Returns
    /// false on timeout.
    ///
    /// Leaves the line in the queue. Without a `timeout`, waits indefinitely.
    pub fn wait_for_input(&mut self, timeout: Option<Duration>) -> bool {
        if self.input_closed || self.output_error.is_some() || !self.pending.is_empty() {
            return true;
        }
        let received = match timeout {
            Some(timeout) => self.inbox.recv_timeout(timeout),
            None => self
                .inbox
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(line) => self.pending.push_back(line),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => self.input_closed = true,
        }
        true
    }

    /// Removes the first `# interrupt` line from the queue, and returns true if there was one.
    ///
    /// Does not wait for input. All other lines stay in the queue.
    pub fn take_interrupt(&mut self) -> bool {
        while self.pending.len() < MAX_QUEUED_LINES {
            match self.inbox.try_recv() {
                Ok(line) => self.pending.push_back(line),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.input_closed = true;
                    break;
                }
            }
        }
        let is_interrupt = |line: &IncomingLine| {
            line.as_ref()
                .is_ok_and(|bytes| bytes.trim_ascii() == INTERRUPT_COMMENT)
        };
        let index = self.pending.iter().position(is_interrupt);
        let line = index.and_then(|index| self.pending.remove(index));
        if let Some(Ok(line)) = &line {
            self.log_lines('<', line);
        }
        line.is_some()
    }

    /// Sends a complete response.
    pub fn respond(&mut self, id: Option<&str>, result: &Result<String, GtpError>) {
        self.send(format_response(id, result).as_bytes());
    }

    /// Starts a response that is sent line by line.
    pub fn begin_response(&mut self, id: Option<&str>) {
        self.send_line(&format!("={}", id.unwrap_or_default()));
    }

    pub fn send_line(&mut self, text: &str) {
        self.send(format!("{text}\n").as_bytes());
    }

    /// Sends the final line `play MOVE` of an analysis response, and ends the response.
    pub fn end_with_move(&mut self, mv: &str) {
        self.send_line(&format!("play {mv}"));
        self.end_response();
    }

    /// Ends a response started with [`begin_response`](Self::begin_response).
    pub fn end_response(&mut self) {
        self.send_line("");
    }

    fn send(&mut self, text: &[u8]) {
        if self.output_error.is_some() {
            return;
        }
        let result = self
            .output
            .write_all(text)
            .and_then(|()| self.output.flush());
        self.output_error = result.err();
        self.log_lines('>', text);
    }

    fn log_lines(&self, direction: char, text: &[u8]) {
        if self.log.is_enabled() {
            let text = String::from_utf8_lossy(text);
            let lines = text.trim_end_matches(['\r', '\n']).split('\n');
            lines.for_each(|line| self.log.write_line(direction, line));
        }
    }
}
