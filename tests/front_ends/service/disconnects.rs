//! How connections and the service end, and durability of saved games.

use std::io::{BufRead, ErrorKind, Write};
use std::net::Shutdown;
use std::process::{Command, Stdio};
use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Service, TIMEOUT, code};

#[test]
fn saved_games_survive_a_killed_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let mut all_saved: Vec<(u64, String)> = Vec::new();
    for round in 0..3 {
        let mut service = Service::start_with(&path, &[]);
        let saved: Vec<Vec<(u64, String)>> = thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|writer| {
                    let mut client = service.client();
                    scope.spawn(move || {
                        let mut saved = Vec::new();
                        for number in 0.. {
                            let goban = format!("(;SZ[9]C[{round} {writer} {number}];B[cc])");
                            let save = json!({"operator": "saveGoban", "goban": goban}).to_string();
                            if client
                                .output
                                .write_all(format!("{save}\n").as_bytes())
                                .is_err()
                            {
                                break;
                            }
                            let Some(response) = client.receive() else {
                                break;
                            };
                            saved.push((response["gobanId"].as_u64().unwrap(), goban));
                        }
                        saved
                    })
                })
                .collect();
            // Kill the service while the writers are active, when about twenty more games are stored.
            let mut client = service.client();
            let enough = all_saved.len() + 20;
            while client.request(&json!({"operator": "exportGoban"}))["count"]
                .as_u64()
                .unwrap()
                < enough as u64
            {}
            service.program.kill().unwrap();
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap())
                .collect()
        });
        all_saved.extend(saved.into_iter().flatten());
        drop(service);
        let connection = Connection::open(&path).unwrap();
        let integrity: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(integrity, "ok");
    }
    let service = Service::start_with(&path, &[]);
    let mut client = service.client();
    for (id, goban) in &all_saved {
        let loaded = client.request(&json!({"operator": "loadGoban", "gobanId": id}));
        assert_eq!(loaded["goban"], **goban);
    }
    assert!(all_saved.len() >= 50, "{}", all_saved.len());
}

#[cfg(unix)]
#[test]
fn termination_closes_connections_and_database() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let mut service = Service::start_with(&path, &[]);
        let mut client = service.client();
        client.request(&json!({"operator": "saveGoban", "goban": "(;SZ[9];B[cc])"}));
        let endless =
            json!({"id": 1, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true});
        client.send(endless.to_string());
        assert_eq!(client.receive().unwrap()["done"], false);
        let number = service.program.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &number])
                .status()
                .unwrap()
                .success()
        );
        let remaining: Vec<Value> = std::iter::from_fn(|| client.receive()).collect();
        assert!(
            remaining
                .iter()
                .any(|response| code(response).as_deref() == Some("closing")),
            "{remaining:?}"
        );
        assert!(service.program.wait().unwrap().success());
        assert_eq!(service.stderr(), "");
        // The database is closed, without temporary files.
        assert!(path.exists() && !folder.path().join("games.db-wal").exists());
    }
}

#[test]
fn only_idle_clients_are_disconnected() {
    let service = Service::start(&["--silence", "1"]);
    let [mut silent, mut slow, mut waiting, mut last] = [(); 4].map(|()| service.client());
    let long = json!({"operator": "run", "size": 9, "seconds": 2.5}).to_string();
    waiting.send(&long);
    // A client that has closed its output still receives its response.
    last.send(&long);
    last.output.shutdown(Shutdown::Write).unwrap();
    slow.output.write_all(b"{\"operator\":").unwrap();
    let closing = Some("closing".to_owned());
    for client in [&mut silent, &mut slow] {
        assert_eq!(code(&client.receive().unwrap()), closing);
        assert_eq!(client.receive(), None);
    }
    assert_eq!(code(&waiting.receive().unwrap()), None);
    assert_eq!(code(&waiting.receive().unwrap()), closing);
    assert_eq!(code(&last.receive().unwrap()), None);
    assert_eq!(last.receive(), None);
}

#[test]
fn clients_without_token_are_disconnected_in_time() {
    let options = ["--token", "t", "--silence", "1"];
    let service = Service::start(&options);
    let mut client = service.client();
    let guess = json!({"operator": "ping", "token": "guess"}).to_string();
    let last = loop {
        // The connection may be closed already.
        let _ = writeln!(client.output, "{guess}");
        let response = client.receive();
        if response.as_ref().and_then(code).as_deref() != Some("token") {
            break response;
        }
    };
    // The last message may be lost if the service closes the connection with unread input.
    assert!(last.is_none_or(|response| code(&response).as_deref() == Some("closing")));
}

