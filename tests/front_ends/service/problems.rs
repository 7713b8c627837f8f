//! The operator `solve`.

use serde_json::{Value, json};

use super::{Service, code};

/// A black group in the corner with three points of eye space in a row. The side that plays in the middle decides.
fn problem(fields: &Value) -> Value {
    let mut request = json!({
        "operator": "solve",
        "board": [
            [0, 0, 0, 1, -1, 0, 0, 0],
            [1, 1, 1, 1, -1, 0, 0, 0],
            [-1, -1, -1, -1, -1, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0],
        ],
    });
    for (name, value) in fields.as_object().expect("an object") {
        request[name] = value.clone();
    }
    request
}

#[test]
fn middle_of_three_points_decides() {
    let (_service, mut client) = Service::with_client(&[]);
    for (color, goal) in [("white", "kill"), ("black", "live")] {
        for request in [
            json!({"color": color}),
            json!({"color": color, "goal": goal, "region": ["A1", "F5"], "nodes": 1_000_000}),
        ] {
            let solved = client.request(&problem(&request));
            assert_eq!(solved["result"], "success", "{solved}");
            assert_eq!(
                (&solved["goal"], &solved["color"]),
                (&json!(goal), &json!(color))
            );
            assert_eq!(
                (&solved["move"], &solved["line"][0]),
                (&json!("B5"), &json!("B5"))
            );
            assert_eq!(
                (&solved["proved"], &solved["tried"]),
                (&json!(true), &json!(null))
            );
        }
    }
}

#[test]
fn tried_moves_are_judged_and_refuted() {
    let (_service, mut client) = Service::with_client(&[]);
    for (color, tried, result, refutation) in [
        ("white", "B5", "success", None),
        ("white", "A5", "failure", Some("B5")),
        ("white", "H1", "failure", Some("B5")),
        ("white", "pass", "failure", Some("B5")),
        ("black", "B5", "success", None),
        // The remaining eye space is too small already.
        ("black", "A5", "failure", None),
        ("black", "pass", "failure", Some("B5")),
    ] {
        let solved = client.request(&problem(&json!({"color": color, "tried": tried})));
        let verdict = &solved["tried"];
        assert_eq!(verdict["move"], tried, "{solved}");
        assert_eq!(
            (&verdict["result"], &verdict["proved"]),
            (&json!(result), &json!(true))
        );
        assert_eq!(verdict["refutation"][0].as_str(), refutation, "{solved}");
    }
}

#[test]
fn capturing_the_group_solves_the_problem() {
    let (_service, mut client) = Service::with_client(&[]);
    let board = json!([
        [0, 1, -1, 0, 0],
        [-1, -1, -1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0]
    ]);
    let request = json!({
        "operator": "solve", "board": board, "color": "white", "goal": "kill", "region": ["A4", "C3"], "tried": "A4",
    });
    let verdict = &client.request(&request)["tried"];
    assert_eq!(verdict["result"], "success", "{verdict}");
}

#[test]
fn limits_leave_the_result_unknown() {
    let (_service, mut client) = Service::with_client(&[]);
    // Six points of eye space need more than one position.
    let board = json!([
        [0, 0, 0, 1, -1, 0, 0],
        [0, 0, 0, 1, -1, 0, 0],
        [1, 1, 1, 1, -1, 0, 0],
        [-1, -1, -1, -1, -1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]);
    let request = json!({"operator": "solve", "board": board, "color": "white", "nodes": 1});
    let solved = client.request(&request);
    assert_eq!(
        (&solved["result"], &solved["proved"]),
        (&json!("unknown"), &json!(false))
    );
    let candidates = solved["candidates"].as_array().unwrap();
    assert!(candidates.contains(&solved["move"]), "{solved}");
}

#[test]
fn impossible_problems_have_codes() {
    let (_service, mut client) = Service::with_client(&[]);
    for (fields, expected) in [
        (json!({"tried": "D5"}), "occupied"),
        (json!({"tried": "Z9"}), "field"),
        (json!({"goal": "win"}), "field"),
        (json!({"region": ["A1"]}), "field"),
        (json!({"region": ["A1", "Z9"]}), "field"),
        (json!({"nodes": 0}), "field"),
        (json!({"seconds": 1e9}), "field"),
        (json!({"region": ["H1", "H1"], "goal": "live"}), "noProblem"),
    ] {
        let response = client.request(&problem(&fields));
        assert_eq!(code(&response), expected, "{fields}: {response}");
    }
    let empty = json!({"operator": "solve", "size": 19});
    assert_eq!(client.error_code(&empty), "noProblem");
    let large = json!({"operator": "solve", "size": 19, "region": ["A1", "T19"], "goal": "live", "moves": [["B", "C3"]]});
    assert_eq!(client.error_code(&large), "regionTooLarge");
}

#[test]
fn cancelled_problem_ends_at_once() {
    let (_service, mut client) = Service::with_client(&[]);
    // An almost empty board takes much longer.
    let mut board = vec![vec![0; 12]; 10];
    (board[2][2], board[3][3]) = (1, -1);
    let request = json!({
        "id": "p", "operator": "solve", "board": board, "goal": "live", "region": ["A1", "M10"], "seconds": 600,
    });
    client.send(request.to_string());
    client.send(r#"{"id": "c", "operator": "cancel"}"#);
    let responses = [(); 2].map(|()| client.receive().unwrap());
    let solved = responses
        .iter()
        .find(|response| response["id"] == "p")
        .unwrap();
    assert!(
        code(solved) == "cancelled" || solved["result"] == "unknown",
        "{solved}"
    );
}
