//! Analysis protocol: every response to arbitrary input is one line with a JSON object, and the session ends.
#![no_main]

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use honinbo::engine::identity::Identity;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::io::protocol_log::ProtocolLog;
use honinbo::json_analysis::session::{self, SessionSetup};
use honinbo::json_analysis::settings::QuerySettings;
use libfuzzer_sys::fuzz_target;

/// Words in settings that determine the running time.
const EXCLUDED: [&[u8]; 2] = [b"Visits", b"Time"];

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

fuzz_target!(|bytes: &[u8]| {
    let names = |line: &[u8], word: &[u8]| line.windows(word.len()).any(|part| part == word);
    let lines = bytes.split(|&byte| byte == b'\n');
    let sent: Vec<&[u8]> = lines
        .filter(|line| !EXCLUDED.iter().any(|word| names(line, word)))
        .collect();
    let setup = SessionSetup {
        evaluator: Arc::new(HashEvaluator),
        identity: Identity {
            version: "0.0".to_owned(),
            model: "hashes".to_owned(),
            ..Identity::default()
        },
        max_batch_size: 1,
        settings: QuerySettings {
            max_visits: Some(4),
            ..QuerySettings::default()
        },
        workers: 1,
        threads: 1,
        batch_size: None,
        tree_bytes: 1 << 24,
        seed: 1,
        finish_on_eof: true,
        log: ProtocolLog::disabled(),
    };
    let paper = Paper::default();
    session::run(
        setup,
        Cursor::new(sent.join(&b'\n')),
        Box::new(paper.clone()),
    )
    .expect("a session");
    let written = paper.0.lock().expect("the session is over");
    for line in written.split_inclusive(|&byte| byte == b'\n') {
        assert_eq!((line.first(), line.last()), (Some(&b'{'), Some(&b'\n')));
        assert!(line.ends_with(b"}\n") && std::str::from_utf8(line).is_ok());
    }
});