#[test]
fn clients_not_reading_are_disconnected() {
    let service = Service::start(&["--silence", "3"]);
    let mut client = service.client();
    let goban = format!("(;SZ[9]C[{}])", "x".repeat(500_000));
    client.request(&json!({"operator": "saveGoban", "goban": goban}));
    let load = json!({"operator": "loadGoban", "gobanId": 1}).to_string() + "\n";
    // Far more than the system buffers for a client that does not read. If the service did not disconnect the client,
    // it would stop reading.
    client.output.set_write_timeout(Some(TIMEOUT)).unwrap();
    let error_kind = loop {
        if let Err(error) = client.output.write_all(load.as_bytes()) {
            break error.kind();
        }
    };
    assert!(
        [
            ErrorKind::ConnectionReset,
            ErrorKind::BrokenPipe,
            ErrorKind::ConnectionAborted
        ]
        .contains(&error_kind),
        "{error_kind}"
    );
    assert_eq!(
        service.client().request(&json!({"operator": "ping"})),
        json!({"pong": true})
    );
}

#[test]
fn http_requests_are_not_executed() {
    let service = Service::start(&[]);
    let mut client = service.client();
    client.send("POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n{\"operator\":\"ping\"}");
    assert_eq!(code(&client.receive().unwrap()).as_deref(), Some("closing"));
    assert_eq!(client.receive(), None);
}

#[test]
fn long_http_requests_are_not_executed() {
    let service = Service::start(&[]);
    // The last of these is just short enough.
    for length in [1 << 20, 5 << 20, (1 << 20) - 16] {
        let mut client = service.client();
        client.send(format!("POST /{} HTTP/1.1\r", "x".repeat(length)));
        let response = client.receive().unwrap();
        assert_eq!(code(&response).as_deref(), Some("closing"), "{length}");
        assert_eq!(client.receive(), None, "{length}");
    }
}

#[test]
fn messages_containing_http_are_accepted() {
    let service = Service::start(&[]);
    let mut client = service.client();
    let list = json!({"operator": "listGoban", "player": "x HTTP/1"});
    assert_eq!(client.request(&list), json!({"games": [], "next": null}));
    let long = json!({"operator": "listGoban", "player": "x".repeat(1 << 20) + " HTTP/1"});
    assert_eq!(client.error_code(&long), "message");
    assert_eq!(client.request(&list), json!({"games": [], "next": null}));
}

#[test]
fn token_is_required_once_per_connection() {
    let service = Service::start(&["--token", "open sesame"]);
    let mut client = service.client();
    for request in [
        json!({"operator": "ping"}),
        json!({"operator": "ping", "token": ""}),
        json!({"operator": "ping", "token": "open sesam"}),
        json!({"operator": "ping", "token": "open sesame!"}),
    ] {
        assert_eq!(client.error_code(&request), "token", "{request}");
    }
    let authenticated = json!({"operator": "ping", "token": "open sesame"});
    assert_eq!(client.request(&authenticated), json!({"pong": true}));
    assert_eq!(
        client.request(&json!({"operator": "ping"})),
        json!({"pong": true})
    );
    assert_eq!(
        service.client().error_code(&json!({"operator": "ping"})),
        "token"
    );
}

#[test]
fn public_addresses_require_token_and_warn() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.db");
    let start = |options: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_honinbo"));
        program.args(["serve", "--evaluator", "uniform", "--threads", "1", "--db"]);
        program
            .arg(&games)
            .args(options)
            .env_remove("HONINBO_TOKEN")
            .stderr(Stdio::piped())
            .output()
            .unwrap()
    };
    for options in [
        &["--listen", "0.0.0.0:0"][..],
        &["--listen", "0.0.0.0:0", "--token", ""],
    ] {
        let output = start(options);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && errors.contains("--token"),
            "{errors}"
        );
        assert!(!games.exists());
    }
    let mut service = Service::start_with(&games, &["--listen", "0.0.0.0:0", "--token", "t"]);
    let mut line = String::new();
    service.errors.read_line(&mut line).unwrap();
    assert!(line.contains("not encrypted"), "{line}");
}
