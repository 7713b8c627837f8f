//! A client connected to a session by two pipes.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Lines, PipeReader, PipeWriter, Write, pipe};
use std::thread::{JoinHandle, spawn};

pub struct Client {
    to: PipeWriter,
    from: Lines<BufReader<PipeReader>>,
    session: JoinHandle<()>,
}

impl Client {
    /// Connects to a session that runs in a new thread.
    pub fn new(session: impl FnOnce(PipeReader, PipeWriter) + Send + 'static) -> Self {
        let (input, to) = pipe().expect("a pipe");
        let (from, output) = pipe().expect("a pipe");
        Self {
            to,
            from: BufReader::new(from).lines(),
            session: spawn(|| session(input, output)),
        }
    }

    pub fn send(&mut self, lines: impl Display) {
        let lines = format!("{lines}\n");
        self.to.write_all(lines.as_bytes()).expect("an open pipe");
    }

    pub fn line(&mut self) -> String {
        let line = self.from.next().expect("another line");
        line.expect("text")
    }

    /// Disconnects and returns the remaining lines.
    pub fn leave(self) -> Vec<String> {
        drop(self.to);
        let rest = self.from.map(|line| line.expect("text")).collect();
        self.session.join().expect("a session that ends");
        rest
    }
}
