//! Many concurrent clients.

use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Client, Service, code};

const CLIENTS: usize = 50;
const REQUESTS: usize = 40;

#[test]
fn fifty_clients_receive_all_responses() {
    let service = Service::start(&[]);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let service = &service;
            scope.spawn(move || {
                let mut asking = service.client();
                for number in 0..REQUESTS {
                    let id = format!("{client}-{number}");
                    let request = match number % 8 {
                        0 => json!({"id": id, "operator": "saveGoban", "goban": format!("(;SZ[9]C[{id}])")}),
                        1 => json!({"id": id, "operator": "listGoban", "limit": 2}),
                        _ => json!({"id": id, "operator": "run", "size": 5, "visits": 10}),
                    };
                    let response = asking.request(&request);
                    assert_eq!(response["id"], *id);
                    assert_eq!(code(&response), None, "{response}");
                }
            });
        }
    });
    let saved = service
        .client()
        .request(&json!({"operator": "exportGoban"}));
    assert_eq!(saved["count"], CLIENTS * REQUESTS / 8);
}

#[test]
fn client_with_many_requests_delays_no_others() {
    // A client can use one of four searches, and the first one never ends.
    let service = Service::start(&["--searches", "4"]);
    let (mut busy, mut other) = (service.client(), service.client());
    let run =
        |id: usize, visits: u64| json!({"id": id, "operator": "run", "size": 19, "visits": visits});
    for id in 0..100 {
        busy.send(run(id, 10_000_000).to_string());
    }
    // Rejected requests show that its limit of 64 pending requests is reached.
    for _ in 0..36 {
        assert_eq!(code(&busy.receive().unwrap()).as_deref(), Some("busy"));
    }
    assert_eq!(code(&other.request(&run(0, 100))), None);
    let cancelled = other.request(&json!({"operator": "cancel"}));
    assert_eq!(cancelled["cancelled"], 0);
    busy.send(json!({"id": "c", "operator": "cancel"}).to_string());
    let remaining: Vec<Value> = (0..65).map(|_| busy.receive().unwrap()).collect();
    let cancelled = remaining
        .iter()
        .find(|response| response["id"] == "c")
        .unwrap();
    assert_eq!(cancelled["cancelled"], 63, "one had started");
}

#[test]
fn long_searches_do_not_block_others() {
    let service = Service::start(&[]);
    let busy: Vec<Client> = (0..3)
        .map(|_| {
            let mut client = service.client();
            for id in 0..10 {
                let endless = json!({"id": id, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true});
                client.send(endless.to_string());
            }
            assert_eq!(client.receive().unwrap()["done"], false);
            client
        })
        .collect();
    let response = service
        .client()
        .request(&json!({"operator": "run", "size": 9}));
    assert_eq!(response["visits"], 50);
    drop(busy);
}

/// More than the number of requests executed concurrently.
const WRITERS: usize = 20;

#[test]
fn locked_database_delays_only_writers() {
    let folder = tempfile::tempdir().unwrap();
    let (games, log) = (folder.path().join("games.db"), folder.path().join("log"));
    let service = Service::start_with(&games, &["--log", log.to_str().unwrap()]);
    let mut asking = service.client();
    asking.request(&json!({"operator": "saveGoban", "goban": "(;SZ[9]C[first])"}));
    let other = Connection::open(&games).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut writers: Vec<Client> = (0..WRITERS).map(|_| service.client()).collect();
    for (number, writer) in writers.iter_mut().enumerate() {
        let save = json!({"operator": "saveGoban", "goban": format!("(;SZ[9]C[{number}])")});
        writer.send(save.to_string());
    }
    // The log shows when all of them have been received.
    let all_received = || {
        let text = std::fs::read_to_string(&log).unwrap();
        text.matches("< {\"goban\"").count() == 1 + WRITERS
    };
    while {
        let pong = asking.request(&json!({"operator": "ping"}));
        assert_eq!(pong["pong"], true);
        !all_received()
    } {}
    for request in [
        json!({"operator": "listGoban"}),
        json!({"operator": "loadGoban", "gobanId": 1}),
        json!({"operator": "exportGoban"}),
        json!({"operator": "run", "size": 5}),
    ] {
        let response = asking.request(&request);
        assert_eq!(code(&response), None, "{response}");
    }
    // The responses arrived while the writers were waiting. If they had waited for a writer, it would have timed out.
    other.execute_batch("ROLLBACK").unwrap();
    for writer in &mut writers {
        let response = writer.receive().unwrap();
        assert_eq!(response["new"], true, "{response}");
    }
}

#[test]
fn disconnecting_cancels_searches() {
    let service = Service::start(&["--searches", "1"]);
    let mut gone = service.client();
    let endless =
        json!({"id": 1, "operator": "run", "size": 19, "visits": 10_000_000, "stream": true});
    gone.send(endless.to_string());
    assert_eq!(gone.receive().unwrap()["done"], false);
    drop(gone);
    // Otherwise the only worker would be busy for minutes.
    let response = service
        .client()
        .request(&json!({"operator": "run", "size": 9}));
    assert_eq!(response["visits"], 50);
}
