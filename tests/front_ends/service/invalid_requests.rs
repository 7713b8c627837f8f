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
    let [first, second] = [(); 2].map(|()| client.receive().expect("an answer"));
    // A search may end after the response to the ping.
    if first["id"] == "after" {
        second
    } else {
        first
    }
}

#[test]
fn corrupted_requests_get_one_response_each() {
    let (_service, mut client) = Service::with_client(&[]);
    let valid = valid();
    for line in &valid {
        let response = send_and_receive(&mut client, line.as_bytes());
        assert_eq!(code(&response), "none", "{line}");
    }
    let mut rng = Rng::new(9);
    let mut codes: HashMap<String, usize> = HashMap::new();
    for round in 0..3000 {
        let line = corrupt(&valid[round % valid.len()], &mut rng);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let response = send_and_receive(&mut client, &line);
        *codes.entry(code(&response).to_owned()).or_default() += 1;
    }
    let of = |name: &str| codes.get(name).copied().unwrap_or(0);
    assert!(of("message") > 500, "{codes:?}");
    assert!(of("field") > 100, "{codes:?}");
    assert!(of("operator") > 20, "{codes:?}");
    assert_eq!(of("search") + of("store") + of("closing"), 0, "{codes:?}");
}

/// Expected codes and requests.
const INVALID: &str = r#"
message  [1, 2]
message  null
field    {}
field    {"id": [1], "operator": "ping"}
field    {"operator": 5}
operator {"operator": "drop"}
field    {"operator": "ping", "more": 1}
field    {"operator": "run"}
field    {"operator": "run", "board": "x"}
field    {"operator": "run", "board": [[0, 0], [0]]}
noLiberties {"operator": "run", "board": [[1, 1], [1, 1]]}
field    {"operator": "run", "size": 9, "visits": 0}
field    {"operator": "run", "size": 9, "visits": -1}
field    {"operator": "run", "size": 9, "visits": 1e99}
field    {"operator": "run", "size": 9, "seconds": 1e99}
field    {"operator": "run", "size": 9, "top": 0}
field    {"operator": "run", "size": 9, "color": "red"}
field    {"operator": "run", "size": 9, "rules": "chess"}
offBoard {"operator": "run", "size": 9, "moves": [["B", "J10"]]}
boardSize {"operator": "run", "size": 25}
boardSize {"operator": "run", "size": [9, 1]}
boardSize {"operator": "handicap", "size": 20}
field    {"operator": "run", "size": "19"}
field    {"operator": "run", "size": [19]}
field    {"operator": "run", "size": -1}
field    {"operator": "handicap"}
field    {"operator": "saveGoban"}
none     {"operator": "saveGoban", "goban": "(;B[aa"}
notAGame {"operator": "saveGoban", "goban": "no game"}
boardSize {"operator": "saveGoban", "goban": "(;SZ[37])"}
otherGame {"operator": "saveGoban", "goban": "(;GM[2])"}
severalGames {"operator": "saveGoban", "goban": "(;B[aa])(;B[aa])"}
occupied {"operator": "run", "size": 5, "moves": [["B", "A1"], ["W", "A1"]]}
suicide  {"operator": "run", "board": [[0, 1], [1, 0]], "moves": [["W", "A2"]]}
game     {"operator": "saveGoban", "goban": "(;SZ[99])"}
none     {"operator": "saveGoban", "goban": "(;B[aa];W[aa])"}
field    {"operator": "saveGoban", "bytes": "?"}
notAGame {"operator": "saveGoban", "bytes": "aGVsbG8="}
field    {"operator": "loadGoban", "gobanId": "1; DROP TABLE games"}
notFound {"operator": "loadGoban", "gobanId": 99}
notFound {"operator": "exportGoban", "gobanIds": [99]}
field    {"operator": "exportGoban", "gobanIds": [99, 98, 99]}
field    {"operator": "listGoban", "limit": 501}
boardSize {"operator": "listGoban", "size": 25}
field    {"operator": "cancel", "cancelId": {}}
field    {"operator": "position"}
field    {"operator": "genmove", "size": 5, "level": 11}
field    {"operator": "genmove", "size": 5, "seconds": 0}
field    {"operator": "score", "size": 5, "dead": ["Z9"]}
field    {"operator": "handicap", "size": 5, "stones": 9}
notAGame {"operator": "readGoban", "goban": "x"}
none     {"operator": "readGoban", "goban": "(;SZ[5];B[zy])"}
"#;

