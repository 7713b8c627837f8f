//! Calibration in the background, while the network evaluates positions in 32-bit floats.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use rayon::ThreadPoolBuilder;

use super::observer::CalibrationObserver;
use crate::eval::EvalError;
use crate::eval::network::LoadedNetwork;
use crate::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};

/// Builds an evaluator stack that is ready for use. If the network has to be calibrated, it first runs in 32-bit floats
/// while `threads` threads calibrate it in the background. The network in 16-bit integers then replaces it between two
/// searches.
///
/// Also returns the thread that controls the calibration, or `None` if no such thread has been started. The thread
/// terminates when the calibration has succeeded or failed.
pub fn build_stack(
    loaded: LoadedNetwork,
    settings: StackSettings,
    threads: usize,
    observer: Arc<dyn CalibrationObserver>,
) -> (EvaluatorStack, Option<JoinHandle<()>>) {
    let network = Arc::new(loaded.evaluator);
    let base = || BaseEvaluator::Network(Arc::clone(&network));
    let Some(calibration) = loaded.calibration else {
        return (EvaluatorStack::new(base(), settings), None);
    };
    let (stack, replacer) = EvaluatorStack::swappable(base(), settings);
    let on_thread_error = Arc::clone(&observer);
    let calibrate = move || {
        // A separate pool, because the current one may be waiting for this evaluator.
        let pool = match ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool,
            Err(error) => return observer.on_failure(&thread_start_error(error)),
        };
        let calibrated = pool.install(|| network.calibrated(calibration, &*observer));
        if let Some(calibrated) = calibrated {
            replacer.replace(BaseEvaluator::Network(Arc::new(calibrated)));
        }
    };
    let thread = Builder::new().name("calibration".to_owned());
    let thread = match thread.spawn(calibrate) {
        Ok(thread) => Some(thread),
        Err(error) => {
            on_thread_error.on_failure(&thread_start_error(error));
            None
        }
    };
    (stack, thread)
}

fn thread_start_error(error: impl std::fmt::Display) -> EvalError {
    EvalError::Network(format!("cannot start threads for the calibration: {error}"))
}
