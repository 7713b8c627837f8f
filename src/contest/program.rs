//! A child process as an opponent.
//!
//! Its output is read by a thread, so that waiting for an answer can end when the time is up; another thread drains its
//! error output, because a program whose error pipe is full stops. Dropping the [`Program`] ends the process, and on Unix
//! whatever it has started.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::opponent::{Opponent, OpponentError, excerpt};
use super::process::Process;

/// Bytes of a line that are read as one; what follows counts as the next line.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// Bytes of one answer that are accepted.
const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Lines of output waiting to be read before the program is made to wait.
const QUEUED_LINES: usize = 1_000;
/// Lines of error output that are remembered.
const LAST_WORDS_LINES: usize = 5;
/// Time to leave in peace after `quit`.
const QUIT_GRACE: Duration = Duration::from_secs(3);
/// Time for the error output and the exit status of a program that closed its output to arrive.
const LAST_WORDS_GRACE: Duration = Duration::from_secs(2);
/// Time between two looks for an interrupt.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(200);
/// Time between two looks for the exit status.
const STATUS_INTERVAL: Duration = Duration::from_millis(5);

/// A running program.
#[derive(Debug)]
pub struct Program {
    process: Process,
    /// `None` once the program was told to leave.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected when the error output has ended.
    stderr_ended: Receiver<()>,
    /// Set when nobody waits for answers any more.
    interrupted: Arc<AtomicBool>,
}

impl Program {
    /// Starts the program: its name or path, then its arguments. It is ended as soon as `interrupted` is set and its
    /// answer waited for.
    ///
    /// # Errors
    /// [`OpponentError::NotStarted`].
    pub fn start(words: &[String], interrupted: &Arc<AtomicBool>) -> Result<Self, OpponentError> {
        let not_started = |reason: String| OpponentError::NotStarted {
            command_line: words.join(" "),
            reason,
        };
        let (name, arguments) = words
            .split_first()
            .ok_or_else(|| not_started("an empty command line".to_owned()))?;
        let mut command = Command::new(name);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process =
            Process::start(&mut command).map_err(|error| not_started(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = process.take_pipes() else {
            unreachable!("all three streams were asked for as pipes");
        };
        let (line_sender, lines) = sync_channel(QUEUED_LINES);
        let start = |run: Box<dyn FnOnce() + Send>| {
            let thread = Builder::new().spawn(run);
            thread.map_err(|error| not_started(error.to_string()))
        };
        start(Box::new(move || forward_lines(stdout, &line_sender)))?;
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let (end_sender, stderr_ended) = sync_channel(0);
        let remembered = Arc::clone(&last_words);
        start(Box::new(move || {
            remember_lines(stderr, &remembered);
            drop(end_sender);
        }))?;
        Ok(Self {
            process,
            stdin: Some(stdin),
            lines,
            last_words,
            stderr_ended,
            interrupted: Arc::clone(interrupted),
        })
    }

    /// The process's number in the system.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    fn write(&mut self, command: &str) -> Result<(), OpponentError> {
        let written = self
            .stdin
            .as_mut()
            .map(|stdin| stdin.write_all(format!("{command}\n").as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.died(command)),
        }
    }

    fn read_answer(&mut self, command: &str, limit: Duration) -> Result<String, OpponentError> {
        let deadline = Instant::now() + limit;
        let mut answer: Vec<String> = Vec::new();
        let mut bytes = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(INTERRUPT_INTERVAL)) {
                Ok(line) if line.is_empty() && answer.is_empty() => {}
                Ok(line) if line.is_empty() => return unwrap_answer(command, &answer.join("\n")),
                Ok(line) => {
                    bytes += line.len() + 1;
                    answer.push(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died(command)),
                Err(RecvTimeoutError::Timeout) if self.interrupted.load(Ordering::Relaxed) => {
                    return Err(OpponentError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if left > INTERRUPT_INTERVAL => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(OpponentError::TimedOut {
                        command: command.to_owned(),
                        limit,
                    });
                }
            }
            let first_is_wrong = !answer.is_empty() && !answer[0].starts_with(['=', '?']);
            if first_is_wrong || bytes > MAX_ANSWER_BYTES {
                let expected = "`=` or `?`, at most 1 MiB and an empty line";
                return Err(OpponentError::garbage(command, expected, &answer[0]));
            }
        }
    }

    fn died(&mut self, command: &str) -> OpponentError {
        let deadline = Instant::now() + LAST_WORDS_GRACE;
        // Nothing is ever sent: this waits for the other end to be dropped.
        let _ = self.stderr_ended.recv_timeout(LAST_WORDS_GRACE);
        let status = loop {
            match self.process.status() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < deadline => thread::sleep(STATUS_INTERVAL),
                _ => break "its output closed".to_owned(),
            }
        };
        let heard = self.last_words.lock();
        let words = heard.iter().map(String::as_str).collect::<Vec<_>>();
        let last_words = if words.is_empty() {
            status
        } else {
            format!("{status}; {}", words.join(" / "))
        };
        OpponentError::Died {
            command: command.to_owned(),
            last_words,
        }
    }
}

impl Opponent for Program {
    fn ask(&mut self, command: &str, limit: Duration) -> Result<String, OpponentError> {
        self.write(command)?;
        let answer = self.read_answer(command, limit);
        if matches!(
            answer,
            Err(OpponentError::TimedOut { .. }
                | OpponentError::Garbage { .. }
                | OpponentError::Interrupted)
        ) {
            // It may be stuck: do not wait for it to leave by itself.
            self.process.kill();
        }
        answer
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.stdin.take() {
            // Fails when the program is gone, which is what is wanted.
            let _ = stdin.write_all(b"quit\n");
        }
        let deadline = Instant::now() + QUIT_GRACE;
        let left = || deadline.saturating_duration_since(Instant::now());
        while self.lines.recv_timeout(left()).is_ok() {}
        self.process.end();
    }
}

/// The text of an answer that has begun with `=` or `?`.
fn unwrap_answer(command: &str, answer: &str) -> Result<String, OpponentError> {
    match answer.strip_prefix('=') {
        Some(text) => Ok(text.trim().to_owned()),
        None => {
            let answer = answer.trim_start_matches('?').trim();
            Err(OpponentError::refused(command, answer))
        }
    }
}

fn forward_lines(stdout: impl Read, sender: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    while let Some(line) = next_line(&mut reader) {
        if sender.send(line).is_err() {
            return;
        }
    }
}

fn remember_lines(stderr: impl Read, remembered: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    while let Some(line) = next_line(&mut reader) {
        if line.is_empty() {
            continue;
        }
        let mut lines = remembered.lock();
        if lines.len() == LAST_WORDS_LINES {
            lines.pop_front();
        }
        lines.push_back(excerpt(&line));
    }
}

/// The next line without its end and trailing white space; `None` at the end or when reading fails.
fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match reader.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
    }
}
