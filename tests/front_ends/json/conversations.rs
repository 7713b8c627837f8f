//! Several queries at once: priorities, ends before the end, answers out of order, actions, and clients that misbehave.

use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{JoinHandle, spawn, yield_now};
use std::time::{Duration, Instant};

use honinbo::eval::hashed::Hashed;
use honinbo::eval::stack::SharedEvaluator;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::json::session;
use serde_json::{Value, json};

use crate::json::{answers_to, query, setup};

/// More visits than anybody waits for.
const ENDLESS: u64 = 1 << 40;

/// A client at the other end of two pipes.
struct Client {
    to: PipeWriter,
    from: Box<dyn Iterator<Item = Value>>,
    session: JoinHandle<()>,
}

impl Client {
    fn new(evaluator: SharedEvaluator, workers: usize) -> Self {
        let (input, to) = pipe().expect("a pipe");
        let (from, output) = pipe().expect("a pipe");
        let session = spawn(move || {
            let setup = setup(evaluator, workers);
            session::run(setup, input, Box::new(output)).expect("a session without failures");
        });
        let lines = BufReader::new(from).lines();
        let values = lines
            .map(|line| serde_json::from_str(&line.expect("a line")).expect("an object a line"));
        Self {
            to,
            from: Box::new(values),
            session,
        }
    }

    fn send(&mut self, object: &Value) {
        self.to
            .write_all(format!("{object}\n").as_bytes())
            .expect("an open pipe");
    }

    fn next(&mut self) -> Value {
        self.from.next().expect("another answer")
    }

    /// Goes away and gives back what was still answered.
    fn leave(self) -> Vec<Value> {
        drop(self.to);
        let rest = self.from.collect();
        self.session.join().expect("a session that ends");
        rest
    }
}

/// Answers as hashes do, once the gate is open; boards of 3 columns pass by it.
#[derive(Default)]
struct Gated {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Gated {
    fn open(&self) {
        *self.open.lock().expect("no panic elsewhere") = true;
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
            let open = self.open.lock().expect("no panic elsewhere");
            drop(
                self.changed
                    .wait_while(open, |open| !*open)
                    .expect("no panic elsewhere"),
            );
        }
        Hashed.evaluate(requests, evaluations)
    }
}

/// Answers as hashes do, as late as a large network.
struct Slow;

impl Evaluator for Slow {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(5) {
            yield_now();
        }
        Hashed.evaluate(requests, evaluations)
    }
}

fn ids(answers: &[Value]) -> Vec<&str> {
    answers
        .iter()
        .map(|answer| answer["id"].as_str().expect("an id"))
        .collect()
}

#[test]
fn the_highest_priority_is_first_then_who_came_first() {
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
    assert_eq!(client.next()["id"], "v", "an action waits for nothing");
    gate.open();
    let answers = client.leave();
    assert_eq!(
        ids(&answers),
        ["first", "high", "a", "b", "turns", "turns", "turns", "low"]
    );
    let turns: Vec<_> = answers[4..7]
        .iter()
        .map(|answer| &answer["turnNumber"])
        .collect();
    assert_eq!(turns, [1, 2, 0]);
}

#[test]
fn a_quick_query_overtakes_a_slow_one() {
    let gate = Arc::new(Gated::default());
    let mut client = Client::new(gate.clone(), 2);
    client.send(&query(json!({"id": "slow"})));
    client.send(&query(json!({"id": "quick", "boardXSize": 3})));
    assert_eq!(client.next()["id"], "quick");
    gate.open();
    assert_eq!(ids(&client.leave()), ["slow"]);
}

