//! Compares the executor with the plain forward pass on nets of every kind, and the readout with its formulas.

use crate::nets::drawn::{self, Extras, KINDS};
use crate::nets::execution_cases::{Batch, OPTIMISM};
use crate::nets::plain::{self, Board, Heads};
use honinbo::net::model::{NetOutput, Network};
use honinbo::net::readout::{KataDetails, UncertaintyEstimates, ValueEstimate};
use honinbo::net::spec::{KataReadout, NetSpec, Readout};

/// Runs a net on random inputs with both the executor and the plain forward pass.
fn both(net: &NetSpec, board: Board, seed: u64) -> (NetOutput, Heads) {
    let area = board.height * board.width;
    let batch = Batch::random(net, 1, board.width, board.height, seed);
    let input = batch.as_net_input();
    let outputs = Network::new(net).unwrap().evaluate(&input).unwrap();
    let wide = |numbers: &[f32]| -> Vec<f64> { numbers.iter().map(|&x| f64::from(x)).collect() };
    let point = |point: usize| {
        let of_planes = input.planes.chunks_exact(area);
        of_planes.map(|plane| f64::from(plane[point])).collect()
    };
    let rows = (0..area).map(point).collect();
    let (globals, profiles) = (wide(input.globals), wide(input.profiles));
    let heads = plain::run(net, board, &rows, &globals, &profiles);
    (outputs[0].clone(), heads)
}

#[track_caller]
fn assert_near(what: &str, found: f32, expected: f64) {
    let error = (f64::from(found) - expected).abs() / expected.abs().max(1.0);
    assert!(error < 2e-4, "{what}: expected {expected}, found {found}");
}

fn mixed(kinds: &[f64]) -> f64 {
    match *kinds {
        [plain] => plain,
        _ => kinds[0] + f64::from(OPTIMISM) * (kinds[1] - kinds[0]),
    }
}

/// Compares all outputs. The activations of the net must keep the numbers at a reasonable magnitude.
fn compare(what: &str, net: &NetSpec, board: Board, seed: u64) {
    let (output, heads) = both(net, board, seed);
    let near = |part: &str, found, expected| {
        assert_near(&format!("{what}: {part}"), found, expected);
    };
    assert_eq!(output.policy.len(), heads.policy.len(), "{what}");
    for (found, kinds) in output.policy.iter().zip(&heads.policy) {
        near("policy", *found, mixed(kinds));
    }
    let pass = output.pass.expect("these nets have a pass output");
    near("pass", pass, mixed(&heads.pass));
    let owners = output.ownership.unwrap_or_default();
    assert_eq!(owners.len(), heads.ownership.len());
    for (found, owner) in owners.iter().zip(&heads.ownership) {
        near("ownership", *found, owner.tanh());
    }
    let value_estimate = output.value_estimate;
    let Readout::KataGo(units) = net.readout else {
        assert_near(what, value_estimate.value, heads.result[0].tanh());
        return;
    };
    let top = heads.result.iter().copied().fold(f64::MIN, f64::max);
    let parts: Vec<f64> = heads.result.iter().map(|x| (x - top).exp()).collect();
    let share = |part: usize| parts[part] / parts.iter().sum::<f64>();
    near("value", value_estimate.value, share(0) - share(1));
    let lead = match *heads.score {
        [score] => score * 2.0 * ((board.height * board.width) as f64).sqrt(),
        [score, _] => score * f64::from(units.score_mean) * (1.0 - share(2)),
        _ => heads.score[2] * f64::from(units.lead) * (1.0 - share(2)),
    };
    near("lead", value_estimate.lead.unwrap(), lead);
    near("no result", value_estimate.no_result, share(2));
    let details = value_estimate.details.unwrap();
    if let [mean, deviation, ..] = *heads.score {
        let mean = mean * f64::from(units.score_mean);
        let deviation = softplus(deviation) * f64::from(units.score_deviation);
        let square = (mean.powi(2) + deviation.powi(2)) * (1.0 - share(2));
        near("square", details.score_mean_square, square);
        near("mean", details.score_mean, mean * (1.0 - share(2)));
    }
    assert_eq!(details.errors.is_some(), heads.score.len() == 6, "{what}");
    if let Some(errors) = details.errors {
        let time = softplus(heads.score[3]) * f64::from(units.variance_time);
        near("time", errors.variance_time, time);
    }
}

#[test]
fn every_block_matches_plain_forward() {
    let board = Board {
        height: 5,
        width: 7,
    };
    for kind in 0..KINDS {
        let net = drawn::katago(16, Extras::default(), 40 + kind as u64, &[kind]);
        compare(&format!("block {kind}"), &net, board, kind as u64);
    }
    let kinds: Vec<usize> = (0..KINDS).collect();
    for version in 3..=17 {
        let net = drawn::katago(version, Extras::default(), u64::from(version), &kinds);
        let square = Board {
            height: 9,
            width: 9,
        };
        compare(&format!("version {version}"), &net, square, 1);
    }
}

#[test]
fn late_version_extras_match_plain_forward() {
    let board = Board {
        height: 6,
        width: 4,
    };
    for case in 0..12 {
        let extras = Extras {
            rms: [None, Some(false), Some(true)][case % 3],
            profile: case / 3 % 2 == 1,
            move_values: case / 6 == 1,
            ..Extras::default()
        };
        let net = drawn::katago(17, extras, 60 + case as u64, &[case % KINDS]);
        compare(&format!("{extras:?}"), &net, board, case as u64);
    }
}

