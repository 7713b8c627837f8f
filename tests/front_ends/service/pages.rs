//! The page over HTTP, and the protocol over its WebSocket.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

use honinbo::service::page::FILES;
use serde_json::{Value, json};

use super::{PATIENCE, Service};

/// A service with a page, and the page's address.
fn served(folder: &tempfile::TempDir, options: &[&str]) -> (Service, String) {
    let options = [&["--http", "127.0.0.1:0"], options].concat();
    let mut service = Service::start(&folder.path().join("games.db"), &options);
    let address = service.page();
    (service, address)
}

/// A request with these lines of its head; the connection, the status and the lines of the answer's head.
fn ask(address: &str, path: &str, head: &[&str]) -> (BufReader<TcpStream>, u16, Vec<String>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut request = format!("GET {path} HTTP/1.1\r\n");
    for line in head {
        request += &format!("{line}\r\n");
    }
    stream
        .write_all(format!("{request}\r\n").as_bytes())
        .unwrap();
    let mut stream = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_lowercase());
    }
    let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
    (stream, status, lines)
}

#[test]
fn every_file_comes_whole_and_nothing_else_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (_service, address) = served(&folder, &[]);
    let head = [format!("Host: {address}"), "Connection: close".to_owned()];
    let head = [&*head[0], &*head[1]];
    for file in FILES {
        let (mut stream, status, lines) = ask(&address, file.path, &head);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!((status, text.as_str()), (200, file.text), "{}", file.path);
        let policy = lines
            .iter()
            .find(|line| line.starts_with("content-security-policy:"));
        assert!(
            policy
                .unwrap()
                .contains("default-src 'none'; script-src 'self'")
        );
        assert!(
            lines.contains(&format!("content-type: {}", file.kind)),
            "{lines:?}"
        );
        assert!(lines.contains(&"x-content-type-options: nosniff".to_owned()));
    }
    for path in ["/nothing", "/../Cargo.toml", "/page/main.js"] {
        assert_eq!(ask(&address, path, &head).1, 404, "{path}");
    }
    assert_eq!(ask(&address, "/", &["Host: evil.example"]).1, 403);
    // Behind a token a proxy's name may be asked for; a page of another origin still may not connect.
    let (_guarded, address) = served(&tempfile::tempdir().unwrap(), &["--token", "sesame"]);
    assert_eq!(ask(&address, "/", &["Host: go.example"]).1, 200);
    let connect = |origin| {
        let head = [&["Host: go.example", origin][..], &UPGRADE].concat();
        ask(&address, "/socket", &head).1
    };
    assert_eq!(connect("Origin: https://go.example"), 101);
    assert_eq!(connect("Origin: http://evil.example"), 403);
}

const UPGRADE: [&str; 4] = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/// A short text as RFC 6455 has it, masked with zeros.
fn frame(said: &Value) -> Vec<u8> {
    let said = said.to_string();
    let length = (said.len() as u64).to_be_bytes();
    [&[0x81, 0x80 | 127], &length[..], &[0; 4], said.as_bytes()].concat()
}

/// Says something and hears an answer.
fn converse(stream: &mut BufReader<TcpStream>, said: &Value) -> Value {
    stream.get_mut().write_all(&frame(said)).unwrap();
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(head[0], 0x81);
    let length = match head[1] {
        126 => {
            let mut more = [0; 2];
            stream.read_exact(&mut more).unwrap();
            usize::from(u16::from_be_bytes(more))
        }
        short => usize::from(short),
    };
    let mut heard = vec![0; length];
    stream.read_exact(&mut heard).unwrap();
    serde_json::from_slice(&heard).unwrap()
}

#[test]
fn the_protocol_is_spoken_over_a_websocket_of_the_own_page() {
    let folder = tempfile::tempdir().unwrap();
    let (_service, address) = served(&folder, &[]);
    let host = format!("Host: {address}");
    let own = format!("Origin: http://{address}");
    for (origin, expected) in [
        (&*own, 101),
        ("X-None: 1", 101),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
    ] {
        let head = [&[&*host, origin][..], &UPGRADE].concat();
        let (mut stream, status, _) = ask(&address, "/socket", &head);
        assert_eq!(status, expected, "{origin}");
        if status == 101 {
            let ping = json!({"id": 1, "operator": "ping"});
            assert_eq!(converse(&mut stream, &ping), json!({"id": 1, "pong": true}));
            let nonsense = converse(&mut stream, &json!([1]));
            assert_eq!(nonsense["error"]["code"], "message");
            let long = converse(
                &mut stream,
                &json!({"operator": "ping", "id": "x".repeat(1 << 20)}),
            );
            assert_eq!(long["error"]["code"], "message");
            let run = converse(
                &mut stream,
                &json!({"operator": "run", "size": 5, "top": 2}),
            );
            assert_eq!(run["moves"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn the_websocket_needs_the_token_too() {
    let folder = tempfile::tempdir().unwrap();
    let (_service, address) = served(&folder, &["--token", "t"]);
    let host = format!("Host: {address}");
    let head = [&[&*host][..], &UPGRADE].concat();
    let (mut stream, status, _) = ask(&address, "/socket", &head);
    assert_eq!(status, 101);
    let ping = converse(&mut stream, &json!({"operator": "ping"}));
    assert_eq!(ping["error"]["code"], "token");
    let shown = converse(&mut stream, &json!({"operator": "ping", "token": "t"}));
    assert_eq!(shown, json!({"pong": true}));
}

#[test]
fn browsers_that_ask_and_do_not_read_are_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let (service, address) = served(&folder, &["--silence", "3"]);
    let goban = format!("(;SZ[9]C[{}])", "x".repeat(60_000));
    service
        .client()
        .ask(&json!({"operator": "saveGoban", "goban": goban}));
    let host = format!("Host: {address}");
    // One keeps asking for files, the other for a game over its WebSocket.
    let file = format!("GET /main.js HTTP/1.1\r\n{host}\r\n\r\n").into_bytes();
    let load = frame(&json!({"operator": "loadGoban", "gobanId": 1}));
    let head = [&[&*host][..], &UPGRADE].concat();
    for (path, head, expected, asked) in [
        ("/main.js", &[&*host][..], 200, file),
        ("/socket", &head, 101, load),
    ] {
        // Not before it is to be heard, else it is cut off for its silence.
        let (stream, status, _) = ask(&address, path, head);
        assert_eq!(status, expected);
        let mut stream = stream.into_inner();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(&asked).unwrap();
        // Far more than the system keeps for somebody who does not read.
        let error = loop {
            if let Err(error) = stream.write_all(&asked) {
                break error;
            }
        };
        let kind = error.kind();
        let closed = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
        assert!(closed.contains(&kind), "{error}");
    }
    assert_eq!(ask(&address, "/", &[&host]).1, 200);
}

#[test]
fn browsers_that_ask_for_nothing_are_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let (_service, address) = served(&folder, &["--silence", "1"]);
    let host = format!("Host: {address}");
    // One says nothing, the next not all of its head, the last nothing more.
    for (said, expected) in [
        ("", ""),
        ("GET / HTTP/1.1\r\nHost:", ""),
        (
            &*format!("GET / HTTP/1.1\r\n{host}\r\n\r\n"),
            "HTTP/1.1 200 ",
        ),
    ] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(said.as_bytes()).unwrap();
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).unwrap();
        let heard = String::from_utf8_lossy(&heard);
        assert!(heard.starts_with(expected), "{said:?}: {heard}");
    }
}
