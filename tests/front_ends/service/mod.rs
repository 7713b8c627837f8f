//! The service through sockets, as its clients meet it: the real program on a free port of this computer.

mod conversations;
mod crowds;
mod endings;
mod files;
mod nonsense;
mod pages;
mod protocol;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Longer than anything may take; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running service. It is killed when it is dropped.
struct Service {
    program: Child,
    errors: BufReader<ChildStderr>,
    address: String,
}

impl Service {
    /// The service on that file, with an evaluator that knows nothing and takes no time.
    fn start(games: &Path, options: &[&str]) -> Self {
        let told = options.contains(&"--listen");
        let listen: &[&str] = if told {
            &[]
        } else {
            &["--listen", "127.0.0.1:0"]
        };
        let mut program = Command::new(env!("CARGO_BIN_EXE_honinbo"))
            .args(["serve", "--evaluator", "uniform"])
            .args(["--threads", "2", "--seed", "1", "--memory", "64", "--db"])
            .arg(games)
            .args(options)
            .args(listen)
            .env_remove("HONINBO_TOKEN")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut errors = BufReader::new(program.stderr.take().expect("its errors are piped"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("it says where");
        let address = line.trim().rsplit(' ').next().expect("a word").to_owned();
        assert!(line.contains("listening at"), "{line}");
        Self {
            program,
            errors,
            address,
        }
    }

    /// Where the page is, of a service that was told to serve one.
    fn page(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("it says where");
        let address = line.trim().trim_end_matches('/').rsplit('/').next();
        address.expect("an address").to_owned()
    }

    fn client(&self) -> Client {
        Client::new(&self.address)
    }

    /// What it has said on the error stream since it was ready, once it has ended.
    fn said(&mut self) -> String {
        let mut text = String::new();
        self.errors.read_to_string(&mut text).expect("text");
        text
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

/// A client of a service.
struct Client {
    output: TcpStream,
    input: BufReader<TcpStream>,
}

impl Client {
    fn new(address: &str) -> Self {
        let output = TcpStream::connect(address).expect("the service listens");
        output.set_read_timeout(Some(PATIENCE)).expect("a time");
        output.set_nodelay(true).expect("an option");
        let input = BufReader::new(output.try_clone().expect("a second handle"));
        Self { output, input }
    }

    fn send(&mut self, line: impl AsRef<[u8]>) {
        let line = [line.as_ref(), b"\n"].concat();
        self.output.write_all(&line).expect("the service reads");
    }

    /// The next answer; `None` at the end of the connection.
    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            // Closed by the service while it had something unread.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no answer: {error}"),
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).expect("an answer is JSON")),
        }
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.send(request.to_string());
        self.hear().expect("an answer")
    }

    /// The code of the error that is the answer.
    fn fails(&mut self, request: &Value) -> String {
        let answer = self.ask(request);
        code(&answer).unwrap_or_else(|| panic!("expected an error, found {answer}"))
    }
}

/// The code of an answer that is an error.
fn code(answer: &Value) -> Option<String> {
    answer["error"]["code"].as_str().map(str::to_owned)
}

/// Tries something with a new service and a client of it.
fn served(test: impl FnOnce(&Service, &mut Client)) {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    test(&service, &mut service.client());
}
