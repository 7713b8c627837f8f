//! Sessions with clients that wait, interrupt, disconnect, or send invalid input.

use std::fs;
use std::io::{Write, pipe};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use honinbo::engine::settings::EngineSettings;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::gtp::line::MAX_LINE_BYTES;
use honinbo::gtp::session;
use honinbo::io::protocol_log::ProtocolLog;

use super::{answers, converse, engine, engine_with, identity, run_session, settings};
use crate::evaluator_fn::{evaluate, evaluator_fn};
use crate::pipes::Client;
use crate::program::{honinbo, run};

/// Connects a client to a session with a new engine.
pub fn connect(settings: EngineSettings) -> Client {
    Client::new(|input, mut output| run_session(&mut engine(settings), input, &mut output))
}

impl Client {
    /// Returns the next line that is not an analysis line.
    pub fn line_after_analysis(&mut self) -> String {
        loop {
            let line = self.line();
            if !line.starts_with("info ") {
                return line;
            }
        }
    }
}

/// Settings for a search without limits.
pub fn endless() -> EngineSettings {
    EngineSettings {
        visits: None,
        time: Some(Duration::from_secs(1_000_000)),
        ..settings()
    }
}

#[test]
fn any_line_ends_an_analysis() {
    let mut client = connect(settings());
    for next in [
        "7 protocol_version",
        "\n7 protocol_version",
        "# a comment\n7 protocol_version",
    ] {
        client.send("1 kata-analyze b 1 rootInfo true");
        assert_eq!(client.line(), "=1");
        let first = client.line();
        assert!(first.starts_with("info move "), "{first}");
        assert!(first.contains(" rootInfo visits "), "{first}");
        client.send(next);
        assert_eq!(client.line_after_analysis(), "");
        assert_eq!(client.line(), "=7 2");
        assert_eq!(client.line(), "");
    }
    assert_eq!(client.leave(), [""; 0]);
}

#[test]
fn analyses_alternate_with_moves() {
    let mut client = connect(settings());
    client.send("boardsize 9\nlz-analyze 1\nplay b E5\n1 lz-analyze w interval 1\n2 undo");
    let answers: Vec<_> = client
        .leave()
        .into_iter()
        .filter(|line| !line.starts_with("info "))
        .collect();
    assert_eq!(answers, ["= ", "", "=", "", "= ", "", "=1", "", "=2 ", ""]);
}

#[test]
fn end_of_input_ends_analysis_only() {
    let mut client = connect(settings());
    client.send("kata-analyze 1");
    assert_eq!(client.line(), "=");
    assert!(client.line().starts_with("info "));
    assert_eq!(client.leave().last().map(String::as_str), Some(""));
    let answer = converse(b"boardsize 9\n5 genmove b");
    assert!(answer.starts_with("= \n\n=5 "), "{answer}");
}

#[test]
fn interrupt_makes_the_move_immediately() {
    for command in ["genmove b", "reg_genmove b", "kata-genmove_analyze b 1"] {
        let mut client = connect(endless());
        client.send(format!("boardsize 5\n{command}\n# interrupt\n1 name"));
        let lines = client.leave();
        let end = &lines[lines.len() - 3..];
        assert_eq!(end, ["", "=1 Honinbo", ""], "{command}: {lines:?}");
    }
}

#[test]
fn genmove_analyze_reports_until_the_move() {
    let mut client = connect(endless());
    client.send("3 kata-genmove_analyze b 1 maxmoves 1");
    assert_eq!(client.line(), "=3");
    assert!(client.line().starts_with("info move "));
    client.send("# interrupt");
    let played = client.line_after_analysis();
    assert!(played.starts_with("play "), "{played}");
    assert_eq!(client.leave(), [""]);
}

