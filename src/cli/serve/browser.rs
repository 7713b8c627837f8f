//! Opens the web page in the user's browser.

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::Builder;

use honinbo::io::stderr;

/// Opens `url` in the browser without waiting for it. Reports failures on standard error.
pub fn open(url: String) {
    let wait_for_opener = move || {
        let reason = match run_opener(&url) {
            Ok(status) if status.success() => return,
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        report_failure(&url, &reason);
    };
    // Some openers run until the browser is closed. If the thread cannot be started, the user still has the address.
    drop(
        Builder::new()
            .name("browser".to_owned())
            .spawn(wait_for_opener),
    );
}

fn report_failure(url: &str, reason: &str) {
    stderr::eprint_line(format_args!(
        "honinbo: cannot open a browser ({reason}); open {url} yourself"
    ));
}

/// Runs the system's program that opens a URL.
fn run_opener(url: &str) -> io::Result<ExitStatus> {
    let mut opener = if cfg!(windows) {
        let mut opener = Command::new("rundll32");
        opener.arg("url.dll,FileProtocolHandler");
        opener
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    opener.arg(url);
    opener
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    opener.status()
}
