//! The packed plan against the reference: the same numbers but for rounding, on every kind of net and board, in every
//! vocabulary of the processor, and the same to the bit whatever else is in a batch.

use crate::drawn::{self, Extras, KINDS};
use crate::wide;
use honinbo::net::desc::NetDesc;
use honinbo::net::kernels::vocabulary::Vocabulary;
use honinbo::net::model::{NetInput, NetOutput, Network};
use honinbo::rng::Rng;

pub const MOST: usize = 7;
const NO_RESULT: [bool; MOST] = [true, false, true, true, false, false, true];

/// Random inputs for some positions on boards of one size.
pub struct Batch {
    count: usize,
    width: usize,
    height: usize,
    planes: Vec<f32>,
    globals: Vec<f32>,
    profiles: Vec<f32>,
}

impl Batch {
    pub fn draw(net: &NetDesc, count: usize, width: usize, height: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut draw =
            |count: usize| -> Vec<f32> { (0..count).map(|_| rng.below(3) as f32 - 1.0).collect() };
        Self {
            count,
            width,
            height,
            planes: draw(count * net.inputs.planes() * width * height),
            globals: draw(count * net.inputs.globals()),
            profiles: draw(count * if net.stem.profile.is_some() { 192 } else { 0 }),
        }
    }

    /// Some of its positions.
    pub fn part(&self, first: usize, count: usize) -> NetInput<'_> {
        let of = |numbers: &'_ [f32]| {
            let length = numbers.len() / self.count;
            first * length..(first + count) * length
        };
        NetInput {
            count,
            width: self.width,
            height: self.height,
            planes: &self.planes[of(&self.planes)],
            globals: &self.globals[of(&self.globals)],
            profiles: &self.profiles[of(&self.profiles)],
            no_result: &NO_RESULT[first..first + count],
            optimism: 0.3,
        }
    }

    pub fn all(&self) -> NetInput<'_> {
        self.part(0, self.count)
    }
}

/// All numbers of an output.
pub fn numbers(output: &NetOutput) -> Vec<f32> {
    let judgement = output.judgement;
    let mut all = output.policy.clone();
    all.extend(output.pass);
    all.extend([judgement.value, judgement.no_result]);
    all.extend(judgement.lead);
    if let Some(details) = judgement.details {
        all.extend([details.score_mean, details.score_deviation()]);
    }
    all.extend(output.ownership.iter().flatten());
    all
}

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

fn assert_plan_is_reference(what: &str, net: &NetDesc, boards: &[(usize, usize)]) {
    let reference = Network::reference(net);
    for vocabulary in Vocabulary::available() {
        let plan = Network::speaking(net, vocabulary);
        for (seed, &(width, height)) in (1..).zip(boards) {
            let batch = Batch::draw(net, 2, width, height, seed);
            let what = format!("{what}, {width}x{height}, {}", vocabulary.name());
            let expected = reference.evaluate(&batch.all()).unwrap();
            assert_near(&what, &plan.evaluate(&batch.all()).unwrap(), &expected);
        }
    }
}

/// The sizes that a board's tiles, its border or its vectors could treat differently, and rectangles.
pub const BOARDS: [(usize, usize); 12] = [
    (2, 2),
    (3, 2),
    (4, 4),
    (5, 5),
    (2, 19),
    (7, 6),
    (8, 8),
    (9, 9),
    (13, 5),
    (13, 13),
    (18, 19),
    (19, 19),
];

#[test]
fn every_block_on_every_board() {
    for kind in 0..KINDS {
        let net = drawn::katago(16, Extras::default(), 80 + kind as u64, &[kind]);
        assert_plan_is_reference(&format!("block {kind}"), &net, &BOARDS);
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
        assert_plan_is_reference(&format!("{extras:?}"), &net, &BOARDS[5..8]);
    }
    let leela = drawn::leela_zero(3, false, 5);
    assert_plan_is_reference("Leela Zero", &leela, &BOARDS[11..]);
}

#[test]
fn wide_layers_that_fill_several_vectors() {
    for (seed, (channels, inner)) in [(24, 40), (33, 16), (64, 7)].into_iter().enumerate() {
        let net = wide::net(channels, inner, seed as u64);
        let what = format!("{channels} and {inner} channels");
        assert_plan_is_reference(&what, &net, &[(19, 19), (9, 9), (10, 7), (4, 3)]);
    }
}

#[test]
fn a_position_is_answered_the_same_in_every_batch_and_by_every_thread() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for net in [
        drawn::katago(16, Extras::default(), 7, &kinds),
        wide::net(33, 40, 3),
    ] {
        for vocabulary in Vocabulary::available() {
            let plan = Network::speaking(&net, vocabulary);
            for (width, height) in [(9, 9), (5, 8)] {
                let batch = Batch::draw(&net, MOST, width, height, 6);
                let together = plan.evaluate(&batch.all()).unwrap();
                let apart = |index: usize| plan.evaluate(&batch.part(index, 1)).unwrap();
                // What another position leaves behind must not be seen either.
                for index in (0..MOST).rev() {
                    assert_eq!(apart(index), together[index..=index], "position {index}");
                }
                for first in 1..4 {
                    let some = plan.evaluate(&batch.part(first, 3)).unwrap();
                    assert_eq!(some, together[first..first + 3]);
                }
                std::thread::scope(|scope| {
                    for index in 0..3 {
                        let (apart, expected) = (&apart, &together[index..=index]);
                        scope.spawn(move || assert_eq!(apart(index), expected));
                    }
                });
            }
        }
    }
}
