//! GTP: every command line in arbitrary input gets exactly one well-formed response.
#![no_main]

use std::io::Cursor;
use std::sync::Arc;

use honinbo::engine::identity::Identity;
use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::uniform::UniformEvaluator;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::gtp::line::ParsedLine;
use honinbo::gtp::session;
use honinbo::io::protocol_log::ProtocolLog;
use libfuzzer_sys::fuzz_target;

/// Commands that access files, or take arguments that determine their running time.
const EXCLUDED: [&str; 6] = [
    "printsgf",
    "loadsgf",
    "kata-benchmark",
    "kata-set-param",
    "kata-set-params",
    "honinbo-param",
];

fuzz_target!(|bytes: &[u8]| {
    let mut sent = Vec::new();
    let mut commands = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        let command = ParsedLine::parse(line);
        let name = command.as_ref().map(|line| line.name.as_str());
        if name.is_some_and(|name| EXCLUDED.contains(&name)) {
            continue;
        }
        sent.extend_from_slice(line);
        sent.push(b'\n');
        commands += usize::from(name.is_some());
        if command.is_some_and(|line| line.name == "quit" && line.args.is_empty()) {
            break;
        }
    }
    let settings = EngineSettings {
        threads: 1,
        visits: Some(8),
        seed: 1,
        tree_mib: 16,
        ..EngineSettings::default()
    };
    let evaluators = Evaluators {
        search: Arc::new(HashEvaluator),
        raw: Arc::new(UniformEvaluator),
        base: Arc::new(UniformEvaluator),
    };
    let size = BoardSize::new(5, 5).expect("a valid size");
    let mut engine = Engine::new(settings, evaluators, size, Rules::default()).expect("an engine");
    let mut output = Vec::new();
    session::run(
        &mut engine,
        &Identity::default(),
        Cursor::new(sent),
        &mut output,
        ProtocolLog::disabled(),
    )
    .expect("a session");
    let output = String::from_utf8(output).expect("output in UTF-8");
    let blocks: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(blocks.len(), commands, "{output}");
    assert!(
        blocks.iter().all(|block| block.starts_with(['=', '?'])),
        "{output}"
    );
});
