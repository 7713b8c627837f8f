//! JSON protocol from the client's perspective: requests, responses and their order, and errors.

mod conversations;
mod fuzz;
mod queries;

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use honinbo::engine::identity::Identity;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::stack::SharedEvaluator;
use honinbo::io::protocol_log::ProtocolLog;
use honinbo::json_analysis::session::{self, SessionSetup};
use honinbo::json_analysis::settings::QuerySettings;
use serde_json::{Value, json};

fn setup(evaluator: SharedEvaluator, workers: usize) -> SessionSetup {
    SessionSetup {
        evaluator,
        identity: Identity {
            version: "0.0".to_owned(),
            model: "hashes".to_owned(),
            ..Identity::default()
        },
        max_batch_size: 1,
        settings: QuerySettings {
            max_visits: Some(20),
            ..QuerySettings::default()
        },
        workers,
        threads: 1,
        batch_size: None,
        tree_bytes: 1 << 26,
        seed: 1,
        finish_on_eof: true,
        log: ProtocolLog::disabled(),
    }
}

/// Output of a session.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no poisoned lock").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns all responses of a session with one worker.
fn responses_to(input: impl Into<Vec<u8>>) -> Vec<Value> {
    responses_with(setup(Arc::new(HashEvaluator), 1), input)
}

/// Returns all responses of a session with the given setup.
fn responses_with(setup: SessionSetup, input: impl Into<Vec<u8>>) -> Vec<Value> {
    let buffer = SharedBuffer::default();
    let input = Cursor::new(input.into());
    let output = Box::new(buffer.clone());
    session::run(setup, input, output).expect("a successful session");
    let bytes = buffer.0.lock().expect("no poisoned lock").clone();
    let text = String::from_utf8(bytes).expect("UTF-8 responses");
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("one object per line")
}

/// Returns a query for an empty 5x5 board with additional or replaced fields.
fn query(fields: Value) -> Value {
    let mut query = json!({
        "id": "q", "moves": [], "rules": "tromp-taylor", "komi": 0.5, "boardXSize": 5, "boardYSize": 5,
    });
    let Value::Object(fields) = fields else {
        panic!("fields must be an object");
    };
    for (name, value) in fields {
        query[name] = value;
    }
    query
}

/// Returns the only response to a query with these fields.
fn response(fields: Value) -> Value {
    let mut responses = responses_to(query(fields).to_string());
    assert_eq!(responses.len(), 1, "{responses:?}");
    responses.remove(0)
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("expected a number, found {value}"))
}

fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("expected a list, found {value}"))
}
