//! Test cases shared by all ways to execute a net: the nets and boards to try, and the check that the result for a
//! position does not depend on the other positions of its batch.

use crate::nets::drawn::{self, Extras, KINDS};
use crate::nets::wide;
use honinbo::net::model::{EncodedBatch, NetOutput, Network};
use honinbo::net::spec::NetSpec;
use honinbo::random::Rng;

/// Maximum number of positions in a batch.
pub const MAX_BATCH: usize = 7;
/// Weight of the optimistic policy.
pub const OPTIMISM: f32 = 0.3;
const NO_RESULT: [bool; MAX_BATCH] = [true, false, true, true, false, false, true];

/// Random inputs for several positions on boards of the same size.
pub struct Batch {
    count: usize,
    width: usize,
    height: usize,
    planes: Vec<f32>,
    globals: Vec<f32>,
    profiles: Vec<f32>,
}

impl Batch {
    pub fn random(net: &NetSpec, count: usize, width: usize, height: usize, seed: u64) -> Self {
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

    /// Replaces the last number in the planes of a position.
    pub fn with_number(mut self, position: usize, number: f32) -> Self {
        let length = self.planes.len() / self.count;
        self.planes[(position + 1) * length - 1] = number;
        self
    }

    /// Returns the input for `count` positions starting at `first`.
    pub fn slice(&self, first: usize, count: usize) -> EncodedBatch<'_> {
        let of = |numbers: &'_ [f32]| {
            let length = numbers.len() / self.count;
            first * length..(first + count) * length
        };
        EncodedBatch {
            count,
            width: self.width,
            height: self.height,
            planes: &self.planes[of(&self.planes)],
            globals: &self.globals[of(&self.globals)],
            profiles: &self.profiles[of(&self.profiles)],
            no_result: &NO_RESULT[first..first + count],
            optimism: OPTIMISM,
        }
    }

    /// Returns the input for all positions.
    pub fn as_net_input(&self) -> EncodedBatch<'_> {
        self.slice(0, self.count)
    }
}

/// Returns all numbers of an output in one list.
pub fn numbers(output: &NetOutput) -> Vec<f32> {
    let value_estimate = output.value_estimate;
    let mut all = output.policy.clone();
    all.extend(output.pass);
    all.extend([value_estimate.value, value_estimate.no_result]);
    all.extend(value_estimate.lead);
    if let Some(details) = value_estimate.details {
        all.extend([details.score_mean, details.score_deviation()]);
        let errors = details.errors.iter();
        all.extend(errors.flat_map(|errors| [errors.variance_time, errors.value, errors.score]));
    }
    all.extend(output.ownership.iter().flatten());
    all
}

/// Returns the root mean square of the differences, relative to the root mean square of the expected numbers.
pub fn difference(found: &[NetOutput], expected: &[NetOutput]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let (mut differences, mut sizes) = (0.0, 0.0);
    for (found, expected) in found.iter().zip(expected) {
        let (found, expected) = (numbers(found), numbers(expected));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.into_iter().zip(expected) {
            differences += f64::from(found - expected).powi(2);
            sizes += f64::from(expected).powi(2);
        }
    }
    (differences / sizes).sqrt()
}

/// Board sizes that tiles, borders or vectors could treat differently, including rectangles.
const BOARDS: [(usize, usize); 12] = [
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

/// Widths and heights of the boards on which to try a net.
pub type Boards<'a> = &'a [(usize, usize)];

/// Calls `check` with a net for each kind of block, its name, and all boards.
#[track_caller]
pub fn for_each_block(check: impl Fn(&str, &NetSpec, Boards<'_>)) {
    for kind in 0..KINDS {
        let net = drawn::katago(16, Extras::default(), 80 + kind as u64, &[kind]);
        check(&format!("block {kind}"), &net, &BOARDS);
    }
}

/// Calls `check` with nets that differ outside their blocks.
#[track_caller]
pub fn for_each_extra(check: impl Fn(&str, &NetSpec, Boards<'_>)) {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for case in 0..6 {
        let extras = Extras {
            rms: [None, Some(false), Some(true)][case % 3],
            profile: case / 3 == 1,
            ..Extras::default()
        };
        let net = drawn::katago(17, extras, 90 + case as u64, &kinds);
        check(&format!("{extras:?}"), &net, &BOARDS[5..8]);
    }
    let leela = drawn::leela_zero(3, false, 5);
    check("Leela Zero", &leela, &BOARDS[11..]);
    check("unusual layers", &drawn::unusual(8), &BOARDS[11..]);
}

/// Calls `check` with nets of various widths. Their layers fill several vectors, tiles or panels, and some widths leave
/// the last one partly empty.
#[track_caller]
pub fn for_each_width(check: impl Fn(&str, &NetSpec, Boards<'_>)) {
    for (seed, (channels, inner)) in [(24, 40), (33, 16), (64, 7), (70, 64)]
        .into_iter()
        .enumerate()
    {
        let net = wide::net(channels, inner, seed as u64);
        let what = format!("{channels} and {inner} channels");
        check(&what, &net, &[(19, 19), (9, 9), (10, 7), (4, 3)]);
    }
    for (seed, (channels, inner)) in [(64, 80), (35, 64), (20, 30)].into_iter().enumerate() {
        let net = wide::transformer(channels, inner, seed as u64);
        let what = format!("a transformer of {channels} and {inner} channels");
        check(&what, &net, &[(19, 19), (5, 5), (10, 7), (4, 3)]);
    }
}

/// Asserts that networks built from one net give bit-identical results in every batch and on every thread.
#[track_caller]
pub fn assert_independent_of_batch_and_thread(networks: impl Fn(&NetSpec) -> Vec<Network>) {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for net in [
        drawn::katago(16, Extras::default(), 7, &kinds),
        wide::net(33, 40, 3),
        wide::transformer(64, 80, 3),
    ] {
        for network in networks(&net) {
            for (width, height) in [(9, 9), (5, 8)] {
                let batch = Batch::random(&net, MAX_BATCH, width, height, 6);
                assert_identical_results(&network, &batch);
            }
        }
    }
}

#[track_caller]
fn assert_identical_results(network: &Network, batch: &Batch) {
    let together = network.evaluate(&batch.as_net_input()).unwrap();
    let apart = |index: usize| network.evaluate(&batch.slice(index, 1)).unwrap();
    // Data that remains from another position must not affect the result either.
    for index in (0..MAX_BATCH).rev() {
        assert_eq!(apart(index), together[index..=index], "position {index}");
    }
    for first in 1..4 {
        let some = network.evaluate(&batch.slice(first, 3)).unwrap();
        assert_eq!(some, together[first..first + 3]);
    }
    std::thread::scope(|scope| {
        for index in 0..3 {
            let (apart, expected) = (&apart, &together[index..=index]);
            scope.spawn(move || assert_eq!(apart(index), expected));
        }
    });
}
