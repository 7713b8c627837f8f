//! A child process together with its descendants, for example an engine that is launched by a script.
//!
//! On Unix, the child leads a new process group, which includes its descendants. Interrupts from the terminal do not
//! reach this group, so the match ends its engines itself. On other systems, only the child is killed.

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
    /// True once the exit status has been collected. After that, the system may reuse the process id.
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

    /// Removes and returns the child's pipes. Pipes that have already been removed are `None`.
    pub fn take_pipes(&mut self) -> Pipes {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// Returns the process id of the child.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the exit status if the child has exited. In this case, also kills the remaining processes of its group.
    ///
    /// # Errors
    /// Returns an error if the status cannot be queried.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            // The group is killed immediately, before the system reuses the id of the group. The system assigns ids in
            // sequence, so an id is not reused soon.
            self.kill_group();
            self.has_exited = true;
        }
        Ok(status)
    }

    /// Kills the child and its group. Has no effect on processes that have already exited.
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
            // The call fails if the group is empty.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}
