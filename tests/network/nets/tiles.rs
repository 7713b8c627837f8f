//! Compares networks in bfloat16 with candle's operations in 32-bit floats, for every kind of net and board. Results may
//! differ by the rounding of an 8-bit significand. They must be bit-identical regardless of the other positions in the
//! batch.

use crate::nets::execution_cases::{self, Batch, Boards, difference};
use honinbo::net::candle::device::Backend;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::model::Network;
use honinbo::net::spec::NetSpec;

/// Instruction sets with different tile code: plain Rust, and the best instruction set of this machine.
fn isas() -> [Isa; 2] {
    [Isa::named("scalar").unwrap(), Isa::best()]
}

#[track_caller]
fn assert_close(what: &str, net: &NetSpec, boards: Boards<'_>) {
    // A rounding error is at most 0.2%, and usually 0.1%. Successive layers add errors, and long sums average them out.
    const LOST: f64 = 0.02;
    // A different order of addition may round some numbers the other way.
    const NEIGHBOURS: f64 = 5e-3;
    let reference = Network::with_backend(net, &Backend::default()).unwrap();
    let networks = isas().map(|isa| Network::with_bf16(net, isa));
    for (seed, &(width, height)) in (1..).zip(boards) {
        let batch = Batch::random(net, 2, width, height, seed);
        let of = |network: &Network| network.evaluate(&batch.as_net_input()).unwrap();
        let expected = of(&reference);
        let [scalar, best] = networks.each_ref().map(of);
        let what = format!("{what}, {width}x{height}");
        for (name, found) in [("scalar", &scalar), ("best", &best)] {
            let lost = difference(found, &expected);
            assert!(lost < LOST, "{what}, {name}: {lost}");
        }
        let apart = difference(&best, &scalar);
        assert!(apart < NEIGHBOURS, "{what}: {apart} apart");
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
fn layers_of_several_tiles() {
    execution_cases::for_each_width(assert_close);
}

#[test]
fn results_are_identical_across_batches_and_threads() {
    execution_cases::assert_independent_of_batch_and_thread(|net| {
        let tiled = |isa| Network::with_bf16(net, isa);
        isas().map(tiled).into()
    });
}
