//! Terminal events, and detection of a closed terminal.
//!
//! If the terminal is closed while crossterm reads from it, the read never returns. Therefore, a separate thread reads
//! the events and is never joined, and the receiver checks regularly that the terminal is still open.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event};
#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;

/// Receiver of terminal events.
pub(super) struct Events {
    receiver: Receiver<io::Result<Event>>,
}

impl Events {
    /// Starts the thread that reads the events.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start() -> io::Result<Self> {
        let (sender, receiver) = channel();
        thread::Builder::new()
            .name("keys".to_owned())
            .spawn(move || {
                loop {
                    let event = event::read();
                    let is_last = event.is_err();
                    if sender.send(event).is_err() || is_last {
                        break;
                    }
                }
            })?;
        Ok(Self { receiver })
    }

    /// Waits up to `timeout` for the next event. Returns `None` if none arrives in time.
    ///
    /// # Errors
    /// Returns an error if reading fails or the terminal has been closed.
    pub fn next(&self, timeout: Duration) -> io::Result<Option<Event>> {
        check_terminal_open()?;
        match self.receiver.recv_timeout(timeout) {
            Ok(event) => event.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(disconnected_error()),
        }
    }
}

fn disconnected_error() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal was closed")
}

/// Returns an error if the terminal has been closed, for example because its window was closed.
#[cfg(unix)]
pub(super) fn check_terminal_open() -> io::Result<()> {
    let input = io::stdin();
    let mut poll_fds = [PollFd::new(&input, PollFlags::empty())];
    match poll(&mut poll_fds, Some(&Timespec::default())) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut hangup = PollFlags::HUP | PollFlags::ERR;
    // On macOS, `poll` does not support all kinds of terminals and returns `NVAL` for some that are open.
    hangup.set(PollFlags::NVAL, !cfg!(target_vendor = "apple"));
    if poll_fds[0].revents().intersects(hangup) {
        return Err(disconnected_error());
    }
    Ok(())
}

/// Does nothing: a closed terminal is not detected on this platform.
#[cfg(not(unix))]
pub(super) fn check_terminal_open() -> io::Result<()> {
    Ok(())
}
