//! Networks in tiles of 16-bit floats against the reference: the same numbers but for what eight bits of precision lose,
//! on every kind of net and board, and the same to the bit whatever else is in a batch.

use crate::every::{self, Batch, Boards, difference};
use honinbo::net::desc::NetDesc;
use honinbo::net::kernels::vocabulary::Vocabulary;
use honinbo::net::model::Network;

/// The vocabularies that treat tiles differently: plain Rust, and what this machine has best.
fn vocabularies() -> [Vocabulary; 2] {
    [Vocabulary::named("scalar").unwrap(), Vocabulary::best()]
}

#[track_caller]
fn assert_close(what: &str, net: &NetDesc, boards: Boards<'_>) {
    // A rounded number is off by 0.2 % at most, by 0.1 % as a rule; layers add to that, sums of many take from it.
    const LOST: f64 = 0.02;
    let reference = Network::reference(net);
    for vocabulary in vocabularies() {
        let tiled = Network::tiled(net, vocabulary);
        for (seed, &(width, height)) in (1..).zip(boards) {
            let batch = Batch::draw(net, 2, width, height, seed);
            let expected = reference.evaluate(&batch.all()).unwrap();
            let lost = difference(&tiled.evaluate(&batch.all()).unwrap(), &expected);
            let name = vocabulary.name();
            assert!(lost < LOST, "{what}, {width}x{height}, {name}: {lost}");
        }
    }
}

#[test]
fn every_block_on_every_board() {
    every::block_on_every_board(assert_close);
}

#[test]
fn every_extra() {
    every::extra(assert_close);
}

#[test]
fn layers_of_several_tiles() {
    every::width(assert_close);
}

#[test]
fn a_position_is_answered_the_same_in_every_batch_and_by_every_thread() {
    every::batch_and_thread(|net| {
        let tiled = |vocabulary| Network::tiled(net, vocabulary);
        vocabularies().map(tiled).into()
    });
}
