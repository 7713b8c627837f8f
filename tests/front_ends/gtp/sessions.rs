//! Sessions with clients that wait, interrupt, disconnect, or send invalid input.

use std::fs;
use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use honinbo::engine::settings::EngineSettings;
use honinbo::eval::hashed::Hashed;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::gtp::line::MAX_LINE_BYTES;
use honinbo::gtp::session;
use honinbo::io::protocol_log::ProtocolLog;

use super::{answers, converse, engine, engine_with, identity, settings};

/// A client connected to a session by two pipes.
pub struct Client {
    to: PipeWriter,
    from: Box<dyn Iterator<Item = String>>,
    session: JoinHandle<()>,
}

impl Client {
    pub fn new(settings: EngineSettings) -> Self {
        let (input, to) = pipe().expect("a pipe");
        let (from, mut output) = pipe().expect("a pipe");
        let session = spawn(move || {
            session::run(
                &mut engine(settings),
                &identity(),
                input,
                &mut output,
                ProtocolLog::disabled(),
            )
            .expect("a session without errors");
        });
        let lines = BufReader::new(from)
            .lines()
            .map(|line| line.expect("a line"));
        Self {
            to,
            from: Box::new(lines),
            session,
        }
    }

    pub fn send(&mut self, text: &str) {
        self.to.write_all(text.as_bytes()).expect("an open pipe");
    }

    pub fn line(&mut self) -> String {
        self.from.next().expect("another line")
    }

    /// Returns the next line that is not an analysis line.
    pub fn line_after_analysis(&mut self) -> String {
        self.from
            .find(|line| !line.starts_with("info "))
            .expect("another line")
    }

    /// Disconnects and returns the remaining output.
    pub fn leave(self) -> Vec<String> {
        drop(self.to);
        let rest = self.from.collect();
        self.session.join().expect("a session that ends");
        rest
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
    let mut client = Client::new(settings());
    for next in [
        "7 protocol_version\n",
        "\n7 protocol_version\n",
        "# a comment\n7 protocol_version\n",
    ] {
        client.send("1 kata-analyze b 1 rootInfo true\n");
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
    let mut client = Client::new(settings());
    client.send("boardsize 9\nlz-analyze 1\nplay b E5\n1 lz-analyze w interval 1\n2 undo\n");
    let answers: Vec<_> = client
        .leave()
        .into_iter()
        .filter(|line| !line.starts_with("info "))
        .collect();
    assert_eq!(answers, ["= ", "", "=", "", "= ", "", "=1", "", "=2 ", ""]);
}

#[test]
fn end_of_input_ends_analysis_only() {
    let mut client = Client::new(settings());
    client.send("kata-analyze 1\n");
    assert_eq!(client.line(), "=");
    assert!(client.line().starts_with("info "));
    assert_eq!(client.leave().last().map(String::as_str), Some(""));
    let answer = converse(b"boardsize 9\n5 genmove b");
    assert!(answer.starts_with("= \n\n=5 "), "{answer}");
}

#[test]
fn interrupt_makes_the_move_immediately() {
    for command in ["genmove b", "reg_genmove b", "kata-genmove_analyze b 1"] {
        let mut client = Client::new(endless());
        client.send(&format!("boardsize 5\n{command}\n# interrupt\n1 name\n"));
        let lines = client.leave();
        let end = &lines[lines.len() - 3..];
        assert_eq!(end, ["", "=1 Honinbo", ""], "{command}: {lines:?}");
    }
}

#[test]
fn genmove_analyze_reports_until_the_move() {
    let mut client = Client::new(endless());
    client.send("3 kata-genmove_analyze b 1 maxmoves 1\n");
    assert_eq!(client.line(), "=3");
    assert!(client.line().starts_with("info move "));
    client.send("# interrupt\n");
    let played = client.line_after_analysis();
    assert!(played.starts_with("play "), "{played}");
    assert_eq!(client.leave(), [""]);
}

/// Evaluator that sends a message after a number of evaluations.
struct Counting {
    remaining: AtomicI64,
    enough: Mutex<Sender<()>>,
}

impl Evaluator for Counting {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        if self.remaining.fetch_sub(1, Ordering::Relaxed) == 0 {
            // The receiver may have been dropped.
            let _ = self.enough.lock().expect("no panic").send(());
        }
        Hashed.evaluate(requests, evaluations)
    }
}

#[test]
fn engine_ponders_if_enabled() {
    let (enough, pondering) = channel();
    let counting = Arc::new(Counting {
        remaining: AtomicI64::new(20 * 32),
        enough: Mutex::new(enough),
    });
    let settings = EngineSettings {
        ponder: true,
        ..settings()
    };
    let (input, mut to) = pipe().expect("a pipe");
    let session = spawn(move || {
        let mut output = Vec::new();
        let mut engine = engine_with(settings, counting);
        session::run(
            &mut engine,
            &identity(),
            input,
            &mut output,
            ProtocolLog::disabled(),
        )
        .expect("a session");
        output
    });
    // Pondering resumes after a command.
    to.write_all(b"genmove b\ntime_left w 100 0\n")
        .expect("an open pipe");
    pondering
        .recv()
        .expect("more evaluations than a move takes");
    to.write_all(b"undo\n1 name\n").expect("an open pipe");
    drop(to);
    let output = session.join().expect("a session that ends");
    assert!(output.ends_with(b"= \n\n=1 Honinbo\n\n"));
}

#[test]
fn closed_output_ends_the_session() {
    let (input, mut to) = pipe().expect("a pipe");
    let (from, mut output) = pipe().expect("a pipe");
    drop(from);
    to.write_all(b"name\nname\n").expect("an open pipe");
    let run = session::run(
        &mut engine(settings()),
        &identity(),
        input,
        &mut output,
        ProtocolLog::disabled(),
    );
    assert!(run.is_ok(), "{run:?}");
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
    session::run(
        &mut engine(settings()),
        &identity(),
        input,
        &mut output,
        log,
    )
    .expect("a session");
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
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a folder");
    let sent = folder.path().join("sent");
    fs::write(&sent, "name\nquit\n").expect("a file");
    let full = fs::File::options().write(true).open("/dev/full");
    let run = Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["gtp", "--evaluator", "uniform", "--threads", "1"])
        .args(["--memory", "64", "--log", "/dev/full"])
        .stdin(fs::File::open(&sent).expect("the file"))
        .stderr(full.expect("a full device"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts")
        .wait_with_output()
        .expect("the program ends");
    assert!(run.status.success(), "{run:?}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "= Honinbo\n\n= \n\n");
}

#[test]
fn folders_and_devices_are_not_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("text").to_owned();
    let device = cfg!(unix).then(|| "/dev/zero".to_owned());
    for name in [folder].into_iter().chain(device) {
        let answer = answers(&format!("loadsgf {name}\n")).remove(0);
        let expected = ": not a regular file";
        assert!(answer.ends_with(expected), "{answer}");
    }
}
