//! A GTP engine in a child process.
//!
//! One thread reads the engine's output, so that waiting for a response can time out. Another thread reads the error
//! output, because an engine would block once its error pipe was full. Dropping an [`EngineProcess`] ends the process
//! and, on Unix, all processes that the engine has started.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::gtp_engine::{GtpEngine, GtpEngineError, excerpt};
use super::process_group::ProcessGroup;
use crate::eval::calibration;

/// Maximum length of an output line in bytes. The remainder of a longer line is read as another line.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// Maximum size of a response in bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 20;
/// Maximum number of unprocessed output lines. While the queue is full, no output is read, so the engine may block.
const MAX_QUEUED_LINES: usize = 1_000;
/// Maximum number of lines from the end of the error output that an error message quotes.
const STDERR_TAIL_LINES: usize = 5;
/// Maximum time that an engine may take to exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum time to wait for the error output and the exit status of an engine that has closed its output.
const EXIT_STATUS_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between checks for an interrupt while waiting for a response.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Interval between checks for the exit status.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A running GTP engine.
#[derive(Debug)]
pub struct EngineProcess {
    process: ProcessGroup,
    /// `None` after `quit` has been sent.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr_tail: Arc<Mutex<VecDeque<String>>>,
    /// Channel that carries no messages. It is disconnected at the end of the error output.
    stderr_ended: Receiver<()>,
    /// Set when the match is interrupted.
    interrupted: Arc<AtomicBool>,
}

