//! Networks in tiles of 16-bit floats against the reference: the same numbers but for what eight bits of precision lose,
//! on every kind of net and board, and the same to the bit whatever else is in a batch.

use crate::drawn::{self, Extras, KINDS};
use crate::plan::{BOARDS, Batch, MOST, numbers};
use crate::wide;
use honinbo::net::desc::NetDesc;
use honinbo::net::kernels::vocabulary::Vocabulary;
use honinbo::net::model::{NetOutput, Network};

/// The vocabularies that treat tiles differently: plain Rust, and what this machine has best.
fn vocabularies() -> [Vocabulary; 2] {
    [Vocabulary::named("scalar").unwrap(), Vocabulary::best()]
}

/// The size of the differences beside the size of the numbers, as root mean squares.
fn difference(found: &[NetOutput], expected: &[NetOutput]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let (mut differences, mut sizes) = (0.0, 0.0);
    for (found, expected) in found.iter().zip(expected) {
        for (found, expected) in numbers(found).into_iter().zip(numbers(expected)) {
            differences += f64::from(found - expected).powi(2);
            sizes += f64::from(expected).powi(2);
        }
    }
    (differences / sizes).sqrt()
}

#[track_caller]
fn assert_close(what: &str, net: &NetDesc, boards: &[(usize, usize)]) {
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
    for kind in 0..KINDS {
        let net = drawn::katago(16, Extras::default(), 80 + kind as u64, &[kind]);
        assert_close(&format!("block {kind}"), &net, &BOARDS);
    }
}

#[test]
fn every_extra() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for case in 0..6 {
        let extras = Extras {
            rms: [None, Some(false), Some(true)][case % 3],
            profile: case / 3 == 1,
            ..Extras::default()
        };
        let net = drawn::katago(17, extras, 90 + case as u64, &kinds);
        assert_close(&format!("{extras:?}"), &net, &BOARDS[5..8]);
    }
    let leela = drawn::leela_zero(3, false, 5);
    assert_close("Leela Zero", &leela, &BOARDS[11..]);
}

#[test]
fn layers_of_several_tiles() {
    for (seed, (channels, inner)) in [(24, 40), (33, 16), (64, 7)].into_iter().enumerate() {
        let net = wide::net(channels, inner, seed as u64);
        let what = format!("{channels} and {inner} channels");
        assert_close(&what, &net, &[(19, 19), (9, 9), (10, 7), (4, 3)]);
    }
}

#[test]
fn a_position_is_answered_the_same_in_every_batch() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for net in [
        drawn::katago(16, Extras::default(), 7, &kinds),
        wide::net(33, 40, 3),
    ] {
        for vocabulary in vocabularies() {
            let tiled = Network::tiled(&net, vocabulary);
            for (width, height) in [(9, 9), (5, 8)] {
                let batch = Batch::draw(&net, MOST, width, height, 6);
                let together = tiled.evaluate(&batch.all()).unwrap();
                // What another position leaves behind must not be seen either.
                for index in (0..MOST).rev() {
                    let apart = tiled.evaluate(&batch.part(index, 1)).unwrap();
                    assert_eq!(apart, together[index..=index], "position {index}");
                }
                for first in 1..4 {
                    let some = tiled.evaluate(&batch.part(first, 3)).unwrap();
                    assert_eq!(some, together[first..first + 3]);
                }
            }
        }
    }
}