/// Requests that are too large, with the expected codes.
fn oversized() -> [(&'static str, Value); 5] {
    let (board, game) = (vec![vec![0; 20]; 20], format!("({})", ";".repeat(110_000)));
    let too_many = limits::MAX_GAME_MOVES + 1;
    let (history, moves) = (
        vec![[[0, 0], [0, 0]]; too_many],
        vec![["B", "pass"]; too_many],
    );
    let passes = format!("({})", ";B[]".repeat(too_many));
    [
        ("boardSize", json!({"operator": "run", "board": board})),
        (
            "tooManyMoves",
            json!({"operator": "position", "board": [[0, 0], [0, 0]], "history": history}),
        ),
        (
            "tooManyMoves",
            json!({"operator": "position", "size": 5, "moves": moves}),
        ),
        (
            "gameTooLarge",
            json!({"operator": "readGoban", "goban": game}),
        ),
        (
            "tooManyMoves",
            json!({"operator": "saveGoban", "goban": passes}),
        ),
    ]
}

#[test]
fn invalid_requests_have_expected_codes() {
    let (_service, mut client) = Service::with_client(&[]);
    // Only the first line of a connection must be an object.
    assert_eq!(
        client.request(&json!({"operator": "ping"})),
        json!({"pong": true})
    );
    let lines = INVALID.lines().filter_map(|line| line.split_once(' '));
    let requests = lines.map(|(code, text)| (code, serde_json::from_str(text.trim()).unwrap()));
    for (expected, request) in requests.chain(oversized()) {
        let response = client.request(&request);
        assert_eq!(code(&response), expected, "{request}: {response}");
        if expected != "none" {
            assert!(!response["error"]["message"].as_str().unwrap().is_empty());
        }
    }
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    for line in [&deep[..], b"\x00\xff\xfe"] {
        let response = send_and_receive(&mut client, line);
        assert_eq!(code(&response), "message");
    }
}

#[test]
fn too_many_setup_points_are_rejected() {
    let (_service, mut client) = Service::with_client(&[]);
    // A few characters that name every point of the board three times.
    let node = ";AB[aa:ss]AW[aa:ss]AE[aa:ss]";
    let max_nodes = limits::MAX_SGF_SETUP_POINTS / (3 * 19 * 19);
    let read = |nodes: usize| {
        let goban = format!("(;SZ[19];B[]{})", node.repeat(nodes));
        json!({"operator": "readGoban", "goban": goban})
    };
    let game = client.request(&read(max_nodes));
    assert_eq!(game["nodes"].as_array().unwrap().len(), max_nodes + 2);
    let rejected = client.request(&read(max_nodes + 1));
    assert_eq!(code(&rejected), "gameTooLarge");
    let message = rejected["error"]["message"].as_str().unwrap();
    let expected = format!("at most {} set-up points", limits::MAX_SGF_SETUP_POINTS);
    assert!(message.contains(&expected), "{message}");
}

#[test]
fn long_line_is_rejected_without_losing_sync() {
    let (_service, mut client) = Service::with_client(&[]);
    let long = |length: usize| format!(r#"{{"operator":"ping","id":"{}"}}"#, "x".repeat(length));
    let available = (1 << 20) - long(0).len();
    let accepted = send_and_receive(&mut client, long(available).as_bytes());
    assert_eq!(code(&accepted), "none");
    for length in [available + 1, available + 2, 5 << 20] {
        let response = send_and_receive(&mut client, long(length).as_bytes());
        assert_eq!(code(&response), "messageTooLong", "{length}");
    }
}
