//! Compares the network with PyTorch. The golden nets written by `scripts/golden_net.py` must reproduce the outputs
//! stored with them, on every board and in every batch.

use candle_core::DType;
use honinbo::net::error::NetError;
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::{from_bytes, ranges, v2, with_ranges};
use honinbo::net::model::{EncodedBatch, NetOutput, Network};
use honinbo::net::spec::blocks::Block;
use honinbo::net::spec::heads::PolicyHead;
use honinbo::net::spec::layers::{Activation, Affine};
use honinbo::net::spec::{NetSpec, TrunkNorm};
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;
use serde::Deserialize;

use crate::candle_backend::backend;
use crate::stored;

/// Input positions on boards of the same size and PyTorch's outputs. Names and shapes are defined by the script.
#[derive(Deserialize)]
struct Case {
    count: usize,
    height: usize,
    width: usize,
    planes: Vec<f32>,
    globals: Vec<f32>,
    policy: Vec<f32>,
    pass: Option<Vec<f32>>,
    value: Vec<f32>,
    score: Option<Vec<f32>>,
    ownership: Option<Vec<f32>>,
}

impl Case {
    fn input(&self) -> EncodedBatch<'_> {
        let Self {
            count,
            height,
            width,
            planes,
            globals,
            ..
        } = self;
        EncodedBatch {
            count: *count,
            width: *width,
            height: *height,
            planes,
            globals,
            profiles: &[],
            no_result: &NO_RESULT[..*count],
            optimism: 0.0,
        }
    }
}

/// Long enough for the positions of any case.
const NO_RESULT: [bool; 16] = [false; 16];

/// Names of the golden nets.
const NETS: [&str; 3] = ["tiny", "classic", "nested"];

