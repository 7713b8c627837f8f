//! Several queries in parallel: priorities, termination, order of responses, actions and misbehaving clients.

use std::io::{Write, pipe};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{spawn, yield_now};
use std::time::{Duration, Instant};

use honinbo::eval::EvalError;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::stack::SharedEvaluator;
use honinbo::json_analysis::session;
use serde_json::{Value, json};

use crate::evaluator_fn::{evaluate, evaluator_fn};
use crate::json_analysis::{parse, query, responses_to, setup};
use crate::pipes::Client;

/// More visits than any test runs.
const ENDLESS: u64 = 1 << 40;

fn connect(evaluator: SharedEvaluator, workers: usize) -> Client {
    Client::new(move |input, output| {
        let session = session::run(setup(evaluator, workers), input, Box::new(output));
        session.expect("a successful session");
    })
}

impl Client {
    fn response(&mut self) -> Value {
        parse(&self.line())
    }

    /// Closes the input and returns the remaining responses.
    fn leave_with_responses(self) -> Vec<Value> {
        self.leave().iter().map(|line| parse(line)).collect()
    }
}

/// Holds back evaluations until it is open.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().expect("no poisoned lock") = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let is_open = self.is_open.lock().expect("no poisoned lock");
        let wait = self.changed.wait_while(is_open, |is_open| !*is_open);
        drop(wait.expect("no poisoned lock"));
    }
}

/// Returns an evaluator like [`HashEvaluator`] that waits until the gate is open. Boards with 3 columns do not wait.
fn gated() -> (Arc<Gate>, SharedEvaluator) {
    let gate = Arc::new(Gate::default());
    let entrance = Arc::clone(&gate);
    let evaluator = evaluator_fn(move |position| {
        if position.size().width() != 3 {
            entrance.wait();
        }
        evaluate(&HashEvaluator, position)
    });
    (gate, evaluator)
}

/// Returns an evaluator like [`HashEvaluator`], but as slow as a large network.
fn slow() -> SharedEvaluator {
    evaluator_fn(|position| {
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(5) {
            yield_now();
        }
        evaluate(&HashEvaluator, position)
    })
}

fn ids(responses: &[Value]) -> Vec<&str> {
    responses
        .iter()
        .map(|response| response["id"].as_str().expect("an id"))
        .collect()
}

#[test]
fn queue_orders_by_priority_then_arrival() {
    let (gate, evaluator) = gated();
    let mut client = connect(evaluator, 1);
    for (id, priority) in [("first", 100), ("low", -1), ("a", 5), ("b", 5), ("high", 7)] {
        client.send(query(json!({"id": id, "priority": priority})));
    }
    let turns = json!({
        "id": "turns", "moves": [["B", "C3"], ["W", "B2"]], "analyzeTurns": [0, 1, 2], "priorities": [1, 3, 2],
    });
    client.send(query(turns));
    client.send(json!({"id": "v", "action": "query_version"}));
    assert_eq!(client.response()["id"], "v", "actions are not queued");
    gate.open();
    let responses = client.leave_with_responses();
    assert_eq!(
        ids(&responses),
        ["first", "high", "a", "b", "turns", "turns", "turns", "low"]
    );
    let turns: Vec<_> = responses[4..7]
        .iter()
        .map(|response| &response["turnNumber"])
        .collect();
    assert_eq!(turns, [1, 2, 0]);
}

#[test]
fn quick_query_overtakes_slow_one() {
    let (gate, evaluator) = gated();
    let mut client = connect(evaluator, 2);
    client.send(query(json!({"id": "slow"})));
    client.send(query(json!({"id": "quick", "boardXSize": 3})));
    assert_eq!(client.response()["id"], "quick");
    gate.open();
    assert_eq!(ids(&client.leave_with_responses()), ["slow"]);
}

