//! Compares the CPU kernels with candle's operations, for every kind of net and board and every instruction set of the
//! processor. Results may differ only by rounding. They must be bit-identical regardless of the other positions in the
//! batch.

use crate::nets::execution_cases::{self, Batch, Boards, numbers};
use crate::nets::wide;
use honinbo::net::calibration::CalibrationRanges;
use honinbo::net::candle::device::Backend;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::error::NetError;
use honinbo::net::model::{NetOutput, Network};
use honinbo::net::spec::heads::ValueHead;
use honinbo::net::spec::{NetSpec, Readout};

/// Asserts that all numbers agree within 1e-4: absolute up to magnitude 1, relative above.
#[track_caller]
fn assert_near(what: &str, found: &[NetOutput], expected: &[NetOutput]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let (found, expected) = (numbers(found), numbers(expected));
        assert_eq!(found.len(), expected.len(), "{what}");
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            let error = (found - expected).abs() / expected.abs().max(1.0);
            assert!(
                error < 1e-4,
                "{what}: number {index}: expected {expected}, found {found}"
            );
        }
    }
}

fn assert_kernels_match_candle(what: &str, net: &NetSpec, boards: Boards<'_>) {
    let reference = Network::with_backend(net, &Backend::default()).unwrap();
    for isa in Isa::available() {
        let kernels = Network::with_f32(net, isa);
        for (seed, &(width, height)) in (1..).zip(boards) {
            let batch = Batch::random(net, 2, width, height, seed);
            let what = format!("{what}, {width}x{height}, {}", isa.name());
            let expected = reference.evaluate(&batch.as_net_input()).unwrap();
            assert_near(
                &what,
                &kernels.evaluate(&batch.as_net_input()).unwrap(),
                &expected,
            );
        }
    }
}

#[test]
fn every_block_on_every_board() {
    execution_cases::for_each_block(assert_kernels_match_candle);
}

#[test]
fn every_extra() {
    execution_cases::for_each_extra(assert_kernels_match_candle);
}

#[test]
fn layers_of_several_vectors() {
    execution_cases::for_each_width(assert_kernels_match_candle);
}

#[test]
fn overflow_before_activation_is_an_error() {
    let mut net = wide::net(32, 32, 4);
    // Sums of +inf and -inf in the trunk become NaN, which the activation's lower bound must not turn into zero.
    for weight in &mut net.stem.conv.weights {
        *weight *= 1e38;
    }
    let batch = Batch::random(&net, 1, 9, 9, 1);
    let assert_policy_error = |what: &str, network: &Network| {
        let result = network.evaluate(&batch.as_net_input());
        let error = result.expect_err(what);
        // The policy head is the first head to report the error. Its activations also have lower bounds.
        let at_head = matches!(error, NetError::NonFiniteOutput("policy"));
        assert!(at_head, "{what}: {error}");
    };
    assert_policy_error(
        "candle",
        &Network::with_backend(&net, &Backend::default()).unwrap(),
    );
    for isa in Isa::available() {
        let name = isa.name();
        let kernels = Network::with_f32(&net, isa);
        assert_policy_error(name, &kernels);
        assert_policy_error(&format!("{name}, tiled"), &Network::with_bf16(&net, isa));
        // Ranges that were measured on such numbers are rejected too.
        let ranges = kernels.measure_ranges(&[batch.as_net_input()]).unwrap();
        let mut joined = CalibrationRanges::new(vec![1.0; ranges.values().len()]);
        joined.merge(&ranges);
        for ranges in [ranges, joined] {
            let error = Network::with_i16_if_faster(&net, &ranges, isa).unwrap_err();
            assert!(matches!(error, NetError::Ranges { .. }), "{name}: {error}");
        }
    }
}

#[test]
fn infinite_lead_in_points_is_an_error() {
    let mut net = wide::net(32, 32, 4);
    net.readout = Readout::Honinbo;
    let ValueHead::Pooled(head) = &mut net.value else {
        panic!("the random net has a pooled value head");
    };
    let score = head
        .score
        .as_mut()
        .expect("the random net has a score output");
    score.biased = true;
    score.bias = vec![1e38; score.outputs];
    let batch = Batch::random(&net, 1, 9, 9, 1);
    let error = Network::new(&net)
        .unwrap()
        .evaluate(&batch.as_net_input())
        .unwrap_err();
    assert!(
        matches!(error, NetError::NonFiniteOutput("score")),
        "{error}"
    );
}

#[test]
fn results_are_identical_across_batches_and_threads() {
    execution_cases::assert_independent_of_batch_and_thread(|net| {
        let kernels = |isa| Network::with_f32(net, isa);
        Isa::available().map(kernels).collect()
    });
}
