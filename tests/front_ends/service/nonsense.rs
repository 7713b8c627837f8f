//! Bad requests by the thousand: each is answered once, and the service goes on.

use std::collections::HashMap;

use honinbo::random::Rng;
use honinbo::service::limits;
use serde_json::{Value, json};

use super::{Client, Service, code};

/// Requests as they should be, to be spoilt.
fn good() -> Vec<String> {
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

/// Changes, removes, doubles or exchanges a few bytes; line breaks aside.
fn spoilt(text: &str, rng: &mut Rng) -> Vec<u8> {
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
                let piece = bytes[at..bytes.len().min(at + 20)].to_vec();
                bytes.splice(at..at, piece);
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

/// Says a line that gets one answer, and sees that it does: the answer to a ping behind it is the next but one.
fn answered(client: &mut Client, line: &[u8]) -> Value {
    client.send(line);
    client.send(r#"{"id":"after","operator":"ping"}"#);
    let answers = [client.hear(), client.hear()].map(|answer| answer.expect("an answer"));
    let [first, second] = answers;
    // A search may end after the ping has been answered.
    if first["id"] == "after" {
        second
    } else {
        first
    }
}

#[test]
fn spoilt_requests_get_one_answer_each() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    let good = good();
    for line in &good {
        assert_eq!(
            code(&answered(&mut client, line.as_bytes())),
            None,
            "{line}"
        );
    }
    let mut rng = Rng::new(9);
    let mut codes: HashMap<Option<String>, usize> = HashMap::new();
    for round in 0..3000 {
        let line = spoilt(&good[round % good.len()], &mut rng);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = answered(&mut client, &line);
        *codes.entry(code(&answer)).or_default() += 1;
    }
    let of = |name: &str| codes.get(&Some(name.to_owned())).copied().unwrap_or(0);
    assert!(of("message") > 500, "{codes:?}");
    assert!(of("field") > 100, "{codes:?}");
    assert!(of("operator") > 20, "{codes:?}");
    assert_eq!(of("search") + of("store") + of("closing"), 0, "{codes:?}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn each_kind_of_nonsense_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    let large = vec![vec![0; 20]; 20];
    for (asked, expected) in [
        (json!([1, 2]), "message"),
        (json!(null), "message"),
        (json!({}), "field"),
        (json!({"id": [1], "operator": "ping"}), "field"),
        (json!({"operator": 5}), "field"),
        (json!({"operator": "drop"}), "operator"),
        (json!({"operator": "ping", "more": 1}), "field"),
        (json!({"operator": "run"}), "field"),
        (json!({"operator": "run", "board": "x"}), "field"),
        (json!({"operator": "run", "board": [[0, 0], [0]]}), "field"),
        (json!({"operator": "run", "board": large}), "field"),
        (
            json!({"operator": "run", "board": [[1, 1], [1, 1]]}),
            "position",
        ),
        (json!({"operator": "run", "size": 9, "visits": 0}), "field"),
        (json!({"operator": "run", "size": 9, "visits": -1}), "field"),
        (
            json!({"operator": "run", "size": 9, "visits": 1e99}),
            "field",
        ),
        (
            json!({"operator": "run", "size": 9, "seconds": 1e99}),
            "field",
        ),
        (json!({"operator": "run", "size": 9, "top": 0}), "field"),
        (
            json!({"operator": "run", "size": 9, "color": "red"}),
            "field",
        ),
        (
            json!({"operator": "run", "size": 9, "rules": "chess"}),
            "field",
        ),
        (
            json!({"operator": "run", "size": 9, "moves": [["B", "J10"]]}),
            "field",
        ),
        (json!({"operator": "saveGoban"}), "field"),
        (json!({"operator": "saveGoban", "goban": "(;B[aa"}), "none"),
        (json!({"operator": "saveGoban", "goban": "no game"}), "game"),
        (
            json!({"operator": "saveGoban", "goban": "(;SZ[99])"}),
            "game",
        ),
        (
            json!({"operator": "saveGoban", "goban": "(;B[aa];W[aa])"}),
            "game",
        ),
        (
            json!({"operator": "loadGoban", "gobanId": "1; DROP TABLE games"}),
            "field",
        ),
        (json!({"operator": "loadGoban", "gobanId": 99}), "notFound"),
        (
            json!({"operator": "exportGoban", "gobanIds": [99]}),
            "notFound",
        ),
        (
            json!({"operator": "exportGoban", "gobanIds": [99, 98, 99]}),
            "field",
        ),
        (
            json!({"operator": "position", "board": [[0, 0], [0, 0]], "history": vec![[[0, 0], [0, 0]]; 2001]}),
            "field",
        ),
        (json!({"operator": "listGoban", "limit": 501}), "field"),
        (json!({"operator": "cancel", "cancelId": {}}), "field"),
        (json!({"operator": "position"}), "field"),
        (
            json!({"operator": "genmove", "size": 5, "level": 11}),
            "field",
        ),
        (
            json!({"operator": "genmove", "size": 5, "seconds": 0}),
            "field",
        ),
        (
            json!({"operator": "score", "size": 5, "dead": ["Z9"]}),
            "field",
        ),
        (
            json!({"operator": "handicap", "size": 5, "stones": 9}),
            "field",
        ),
        (json!({"operator": "readGoban", "goban": "x"}), "game"),
        (
            json!({"operator": "readGoban", "goban": format!("({})", ";".repeat(60_000))}),
            "game",
        ),
        (
            json!({"operator": "saveGoban", "goban": format!("({})", ";B[]".repeat(2001))}),
            "game",
        ),
        (
            json!({"operator": "position", "size": 5, "moves": vec![["B", "pass"]; 2001]}),
            "field",
        ),
        (
            json!({"operator": "readGoban", "goban": "(;SZ[5];B[zz])"}),
            "game",
        ),
    ] {
        let answer = client.ask(&asked);
        assert_eq!(
            code(&answer).unwrap_or("none".to_owned()),
            expected,
            "{asked}: {answer}"
        );
        if code(&answer).is_some() {
            assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
        }
    }
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert_eq!(
        code(&answered(&mut client, &deep)).as_deref(),
        Some("message")
    );
    assert_eq!(
        code(&answered(&mut client, b"\x00\xff\xfe")).as_deref(),
        Some("message")
    );
}

#[test]
fn a_game_file_that_sets_up_more_stones_than_can_be_told_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    // A few letters that name every point of the board three times.
    let node = ";AB[aa:ss]AW[aa:ss]AE[aa:ss]";
    let most = limits::MAX_SETUP_POINTS / (3 * 19 * 19);
    let read = |nodes: usize| {
        let goban = format!("(;SZ[19];B[]{})", node.repeat(nodes));
        json!({"operator": "readGoban", "goban": goban})
    };
    let told = client.ask(&read(most));
    assert_eq!(told["nodes"].as_array().unwrap().len(), most + 2);
    let refused = client.ask(&read(most + 1));
    assert_eq!(code(&refused).as_deref(), Some("game"));
    let message = refused["error"]["message"].as_str().unwrap();
    let expected = format!("at most {} points set up", limits::MAX_SETUP_POINTS);
    assert!(message.contains(&expected), "{message}");
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    let long = |length: usize| format!(r#"{{"operator":"ping","id":"{}"}}"#, "x".repeat(length));
    let room = (1 << 20) - long(0).len();
    assert_eq!(code(&answered(&mut client, long(room).as_bytes())), None);
    for length in [room + 1, room + 2, 5 << 20] {
        let answer = answered(&mut client, long(length).as_bytes());
        assert_eq!(code(&answer).as_deref(), Some("message"), "{length}");
    }
}