#[test]
fn leela_zero_nets_match_plain_forward() {
    let board = Board {
        height: 19,
        width: 19,
    };
    for black in [false, true] {
        let net = drawn::leela_zero(2, black, 8);
        compare("Leela Zero", &net, board, 2);
    }
}

fn readout(version: u8) -> Readout {
    Readout::KataGo(KataReadout {
        version,
        score_mean: 20.0,
        score_deviation: 20.0,
        lead: 20.0,
        variance_time: 40.0,
        value_error: 0.25,
        score_error: 30.0,
    })
}

#[test]
fn invalid_readout_units_are_rejected() {
    let unit = |of: fn(&mut KataReadout) -> &mut f32, number: f32| {
        let mut net = drawn::katago(16, Extras::default(), 1, &[]);
        let Readout::KataGo(readout) = &mut net.readout else {
            panic!("a net of KataGo's");
        };
        *of(readout) = number;
        net.checked().map(|_| ())
    };
    let all: [fn(&mut KataReadout) -> &mut f32; 6] = [
        |readout| &mut readout.score_mean,
        |readout| &mut readout.score_deviation,
        |readout| &mut readout.lead,
        |readout| &mut readout.variance_time,
        |readout| &mut readout.value_error,
        |readout| &mut readout.score_error,
    ];
    for of in all {
        unit(of, 1e6).unwrap();
        for wrong in [0.0, -1.0, 1e7, f32::INFINITY, f32::NAN] {
            let error = unit(of, wrong).unwrap_err().to_string();
            assert!(error.starts_with("layer readout."), "{error}");
        }
    }
}

/// Returns logits of the probabilities 1/2, 1/4 and 1/4.
fn logits() -> [f32; 3] {
    [2f32.ln(), 0.0, 0.0]
}

#[test]
fn results_and_scores_match_hand_computation() {
    // Games without a result contribute nothing to the value or the lead.
    let output = readout(8).decode_value(&logits(), &[0.5, 0.3, 0.25, -1.0], true, 361);
    assert!((output.value - 0.25).abs() < 1e-6 && (output.no_result - 0.25).abs() < 1e-6);
    assert!((output.lead.unwrap() - 0.75 * 5.0).abs() < 1e-5);
    let details = output.details.unwrap();
    assert!((details.score_mean - 0.75 * 10.0).abs() < 1e-5);
    let square = 0.75 * (100.0 + (20.0 * softplus(0.3)).powi(2));
    assert_near("square", details.score_mean_square, square);
    assert_eq!(details.errors, None);
    // If games without a result are impossible, wins and losses share the whole probability, in the ratio of two to one.
    let output = readout(8).decode_value(&logits(), &[0.5, 0.0, 0.25, 0.0], false, 361);
    assert!((output.value - 1.0 / 3.0).abs() < 1e-6 && output.no_result == 0.0);
    assert!((output.lead.unwrap() - 5.0).abs() < 1e-5);
    // With two score outputs, the lead is the score. With one output, the lead is that output in units of twice the
    // board's side.
    let output = readout(5).decode_value(&logits(), &[0.5, 0.0], false, 361);
    assert_eq!(output.lead, Some(10.0));
    let output = readout(3).decode_value(&logits(), &[0.5], false, 81);
    assert!((output.lead.unwrap() - 9.0).abs() < 1e-5 && output.no_result > 0.2);
}

fn softplus(x: f64) -> f64 {
    (1.0 + x.exp()).ln()
}

#[test]
fn errors_match_hand_computation() {
    let errors = |version: u8| -> UncertaintyEstimates {
        let scores = [0.5, 0.3, 0.25, 1.0, -2.0, 3.0];
        let ValueEstimate {
            details: Some(KataDetails { errors, .. }),
            ..
        } = readout(version).decode_value(&logits(), &scores, false, 361)
        else {
            panic!("details");
        };
        errors.unwrap()
    };
    assert_near("time", errors(9).variance_time, 40.0 * softplus(1.0));
    assert_near("value", errors(9).value, softplus(-2.0));
    assert_near("score", errors(9).score, 10.0 * softplus(3.0));
    let root = |factor: f64, x: f64| (factor * softplus(x)).sqrt();
    assert_near("value", errors(10).value, root(0.25, -2.0));
    assert_near("score", errors(13).score, root(30.0, 3.0));
    assert_near("value", errors(14).value, 0.5 * softplus(-1.0));
    assert_near("score", errors(17).score, 30f64.sqrt() * softplus(1.5));
    assert_near("time", errors(17).variance_time, 40.0 * softplus(1.0));
}

#[test]
fn mean_details_average_each_field() {
    let details = |shift: f32, errors: bool| KataDetails {
        score_mean: shift,
        score_mean_square: 10.0 * shift,
        errors: errors.then_some(UncertaintyEstimates {
            variance_time: 20.0 * shift,
            value: 30.0 * shift,
            score: 40.0 * shift,
        }),
    };
    let mean = |all: &[Option<KataDetails>]| KataDetails::mean(all.iter().copied());
    let (low, high) = (details(1.0, true), details(3.0, true));
    assert_eq!(mean(&[Some(low), Some(high)]), Some(details(2.0, true)));
    let without = Some(details(3.0, false));
    assert_eq!(mean(&[Some(low), without]), Some(details(2.0, false)));
    assert_eq!(mean(&[Some(low), None]), None);
}
