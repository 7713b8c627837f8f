//! Several queries in parallel: priorities, termination, order of responses, actions and misbehaving clients.

use std::io::{PipeWriter, Write, pipe};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{JoinHandle, spawn, yield_now};
use std::time::{Duration, Instant};

use honinbo::eval::hashed::Hashed;
use honinbo::eval::stack::SharedEvaluator;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::json::session;
use serde_json::{Value, json};

use crate::json::{query, responses_to, setup, start};

/// More visits than any test runs.
const ENDLESS: u64 = 1 << 40;

/// A client connected to a session by two pipes.
struct Client {
    requests: PipeWriter,
    responses: Box<dyn Iterator<Item = Value>>,
    session: JoinHandle<()>,
}

impl Client {
    fn new(evaluator: SharedEvaluator, workers: usize) -> Self {
        let (input, requests) = pipe().expect("a pipe");
        let (responses, session) = start(setup(evaluator, workers), input);
        Self {
            requests,
            responses: Box::new(responses),
            session,
        }
    }

    fn send(&mut self, object: &Value) {
        self.requests
            .write_all(format!("{object}\n").as_bytes())
            .expect("an open pipe");
    }

    fn next(&mut self) -> Value {
        self.responses.next().expect("another response")
    }

    /// Closes the input and returns the remaining responses.
    fn leave(self) -> Vec<Value> {
        drop(self.requests);
        let remaining = self.responses.collect();
        self.session.join().expect("the session ends");
        remaining
    }
}

/// Like [`Hashed`], but waits until the gate is open. Boards with 3 columns do not wait.
#[derive(Default)]
struct Gated {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Gated {
    fn open(&self) {
        *self.open.lock().expect("no poisoned lock") = true;
        self.changed.notify_all();
    }
}

impl Evaluator for Gated {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        if requests
            .iter()
            .any(|request| request.position.size().width() != 3)
        {
            let open = self.open.lock().expect("no poisoned lock");
            drop(
                self.changed
                    .wait_while(open, |open| !*open)
                    .expect("no poisoned lock"),
            );
        }
        Hashed.evaluate(requests, evaluations)
    }
}

/// Like [`Hashed`], but as slow as a large network.
struct Slow;

impl Evaluator for Slow {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(5) {
            yield_now();
        }
        Hashed.evaluate(requests, evaluations)
    }
}

fn ids(responses: &[Value]) -> Vec<&str> {
    responses
        .iter()
        .map(|response| response["id"].as_str().expect("an id"))
        .collect()
}

#[test]
fn queue_orders_by_priority_then_arrival() {
    let gate = Arc::new(Gated::default());
    let mut client = Client::new(gate.clone(), 1);
    for (id, priority) in [("first", 100), ("low", -1), ("a", 5), ("b", 5), ("high", 7)] {
        client.send(&query(json!({"id": id, "priority": priority})));
    }
    let turns = json!({
        "id": "turns", "moves": [["B", "C3"], ["W", "B2"]], "analyzeTurns": [0, 1, 2], "priorities": [1, 3, 2],
    });
    client.send(&query(turns));
    client.send(&json!({"id": "v", "action": "query_version"}));
    assert_eq!(client.next()["id"], "v", "actions are not queued");
    gate.open();
    let responses = client.leave();
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
    let gate = Arc::new(Gated::default());
    let mut client = Client::new(gate.clone(), 2);
    client.send(&query(json!({"id": "slow"})));
    client.send(&query(json!({"id": "quick", "boardXSize": 3})));
    assert_eq!(client.next()["id"], "quick");
    gate.open();
    assert_eq!(ids(&client.leave()), ["slow"]);
}

#[test]
fn first_report_has_separate_interval() {
    let endless = json!({"id": "run", "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.001, "reportDuringSearchEvery": 1000});
    // With the slow evaluator there is no visit yet when the report is due.
    let evaluators: [SharedEvaluator; 2] = [Arc::new(Hashed), Arc::new(Slow)];
    for evaluator in evaluators {
        let mut client = Client::new(evaluator, 1);
        client.send(&query(endless.clone()));
        assert_eq!(client.next()["isDuringSearch"], json!(true));
        client.send(&json!({"id": "all", "action": "terminate_all"}));
        assert_eq!(client.leave().len(), 2, "the final result and the echo");
    }
}

#[test]
fn terminate_ends_running_and_queued_turns() {
    let mut client = Client::new(Arc::new(Hashed), 1);
    let running =
        json!({"id": "run", "maxVisits": ENDLESS, "reportDuringSearchEvery": 0.001, "priority": 1});
    client.send(&query(running));
    let report = client.next();
    assert_eq!(
        (&report["id"], &report["isDuringSearch"]),
        (&json!("run"), &json!(true))
    );
    let turns =
        json!({"id": "wait", "moves": [["B", "C3"]], "analyzeTurns": [0, 1], "maxVisits": ENDLESS});
    client.send(&query(turns));
    let one = json!({"id": "t", "action": "terminate", "terminateId": "wait", "turnNumbers": [1]});
    client.send(&one);
    client.send(&json!({"id": "all", "action": "terminate_all"}));
    let responses = client.leave();
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
    input.extend(b" ".repeat(session::MAX_LINE + 10));
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
        session::run(setup(Arc::new(Hashed), 2), input, Box::new(output))
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
    struct Failing;
    impl Evaluator for Failing {
        fn evaluate(&self, _: &[Request<'_>], _: &mut [Evaluation]) -> Result<(), EvalError> {
            Err(EvalError::Panicked)
        }
    }
    let mut client = Client::new(Arc::new(Failing), 1);
    client.send(&query(json!({"id": "f"})));
    let responses = client.leave();
    assert_eq!(ids(&responses), ["f"]);
    assert!(responses[0]["error"].is_string());
}

#[test]
fn byte_order_mark_is_skipped() {
    let responses = responses_to("\u{feff}{\"id\":\"1\",\"action\":\"query_version\"}\r\n");
    assert_eq!(responses.len(), 1);
    assert_eq!(responses[0]["id"], "1", "{responses:?}");
}
