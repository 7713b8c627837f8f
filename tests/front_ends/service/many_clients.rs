//! Many concurrent clients, and how their searches share the workers.

use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Client, Service, code, endless};

const CLIENTS: usize = 50;
const REQUESTS: usize = 40;

#[test]
fn fifty_clients_receive_all_responses() {
    let service = Service::new(&[]);
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
                    assert_eq!(code(&response), "none", "{response}");
                }
            });
        }
    });
    let export = json!({"operator": "exportGoban"});
    let saved = service.client().request(&export);
    assert_eq!(saved["count"], CLIENTS * REQUESTS / 8);
}

#[test]
fn client_with_many_requests_delays_no_others() {
    // A client can use one of four searches, and the first one never ends.
    let service = Service::new(&["--searches", "4"]);
    let (mut busy, mut other) = (service.client(), service.client());
    let run =
        |id: usize, visits: u64| json!({"id": id, "operator": "run", "size": 19, "visits": visits});
    for id in 0..100 {
        busy.send(run(id, 10_000_000).to_string());
    }
    // Rejected requests show that its limit of 64 pending requests is reached.
    for _ in 0..36 {
        assert_eq!(busy.receive_code(), "busy");
    }
    assert_eq!(code(&other.request(&run(0, 100))), "none");
    let cancelled = other.request(&json!({"operator": "cancel"}));
    assert_eq!(cancelled["cancelled"], 0);
    busy.send(json!({"id": "c", "operator": "cancel"}).to_string());
    let remaining: Vec<Value> = (0..65).map(|_| busy.receive().unwrap()).collect();
    let mut remaining = remaining.iter();
    let cancelled = remaining.find(|response| response["id"] == "c").unwrap();
    assert_eq!(cancelled["cancelled"], 63, "one had started");
}

#[test]
fn long_searches_do_not_block_others() {
    let service = Service::new(&[]);
    let busy: Vec<Client> = (0..3)
        .map(|_| {
            let mut client = service.client();
            for id in 0..10 {
                client.send(endless(id));
            }
            assert_eq!(client.receive().unwrap()["done"], false);
            client
        })
        .collect();
    let run = json!({"operator": "run", "size": 9});
    let response = service.client().request(&run);
    assert_eq!(response["visits"], 50);
    drop(busy);
}

#[test]
fn own_analysis_does_not_delay_a_move() {
    // With one thread, a client can use one of four searches for analyses.
    let (_service, mut client) = Service::with_client(&["--searches", "4"]);
    client.send(endless("analysis"));
    assert_eq!(client.receive().unwrap()["done"], false);
    client.send(r#"{"id": "move", "operator": "genmove", "size": 9, "level": 3}"#);
    let answer = loop {
        let response = client.receive().unwrap();
        if response["id"] == "move" {
            break response;
        }
        assert_eq!(response["done"], false, "{response}");
    };
    assert!(answer["move"].is_string(), "{answer}");
}

#[test]
fn stream_ends_if_a_short_request_needs_its_worker() {
    let (service, mut client) = Service::with_client(&["--searches", "1"]);
    client.send(endless("analysis"));
    assert_eq!(client.receive().unwrap()["done"], false);
    let run = json!({"operator": "run", "size": 9});
    let response = service.client().request(&run);
    assert_eq!((code(&response), &response["visits"]), ("none", &json!(50)));
    let last = loop {
        let response = client.receive().unwrap();
        if response["done"] == true {
            break response;
        }
    };
    assert!(last["visits"].as_u64() > Some(0), "{last}");
}

/// More than the number of requests executed concurrently.
const WRITERS: usize = 20;

#[test]
fn locked_database_delays_only_writers() {
    let folder = tempfile::tempdir().unwrap();
    let (games, log) = (folder.path().join("games.db"), folder.path().join("log"));
    let service = Service::start(&games, &["--log", log.to_str().unwrap()]);
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
        assert_eq!(code(&response), "none", "{response}");
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
    let (service, mut gone) = Service::with_client(&["--searches", "1"]);
    gone.send(endless(1));
    assert_eq!(gone.receive().unwrap()["done"], false);
    drop(gone);
    // Otherwise the only worker would be busy for minutes.
    let run = json!({"operator": "run", "size": 9});
    let response = service.client().request(&run);
    assert_eq!(response["visits"], 50);
}
