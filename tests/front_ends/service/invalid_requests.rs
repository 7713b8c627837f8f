//! Thousands of invalid requests. Each receives one response, and the service stays available.

use std::collections::HashMap;

use honinbo::random::Rng;
use honinbo::service::limits;
use serde_json::{Value, json};

use super::{Client, Service, code};

/// Valid requests, which are then corrupted.
fn valid() -> Vec<String> {
    let requests = [
        json!({"id": 1, "operator": "run", "board": [[0, 1, 0], [0, -1, 0], [0, 0, 0]], "color": "black", "visits": 3}),
        json!({"id": "x", "operator": "run", "size": [9, 7], "moves": [["B", "C3"], ["W", "pass"]], "komi": 6.5, "rules": "japanese", "visits": 2, "top": 3}),
        json!({"id": 1, "operator": "run", "board": [[0, 0], [0, 1]], "history": [[[0, 0], [0, 0]]], "seconds": 0.001}),
        json!({"operator": "saveGoban", "goban": "(;SZ[9]PB[x];B[cc];W[dd](;B[ee])(;B[ff]))"}),
        json!({"operator": "listGoban", "player": "x", "from": "2020", "size": 9, "limit": 3}),
        json!({"id": 2, "operator": "loadGoban", "gobanId": 1}),
        json!({"id": 3, "operator": "exportGoban", "gobanIds": [1]}),
        json!({"operator": "position", "size": 5, "moves": [["B", "C3"]], "handicap": 2}),
        json!({"operator": "genmove", "size": 5, "level": 2}),
        json!({"operator": "score", "board": [[0, 1], [1, 0]], "dead": ["A1"]}),
        json!({"operator": "readGoban", "goban": "(;SZ[5]AB[aa][bb];B[cc](;W[dd]C[x])(;W[ee]))"}),
        json!({"operator": "handicap", "size": 9, "stones": 3}),
        json!({"operator": "version"}),
    ];
    requests.iter().map(Value::to_string).collect()
}

/// Changes, removes, repeats or swaps a few bytes, without creating line breaks.
fn corrupt(text: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len());
        match rng.below(6) {
            0 => bytes[at] = rng.below(256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"{}[]\",:0-9e"[rng.below(11)]),
            3 => bytes.truncate(at.max(1)),
            4 => {
                let other = rng.below(bytes.len());
                bytes.swap(at, other);
            }
            _ => {
                let copy = bytes[at..bytes.len().min(at + 20)].to_vec();
                bytes.splice(at..at, copy);
            }
        }
        bytes
            .iter_mut()
            .filter(|byte| **byte == b'\n')
            .for_each(|byte| *byte = b' ');
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    bytes
}

