//! A child process and the processes it starts, for example when a script launches the engine.
//!
//! On Unix, the child is the leader of a new process group, which includes its descendants. The terminal does not send
//! interrupts to this group; the match ends its engines itself. On other systems, only the child is ended.

use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};

/// The piped standard input, output and error of a child.
pub(super) type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

/// A child process and its process group.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Child,
    /// True once the exit status was collected; the process id may then be reused.
    has_exited: bool,
}

impl ProcessGroup {
    /// Spawns the command.
    ///
    /// # Errors
    /// Returns an error if the process cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        command.process_group(0);
        Ok(Self {
            child: command.spawn()?,
            has_exited: false,
        })
    }

    /// Takes the child's pipes. A second call returns none.
    pub fn take_pipes(&mut self) -> Pipes {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// Process id of the child.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the exit status if the child has exited; then also ends the rest of its group.
    ///
    /// # Errors
    /// Returns an error if the status cannot be queried.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            // Immediately: ids are assigned in sequence, so this one has not been reused yet.
            self.kill_group();
            self.has_exited = true;
        }
        Ok(status)
    }

    /// Kills the child and its group, which may have exited already.
    pub fn kill(&mut self) {
        self.kill_group();
        let _ = self.child.kill();
    }

    /// Kills the child and its group, and waits for the child to exit.
    pub fn kill_and_wait(&mut self) {
        self.kill();
        let _ = self.child.wait();
        self.has_exited = true;
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        if !self.has_exited {
            // Fails if the group is empty.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}
