//! How connections and the service end, and durability of saved games.

use std::io::{BufRead, Write};
use std::net::Shutdown;
use std::process::Command;
use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Service, code, endless, serve, write_until_closed};
use crate::program::run;

#[test]
fn saved_games_survive_a_killed_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let mut all_saved: Vec<(u64, String)> = Vec::new();
    for round in 0..3 {
        let mut service = Service::start(&path, &[]);
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
    let service = Service::start(&path, &[]);
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
        let (mut service, mut client) = Service::with_client(&[]);
        client.request(&json!({"operator": "saveGoban", "goban": "(;SZ[9];B[cc])"}));
        client.send(endless(1));
        assert_eq!(client.receive().unwrap()["done"], false);
        let number = service.program.id().to_string();
        let killed = Command::new("kill").args([signal, &number]).status();
        assert!(killed.unwrap().success());
        let remaining: Vec<Value> = std::iter::from_fn(|| client.receive()).collect();
        let is_closing = |response| code(response) == "closing";
        assert!(remaining.iter().any(is_closing), "{remaining:?}");
        assert!(service.program.wait().unwrap().success());
        assert_eq!(service.stderr(), "");
        // The database is closed, without temporary files.
        let folder = service.folder.as_ref().unwrap().path();
        assert!(folder.join("games.db").exists() && !folder.join("games.db-wal").exists());
    }
}

#[test]
fn only_idle_clients_are_disconnected() {
    let service = Service::new(&["--silence", "1"]);
    let [mut silent, mut slow, mut waiting, mut last] = [(); 4].map(|()| service.client());
    let long = json!({"operator": "run", "size": 9, "seconds": 2.5}).to_string();
    waiting.send(&long);
    // A client that has closed its output still receives its response.
    last.send(&long);
    last.output.shutdown(Shutdown::Write).unwrap();
    slow.output.write_all(b"{\"operator\":").unwrap();
    for client in [&mut silent, &mut slow] {
        assert_eq!(client.receive_code(), "closing");
        assert_eq!(client.receive(), None);
    }
    assert_eq!(waiting.receive_code(), "none");
    assert_eq!(waiting.receive_code(), "closing");
    assert_eq!(last.receive_code(), "none");
    assert_eq!(last.receive(), None);
}

#[test]
fn searches_of_half_closed_clients_end() {
    let (_service, mut client) = Service::with_client(&["--silence", "0.5"]);
    let request = |id: usize| {
        json!({"id": id, "operator": "run", "size": 19, "visits": 10_000_000}).to_string()
    };
    for id in 0..3 {
        client.send(request(id));
    }
    client.output.shutdown(Shutdown::Write).unwrap();
    let responses: Vec<Value> = std::iter::from_fn(|| client.receive()).collect();
    assert_eq!(responses.len(), 3, "{responses:?}");
    for response in responses {
        let is_partial = response["visits"].as_u64() > Some(0);
        assert!(is_partial || code(&response) == "cancelled", "{response}");
    }
}

#[test]
fn clients_without_token_are_disconnected_in_time() {
    let options = ["--token", "open sesame, please", "--silence", "1"];
    let (_service, mut client) = Service::with_client(&options);
    let guess = json!({"operator": "ping", "token": "guess"}).to_string();
    let last = loop {
        // The connection may be closed already.
        let _ = writeln!(client.output, "{guess}");
        let response = client.receive();
        if response
            .as_ref()
            .is_none_or(|response| code(response) != "token")
        {
            break response;
        }
    };
    // The last message may be lost if the service closes the connection with unread input.
    assert!(last.is_none_or(|response| code(&response) == "closing"));
}

#[test]
fn clients_not_reading_are_disconnected() {
    let (service, mut client) = Service::with_client(&["--silence", "3"]);
    let goban = format!("(;SZ[9]C[{}])", "x".repeat(500_000));
    client.request(&json!({"operator": "saveGoban", "goban": goban}));
    let load = json!({"operator": "loadGoban", "gobanId": 1}).to_string() + "\n";
    // Far more than the system buffers for a client that does not read. If the service did not disconnect the client,
    // it would stop reading.
    write_until_closed(&mut client.output, load.as_bytes());
    let ping = json!({"operator": "ping"});
    assert_eq!(service.client().request(&ping), json!({"pong": true}));
}

