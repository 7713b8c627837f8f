//! The `honinbo` program: reads the command line and hands over to the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("honinbo: {error:#}");
            ExitCode::FAILURE
        }
    }
}
