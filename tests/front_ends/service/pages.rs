//! Tests of the web page over HTTP, and of the protocol over a WebSocket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use honinbo::service::page::{FILES, WORKER_PATH, worker_text};
use serde_json::{Value, json};

use super::{Service, TIMEOUT, write_until_closed};

/// Starts a service with a web page and returns the page's address.
fn with_page(options: &[&str]) -> (Service, String) {
    let mut service = Service::new(&[&["--http", "127.0.0.1:0"], options].concat());
    let address = service.page();
    (service, address)
}

/// Sends a request with these header lines. Returns the connection, the status and the header lines of the response.
fn request(address: &str, path: &str, head: &[&str]) -> (BufReader<TcpStream>, u16, Vec<String>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
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
fn page_files_are_served_with_security_headers() {
    let (_service, address) = with_page(&[]);
    let head = [format!("Host: {address}"), "Connection: close".to_owned()];
    let head = [&*head[0], &*head[1]];
    for file in FILES {
        let (mut stream, status, lines) = request(&address, file.path, &head);
        let mut content = Vec::new();
        stream.read_to_end(&mut content).unwrap();
        assert_eq!(status, 200, "{}", file.path);
        assert!(content == file.content, "{}", file.path);
        let policy = lines
            .iter()
            .find(|line| line.starts_with("content-security-policy:"));
        assert!(
            policy
                .unwrap()
                .contains("default-src 'none'; script-src 'self'")
        );
        assert!(
            lines.contains(&format!("content-type: {}", file.content_type)),
            "{lines:?}"
        );
        assert!(lines.contains(&"x-content-type-options: nosniff".to_owned()));
    }
    let (mut stream, status, lines) = request(&address, WORKER_PATH, &head);
    let mut worker = String::new();
    stream.read_to_string(&mut worker).unwrap();
    assert_eq!((status, worker), (200, worker_text()));
    assert!(lines.contains(&"content-type: text/javascript; charset=utf-8".to_owned()));
    for path in ["/nothing", "/../Cargo.toml", "/page/main.js"] {
        assert_eq!(request(&address, path, &head).1, 404, "{path}");
    }
    assert_eq!(request(&address, "/", &["Host: evil.example"]).1, 403);
    // With a token, the host name of a proxy is accepted, but pages of other origins still may not connect.
    let (_protected, address) = with_page(&["--token", "open sesame, please"]);
    assert_eq!(request(&address, "/", &["Host: go.example"]).1, 200);
    let connect = |origin| {
        let head = [&["Host: go.example", origin][..], &UPGRADE].concat();
        request(&address, "/socket", &head).1
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

/// Returns a WebSocket text frame (RFC 6455), masked with zeros.
fn frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    let length = (text.len() as u64).to_be_bytes();
    [&[0x81, 0x80 | 127], &length[..], &[0; 4], text.as_bytes()].concat()
}

/// Sends a message and returns the response.
fn exchange(stream: &mut BufReader<TcpStream>, message: &Value) -> Value {
    stream.get_mut().write_all(&frame(message)).unwrap();
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
    let mut received = vec![0; length];
    stream.read_exact(&mut received).unwrap();
    serde_json::from_slice(&received).unwrap()
}

#[test]
fn websocket_accepts_own_page_only() {
    let (_service, address) = with_page(&[]);
    let host = format!("Host: {address}");
    let own_origin = format!("Origin: http://{address}");
    for (origin, expected) in [
        (&*own_origin, 101),
        ("X-None: 1", 101),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
    ] {
        let head = [&[&*host, origin][..], &UPGRADE].concat();
        let (mut stream, status, _) = request(&address, "/socket", &head);
        assert_eq!(status, expected, "{origin}");
        if status == 101 {
            let ping = json!({"id": 1, "operator": "ping"});
            assert_eq!(exchange(&mut stream, &ping), json!({"id": 1, "pong": true}));
            let invalid = exchange(&mut stream, &json!([1]));
            assert_eq!(invalid["error"]["code"], "message");
            let long = json!({"operator": "ping", "id": "x".repeat(1 << 20)});
            let rejected = exchange(&mut stream, &long);
            assert_eq!(rejected["error"]["code"], "messageTooLong");
            let run = json!({"operator": "run", "size": 5, "top": 2});
            let run = exchange(&mut stream, &run);
            assert_eq!(run["moves"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn websocket_requires_the_token() {
    let (_service, address) = with_page(&["--token", "open sesame, please"]);
    let host = format!("Host: {address}");
    let head = [&[&*host][..], &UPGRADE].concat();
    let (mut stream, status, _) = request(&address, "/socket", &head);
    assert_eq!(status, 101);
    let ping = exchange(&mut stream, &json!({"operator": "ping"}));
    assert_eq!(ping["error"]["code"], "token");
    let response = exchange(
        &mut stream,
        &json!({"operator": "ping", "token": "open sesame, please"}),
    );
    assert_eq!(response, json!({"pong": true}));
}

#[test]
fn browsers_not_reading_are_disconnected() {
    let (service, address) = with_page(&["--silence", "3"]);
    let goban = format!("(;SZ[9]C[{}])", "x".repeat(60_000));
    service
        .client()
        .request(&json!({"operator": "saveGoban", "goban": goban}));
    let host = format!("Host: {address}");
    // One client requests files repeatedly, the other one requests a game over its WebSocket.
    let file = format!("GET /main.js HTTP/1.1\r\n{host}\r\n\r\n").into_bytes();
    let load = frame(&json!({"operator": "loadGoban", "gobanId": 1}));
    let head = [&[&*host][..], &UPGRADE].concat();
    for (path, head, expected, bytes) in [
        ("/main.js", &[&*host][..], 200, file),
        ("/socket", &head, 101, load),
    ] {
        // Connect immediately before writing, so that the client is not idle.
        let (stream, status, _) = request(&address, path, head);
        assert_eq!(status, expected);
        let mut stream = stream.into_inner();
        stream.write_all(&bytes).unwrap();
        // Far more than the system buffers for a client that does not read.
        write_until_closed(&mut stream, &bytes);
    }
    assert_eq!(request(&address, "/", &[&host]).1, 200);
}

#[test]
fn idle_browsers_are_disconnected() {
    let (_service, address) = with_page(&["--silence", "1"]);
    let host = format!("Host: {address}");
    // No request, an incomplete header, and no request after the first one.
    for (input, expected) in [
        ("", ""),
        ("GET / HTTP/1.1\r\nHost:", ""),
        (
            &*format!("GET / HTTP/1.1\r\n{host}\r\n\r\n"),
            "HTTP/1.1 200 ",
        ),
    ] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.write_all(input.as_bytes()).unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        let received = String::from_utf8_lossy(&received);
        assert!(received.starts_with(expected), "{input:?}: {received}");
    }
}
