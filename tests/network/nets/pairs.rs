//! Compares networks in 16-bit integers with networks in 32-bit floats, for every kind of net and board. Results may
//! differ only by rounding. They must be bit-identical regardless of the other positions in the batch.

use crate::nets::execution_cases::{self, Batch, Boards, MAX_BATCH, difference};
use crate::nets::wide;
use honinbo::net::calibration::CalibrationRanges;
use honinbo::net::candle::device::Backend;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::error::NetError;
use honinbo::net::model::Network;
use honinbo::net::spec::NetSpec;
use honinbo::net::spec::blocks::Block;

/// Measures the ranges of a net on `count` random positions for each of several board sizes.
fn ranges(net: &NetSpec, count: usize) -> CalibrationRanges {
    let sides = if net_is_flat(net) {
        vec![19]
    } else {
        vec![19, 9, 5]
    };
    let batches: Vec<Batch> = sides
        .iter()
        .map(|side| Batch::random(net, count, *side, *side, 77))
        .collect();
    let inputs: Vec<_> = batches.iter().map(Batch::as_net_input).collect();
    Network::with_f32(net, Isa::best())
        .measure_ranges(&inputs)
        .unwrap()
}

/// Returns true if the net supports only 19x19.
fn net_is_flat(net: &NetSpec) -> bool {
    matches!(
        net.policy,
        honinbo::net::spec::heads::PolicyHead::Flat { .. }
    )
}

#[track_caller]
fn assert_close(what: &str, net: &NetSpec, boards: Boards<'_>) {
    // A rounding error is at most half of the last bit, which is 1/20,000 of the largest value and about 0.05% of a
    // typical value. The errors of successive layers add up.
    const LOST: f64 = 4e-3;
    // Floating-point sums in a different order may differ slightly and may be rounded to neighbouring integers.
    const NEIGHBOURS: f64 = 5e-4;
    let ranges = ranges(net, 4);
    let scalar = Isa::named("scalar").unwrap();
    let floats = Network::with_f32(net, Isa::best());
    let plain = Network::with_i16_if_faster(net, &ranges, scalar).unwrap();
    for (seed, &(width, height)) in (1..).zip(boards) {
        let batch = Batch::random(net, 2, width, height, seed);
        let expected = floats.evaluate(&batch.as_net_input()).unwrap();
        let twin = plain.evaluate(&batch.as_net_input()).unwrap();
        for isa in Isa::available() {
            let paired = Network::with_i16_if_faster(net, &ranges, isa).unwrap();
            let found = paired.evaluate(&batch.as_net_input()).unwrap();
            let what = format!("{what}, {width}x{height}, {}", isa.name());
            let lost = difference(&found, &expected);
            assert!(lost < LOST, "{what}: {lost}");
            if isa.has_i16() {
                let apart = difference(&found, &twin);
                assert!(apart < NEIGHBOURS, "{what}: {apart} from scalar");
            }
        }
    }
}

#[test]
fn every_block_on_every_board() {
    execution_cases::for_each_block(assert_close);
}

#[test]
fn every_extra() {
    execution_cases::for_each_extra(assert_close);
}

#[test]
fn layers_of_several_panels() {
    execution_cases::for_each_width(assert_close);
}

#[test]
fn only_transformed_convolutions_need_ranges() {
    let mut net = wide::net(64, 33, 5);
    assert!(Network::needs_ranges(&net));
    // Its transformed weights would need too much memory.
    (net.stem.conv.inputs, net.stem.conv.outputs) = (2_000, 2_000);
    assert!(!Network::needs_ranges(&net));
}

#[test]
fn integers_are_used_within_ranges() {
    let net = wide::net(64, 33, 5);
    let ranges = ranges(&net, 4);
    // With ranges that are a hundred times too small, nearly all numbers are too large.
    let small = CalibrationRanges::new(ranges.values().iter().map(|x| x / 100.0).collect());
    let batch = Batch::random(&net, 2, 13, 13, 1);
    for isa in Isa::available().filter(|it| it.has_i16()) {
        let floats = Network::with_f32(&net, isa);
        let expected = floats.evaluate(&batch.as_net_input()).unwrap();
        let rounded = Network::with_i16_if_faster(&net, &ranges, isa).unwrap();
        let lost = difference(&rounded.evaluate(&batch.as_net_input()).unwrap(), &expected);
        assert!(lost > 1e-7 && lost < 4e-3, "{lost}");
        assert_eq!(rounded.saturated_position_count(), 0);
        let saturated = Network::with_i16_if_faster(&net, &small, isa).unwrap();
        assert_eq!(saturated.evaluate(&batch.as_net_input()).unwrap(), expected);
        assert_eq!(saturated.saturated_position_count(), 2);
    }
}

/// Number that exceeds the ranges measured on planes of -1, 0 and 1.
const LARGE: f32 = 50.0;