fn cases(net: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(stored::path(&format!("{net}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn spec(net: &str) -> NetSpec {
    from_bytes(&stored::bytes(net)).unwrap()
}

fn network(net: &str) -> Network {
    Network::new(&spec(net)).unwrap()
}

/// Concatenates one field of the outputs of all positions. Returns `None` if the net does not have the output.
fn part(outputs: &[NetOutput], of: impl Fn(&NetOutput) -> Option<Vec<f32>>) -> Option<Vec<f32>> {
    let parts: Option<Vec<_>> = outputs.iter().map(of).collect();
    parts.map(|parts| parts.concat())
}

/// Asserts that the numbers agree within `tolerance`: absolute up to magnitude 1, relative above.
#[track_caller]
fn assert_close(what: &str, found: Option<&Vec<f32>>, expected: Option<&Vec<f32>>, tolerance: f32) {
    let (Some(found), Some(expected)) = (found, expected) else {
        assert_eq!(found.is_some(), expected.is_some(), "{what}");
        return;
    };
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(
            error < tolerance,
            "{what}[{index}]: expected {expected}, found {found}"
        );
    }
}

/// Asserts that all outputs of a golden net match PyTorch's outputs.
#[track_caller]
fn assert_matches_pytorch(net: &str, network: &Network, tolerance: f32) {
    for case in cases(net) {
        let outputs = network.evaluate(&case.input()).unwrap();
        let close = |what: &str,
                     expected: Option<&Vec<f32>>,
                     of: &dyn Fn(&NetOutput) -> Option<Vec<f32>>| {
            let what = format!("{net} {}x{} {what}", case.width, case.height);
            assert_close(&what, part(&outputs, of).as_ref(), expected, tolerance);
        };
        close("policy", Some(&case.policy), &|o| Some(o.policy.clone()));
        close("pass", case.pass.as_ref(), &|o| o.pass.map(|x| vec![x]));
        close("value", Some(&case.value), &|o| {
            Some(vec![o.value_estimate.value])
        });
        close("score", case.score.as_ref(), &|o| {
            o.value_estimate.lead.map(|x| vec![x])
        });
        close("ownership", case.ownership.as_ref(), &|o| {
            o.ownership.clone()
        });
    }
}

#[test]
fn outputs_match_pytorch() {
    for net in NETS {
        assert_matches_pytorch(net, &network(net), 1e-4);
    }
}

#[test]
fn candle_outputs_match_pytorch() {
    let backend = backend(DType::F32);
    let tolerance = if backend.device.is_cpu() { 1e-4 } else { 1e-3 };
    for net in NETS {
        let network = Network::with_backend(&spec(net), &backend).unwrap();
        assert_matches_pytorch(net, &network, tolerance);
    }
}

/// Returns the probabilities of all moves of a position. Networks without a pass output have no probability for it.
fn policy(logits: &[f32], pass: Option<f32>) -> Vec<f64> {
    let logits = logits.iter().copied().chain(pass).map(f64::from);
    let powers: Vec<f64> = logits.map(f64::exp).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

#[test]
fn candle_outputs_in_16_bits_are_close_to_pytorch() {
    for (dtype, net) in [DType::BF16, DType::F16]
        .into_iter()
        .flat_map(|dtype| NETS.map(|net| (dtype, net)))
    {
        let network = Network::with_backend(&spec(net), &backend(dtype)).unwrap();
        let (mut divergence, mut positions) = (0.0, 0);
        for case in cases(net) {
            let area = case.width * case.height;
            let outputs = network.evaluate(&case.input()).unwrap();
            for (index, output) in outputs.iter().enumerate() {
                let what = format!("{net} {dtype:?} {}x{} {index}", case.width, case.height);
                let (value, expected) = (output.value_estimate.value, case.value[index]);
                // 0.02 in the probability of winning.
                assert!((value - expected).abs() < 0.04, "{what}: {value}");
                let expected = &case.policy[index * area..][..area];
                let expected = policy(expected, case.pass.as_ref().map(|pass| pass[index]));
                let found = policy(&output.policy, output.pass);
                let pairs = expected.iter().zip(&found);
                divergence += pairs.map(|(p, q)| p * (p / q).ln()).sum::<f64>();
                positions += 1;
                let best = (0..found.len()).max_by(|a, b| found[*a].total_cmp(&found[*b]));
                let most = expected.iter().copied().fold(0.0, f64::max);
                assert!(expected[best.unwrap()] > 0.95 * most, "{what}");
            }
        }
        let mean = divergence / f64::from(positions);
        assert!(mean < 0.005, "{net} {dtype:?}: {mean}");
    }
}

#[test]
fn batch_equals_single_evaluations() {
    let network = network("tiny");
    let case = &cases("tiny")[0];
    let both = network.evaluate(&case.input()).unwrap();
    let mut single = Vec::new();
    for index in 0..case.count {
        let part = |numbers: &'static str| match numbers {
            "planes" => &case.planes[index * 5 * 81..(index + 1) * 5 * 81],
            _ => &case.globals[index * 3..(index + 1) * 3],
        };
        let input = EncodedBatch {
            count: 1,
            planes: part("planes"),
            globals: part("globals"),
            no_result: &NO_RESULT[..1],
            ..case.input()
        };
        single.extend(network.evaluate(&input).unwrap());
    }
    assert_eq!(single, both);
}

#[test]
fn version_1_is_read() {
    let spec = spec("tiny");
    assert_eq!(spec.note.as_deref(), Some(r#"{"purpose": "golden test"}"#));
    assert!(matches!(
        &*spec.blocks,
        [Block::Ordinary(_), Block::Pooling(_)]
    ));
    // The matrices of the file are half floats, so that single precision does not change them.
    let config = stored::config("tiny");
    let single = stored::file(Some(&config), &stored::tensors("tiny"), Dtype::F32);
    assert!(single.len() > stored::bytes("tiny").len());
    let single = from_bytes(&single).unwrap();
    assert_eq!(NetSpec { note: None, ..spec }, single);
}

#[test]
fn version_2_round_trip() {
    for net in ["tiny", "classic", "nested"] {
        let spec = spec(net);
        let bytes = v2::to_bytes(spec.clone(), FilePrecision::F32).unwrap();
        assert_eq!(from_bytes(&bytes).unwrap(), spec);
        let half = v2::to_bytes(spec, FilePrecision::F16).unwrap();
        assert!(half.len() < bytes.len());
        let case = &cases(net)[0];
        let answer = |spec| {
            Network::new(&spec)
                .unwrap()
                .evaluate(&case.input())
                .unwrap()
        };
        let (a, b) = (
            answer(from_bytes(&half).unwrap()),
            answer(from_bytes(&bytes).unwrap()),
        );
        assert!((a[0].value_estimate.value - b[0].value_estimate.value).abs() < 0.01);
    }
}

#[test]
fn adding_ranges_changes_nothing_else() {
    let spec = spec("tiny");
    assert_eq!(spec.ranges, None);
    let first = stored::bytes("tiny");
    let second = v2::to_bytes(spec.clone(), FilePrecision::F32).unwrap();
    for bytes in [first, second] {
        let mut before = from_bytes(&bytes).unwrap();
        for ranges in [vec![0.25, 1.0 / 3.0], vec![]] {
            let with = with_ranges(&bytes, &ranges).unwrap();
            before.ranges = Some(ranges);
            assert_eq!(from_bytes(&with).unwrap(), before);
            // New ranges replace the previous ones.
            let changed = with_ranges(&with, &[2.0]).unwrap();
            assert_eq!(from_bytes(&changed).unwrap().ranges, Some(vec![2.0]));
        }
        let with = with_ranges(&bytes, &[0.5]).unwrap();
        let old = SafeTensors::deserialize(&bytes).unwrap();
        let new = SafeTensors::deserialize(&with).unwrap();
        let mut names = old.names();
        names.sort_unstable();
        for name in names {
            assert_eq!(old.tensor(name).unwrap(), new.tensor(name).unwrap());
        }
        assert_eq!(old.len(), new.len());
    }
    let with = NetSpec {
        ranges: Some(vec![0.5, 7.0]),
        ..spec
    };
    let bytes = v2::to_bytes(with.clone(), FilePrecision::F32).unwrap();
    assert_eq!(from_bytes(&bytes).unwrap(), with);
}

#[test]
fn version_2_with_wrong_tensors_is_rejected() {
    let spec = spec("tiny");
    let text = |change: &dyn Fn(&mut NetSpec)| {
        let mut changed = spec.clone();
        change(&mut changed);
        let bytes = v2::to_bytes(changed, FilePrecision::F32);
        bytes
            .and_then(|bytes| from_bytes(&bytes))
            .unwrap_err()
            .to_string()
    };
    let wrong = text(&|spec| {
        spec.trunk_norm = TrunkNorm::Affine {
            norm: Affine::default(),
            act: Activation::Relu,
        }
    });
    assert_eq!(wrong, "layer tip.norm: expected 8 channels, found 0");
    let wrong = text(&|spec| (spec.stem.conv.inputs, spec.stem.conv.outputs) = (8, 5));
    assert_eq!(wrong, "layer stem.conv: expected 5 inputs, found 8");
    let wrong = text(&|spec| spec.stem.conv.weights[3] = f32::NAN);
    assert_eq!(
        wrong,
        "tensor stem.conv.weights: expected finite numbers, found NaN at index 3"
    );
}

#[test]
fn inputs_of_wrong_length_are_rejected() {
    let network = network("tiny");
    let case = &cases("tiny")[0];
    let good = case.input();
    let wrong = [
        EncodedBatch {
            planes: &good.planes[1..],
            ..good
        },
        EncodedBatch {
            globals: &good.globals[1..],
            ..good
        },
        EncodedBatch { count: 3, ..good },
        EncodedBatch { width: 19, ..good },
        EncodedBatch {
            no_result: &NO_RESULT[..1],
            ..good
        },
        EncodedBatch {
            profiles: &[0.0; 192],
            ..good
        },
    ];
    for input in wrong {
        let error = network.evaluate(&input).unwrap_err();
        assert!(matches!(error, NetError::Input { .. }), "{error}");
    }
}

#[test]
fn overflow_is_an_error() {
    let mut spec = spec("tiny");
    let PolicyHead::Pooled(head) = &mut spec.policy else {
        panic!("a policy head for all sizes");
    };
    head.out.weights.fill(3e38);
    let network = Network::new(&spec).unwrap();
    let error = network.evaluate(&cases("tiny")[0].input()).unwrap_err();
    assert!(
        matches!(error, NetError::NonFiniteOutput("policy")),
        "{error}"
    );
}

#[test]
fn weights_outside_half_range_are_not_written() {
    let mut spec = spec("tiny");
    spec.stem.conv.weights[1] = 70_000.0;
    let error = v2::to_bytes(spec.clone(), FilePrecision::F16).unwrap_err();
    let expected = NetError::Value {
        location: "tensor stem.conv.weights".to_owned(),
        expected: "numbers within the range of 16-bit floats (-65504 to 65504)",
        found: 70_000.0,
        index: 1,
    };
    assert_eq!(error.to_string(), expected.to_string());
    let bytes = v2::to_bytes(spec.clone(), FilePrecision::F32).unwrap();
    assert_eq!(from_bytes(&bytes).unwrap(), spec);
}

#[test]
fn ranges_round_trip() {
    for numbers in [
        &[][..],
        &[0.0, 0.1, 1.0 / 3.0, 7.5e-30, 123_456.79, f32::MAX],
    ] {
        assert_eq!(
            ranges::from_text(&ranges::to_text(numbers)).as_deref(),
            Some(numbers)
        );
    }
    assert_eq!(ranges::to_text(&[0.5, 2.0]), "1 2 0.5 2");
}

#[test]
fn other_texts_are_not_ranges() {
    for text in [
        "",
        "1",
        "2 1 0.5",
        "1 2 0.5",
        "1 1 0.5 2",
        "1 1 -1",
        "1 1 NaN",
        "1 1 inf",
        "1 1 x",
        "1 1 0.5\n",
        "x 0",
    ] {
        assert_eq!(ranges::from_text(text), None, "{text:?}");
    }
}