#[test]
fn engine_ponders_if_enabled() {
    let (enough, pondering) = channel();
    let remaining = AtomicI64::new(20 * 32);
    let counting = evaluator_fn(move |position| {
        if remaining.fetch_sub(1, Ordering::Relaxed) == 0 {
            // The receiver may have been dropped.
            let _ = enough.send(());
        }
        evaluate(&HashEvaluator, position)
    });
    let settings = EngineSettings {
        ponder: true,
        ..settings()
    };
    let mut client = Client::new(|input, mut output| {
        run_session(&mut engine_with(settings, counting), input, &mut output);
    });
    // Pondering resumes after a command.
    client.send("genmove b\ntime_left w 100 0");
    pondering
        .recv()
        .expect("more evaluations than a move takes");
    client.send("undo\n1 name");
    assert!(
        client
            .leave()
            .ends_with(&["= ", "", "=1 Honinbo", ""].map(str::to_owned))
    );
}

#[test]
fn closed_output_ends_the_session() {
    let (input, mut to) = pipe().expect("a pipe");
    let (from, mut output) = pipe().expect("a pipe");
    drop(from);
    to.write_all(b"name\nname\n").expect("an open pipe");
    run_session(&mut engine(settings()), input, &mut output);
}

#[test]
fn overlong_line_is_rejected_as_a_whole() {
    let mut input = b"play b ".to_vec();
    input.resize(3 * MAX_LINE_BYTES, b'x');
    input.extend_from_slice(b"\n1 name\n");
    let answers = converse(&input);
    let expected = format!("? syntax error: the line is longer than {MAX_LINE_BYTES} bytes");
    assert_eq!(answers, format!("{expected}\n\n=1 Honinbo\n\n"));
}

#[test]
fn log_contains_all_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("日誌.log");
    let log = ProtocolLog::open(&path).expect("a log");
    let input = &b"1 name\r\nboardsize 2\nshowboard\nnonesuch\n"[..];
    let mut output = Vec::new();
    let run = session::run(
        &mut engine(settings()),
        &identity(),
        input,
        &mut output,
        log,
    );
    run.expect("a session");
    let logged = fs::read_to_string(&path).expect("the log");
    let lines_of = |sign: &str| -> Vec<String> {
        let signed = logged.lines().filter_map(|line| line.strip_prefix(sign));
        signed.map(str::to_owned).collect()
    };
    assert_eq!(
        lines_of("< "),
        ["1 name", "boardsize 2", "showboard", "nonesuch"]
    );
    let sent = String::from_utf8(output).expect("text");
    let sent: Vec<_> = sent.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines_of("> "), sent);
}

#[test]
fn unwritable_log_is_an_error() {
    let missing = Path::new("nonesuch-folder").join("honinbo.log");
    let error = ProtocolLog::open(&missing)
        .expect_err("there is no such folder")
        .to_string();
    assert!(
        error.starts_with("cannot write the log nonesuch-folder"),
        "{error}"
    );
}

/// Neither the log nor the warning about it can be written.
#[cfg(target_os = "linux")]
#[test]
fn failing_log_and_stderr_keep_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let sent = folder.path().join("sent");
    fs::write(&sent, "name\nquit\n").expect("a file");
    let full = fs::File::options().write(true).open("/dev/full");
    let mut program = honinbo(&["gtp", "--evaluator", "uniform", "--threads", "1"]);
    program
        .args(["--memory", "64", "--log", "/dev/full"])
        .stdin(fs::File::open(&sent).expect("the file"))
        .stderr(full.expect("a full device"));
    assert_eq!(run(&mut program).printed(), "= Honinbo\n\n= \n\n");
}

#[test]
fn seed_is_random_unless_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let sent = folder.path().join("sent");
    fs::write(&sent, "get_random_seed\n").expect("a file");
    let seed = |options: &[&str]| {
        let mut program = honinbo(&["gtp", "--evaluator", "uniform", "--memory", "64"]);
        program
            .args(options)
            .stdin(fs::File::open(&sent).expect("the file"));
        run(&mut program).printed()
    };
    assert_eq!(seed(&["--seed", "7"]), "= 7\n\n");
    assert_ne!(seed(&[]), seed(&[]));
}

#[test]
fn folders_and_devices_are_not_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("text").to_owned();
    let device = cfg!(unix).then(|| "/dev/zero".to_owned());
    for name in [folder].into_iter().chain(device) {
        let answer = answers(&format!("loadsgf {name}\n")).remove(0);
        let expected = ": this is not a regular file";
        assert!(answer.ends_with(expected), "{answer}");
    }
}
