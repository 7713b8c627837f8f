//! A child process together with what it starts: a program may be called through a script that waits for it.
//!
//! On Unix the child leads a process group of its own, to which belongs what it starts. A terminal's interrupt does not
//! reach such a group: the match is told of it and ends its programs. Elsewhere only the child itself is known.

use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};

/// The ends of a child's streams, as far as they were asked for as pipes.
pub(super) type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

/// A child and its group.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Child,
    /// Whether the child's end was asked for and told: its number may be another's from then on.
    has_exited: bool,
}

impl ProcessGroup {
    /// Starts the command.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        command.process_group(0);
        Ok(Self {
            child: command.spawn()?,
            has_exited: false,
        })
    }

    /// Hands over the child's pipes; none the second time.
    pub fn take_pipes(&mut self) -> Pipes {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// The child's number in the system.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the child ended, if it has; what is left of its group is ended then.
    ///
    /// # Errors
    /// Those of the system.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            // At once: numbers are given out in turn, so that this one is nobody else's yet.
            self.kill_group();
            self.has_exited = true;
        }
        Ok(status)
    }

    /// Tells the system to end the child and its group, which may be gone already.
    pub fn kill(&mut self) {
        self.kill_group();
        let _ = self.child.kill();
    }

    /// Ends the child and its group, and waits for the child to be gone.
    pub fn kill_and_wait(&mut self) {
        self.kill();
        let _ = self.child.wait();
        self.has_exited = true;
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        if !self.has_exited {
            // Fails when nobody is left in it.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}
