//! Many clients at once.

use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Client, Service, code};

const CLIENTS: usize = 50;
const REQUESTS: usize = 40;

#[test]
fn fifty_clients_are_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let service = &service;
            scope.spawn(move || {
                let mut asking = service.client();
                for number in 0..REQUESTS {
                    let id = format!("{client}-{number}");
                    let asked = match number % 8 {
                        0 => json!({"id": id, "operator": "saveGoban", "goban": format!("(;SZ[9]C[{id}])")}),
                        1 => json!({"id": id, "operator": "listGoban", "limit": 2}),
                        _ => json!({"id": id, "operator": "run", "size": 5, "visits": 10}),
                    };
                    let answer = asking.ask(&asked);
                    assert_eq!(answer["id"], *id);
                    assert_eq!(code(&answer), None, "{answer}");
                }
            });
        }
    });
    let kept = service.client().ask(&json!({"operator": "exportGoban"}));
    assert_eq!(kept["count"], CLIENTS * REQUESTS / 8);
}

#[test]
fn a_greedy_client_is_told_to_wait_and_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    // A client may have one of four, so that nothing of what it asks without end is done.
    let service = Service::start(&folder.path().join("games.db"), &["--searches", "4"]);
    let (mut greedy, mut modest) = (service.client(), service.client());
    let run =
        |id: usize, visits: u64| json!({"id": id, "operator": "run", "size": 19, "visits": visits});
    for id in 0..100 {
        greedy.send(run(id, 10_000_000).to_string());
    }
    // Refusals show that all its 64 places are taken.
    for _ in 0..36 {
        assert_eq!(code(&greedy.hear().unwrap()).as_deref(), Some("busy"));
    }
    assert_eq!(code(&modest.ask(&run(0, 100))), None);
    let cancelled = modest.ask(&json!({"operator": "cancel"}));
    assert_eq!(cancelled["cancelled"], 0);
    greedy.send(json!({"id": "c", "operator": "cancel"}).to_string());
    let rest: Vec<Value> = (0..65).map(|_| greedy.hear().unwrap()).collect();
    let cancelled = rest.iter().find(|answer| answer["id"] == "c").unwrap();
    assert_eq!(cancelled["cancelled"], 63, "one had begun");
}

#[test]
fn endless_searches_of_some_leave_room_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let greedy: Vec<Client> = (0..3)
        .map(|_| {
            let mut client = service.client();
            for id in 0..10 {
                let endless = json!({"id": id, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true});
                client.send(endless.to_string());
            }
            assert_eq!(client.hear().unwrap()["done"], false);
            client
        })
        .collect();
    let answer = service.client().ask(&json!({"operator": "run", "size": 9}));
    assert_eq!(answer["visits"], 50);
    drop(greedy);
}

/// As many as there are places at the desk, and more.
const WRITERS: usize = 20;

#[test]
fn another_process_that_writes_keeps_only_writers_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let (games, log) = (folder.path().join("games.db"), folder.path().join("log"));
    let service = Service::start(&games, &["--log", log.to_str().unwrap()]);
    let mut asking = service.client();
    asking.ask(&json!({"operator": "saveGoban", "goban": "(;SZ[9]C[first])"}));
    let other = Connection::open(&games).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut writers: Vec<Client> = (0..WRITERS).map(|_| service.client()).collect();
    for (number, writer) in writers.iter_mut().enumerate() {
        let save = json!({"operator": "saveGoban", "goban": format!("(;SZ[9]C[{number}])")});
        writer.send(save.to_string());
    }
    // The log tells when all of them have been taken in.
    let taken_in = || {
        let text = std::fs::read_to_string(&log).unwrap();
        text.matches("< {\"goban\"").count() == 1 + WRITERS
    };
    while {
        let pong = asking.ask(&json!({"operator": "ping"}));
        assert_eq!(pong["pong"], true);
        !taken_in()
    } {}
    for asked in [
        json!({"operator": "listGoban"}),
        json!({"operator": "loadGoban", "gobanId": 1}),
        json!({"operator": "exportGoban"}),
        json!({"operator": "run", "size": 5}),
    ] {
        let answer = asking.ask(&asked);
        assert_eq!(code(&answer), None, "{answer}");
    }
    // All of this came while the writers were waiting: had it waited for the first of them, that one would have failed.
    other.execute_batch("ROLLBACK").unwrap();
    for writer in &mut writers {
        let answer = writer.hear().unwrap();
        assert_eq!(answer["new"], true, "{answer}");
    }
}

#[test]
fn somebody_who_goes_is_not_searched_for() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &["--searches", "1"]);
    let mut gone = service.client();
    let endless =
        json!({"id": 1, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true});
    gone.send(endless.to_string());
    assert_eq!(gone.hear().unwrap()["done"], false);
    drop(gone);
    // Else the only worker would be busy for minutes.
    let answer = service.client().ask(&json!({"operator": "run", "size": 9}));
    assert_eq!(answer["visits"], 50);
}