#[test]
fn first_report_has_separate_interval() {
    let endless = json!({"id": "run", "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.001, "reportDuringSearchEvery": 1000});
    // With the slow evaluator there is no visit yet when the report is due.
    let evaluators: [SharedEvaluator; 2] = [Arc::new(HashEvaluator), slow()];
    for evaluator in evaluators {
        let mut client = connect(evaluator, 1);
        client.send(query(endless.clone()));
        assert_eq!(client.response()["isDuringSearch"], json!(true));
        client.send(json!({"id": "all", "action": "terminate_all"}));
        assert_eq!(
            client.leave_with_responses().len(),
            2,
            "the final result and the echo"
        );
    }
}

#[test]
fn terminate_ends_running_and_queued_turns() {
    let mut client = connect(Arc::new(HashEvaluator), 1);
    let running =
        json!({"id": "run", "maxVisits": ENDLESS, "reportDuringSearchEvery": 0.001, "priority": 1});
    client.send(query(running));
    let report = client.response();
    assert_eq!(
        (&report["id"], &report["isDuringSearch"]),
        (&json!("run"), &json!(true))
    );
    let turns =
        json!({"id": "wait", "moves": [["B", "C3"]], "analyzeTurns": [0, 1], "maxVisits": ENDLESS});
    client.send(query(turns));
    let one = json!({"id": "t", "action": "terminate", "terminateId": "wait", "turnNumbers": [1]});
    client.send(&one);
    client.send(json!({"id": "all", "action": "terminate_all"}));
    let responses = client.leave_with_responses();
    let last: Vec<&Value> = responses
        .iter()
        .filter(|response| response["isDuringSearch"] != json!(true))
        .collect();
    let none = |turn: u64| json!({"id": "wait", "isDuringSearch": false, "noResults": true, "turnNumber": turn});
    assert_eq!(last.len(), 5, "{last:?}");
    assert_eq!(last[0], &none(1));
    assert_eq!(last[1], &one, "echoed unchanged");
    let remaining = &last[2..];
    assert!(remaining.contains(&&none(0)));
    assert!(remaining.contains(&&json!({"id": "all", "action": "terminate_all"})));
    let run = remaining
        .iter()
        .find(|response| response["id"] == "run")
        .expect("a final result");
    assert_eq!(run["isDuringSearch"], false);
    assert!(run["rootInfo"]["visits"].as_u64() >= report["rootInfo"]["visits"].as_u64());
}

#[test]
fn actions_echo_their_fields() {
    let lines = [
        json!({"id": "1", "action": "query_version", "extra": [1]}),
        json!({"id": "2", "action": "clear_cache"}),
        json!({"id": "3", "action": "query_models"}),
        json!({"id": "4", "action": "terminate"}),
    ];
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let responses = responses_to(text.join("\n"));
    assert_eq!(
        responses[0],
        json!({"id": "1", "action": "query_version", "extra": [1], "version": "0.0", "git_hash": "<omitted>"})
    );
    assert_eq!(responses[1], lines[1]);
    assert_eq!(responses[2]["models"][0]["name"], "hashes");
    assert_eq!(
        (&responses[3]["field"], &responses[3]["id"]),
        (&json!("terminateId"), &json!("4"))
    );
}

#[test]
fn malformed_lines_get_errors() {
    let mut input = b"nonsense\n[1]\n\xff\xfe\n\n  \r\n{\"id\":7}\n{}\n{\"id\":\"x\"".to_vec();
    input.push(b'\n');
    input.extend(b"[".repeat(100_000));
    input.push(b'\n');
    input.extend(b" ".repeat(session::MAX_REQUEST_BYTES + 10));
    input.push(b'\n');
    // The last line has no line break.
    input.extend(
        query(json!({"id": "last", "maxVisits": 1}))
            .to_string()
            .bytes(),
    );
    let responses = responses_to(input);
    assert_eq!(responses.len(), 9, "{responses:?}");
    assert!(
        responses[..8]
            .iter()
            .all(|response| response["error"].is_string())
    );
    for no_id in &responses[3..5] {
        assert_eq!((&no_id["field"], no_id.get("id")), (&json!("id"), None));
    }
    assert_eq!(responses[8]["id"], "last");
    assert_eq!(responses[8]["rootInfo"]["visits"], 1);
}

#[test]
fn closed_output_ends_session() {
    let (input, mut requests) = pipe().expect("a pipe");
    let (responses, output) = pipe().expect("a pipe");
    let session = spawn(move || {
        session::run(setup(Arc::new(HashEvaluator), 2), input, Box::new(output))
            .expect("a successful session");
    });
    drop(responses);
    let endless = json!({"maxVisits": ENDLESS, "reportDuringSearchEvery": 0.001});
    // The input stays open, so only the output error can end the session.
    writeln!(requests, "{}", query(endless)).expect("an open pipe");
    session.join().expect("the session ends");
}

#[test]
fn evaluator_error_names_query() {
    let mut client = connect(evaluator_fn(|_| Err(EvalError::Panicked)), 1);
    client.send(query(json!({"id": "f"})));
    let responses = client.leave_with_responses();
    assert_eq!(ids(&responses), ["f"]);
    assert!(responses[0]["error"].is_string());
}

#[test]
fn byte_order_mark_is_skipped() {
    let responses = responses_to("\u{feff}{\"id\":\"1\",\"action\":\"query_version\"}\r\n");
    assert_eq!(responses.len(), 1);
    assert_eq!(responses[0]["id"], "1", "{responses:?}");
}
