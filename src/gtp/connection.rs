//! The connection to the client while a session lasts: lines that came, and output line by line.
//!
//! The output carries the protocol alone and is flushed at the end of every line. An output that fails is remembered
//! and ends the session after the running command; commands themselves need not look.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::response::{self, GtpError};
use crate::io::protocol_log::ProtocolLog;

/// Lines read ahead of the answers; beyond that the client has to wait.
pub const MAX_QUEUED_LINES: usize = 4096;
/// What a client sends to have a move at once; a comment to engines that do not know it.
const INTERRUPT_COMMENT: &[u8] = b"# interrupt";

/// What came from the client.
pub type IncomingLine = io::Result<Vec<u8>>;

/// Both directions of the connection.
pub struct Connection<'a> {
    inbox: Receiver<IncomingLine>,
    /// Lines taken out of the inbox but not yet answered.
    pending: VecDeque<IncomingLine>,
    input_closed: bool,
    output: &'a mut dyn Write,
    output_error: Option<io::Error>,
    /// With `<` before what the client sent, and `>` before what it was answered.
    log: ProtocolLog,
}

impl<'a> Connection<'a> {
    /// Connects the lines that arrive in `inbox` and the output.
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

    /// The next line, waiting for it; `None` at the end of the input or when the output has failed.
    ///
    /// # Errors
    /// When input or output has failed.
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

    /// Waits for the client to send something or to go away, at most that long; whether it did. What it sent stays. A
    /// client that does not take the answers has gone.
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

    /// Whether the client has asked to have the move at once; asking is taken note of.
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

    /// Sends a whole answer.
    pub fn respond(&mut self, id: Option<&str>, result: &Result<String, GtpError>) {
        self.send(response::format_response(id, result).as_bytes());
    }

    /// Opens an answer that follows line by line.
    pub fn begin_response(&mut self, id: Option<&str>) {
        self.send_line(&response::format_header(id));
    }

    /// Sends one line of an open answer.
    pub fn send_line(&mut self, text: &str) {
        self.send(format!("{text}\n").as_bytes());
    }

    /// Ends an open answer.
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