/// Sends a line followed by a ping, and returns the response to the line. Each of them must have one response.
fn send_and_receive(client: &mut Client, line: &[u8]) -> Value {
    client.send(line);
    client.send(r#"{"id":"after","operator":"ping"}"#);
    let responses =
        [client.receive(), client.receive()].map(|response| response.expect("an answer"));
    let [first, second] = responses;
    // A search may end after the response to the ping.
    if first["id"] == "after" {
        second
    } else {
        first
    }
}

#[test]
fn corrupted_requests_get_one_response_each() {
    let service = Service::start(&[]);
    let mut client = service.client();
    let valid = valid();
    for line in &valid {
        assert_eq!(
            code(&send_and_receive(&mut client, line.as_bytes())),
            None,
            "{line}"
        );
    }
    let mut rng = Rng::new(9);
    let mut codes: HashMap<Option<String>, usize> = HashMap::new();
    for round in 0..3000 {
        let line = corrupt(&valid[round % valid.len()], &mut rng);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let response = send_and_receive(&mut client, &line);
        *codes.entry(code(&response)).or_default() += 1;
    }
    let of = |name: &str| codes.get(&Some(name.to_owned())).copied().unwrap_or(0);
    assert!(of("message") > 500, "{codes:?}");
    assert!(of("field") > 100, "{codes:?}");
    assert!(of("operator") > 20, "{codes:?}");
    assert_eq!(of("search") + of("store") + of("closing"), 0, "{codes:?}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn invalid_requests_have_expected_codes() {
    let service = Service::start(&[]);
    let mut client = service.client();
    let large = vec![vec![0; 20]; 20];
    for (expected, requests) in [
        ("message", vec![json!([1, 2]), json!(null)]),
        (
            "field",
            vec![
                json!({}),
                json!({"id": [1], "operator": "ping"}),
                json!({"operator": 5}),
                json!({"operator": "ping", "more": 1}),
                json!({"operator": "run"}),
                json!({"operator": "run", "board": "x"}),
                json!({"operator": "run", "board": [[0, 0], [0]]}),
                json!({"operator": "run", "board": large}),
                json!({"operator": "run", "size": 9, "visits": 0}),
                json!({"operator": "run", "size": 9, "visits": -1}),
                json!({"operator": "run", "size": 9, "visits": 1e99}),
                json!({"operator": "run", "size": 9, "seconds": 1e99}),
                json!({"operator": "run", "size": 9, "top": 0}),
                json!({"operator": "run", "size": 9, "color": "red"}),
                json!({"operator": "run", "size": 9, "rules": "chess"}),
                json!({"operator": "run", "size": 9, "moves": [["B", "J10"]]}),
                json!({"operator": "saveGoban"}),
                json!({"operator": "loadGoban", "gobanId": "1; DROP TABLE games"}),
                json!({"operator": "exportGoban", "gobanIds": [99, 98, 99]}),
                json!({"operator": "position", "board": [[0, 0], [0, 0]], "history": vec![[[0, 0], [0, 0]]; 2001]}),
                json!({"operator": "listGoban", "limit": 501}),
                json!({"operator": "cancel", "cancelId": {}}),
                json!({"operator": "position"}),
                json!({"operator": "genmove", "size": 5, "level": 11}),
                json!({"operator": "genmove", "size": 5, "seconds": 0}),
                json!({"operator": "score", "size": 5, "dead": ["Z9"]}),
                json!({"operator": "handicap", "size": 5, "stones": 9}),
                json!({"operator": "position", "size": 5, "moves": vec![["B", "pass"]; 2001]}),
            ],
        ),
        ("operator", vec![json!({"operator": "drop"})]),
        (
            "position",
            vec![json!({"operator": "run", "board": [[1, 1], [1, 1]]})],
        ),
        (
            "none",
            vec![json!({"operator": "saveGoban", "goban": "(;B[aa"})],
        ),
        (
            "game",
            vec![
                json!({"operator": "saveGoban", "goban": "no game"}),
                json!({"operator": "saveGoban", "goban": "(;SZ[99])"}),
                json!({"operator": "saveGoban", "goban": "(;B[aa];W[aa])"}),
                json!({"operator": "readGoban", "goban": "x"}),
                json!({"operator": "readGoban", "goban": format!("({})", ";".repeat(60_000))}),
                json!({"operator": "saveGoban", "goban": format!("({})", ";B[]".repeat(2001))}),
                json!({"operator": "readGoban", "goban": "(;SZ[5];B[zz])"}),
            ],
        ),
        (
            "notFound",
            vec![
                json!({"operator": "loadGoban", "gobanId": 99}),
                json!({"operator": "exportGoban", "gobanIds": [99]}),
            ],
        ),
    ] {
        for request in requests {
            let response = client.request(&request);
            let found = code(&response);
            let found = found.as_deref().unwrap_or("none");
            assert_eq!(found, expected, "{request}: {response}");
            if found != "none" {
                assert!(!response["error"]["message"].as_str().unwrap().is_empty());
            }
        }
    }
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert_eq!(
        code(&send_and_receive(&mut client, &deep)).as_deref(),
        Some("message")
    );
    assert_eq!(
        code(&send_and_receive(&mut client, b"\x00\xff\xfe")).as_deref(),
        Some("message")
    );
}

#[test]
fn too_many_setup_points_are_rejected() {
    let service = Service::start(&[]);
    let mut client = service.client();
    // A few characters that name every point of the board three times.
    let node = ";AB[aa:ss]AW[aa:ss]AE[aa:ss]";
    let max_nodes = limits::MAX_SETUP_POINTS / (3 * 19 * 19);
    let read = |nodes: usize| {
        let goban = format!("(;SZ[19];B[]{})", node.repeat(nodes));
        json!({"operator": "readGoban", "goban": goban})
    };
    let game = client.request(&read(max_nodes));
    assert_eq!(game["nodes"].as_array().unwrap().len(), max_nodes + 2);
    let rejected = client.request(&read(max_nodes + 1));
    assert_eq!(code(&rejected).as_deref(), Some("game"));
    let message = rejected["error"]["message"].as_str().unwrap();
    let expected = format!("at most {} set-up points", limits::MAX_SETUP_POINTS);
    assert!(message.contains(&expected), "{message}");
}

#[test]
fn long_line_is_rejected_without_losing_sync() {
    let service = Service::start(&[]);
    let mut client = service.client();
    let long = |length: usize| format!(r#"{{"operator":"ping","id":"{}"}}"#, "x".repeat(length));
    let available = (1 << 20) - long(0).len();
    assert_eq!(
        code(&send_and_receive(&mut client, long(available).as_bytes())),
        None
    );
    for length in [available + 1, available + 2, 5 << 20] {
        let response = send_and_receive(&mut client, long(length).as_bytes());
        assert_eq!(code(&response).as_deref(), Some("message"), "{length}");
    }
}