#[test]
fn the_first_report_may_come_sooner() {
    let endless = json!({"id": "run", "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.001, "reportDuringSearchEvery": 1000});
    // The slow one has made no visit when the report is due.
    let evaluators: [SharedEvaluator; 2] = [Arc::new(Hashed), Arc::new(Slow)];
    for evaluator in evaluators {
        let mut client = Client::new(evaluator, 1);
        client.send(&query(endless.clone()));
        assert_eq!(client.next()["isDuringSearch"], json!(true));
        client.send(&json!({"id": "all", "action": "terminate_all"}));
        assert_eq!(client.leave().len(), 2, "the last one and the echo alone");
    }
}

#[test]
fn terminate_ends_what_runs_and_what_waits() {
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
    let answers = client.leave();
    let last: Vec<&Value> = answers
        .iter()
        .filter(|answer| answer["isDuringSearch"] != json!(true))
        .collect();
    let none = |turn: u64| json!({"id": "wait", "isDuringSearch": false, "noResults": true, "turnNumber": turn});
    assert_eq!(last.len(), 5, "{last:?}");
    assert_eq!(last[0], &none(1));
    assert_eq!(last[1], &one, "echoed as it was");
    let rest = &last[2..];
    assert!(rest.contains(&&none(0)));
    assert!(rest.contains(&&json!({"id": "all", "action": "terminate_all"})));
    let run = rest
        .iter()
        .find(|answer| answer["id"] == "run")
        .expect("a last answer");
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
    let answers = answers_to(text.join("\n"));
    assert_eq!(
        answers[0],
        json!({"id": "1", "action": "query_version", "extra": [1], "version": "0.0", "git_hash": "<omitted>"})
    );
    assert_eq!(answers[1], lines[1]);
    assert_eq!(answers[2]["models"][0]["name"], "hashes");
    assert_eq!(
        (&answers[3]["field"], &answers[3]["id"]),
        (&json!("terminateId"), &json!("4"))
    );
}

#[test]
fn lines_that_are_no_queries_are_answered_and_passed_over() {
    let mut input = b"nonsense\n[1]\n\xff\xfe\n\n  \r\n{\"id\":7}\n{}\n{\"id\":\"x\"".to_vec();
    input.push(b'\n');
    input.extend(b"[".repeat(100_000));
    input.push(b'\n');
    input.extend(b" ".repeat(session::MAX_LINE + 10));
    input.push(b'\n');
    // The last line needs no end.
    input.extend(
        query(json!({"id": "last", "maxVisits": 1}))
            .to_string()
            .bytes(),
    );
    let answers = answers_to(input);
    assert_eq!(answers.len(), 9, "{answers:?}");
    assert!(
        answers[..8]
            .iter()
            .all(|answer| answer["error"].is_string())
    );
    for no_id in &answers[3..5] {
        assert_eq!((&no_id["field"], no_id.get("id")), (&json!("id"), None));
    }
    assert_eq!(answers[8]["id"], "last");
    assert_eq!(answers[8]["rootInfo"]["visits"], 1);
}

#[test]
fn a_client_that_goes_away_ends_the_session() {
    let (input, mut to) = pipe().expect("a pipe");
    let (from, output) = pipe().expect("a pipe");
    let session = spawn(move || {
        session::run(setup(Arc::new(Hashed), 2), input, Box::new(output)).expect("no failure");
    });
    drop(from);
    let endless = json!({"maxVisits": ENDLESS, "reportDuringSearchEvery": 0.001});
    // The input stays open: the failing output alone ends the session.
    writeln!(to, "{}", query(endless)).expect("an open pipe");
    session.join().expect("a session that ends");
}

#[test]
fn a_failing_evaluator_is_reported_with_the_query() {
    struct Failing;
    impl Evaluator for Failing {
        fn evaluate(&self, _: &[Request<'_>], _: &mut [Evaluation]) -> Result<(), EvalError> {
            Err(EvalError::Panicked)
        }
    }
    let mut client = Client::new(Arc::new(Failing), 1);
    client.send(&query(json!({"id": "f"})));
    let answers = client.leave();
    assert_eq!(ids(&answers), ["f"]);
    assert!(answers[0]["error"].is_string());
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let answers = answers_to("\u{feff}{\"id\":\"1\",\"action\":\"query_version\"}\r\n");
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["id"], "1", "{answers:?}");
}
