//! Tests of `honinbo serve` through sockets. The program runs on a free local port.

mod conversations;
mod disconnects;
mod files;
mod invalid_requests;
mod many_clients;
mod pages;
mod problems;
mod protocol;
mod start;

use std::io::{BufRead, BufReader, Error, ErrorKind, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::honinbo;

/// Time limit of every wait; exceeding it fails the test.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A running service, killed when dropped.
struct Service {
    /// Folder of a database that only this service uses.
    folder: Option<TempDir>,
    program: Child,
    errors: BufReader<ChildStderr>,
    address: String,
}

impl Service {
    /// Starts the service with this database.
    fn start(games: &Path, options: &[&str]) -> Self {
        let mut program = serve(games, options);
        if !options.contains(&"--listen") {
            program.args(["--listen", "127.0.0.1:0"]);
        }
        Self::spawn(program)
    }

    /// Starts a service. The first line of standard error contains its address.
    fn spawn(mut program: Command) -> Self {
        program.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut program = program.spawn().expect("the program starts");
        let mut errors = BufReader::new(program.stderr.take().expect("standard error is piped"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("an address");
        let address = line.trim().rsplit(' ').next().expect("a word").to_owned();
        assert!(line.contains("listening on"), "{line}");
        Self {
            folder: None,
            program,
            errors,
            address,
        }
    }

    /// Starts the service with a new database.
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut service = Self::start(&folder.path().join("games.db"), options);
        service.folder = Some(folder);
        service
    }

    /// Starts the service with a new database and connects a client.
    fn with_client(options: &[&str]) -> (Self, Client) {
        let service = Self::new(options);
        let client = service.client();
        (service, client)
    }

    /// Reads the address of the web page from the output. The service must have been started with `--http`.
    fn page(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("an address");
        let address = line.trim().trim_end_matches('/').rsplit('/').next();
        address.expect("an address").to_owned()
    }

    /// Returns the next line of standard error.
    fn error_line(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("a line");
        line
    }

    fn client(&self) -> Client {
        Client::new(&self.address)
    }

    /// Returns the remaining error output of a service that has ended.
    #[cfg(unix)]
    fn stderr(&mut self) -> String {
        std::io::read_to_string(&mut self.errors).expect("text")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

/// A client connected over TCP.
struct Client {
    output: TcpStream,
    input: BufReader<TcpStream>,
}

impl Client {
    fn new(address: &str) -> Self {
        let output = TcpStream::connect(address).expect("the service listens");
        output.set_read_timeout(Some(TIMEOUT)).expect("a time");
        output.set_nodelay(true).expect("an option");
        let input = BufReader::new(output.try_clone().expect("a second handle"));
        Self { output, input }
    }

    fn send(&mut self, line: impl AsRef<[u8]>) {
        let line = [line.as_ref(), b"\n"].concat();
        self.output.write_all(&line).expect("the service reads");
    }

    /// Returns the next response, or `None` at the end of the connection.
    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            // The service closed the connection with unread input.
            Err(error) if is_closed(&error) => None,
            Err(error) => panic!("no response: {error}"),
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).expect("a response is JSON")),
        }
    }

    fn request(&mut self, request: &Value) -> Value {
        self.send(request.to_string());
        self.receive().expect("a response")
    }

    /// Returns the code of the next response, or `none`.
    fn receive_code(&mut self) -> String {
        code(&self.receive().expect("a response")).to_owned()
    }

    /// Sends a request that must fail, and returns the error code.
    fn error_code(&mut self, request: &Value) -> String {
        let response = self.request(request);
        let code = code(&response);
        assert_ne!(code, "none", "{response}");
        code.to_owned()
    }
}

/// Returns true for errors of connections that the service has closed.
fn is_closed(error: &Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    [BrokenPipe, ConnectionAborted, ConnectionReset].contains(&error.kind())
}

/// Writes `bytes` repeatedly, without reading, until the service closes the connection.
fn write_until_closed(stream: &mut TcpStream, bytes: &[u8]) {
    stream.set_write_timeout(Some(TIMEOUT)).expect("a time");
    let error = loop {
        if let Err(error) = stream.write_all(bytes) {
            break error;
        }
    };
    assert!(is_closed(&error), "{error}");
}

/// Returns the code of an error response, or `none`.
fn code(response: &Value) -> &str {
    response["error"]["code"].as_str().unwrap_or("none")
}

/// Returns the command `serve` with this database and the uniform evaluator.
fn serve(games: &Path, options: &[&str]) -> Command {
    let mut program = honinbo(&["serve", "--evaluator", "uniform", "--threads", "2"]);
    program
        .args(["--seed", "1", "--memory", "64", "--db"])
        .arg(games)
        .args(options)
        .env_remove("HONINBO_TOKEN");
    program
}

/// Returns a request for a search that reports its progress until it is cancelled.
fn endless(id: impl Into<Value>) -> String {
    let id = id.into();
    json!({"id": id, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true})
        .to_string()
}
