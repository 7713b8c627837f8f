//! The packed plan against the reference: the same numbers but for rounding, on every kind of net and board, in every
//! vocabulary of the processor, and the same to the bit whatever else is in a batch.

use crate::nets::every::{self, Batch, Boards, numbers};
use crate::nets::wide;
use honinbo::net::desc::heads::ValueHead;
use honinbo::net::desc::{NetDesc, Readout};
use honinbo::net::error::NetError;
use honinbo::net::kernels::ranges::Ranges;
use honinbo::net::kernels::vocabulary::Vocabulary;
use honinbo::net::model::{NetOutput, Network};

/// Asserts that all numbers agree within 1e-4, relative beyond 1.
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

fn assert_plan_is_reference(what: &str, net: &NetDesc, boards: Boards<'_>) {
    let reference = Network::reference(net);
    for vocabulary in Vocabulary::available() {
        let plan = Network::with_vocabulary(net, vocabulary);
        for (seed, &(width, height)) in (1..).zip(boards) {
            let batch = Batch::draw(net, 2, width, height, seed);
            let what = format!("{what}, {width}x{height}, {}", vocabulary.name());
            let expected = reference.evaluate(&batch.all()).unwrap();
            assert_near(&what, &plan.evaluate(&batch.all()).unwrap(), &expected);
        }
    }
}

#[test]
fn every_block_on_every_board() {
    every::block_on_every_board(assert_plan_is_reference);
}

#[test]
fn every_extra() {
    every::extra(assert_plan_is_reference);
}

#[test]
fn wide_layers_that_fill_several_vectors() {
    every::width(assert_plan_is_reference);
}

#[test]
fn an_overflow_before_a_floor_is_an_error() {
    let mut net = wide::net(32, 32, 4);
    // Infinite sums of both signs in the trunk, whose sums are none: a floor must not make zeros of them.
    for weight in &mut net.stem.conv.weights {
        *weight *= 1e38;
    }
    let batch = Batch::draw(&net, 1, 9, 9, 1);
    let assert_told = |what: &str, network: &Network| {
        let result = network.evaluate(&batch.all());
        let error = result.expect_err(what);
        // The first of the heads, behind floors of its own.
        let at_head = matches!(error, NetError::Output("policy"));
        assert!(at_head, "{what}: {error}");
    };
    assert_told("reference", &Network::reference(&net));
    for vocabulary in Vocabulary::available() {
        let name = vocabulary.name();
        let plan = Network::with_vocabulary(&net, vocabulary);
        assert_told(name, &plan);
        assert_told(&format!("{name}, tiled"), &Network::tiled(&net, vocabulary));
        // Nor are there ranges of such numbers.
        let ranges = plan.ranges(&[batch.all()]).unwrap();
        let mut joined = Ranges::new(vec![1.0; ranges.numbers().len()]);
        joined.join(&ranges);
        for ranges in [ranges, joined] {
            let error = Network::paired(&net, &ranges, vocabulary).unwrap_err();
            assert!(matches!(error, NetError::Ranges { .. }), "{name}: {error}");
        }
    }
}

#[test]
fn a_lead_that_becomes_infinite_in_points_is_an_error() {
    let mut net = wide::net(32, 32, 4);
    net.readout = Readout::Honinbo;
    let ValueHead::Pooled(head) = &mut net.value else {
        panic!("a pooled value is drawn");
    };
    let score = head.score.as_mut().expect("a score is drawn");
    score.biased = true;
    score.bias = vec![1e38; score.outputs];
    let batch = Batch::draw(&net, 1, 9, 9, 1);
    let error = Network::new(&net)
        .unwrap()
        .evaluate(&batch.all())
        .unwrap_err();
    assert!(matches!(error, NetError::Output("score")), "{error}");
}

#[test]
fn a_position_is_answered_the_same_in_every_batch_and_by_every_thread() {
    every::batch_and_thread(|net| {
        let plan = |vocabulary| Network::with_vocabulary(net, vocabulary);
        Vocabulary::available().map(plan).collect()
    });
}
