//! What a terminal tells: keys, and that it has gone.
//!
//! The library that reads the keys never comes back from a terminal that goes while it reads. So a thread of its own
//! waits for it, which the end of the program ends, and whoever plays looks after the terminal itself.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event};
#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;

/// The events of the terminal, from now to the end of the program.
pub(super) struct Events {
    receiver: Receiver<io::Result<Event>>,
}

impl Events {
    /// Starts to read them.
    ///
    /// # Errors
    /// When there is no thread to be had.
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

    /// The next event, waited for so long.
    ///
    /// # Errors
    /// When the terminal fails or has gone.
    pub fn next(&self, timeout: Duration) -> io::Result<Option<Event>> {
        check_terminal()?;
        match self.receiver.recv_timeout(timeout) {
            Ok(event) => event.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(disconnected_error()),
        }
    }
}

fn disconnected_error() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has gone")
}

/// An error where the terminal has gone, as a window that was closed.
#[cfg(unix)]
pub(super) fn check_terminal() -> io::Result<()> {
    let input = io::stdin();
    let mut poll_fds = [PollFd::new(&input, PollFlags::empty())];
    match poll(&mut poll_fds, Some(&Timespec::default())) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let hangup = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if poll_fds[0].revents().intersects(hangup) {
        return Err(disconnected_error());
    }
    Ok(())
}

/// Elsewhere nobody can tell.
#[cfg(not(unix))]
pub(super) fn check_terminal() -> io::Result<()> {
    Ok(())
}
