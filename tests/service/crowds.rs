//! Many clients at once.

use std::thread;

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
