//! Full-screen mode in a pseudo-terminal, and its end when the window is closed.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
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

/// Starts `honinbo play` on a pseudo-terminal, with a separate home folder.
fn start(home: &Path, inside: File, arguments: &[&str]) -> Child {
    honinbo(&["play", "--evaluator", "uniform", "--threads", "1"])
        .args(arguments)
        .env("HOME", home)
        .env("XDG_DATA_HOME", home)
        .env("TERM", "xterm-256color")
        .env("LC_ALL", "C.UTF-8")
        .stdin(inside.try_clone().unwrap())
        .stdout(inside)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads what the program writes to its window until it contains `text`.
fn read_until(window: &mut File, text: &str) {
    let mut shown = Vec::new();
    while !shown
        .windows(text.len())
        .any(|part| part == text.as_bytes())
    {
        let mut part = [0; 1024];
        let read = window.read(&mut part).unwrap();
        shown.extend_from_slice(&part[..read]);
    }
}

#[test]
fn program_ends_when_window_closes() {
    let home = tempfile::tempdir().unwrap();
    let (mut window, inside) = terminal();
    let mut program = start(home.path(), inside, &["--size", "5", "--color", "both"]);
    read_until(&mut window, "No move yet.");
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

#[test]
fn mouse_plays_and_program_can_be_suspended() {
    let home = tempfile::tempdir().unwrap();
    let (mut window, inside) = terminal();
    let mut program = start(home.path(), inside, &["--size", "5", "--color", "both"]);
    read_until(&mut window, "No move yet.");
    // Left button on the point in column B and row 3, in the terminal's columns and rows, which start at 1.
    window.write_all(b"\x1b[<0;6;4M\x1b[<0;6;4m").unwrap();
    read_until(&mut window, "Black played B3.");
    // The wheel shows earlier positions.
    window.write_all(b"\x1b[<64;6;4M").unwrap();
    read_until(&mut window, "Move 0 of 1 is shown");

    window.write_all(b"\x1a").unwrap();
    let pid = Pid::from_child(&program);
    let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
    assert!(status.stopped(), "{status:?}");
    // It has left the alternate screen.
    read_until(&mut window, "\x1b[?1049l");
    kill_process(pid, Signal::CONT).unwrap();
    read_until(&mut window, "Move 0 of 1 is shown");
    window.write_all(b"quit\r").unwrap();
    read_until(&mut window, "\x1b[?1049l");
    assert!(program.wait().unwrap().success());
}

#[test]
fn menu_starts_and_continues_games() {
    let home = tempfile::tempdir().unwrap();
    for (choice, shown) in [("", "No move yet."), ("\r", "Black played C3.")] {
        let (mut window, inside) = terminal();
        let mut program = start(home.path(), inside, &[]);
        read_until(&mut window, "Start a new game");
        if choice.is_empty() {
            // Down to the board size, which becomes 9x9, to the players, and to the last row.
            window.write_all(b"jhhjjllj").unwrap();
            read_until(&mut window, "both colours");
            window.write_all(b"j\r").unwrap();
        }
        window.write_all(choice.as_bytes()).unwrap();
        read_until(&mut window, shown);
        window.write_all(b"c3\rquit\r").unwrap();
        read_until(&mut window, "\x1b[?1049l");
        assert!(program.wait().unwrap().success());
    }
}

#[test]
fn wide_stones_are_replaced() {
    let home = tempfile::tempdir().unwrap();
    let (mut window, inside) = terminal();
    let mut program = honinbo(&[
        "play",
        "--evaluator",
        "uniform",
        "--size",
        "5",
        "--color",
        "both",
    ])
    .env("HOME", home.path())
    .env("XDG_DATA_HOME", home.path())
    .env("TERM", "xterm-256color")
    .env("LC_ALL", "ja_JP.UTF-8")
    .stdin(inside.try_clone().unwrap())
    .stdout(inside)
    .spawn()
    .unwrap();
    // Responds to the query of the cursor position: the cursor is behind a stone two columns wide.
    read_until(&mut window, "\x1b[6n");
    window.write_all(b"\x1b[1;3R").unwrap();
    read_until(&mut window, "No move yet.");
    window.write_all(b"c3\r").unwrap();
    read_until(&mut window, "X");
    window.write_all(b"quit\r").unwrap();
    read_until(&mut window, "\x1b[?1049l");
    assert!(program.wait().unwrap().success());
}