impl EngineProcess {
    /// Starts an engine. `command_line` contains the program and its arguments. If `interrupted` is set while a
    /// response is awaited, the process is killed.
    ///
    /// # Errors
    /// Returns [`GtpEngineError::StartFailed`] if the process cannot be started.
    pub fn start(
        command_line: &[String],
        interrupted: &Arc<AtomicBool>,
    ) -> Result<Self, GtpEngineError> {
        let not_started = |reason: String| GtpEngineError::StartFailed {
            command_line: command_line.join(" "),
            reason,
        };
        let (program, arguments) = command_line
            .split_first()
            .ok_or_else(|| not_started("the command line is empty".to_owned()))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(calibration::TIMING_ENV_VARIABLE, calibration::WAIT_VALUE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process =
            ProcessGroup::start(&mut command).map_err(|error| not_started(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = process.take_pipes() else {
            unreachable!("all three streams are pipes");
        };
        let (line_sender, lines) = sync_channel(MAX_QUEUED_LINES);
        let spawn_thread = |run: Box<dyn FnOnce() + Send>| {
            let thread = Builder::new().spawn(run);
            thread.map_err(|error| not_started(error.to_string()))
        };
        spawn_thread(Box::new(move || forward_lines(stdout, &line_sender)))?;
        let stderr_tail = Arc::new(Mutex::new(VecDeque::new()));
        let (stderr_end_sender, stderr_ended) = sync_channel(0);
        let tail = Arc::clone(&stderr_tail);
        spawn_thread(Box::new(move || {
            keep_stderr_tail(stderr, &tail);
            drop(stderr_end_sender);
        }))?;
        Ok(Self {
            process,
            stdin: Some(stdin),
            lines,
            stderr_tail,
            stderr_ended,
            interrupted: Arc::clone(interrupted),
        })
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    fn write_command(&mut self, command: &str) -> Result<(), GtpEngineError> {
        let result = self
            .stdin
            .as_mut()
            .map(|stdin| stdin.write_all(format!("{command}\n").as_bytes()));
        match result {
            Some(Ok(())) => Ok(()),
            _ => Err(self.exit_error(command)),
        }
    }

    fn read_response(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError> {
        // `None` if the limit is too far in the future to be reached.
        let deadline = Instant::now().checked_add(limit);
        let mut response: Vec<String> = Vec::new();
        let mut bytes = 0;
        loop {
            let remaining = deadline.map_or(limit, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            match self
                .lines
                .recv_timeout(remaining.min(INTERRUPT_POLL_INTERVAL))
            {
                Ok(line) if line.is_empty() && response.is_empty() => {}
                Ok(line) if line.is_empty() => {
                    return parse_response(command, &response.join("\n"));
                }
                Ok(line) => {
                    bytes += line.len() + 1;
                    response.push(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.exit_error(command)),
                Err(RecvTimeoutError::Timeout) if self.interrupted.load(Ordering::Relaxed) => {
                    return Err(GtpEngineError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if remaining > INTERRUPT_POLL_INTERVAL => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(GtpEngineError::TimedOut {
                        command: command.to_owned(),
                        limit,
                    });
                }
            }
            let is_malformed = !response.is_empty() && !response[0].starts_with(['=', '?']);
            if is_malformed || bytes > MAX_RESPONSE_BYTES {
                let expected = "a response that starts with `=` or `?`, has at most 1 MiB and ends with an empty line";
                return Err(GtpEngineError::invalid_response(
                    command,
                    expected,
                    &response[0],
                ));
            }
        }
    }

    fn exit_error(&mut self, command: &str) -> GtpEngineError {
        let deadline = Instant::now() + EXIT_STATUS_TIMEOUT;
        // No value is ever sent on this channel: the call waits until the sender is dropped or the time is up.
        let _ = self.stderr_ended.recv_timeout(EXIT_STATUS_TIMEOUT);
        let status = loop {
            match self.process.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < deadline => thread::sleep(EXIT_POLL_INTERVAL),
                _ => break "output closed".to_owned(),
            }
        };
        let tail = self.stderr_tail.lock();
        let lines = tail.iter().map(String::as_str).collect::<Vec<_>>();
        let details = if lines.is_empty() {
            status
        } else {
            format!("{status}; {}", lines.join(" / "))
        };
        GtpEngineError::Exited {
            command: command.to_owned(),
            details,
        }
    }
}

impl GtpEngine for EngineProcess {
    fn send(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError> {
        self.write_command(command)?;
        let response = self.read_response(command, limit);
        if matches!(
            response,
            Err(GtpEngineError::TimedOut { .. }
                | GtpEngineError::InvalidResponse { .. }
                | GtpEngineError::Interrupted)
        ) {
            // The engine may have hung, so it is killed without waiting for it to exit.
            self.process.kill();
        }
        response
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.stdin.take() {
            // The write fails if the process has already exited.
            let _ = stdin.write_all(b"quit\n");
        }
        let deadline = Instant::now() + QUIT_TIMEOUT;
        let remaining = || deadline.saturating_duration_since(Instant::now());
        while self.lines.recv_timeout(remaining()).is_ok() {}
        self.process.kill_and_wait();
    }
}

/// Parses a response that starts with `=` or `?`. Returns the text of an `=` response, and an error for a `?` response.
fn parse_response(command: &str, response: &str) -> Result<String, GtpEngineError> {
    match response.strip_prefix('=') {
        Some(text) => Ok(text.trim().to_owned()),
        None => {
            let message = response.trim_start_matches('?').trim();
            Err(GtpEngineError::command_failed(command, message))
        }
    }
}

fn forward_lines(stdout: impl Read, sender: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    while let Some(line) = read_line_trim_end(&mut reader) {
        if sender.send(line).is_err() {
            return;
        }
    }
}

fn keep_stderr_tail(stderr: impl Read, tail: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    while let Some(line) = read_line_trim_end(&mut reader) {
        if line.is_empty() {
            continue;
        }
        let mut tail_lines = tail.lock();
        if tail_lines.len() == STDERR_TAIL_LINES {
            tail_lines.pop_front();
        }
        tail_lines.push_back(excerpt(&line));
    }
}

/// Reads a line and removes trailing white space, including the line break. Returns `None` at the end of the input or
/// after a read error.
fn read_line_trim_end(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match reader.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
    }
}
