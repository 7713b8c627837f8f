//! Networks without ranges for 16-bit integers: sessions before, during and after the calibration.

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use honinbo::encode::katago::player_profile::Profile;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::calibration::build::BuiltNetwork;
use honinbo::eval::calibration::observer::CalibrationObserver;
use honinbo::eval::calibration::{self, background};
use honinbo::eval::network::LoadedNetwork;
use honinbo::eval::stack::{EvaluatorStack, StackSettings};
use honinbo::eval::{EvalError, embedded};
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::v2;
use honinbo::net::precision::{DType, Precision};
use honinbo::net::spec::NetSpec;
use parking_lot::Mutex;

use super::{converse_with, settings};
use crate::program::{honinbo, run};

/// Requests the raw output of the network and searched moves.
const GAME: &[u8] = b"name\nboardsize 9\nclear_board\nkata-raw-nn 0\ngenmove b\ngenmove w\n";

/// Blocks a calibration until the test drops the sender.
struct BlockingObserver(Mutex<Receiver<()>>);

impl CalibrationObserver for BlockingObserver {
    fn on_position(&self, _: usize, _: usize) {
        let _ = self.0.lock().recv();
    }

    fn on_success(&self) {}

    fn on_failure(&self, error: &EvalError) {
        panic!("{error}");
    }
}

/// Returns the built-in network without ranges.
fn without_ranges() -> NetSpec {
    NetSpec {
        ranges: None,
        ..embedded::spec().unwrap()
    }
}

fn with_ranges(isa: Isa) -> NetSpec {
    let ranges = calibration::measure_ranges(&without_ranges(), isa, &()).unwrap();
    NetSpec {
        ranges: Some(ranges.values().to_vec()),
        ..without_ranges()
    }
}

fn load(spec: NetSpec, precision: Precision, isa: Isa) -> LoadedNetwork {
    let built = BuiltNetwork::new(spec, precision, isa, None).unwrap();
    LoadedNetwork::from_built(built, Profile::default()).unwrap()
}

fn engine(stack: &EvaluatorStack) -> Engine {
    let evaluators = Evaluators::new(Arc::clone(&stack.evaluator), Arc::clone(&stack.base));
    Engine::new(
        settings(),
        evaluators,
        BoardSize::STANDARD,
        Rules::default(),
    )
    .unwrap()
}

#[test]
fn commands_are_answered_during_calibration() {
    let mut isas = Isa::available();
    let Some(isa) = isas.find(|isa| Precision::Fast.dtype(*isa) == DType::I16) else {
        return;
    };
    let stack = |loaded, observer| {
        let stack_settings = StackSettings::default();
        background::build_stack(loaded, stack_settings, 1, observer)
    };
    let played_by = |spec, precision| {
        let (stack, thread) = stack(load(spec, precision, isa), Arc::new(()));
        assert!(thread.is_none(), "nothing to calibrate");
        converse_with(&mut engine(&stack), GAME)
    };
    let floats = played_by(without_ranges(), Precision::F32);
    let integers = played_by(with_ranges(isa), Precision::Fast);
    assert_ne!(floats, integers);

    let (end, receiver) = channel();
    let observer = BlockingObserver(Mutex::new(receiver));
    let loaded = load(without_ranges(), Precision::Fast, isa);
    let (stack, thread) = stack(loaded, Arc::new(observer));
    let mut engine = engine(&stack);
    assert_eq!(converse_with(&mut engine, GAME), floats);
    drop(end);
    thread.expect("a calibration").join().unwrap();
    assert_eq!(converse_with(&mut engine, GAME), integers);
}

/// Returns the raw output of a network file, with an empty cache folder for ranges.
fn raw_output(folder: &Path, spec: NetSpec, variable: &str, options: &[&str]) -> String {
    let file = folder.join("network.safetensors");
    fs::write(&file, v2::to_bytes(spec, FilePrecision::F32).unwrap()).unwrap();
    let mut script = tempfile::tempfile().unwrap();
    script.write_all(b"kata-raw-nn 0\nquit\n").unwrap();
    script.rewind().unwrap();
    let cache = tempfile::tempdir().unwrap();
    // The raw output is that of the network in the search.
    let mut program = honinbo(&["gtp", "--precision", "fast", "--weights"]);
    program.arg(&file).args(options).stdin(script);
    program.env("XDG_CACHE_HOME", cache.path());
    program.env("HONINBO_CALIBRATION", variable);
    run(&mut program).printed()
}

#[test]
fn reproducible_games_wait_for_calibration() {
    let folder = tempfile::tempdir().unwrap();
    let isa = Isa::from_env_or_best().unwrap();
    let expected = raw_output(folder.path(), with_ranges(isa), "", &[]);
    for (variable, options) in [
        ("", ["--threads", "1", "--seed", "5"]),
        ("", ["--threads", "1", "--visits", "9"]),
        ("wait", ["--threads", "2", "--seed", "5"]),
    ] {
        let found = raw_output(folder.path(), without_ranges(), variable, &options);
        assert_eq!(found, expected, "{variable} {options:?}");
    }
}
