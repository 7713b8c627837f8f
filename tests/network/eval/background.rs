//! Calibration in the background.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::calibration::build::BuiltNetwork;
use honinbo::eval::calibration::observer::CalibrationObserver;
use honinbo::eval::calibration::{self, background};
use honinbo::eval::network::LoadedNetwork;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::{EvalError, Request};
use honinbo::net::cpu::isa::Isa;
use honinbo::net::precision::{DType, Precision};
use honinbo::net::spec::NetSpec;
use honinbo::random::Rng;
use parking_lot::Mutex;

use super::precision::{isa_with, without_ranges};
use super::support::{evaluate, random_position, size};

/// Blocks a calibration until the test drops the sender, and records the notifications.
struct BlockingObserver {
    blocked_until_closed: Mutex<Receiver<()>>,
    notifications: Arc<Mutex<Vec<String>>>,
}

impl BlockingObserver {
    fn new() -> (Self, Sender<()>, Arc<Mutex<Vec<String>>>) {
        let (sender, receiver) = channel();
        let notifications = Arc::default();
        let observer = Self {
            blocked_until_closed: Mutex::new(receiver),
            notifications: Arc::clone(&notifications),
        };
        (observer, sender, notifications)
    }
}

impl CalibrationObserver for BlockingObserver {
    fn on_position(&self, done: usize, total: usize) {
        let _ = self.blocked_until_closed.lock().recv();
        if done == total {
            self.notifications.lock().push("all positions".to_owned());
        }
    }

    fn on_success(&self) {
        self.notifications.lock().push("success".to_owned());
    }

    fn on_failure(&self, error: &EvalError) {
        self.notifications.lock().push(error.to_string());
    }
}

fn load(spec: NetSpec, precision: Precision, isa: Isa) -> LoadedNetwork {
    let built = BuiltNetwork::new(spec, precision, isa, None).unwrap();
    LoadedNetwork::from_built(built, Profile::default()).unwrap()
}

/// Builds a stack for a network that needs no calibration.
fn ready_stack(spec: NetSpec, precision: Precision, isa: Isa) -> EvaluatorStack {
    let loaded = load(spec, precision, isa);
    assert!(loaded.calibration.is_none());
    let base = BaseEvaluator::Network(Arc::new(loaded.evaluator));
    EvaluatorStack::new(base, StackSettings::default())
}

#[test]
fn network_is_replaced_after_calibration() {
    let Some(isa) = isa_with(DType::I16) else {
        return;
    };
    let position = random_position(size(19, 19), 60, &mut Rng::new(3));
    let request = Request::new(&position);
    let evaluations = |stack: &EvaluatorStack| {
        [&stack.evaluator, &stack.base].map(|evaluator| evaluate(&**evaluator, request))
    };
    let floats = evaluations(&ready_stack(without_ranges(), Precision::F32, isa));
    let ranges = calibration::measure_ranges(&without_ranges(), isa, &()).unwrap();
    let with_ranges = NetSpec {
        ranges: Some(ranges.values().to_vec()),
        ..without_ranges()
    };
    let integers = evaluations(&ready_stack(with_ranges, Precision::Fast, isa));
    assert_ne!(floats, integers);

    let (observer, end, notifications) = BlockingObserver::new();
    let loaded = load(without_ranges(), Precision::Fast, isa);
    let settings = StackSettings::default();
    let (stack, thread) = background::build_stack(loaded, settings, 2, Arc::new(observer));
    assert_eq!(evaluations(&stack), floats);
    let pinned = stack.evaluator.pinned().expect("a replaceable evaluator");
    drop(end);
    thread.expect("a calibration").join().unwrap();
    // The cache contains the first evaluation but is replaced too.
    assert_eq!(evaluations(&stack), integers);
    assert_eq!(evaluate(&*pinned, request), floats[0]);
    assert_eq!(*notifications.lock(), ["all positions", "success"]);
}

#[test]
fn failed_calibration_keeps_floats() {
    let Some(isa) = isa_with(DType::I16) else {
        return;
    };
    let mut spec = without_ranges();
    // The inputs of later layers are infinite.
    spec.stem.conv.weights.fill(1e37);
    let (observer, end, notifications) = BlockingObserver::new();
    let loaded = load(spec.clone(), Precision::Fast, isa);
    let settings = StackSettings::default();
    let (stack, thread) = background::build_stack(loaded, settings, 1, Arc::new(observer));
    let pinned = stack.evaluator.pinned().unwrap();
    drop(end);
    thread.expect("a calibration").join().unwrap();
    assert!(Arc::ptr_eq(&pinned, &stack.evaluator.pinned().unwrap()));
    let expected = "the network's activations are too large for 16-bit integers";
    assert_eq!(*notifications.lock(), ["all positions", expected]);
    // The same without a background thread.
    let evaluator = load(spec, Precision::Fast, isa).calibrated(&());
    assert_eq!(evaluator.network().dtype(), DType::F32);
}
