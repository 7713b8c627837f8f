//! Runs the program `honinbo`.

use std::process::Command;

pub fn honinbo(arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_honinbo"));
    program.args(arguments);
    program
}

/// A run of a program that has ended.
#[derive(Debug)]
pub struct Run {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

pub fn run(program: &mut Command) -> Run {
    let output = program.output().expect("the program starts");
    Run {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Run {
    /// Returns standard output. The program must have succeeded.
    #[track_caller]
    pub fn printed(self) -> String {
        assert!(self.success, "{self:?}");
        self.stdout
    }

    /// Checks that the program failed with an error that contains `error`.
    #[track_caller]
    pub fn assert_fails(&self, error: &str) {
        assert!(!self.success && self.stderr.contains(error), "{self:?}");
    }
}