#[test]
fn http_requests_are_not_executed() {
    let (_service, mut client) = Service::with_client(&[]);
    client.send("POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n{\"operator\":\"ping\"}");
    assert_eq!(client.receive_code(), "closing");
    assert_eq!(client.receive(), None);
}

#[test]
fn long_http_requests_are_not_executed() {
    let service = Service::new(&[]);
    // The last of these is just short enough.
    for length in [1 << 20, 5 << 20, (1 << 20) - 16] {
        let mut client = service.client();
        client.send(format!("POST /{} HTTP/1.1\r", "x".repeat(length)));
        let response = client.receive().unwrap();
        assert_eq!(code(&response), "closing", "{length}");
        assert_eq!(client.receive(), None, "{length}");
    }
}

#[test]
fn messages_containing_http_are_accepted() {
    let (_service, mut client) = Service::with_client(&[]);
    let list = json!({"operator": "listGoban", "player": "x HTTP/1"});
    assert_eq!(client.request(&list), json!({"games": [], "next": null}));
    let long = json!({"operator": "listGoban", "player": "x".repeat(1 << 20) + " HTTP/1"});
    assert_eq!(client.error_code(&long), "messageTooLong");
    assert_eq!(client.request(&list), json!({"games": [], "next": null}));
}

#[test]
fn token_is_required_once_per_connection() {
    let (service, mut client) = Service::with_client(&["--token", "open sesame, please"]);
    for request in [
        json!({"operator": "ping"}),
        json!({"operator": "ping", "token": ""}),
        json!({"operator": "ping", "token": "open sesame, pleas"}),
        json!({"operator": "ping", "token": "open sesame, please!"}),
    ] {
        assert_eq!(client.error_code(&request), "token", "{request}");
    }
    let ping = json!({"operator": "ping"});
    let authenticated = json!({"operator": "ping", "token": "open sesame, please"});
    assert_eq!(client.request(&authenticated), json!({"pong": true}));
    assert_eq!(client.request(&ping), json!({"pong": true}));
    assert_eq!(service.client().error_code(&ping), "token");
}

#[test]
fn wrong_tokens_close_the_connection() {
    let (_service, mut client) = Service::with_client(&["--token", "open sesame, please"]);
    let guess = json!({"operator": "ping", "token": "guess"});
    // Requests without a token are no guesses.
    for _ in 0..12 {
        assert_eq!(client.error_code(&json!({"operator": "ping"})), "token");
    }
    for _ in 0..10 {
        assert_eq!(client.error_code(&guess), "token");
    }
    assert_eq!(client.receive_code(), "closing");
    assert_eq!(client.receive(), None);
}

#[test]
fn connections_that_speak_another_protocol_are_closed() {
    let service = Service::new(&[]);
    for start in ["\u{16}\u{3}\u{1}", "EHLO example.org", "GET /", "[1]"] {
        let mut client = service.client();
        // The service may close the connection before the second line.
        let _ = writeln!(client.output, "{start}");
        let _ = writeln!(client.output, "{{\"operator\": \"ping\"}}");
        let first = client.receive();
        assert!(
            first.is_none_or(|response| code(&response) == "closing"),
            "{start}"
        );
    }
}

#[test]
fn public_addresses_require_token_and_warn() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.db");
    for options in [
        &["--listen", "0.0.0.0:0"][..],
        &["--listen", "0.0.0.0:0", "--token", ""],
        &["--token", "fifteen letters"],
    ] {
        run(&mut serve(&games, options)).assert_fails("--token");
        assert!(!games.exists());
    }
    let mut service = Service::start(
        &games,
        &["--listen", "0.0.0.0:0", "--token", "open sesame, please"],
    );
    let mut line = String::new();
    service.errors.read_line(&mut line).unwrap();
    assert!(line.contains("not encrypted"), "{line}");
}
