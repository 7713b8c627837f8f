//! Full-screen mode in a pseudo-terminal, and its end when the window is closed.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::honinbo;

/// Time limit for the program to end.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Opens a pseudo-terminal and returns the window's end and the program's end.
fn terminal() -> (File, File) {
    let window = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // The program must not inherit the end of the window.
    fcntl_setfd(&window, FdFlags::CLOEXEC).unwrap();
    grantpt(&window).unwrap();
    unlockpt(&window).unwrap();
    let size = Winsize {
        ws_row: 30,
        ws_col: 100,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&window, size).unwrap();
    let name = ptsname(&window, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let inside = open(name, flags, Mode::empty()).unwrap();
    (window.into(), inside.into())
}

#[test]
fn program_ends_when_window_closes() {
    let home = tempfile::tempdir().unwrap();
    let (mut window, inside) = terminal();
    let mut program = honinbo(&["play", "--evaluator", "uniform", "--size", "5"])
        .args(["--color", "both", "--threads", "1"])
        .env("HOME", home.path())
        .env("XDG_DATA_HOME", home.path())
        .env("TERM", "xterm-256color")
        .stdin(inside.try_clone().unwrap())
        .stdout(inside)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = Vec::new();
    let drawn = b"No move yet.";
    while !shown.windows(drawn.len()).any(|part| part == drawn) {
        let mut part = [0; 1024];
        let read = window.read(&mut part).unwrap();
        shown.extend_from_slice(&part[..read]);
    }
    drop(window);

    let (sender, receiver) = channel();
    let mut errors = program.stderr.take().unwrap();
    let reader = thread::spawn(move || {
        let mut said = String::new();
        let read = errors.read_to_string(&mut said);
        sender.send(read.map(|_| said))
    });
    let ended = receiver.recv_timeout(TIMEOUT);
    if ended.is_err() {
        program.kill().unwrap();
    }
    let status = program.wait().unwrap();
    let said = ended.expect("it ends").unwrap();
    assert!(!status.success(), "{status}");
    assert!(said.contains("the terminal was closed"), "{said:?}");
    reader.join().unwrap().unwrap();
}
