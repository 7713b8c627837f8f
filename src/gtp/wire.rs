//! The connection to the client while a session lasts: lines that came, and output line by line.
//!
//! The output carries the protocol alone and is flushed at the end of every line. An output that fails is remembered
//! and ends the session after the running command; commands themselves need not look.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::reply::{self, Failure};
use crate::traffic::Log;

/// Lines read ahead of the answers; beyond that the client has to wait.
pub const READ_AHEAD: usize = 4096;
/// What a client sends to have a move at once; a comment to engines that do not know it.
const INTERRUPT: &[u8] = b"# interrupt";

/// What came from the client.
pub type Incoming = io::Result<Vec<u8>>;

/// Both directions of the connection.
pub struct Wire<'a> {
    inbox: Receiver<Incoming>,
    /// Lines taken out of the inbox but not yet answered.
    waiting: VecDeque<Incoming>,
    ended: bool,
    output: &'a mut dyn Write,
    broken: Option<io::Error>,
    /// With `<` before what the client sent, and `>` before what it was answered.
    log: Log,
}

impl<'a> Wire<'a> {
    /// Connects the lines that arrive in `inbox` and the output.
    pub const fn new(inbox: Receiver<Incoming>, output: &'a mut dyn Write, log: Log) -> Self {
        Self {
            inbox,
            waiting: VecDeque::new(),
            ended: false,
            output,
            broken: None,
            log,
        }
    }

    /// The next line, waiting for it; `None` at the end of the input or when the output has failed.
    ///
    /// # Errors
    /// When input or output has failed.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        self.wait(None);
        let line = self.waiting.pop_front().transpose()?;
        if let Some(line) = &line {
            self.record('<', line);
        }
        Ok(line)
    }

    /// Waits for the client to send something or to go away, at most that long; whether it did. What it sent stays. A
    /// client that does not take the answers has gone.
    pub fn wait(&mut self, time: Option<Duration>) -> bool {
        if self.ended || self.broken.is_some() || !self.waiting.is_empty() {
            return true;
        }
        let received = match time {
            Some(time) => self.inbox.recv_timeout(time),
            None => self
                .inbox
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(line) => self.waiting.push_back(line),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => self.ended = true,
        }
        true
    }

    /// Whether the client has asked to have the move at once; asking is taken note of.
    pub fn take_interrupt(&mut self) -> bool {
        while self.waiting.len() < READ_AHEAD {
            match self.inbox.try_recv() {
                Ok(line) => self.waiting.push_back(line),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.ended = true;
                    break;
                }
            }
        }
        let asked = |line: &Incoming| {
            line.as_ref()
                .is_ok_and(|bytes| bytes.trim_ascii() == INTERRUPT)
        };
        let place = self.waiting.iter().position(asked);
        let line = place.and_then(|place| self.waiting.remove(place));
        if let Some(Ok(line)) = &line {
            self.record('<', line);
        }
        line.is_some()
    }

    /// Sends a whole answer.
    pub fn answer(&mut self, id: Option<&str>, answer: &Result<String, Failure>) {
        self.send(reply::text(id, answer).as_bytes());
    }

    /// Opens an answer that follows line by line.
    pub fn open(&mut self, id: Option<&str>) {
        self.line(&reply::opening(id));
    }

    /// Sends one line of an open answer.
    pub fn line(&mut self, text: &str) {
        self.send(format!("{text}\n").as_bytes());
    }

    /// Ends an open answer.
    pub fn close(&mut self) {
        self.line("");
    }

    fn send(&mut self, text: &[u8]) {
        if self.broken.is_some() {
            return;
        }
        let written = self
            .output
            .write_all(text)
            .and_then(|()| self.output.flush());
        self.broken = written.err();
        self.record('>', text);
    }

    fn record(&self, sign: char, text: &[u8]) {
        if self.log.is_kept() {
            let text = String::from_utf8_lossy(text);
            let lines = text.trim_end_matches(['\r', '\n']).split('\n');
            lines.for_each(|line| self.log.record(sign, line));
        }
    }
}
