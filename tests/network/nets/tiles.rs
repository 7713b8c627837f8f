//! Networks in tiles of 16-bit floats against the reference: the same numbers but for what eight bits of precision lose,
//! on every kind of net and board, and the same to the bit whatever else is in a batch.

use crate::nets::every::{self, Batch, Boards, difference};
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
    // What adding up in another order comes to, where that rounds some numbers the other way.
    const NEIGHBOURS: f64 = 5e-3;
    let reference = Network::reference(net);
    let networks = vocabularies().map(|vocabulary| Network::tiled(net, vocabulary));
    for (seed, &(width, height)) in (1..).zip(boards) {
        let batch = Batch::draw(net, 2, width, height, seed);
        let of = |network: &Network| network.evaluate(&batch.all()).unwrap();
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
