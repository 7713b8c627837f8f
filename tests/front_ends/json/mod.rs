//! The JSON protocol as clients meet it: what is asked, what is answered, in which order, and what is said of nonsense.

mod conversations;
mod fuzz;
mod queries;

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use honinbo::eval::hashed::Hashed;
use honinbo::eval::stack::SharedEvaluator;
use honinbo::io::protocol_log::ProtocolLog;
use honinbo::json::session::{self, EngineInfo, SessionSetup};
use honinbo::json::settings::QuerySettings;
use serde_json::{Value, json};

fn setup(evaluator: SharedEvaluator, workers: usize) -> SessionSetup {
    SessionSetup {
        evaluator,
        engine_info: EngineInfo {
            version: "0.0".to_owned(),
            model: "hashes".to_owned(),
            uses_human_sl_profile: false,
            max_batch_size: 1,
        },
        settings: QuerySettings {
            max_visits: Some(20),
            ..QuerySettings::default()
        },
        workers,
        threads: 1,
        tree_bytes: 1 << 26,
        seed: 1,
        finish_on_eof: true,
        log: ProtocolLog::disabled(),
    }
}

/// What a session has written.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic elsewhere").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// All that one worker answers to these lines, in order.
fn answers_to(input: impl Into<Vec<u8>>) -> Vec<Value> {
    answers_of(setup(Arc::new(Hashed), 1), input)
}

/// The same of a session that is set up so.
fn answers_of(setup: SessionSetup, input: impl Into<Vec<u8>>) -> Vec<Value> {
    let paper = Paper::default();
    let input = Cursor::new(input.into());
    let output = Box::new(paper.clone());
    session::run(setup, input, output).expect("a session");
    let bytes = paper.0.lock().expect("the session is over").clone();
    let text = String::from_utf8(bytes).expect("answers in UTF-8");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect()
}

/// A query of an empty 5x5 board with these fields over it.
fn query(fields: Value) -> Value {
    let mut query = json!({
        "id": "q", "moves": [], "rules": "tromp-taylor", "komi": 0.5, "boardXSize": 5, "boardYSize": 5,
    });
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    for (name, value) in fields {
        query[name] = value;
    }
    query
}

/// The only answer to a query with these fields.
fn answer(fields: Value) -> Value {
    let mut answers = answers_to(query(fields).to_string());
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.remove(0)
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