#[test]
fn only_saturated_positions_are_evaluated_in_floats() {
    let net = wide::net(64, 33, 5);
    let ranges = ranges(&net, 4);
    // More positions than are evaluated together.
    let draw = || Batch::random(&net, MAX_BATCH, 13, 13, 1);
    for isa in Isa::available().filter(|it| it.has_i16()) {
        let floats = Network::with_f32(&net, isa);
        let paired = Network::with_i16_if_faster(&net, &ranges, isa).unwrap();
        let rounded = paired.evaluate(&draw().as_net_input()).unwrap();
        for (count, saturated) in (1..).zip([0, 3, MAX_BATCH - 1]) {
            let batch = draw().with_number(saturated, LARGE);
            let exact = floats.evaluate(&batch.as_net_input()).unwrap();
            let mut expected = rounded.clone();
            expected[saturated] = exact[saturated].clone();
            let found = paired.evaluate(&batch.as_net_input()).unwrap();
            assert_eq!(found, expected, "{}, {saturated}", isa.name());
            assert_ne!(found, exact);
            assert_eq!(paired.saturated_position_count(), count);
        }
    }
}

#[test]
fn infinite_input_is_an_error() {
    let net = wide::net(64, 33, 5);
    let ranges = ranges(&net, 4);
    for isa in Isa::available() {
        let paired = Network::with_i16_if_faster(&net, &ranges, isa).unwrap();
        for number in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let batch = Batch::random(&net, 2, 9, 9, 1).with_number(1, number);
            let error = paired.evaluate(&batch.as_net_input()).unwrap_err();
            assert!(matches!(error, NetError::NonFiniteOutput(_)), "{error}");
        }
    }
}

#[test]
fn overflow_in_transformer_is_an_error() {
    let good = wide::transformer(64, 80, 4);
    let ranges = ranges(&good, 1);
    let batch = Batch::random(&good, 1, 9, 9, 1);
    for isa in Isa::available() {
        for part in 0..3 {
            let mut net = good.clone();
            for block in &mut net.blocks {
                if let (2, Block::Attention(block)) = (part, &mut *block) {
                    // The softmax of attention scores with an infinite difference is not defined.
                    block
                        .key
                        .weights
                        .iter_mut()
                        .for_each(|weight| *weight *= 1e38);
                    block
                        .query
                        .weights
                        .iter_mut()
                        .for_each(|weight| *weight *= 1e38);
                }
                let weights = match (part, block) {
                    (0, Block::Attention(block)) => &mut block.value.weights,
                    (1, Block::FeedForward(block)) => &mut block.wide.weights,
                    _ => continue,
                };
                weights.iter_mut().for_each(|weight| *weight *= 1e38);
            }
            let name = isa.name();
            let floats = Network::with_f32(&net, isa);
            for network in [
                Network::with_i16_if_faster(&net, &ranges, isa).unwrap(),
                floats,
            ] {
                let error = network.evaluate(&batch.as_net_input()).unwrap_err();
                assert!(
                    matches!(error, NetError::NonFiniteOutput(_)),
                    "{name}: {error}"
                );
            }
        }
    }
}

#[test]
fn ranges_are_maxima_over_positions() {
    let net = wide::net(24, 16, 2);
    let floats = Network::with_f32(&net, Isa::best());
    let batch = Batch::random(&net, MAX_BATCH, 7, 6, 3);
    let together = floats.measure_ranges(&[batch.as_net_input()]).unwrap();
    let each: Vec<_> = (0..MAX_BATCH).map(|index| batch.slice(index, 1)).collect();
    assert_eq!(floats.measure_ranges(&each).unwrap(), together);
    let largest = |ranges: &CalibrationRanges| ranges.values().iter().copied().fold(0.0, f32::max);
    let apart = each
        .iter()
        .map(|one| largest(&floats.measure_ranges(&[*one]).unwrap()));
    assert_eq!(apart.fold(0.0, f32::max), largest(&together));
    assert_eq!(together, CalibrationRanges::new(together.values().to_vec()));
}

#[test]
fn ranges_of_another_net_are_rejected() {
    let net = wide::net(24, 16, 2);
    // On instruction sets without integer kernels, floats are used instead, and ranges can be measured with them.
    let has_pairs = |isa: &Isa| isa.has_i16();
    let isa = Isa::available().filter(has_pairs).last().unwrap();
    let good = ranges(&net, 1).values().to_vec();
    let mut negative = good.clone();
    negative[7] = -1.0;
    let mut infinite = good.clone();
    infinite[7] = f32::INFINITY;
    for bad in [good[36..].to_vec(), negative, infinite, Vec::new()] {
        let error =
            Network::with_i16_if_faster(&net, &CalibrationRanges::new(bad), isa).unwrap_err();
        assert!(matches!(error, NetError::Ranges { .. }), "{error}");
    }
    // Zeros mean that no data was recorded. They are accepted.
    let nothing = CalibrationRanges::new(vec![0.0; good.len()]);
    let unseen = Network::with_i16_if_faster(&net, &nothing, isa).unwrap();
    let batch = Batch::random(&net, 1, 9, 9, 1);
    assert!(unseen.evaluate(&batch.as_net_input()).is_ok());
    for other in [
        Network::with_backend(&net, &Backend::default()).unwrap(),
        Network::with_bf16(&net, isa),
        unseen,
    ] {
        let error = other.measure_ranges(&[batch.as_net_input()]).unwrap_err();
        assert!(matches!(error, NetError::NotF32 { .. }), "{error}");
    }
}

#[test]
fn results_are_identical_across_batches_and_threads() {
    execution_cases::assert_independent_of_batch_and_thread(|net| {
        let ranges = ranges(net, 2);
        let paired = |isa| Network::with_i16_if_faster(net, &ranges, isa).unwrap();
        Isa::available().map(paired).collect()
    });
}
