//! The Go Text Protocol: golden transcripts (`gtp-tests/*.gtp` with the output in `*.out`) and sessions with clients
//! that wait, interrupt and disconnect.
//!
//! `GTP_TESTS_WRITE=1 cargo test --test front_ends gtp` updates the `.out` files. Review the difference before
//! committing.

mod advice;
mod calibration;
mod clients;
mod devices;
mod files;
mod fuzz;
mod golden;
mod moves;
mod repetition;
mod sessions;

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use honinbo::engine::identity::Identity;
use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::Evaluator;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::uniform::UniformEvaluator;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::gtp::session;
use honinbo::io::protocol_log::ProtocolLog;

/// Settings that make moves reproducible.
fn settings() -> EngineSettings {
    EngineSettings {
        threads: 1,
        visits: Some(32),
        seed: 1,
        tree_mib: 64,
        ..EngineSettings::default()
    }
}

fn engine(settings: EngineSettings) -> Engine {
    engine_with(settings, Arc::new(HashEvaluator))
}

/// Creates an engine with a uniform raw evaluation, so that responses contain no hash-dependent numbers.
fn engine_with(settings: EngineSettings, evaluator: Arc<dyn Evaluator>) -> Engine {
    let evaluators = Evaluators::new(evaluator, Arc::new(UniformEvaluator));
    Engine::new(settings, evaluators, BoardSize::STANDARD, Rules::default()).expect("threads")
}

fn identity() -> Identity {
    Identity {
        name: "Honinbo".to_owned(),
        version: "0.0".to_owned(),
        ..Identity::default()
    }
}

/// Returns the output of a session.
fn converse(input: &[u8]) -> String {
    converse_with(&mut engine(settings()), input)
}

/// Returns the output of a session with an existing engine.
fn converse_with(engine: &mut Engine, input: &[u8]) -> String {
    let mut output = Vec::new();
    run_session(engine, Cursor::new(input.to_vec()), &mut output);
    String::from_utf8(output).expect("UTF-8")
}

fn run_session(engine: &mut Engine, input: impl Read + Send + 'static, output: &mut dyn Write) {
    let log = ProtocolLog::disabled();
    session::run(engine, &identity(), input, output, log).expect("a session without errors");
}

/// Returns the responses to commands that have one response each.
fn answers(commands: &str) -> Vec<String> {
    let answered = converse(commands.as_bytes());
    let blocks: Vec<_> = answered
        .trim_end()
        .split("\n\n")
        .map(|block| block.trim_end().to_owned())
        .collect();
    assert_eq!(blocks.len(), commands.lines().count(), "{answered}");
    blocks
}
