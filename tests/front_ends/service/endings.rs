//! How connections and services end, and what outlives them.

use std::io::{BufRead, ErrorKind, Write};
use std::net::Shutdown;
use std::process::{Command, Stdio};
use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{PATIENCE, Service, code};

#[test]
fn what_was_acknowledged_outlives_a_killed_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let mut kept: Vec<(u64, String)> = Vec::new();
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
                            let Some(answer) = client.hear() else { break };
                            saved.push((answer["gobanId"].as_u64().unwrap(), goban));
                        }
                        saved
                    })
                })
                .collect();
            // In the middle of it: when a client sees that some twenty more are there.
            let mut client = service.client();
            let enough = kept.len() + 20;
            while client.ask(&json!({"operator": "exportGoban"}))["count"]
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
        kept.extend(saved.into_iter().flatten());
        drop(service);
        let connection = Connection::open(&path).unwrap();
        let sound: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(sound, "ok");
    }
    let service = Service::start(&path, &[]);
    let mut client = service.client();
    for (id, goban) in &kept {
        let loaded = client.ask(&json!({"operator": "loadGoban", "gobanId": id}));
        assert_eq!(loaded["goban"], **goban);
    }
    assert!(kept.len() >= 50, "{}", kept.len());
}

#[cfg(unix)]
#[test]
fn a_service_that_is_terminated_ends_in_good_order() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let mut service = Service::start(&path, &[]);
        let mut client = service.client();
        client.ask(&json!({"operator": "saveGoban", "goban": "(;SZ[9];B[cc])"}));
        let endless =
            json!({"id": 1, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true});
        client.send(endless.to_string());
        assert_eq!(client.hear().unwrap()["done"], false);
        let number = service.program.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &number])
                .status()
                .unwrap()
                .success()
        );
        let rest: Vec<Value> = std::iter::from_fn(|| client.hear()).collect();
        assert!(
            rest.iter()
                .any(|answer| code(answer).as_deref() == Some("closing")),
            "{rest:?}"
        );
        assert!(service.program.wait().unwrap().success());
        assert_eq!(service.said(), "");
        // Nothing is left over beside the file.
        assert!(path.exists() && !folder.path().join("games.db-wal").exists());
    }
}

#[test]
fn silent_and_slow_clients_are_cut_off_and_waiting_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &["--silence", "1"]);
    let [mut silent, mut slow, mut waiting, mut last] = [(); 4].map(|()| service.client());
    let long = json!({"operator": "run", "size": 9, "seconds": 2.5}).to_string();
    waiting.send(&long);
    // One that asks, and says that this was all, is still answered.
    last.send(&long);
    last.output.shutdown(Shutdown::Write).unwrap();
    slow.output.write_all(b"{\"operator\":").unwrap();
    let closing = Some("closing".to_owned());
    for client in [&mut silent, &mut slow] {
        assert_eq!(code(&client.hear().unwrap()), closing);
        assert_eq!(client.hear(), None);
    }
    assert_eq!(code(&waiting.hear().unwrap()), None);
    assert_eq!(code(&waiting.hear().unwrap()), closing);
    assert_eq!(code(&last.hear().unwrap()), None);
    assert_eq!(last.hear(), None);
}

#[test]
fn who_does_not_show_the_token_is_cut_off_however_much_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--token", "t", "--silence", "1"];
    let service = Service::start(&folder.path().join("games.db"), &options);
    let mut stranger = service.client();
    let guess = json!({"operator": "ping", "token": "guess"}).to_string();
    let last = loop {
        // It may be gone already.
        let _ = writeln!(stranger.output, "{guess}");
        let answer = stranger.hear();
        if answer.as_ref().and_then(code).as_deref() != Some("token") {
            break answer;
        }
    };
    // What the service says last may be lost where it closes while something is on the way.
    assert!(last.is_none_or(|answer| code(&answer).as_deref() == Some("closing")));
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.db");
    let service = Service::start(&games, &["--silence", "3"]);
    let mut deaf = service.client();
    let goban = format!("(;SZ[9]C[{}])", "x".repeat(500_000));
    deaf.ask(&json!({"operator": "saveGoban", "goban": goban}));
    let load = json!({"operator": "loadGoban", "gobanId": 1}).to_string() + "\n";
    // Far more than the system keeps for somebody who does not read; a service that kept the client would stop reading
    // too.
    deaf.output.set_write_timeout(Some(PATIENCE)).unwrap();
    let cut_off = loop {
        if let Err(error) = deaf.output.write_all(load.as_bytes()) {
            break error.kind();
        }
    };
    assert!(
        [
            ErrorKind::ConnectionReset,
            ErrorKind::BrokenPipe,
            ErrorKind::ConnectionAborted
        ]
        .contains(&cut_off),
        "{cut_off}"
    );
    assert_eq!(
        service.client().ask(&json!({"operator": "ping"})),
        json!({"pong": true})
    );
}

#[test]
fn pages_of_the_web_are_not_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    client.send("POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n{\"operator\":\"ping\"}");
    assert_eq!(code(&client.hear().unwrap()).as_deref(), Some("closing"));
    assert_eq!(client.hear(), None);
}

#[test]
fn pages_of_the_web_are_not_obeyed_after_a_first_line_that_is_too_long_either() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    // The last of these only just fits.
    for length in [1 << 20, 5 << 20, (1 << 20) - 16] {
        let mut client = service.client();
        client.send(format!("POST /{} HTTP/1.1\r", "x".repeat(length)));
        let answer = client.hear().unwrap();
        assert_eq!(code(&answer).as_deref(), Some("closing"), "{length}");
        assert_eq!(client.hear(), None, "{length}");
    }
}

#[test]
fn a_message_is_none_of_the_web_whatever_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    let list = json!({"operator": "listGoban", "player": "x HTTP/1"});
    assert_eq!(client.ask(&list), json!({"games": [], "next": null}));
    let long = json!({"operator": "listGoban", "player": "x".repeat(1 << 20) + " HTTP/1"});
    assert_eq!(client.fails(&long), "message");
    assert_eq!(client.ask(&list), json!({"games": [], "next": null}));
}

#[test]
fn a_token_is_asked_for_once() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &["--token", "open sesame"]);
    let mut client = service.client();
    for asked in [
        json!({"operator": "ping"}),
        json!({"operator": "ping", "token": ""}),
        json!({"operator": "ping", "token": "open sesam"}),
        json!({"operator": "ping", "token": "open sesame!"}),
    ] {
        assert_eq!(client.fails(&asked), "token", "{asked}");
    }
    let shown = json!({"operator": "ping", "token": "open sesame"});
    assert_eq!(client.ask(&shown), json!({"pong": true}));
    assert_eq!(
        client.ask(&json!({"operator": "ping"})),
        json!({"pong": true})
    );
    assert_eq!(
        service.client().fails(&json!({"operator": "ping"})),
        "token"
    );
}

#[test]
fn other_addresses_need_a_token_and_are_told_what_is_exposed() {
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
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains("--token"),
            "{said}"
        );
        assert!(!games.exists());
    }
    let mut service = Service::start(&games, &["--listen", "0.0.0.0:0", "--token", "t"]);
    let mut line = String::new();
    service.errors.read_line(&mut line).unwrap();
    assert!(line.contains("not encrypted"), "{line}");
}
