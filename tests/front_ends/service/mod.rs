//! Tests of `honinbo serve` through sockets. The program runs on a free local port.

mod conversations;
mod disconnects;
mod files;
mod invalid_requests;
mod many_clients;
mod pages;
mod protocol;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Time limit of every wait; exceeding it fails the test.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A running service, killed when dropped.
struct Service {
    program: Child,
    errors: BufReader<ChildStderr>,
    address: String,
    /// Folder of the database, unless the test has its own.
    _folder: Option<TempDir>,
}

impl Service {
    /// Starts the service with a new database and the uniform evaluator, which takes hardly any time.
    fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut service = Self::start_with(&folder.path().join("games.db"), options);
        service._folder = Some(folder);
        service
    }

    /// Starts the service with this database.
    fn start_with(games: &Path, options: &[&str]) -> Self {
        let has_listen = options.contains(&"--listen");
        let listen: &[&str] = if has_listen {
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
        let mut errors = BufReader::new(program.stderr.take().expect("standard error is piped"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("an address");
        let address = line.trim().rsplit(' ').next().expect("a word").to_owned();
        assert!(line.contains("listening at"), "{line}");
        Self {
            program,
            errors,
            address,
            _folder: None,
        }
    }

    /// Reads the address of the web page from the output. The service must have been started with `--http`.
    fn page(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("an address");
        let address = line.trim().trim_end_matches('/').rsplit('/').next();
        address.expect("an address").to_owned()
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
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::ConnectionAborted
                ) =>
            {
                None
            }
            Err(error) => panic!("no response: {error}"),
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).expect("a response is JSON")),
        }
    }

    fn request(&mut self, request: &Value) -> Value {
        self.send(request.to_string());
        self.receive().expect("a response")
    }

    /// Sends a request that must fail, and returns the error code.
    fn error_code(&mut self, request: &Value) -> String {
        let response = self.request(request);
        code(&response).unwrap_or_else(|| panic!("expected an error, found {response}"))
    }
}

/// Returns the code of an error response.
fn code(response: &Value) -> Option<String> {
    response["error"]["code"].as_str().map(str::to_owned)
}

/// Runs a test with a new service and a client.
fn with_service(test: impl FnOnce(&Service, &mut Client)) {
    let service = Service::start(&[]);
    test(&service, &mut service.client());
}
