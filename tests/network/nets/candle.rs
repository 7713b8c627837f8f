//! Compares networks that consist of candle operations with the plain forward pass, for every kind of net and board and
//! in every number type.

use crate::nets::drawn::{self, Extras, KINDS};
use crate::nets::execution_cases::{self, Batch, Boards, MAX_BATCH};
use crate::nets::plain::{self, Board};
use crate::nets::wide;
use candle_core::{DType, Device, Tensor};
use honinbo::net::candle::device::{Backend, DeviceChoice};
use honinbo::net::candle::features::FeatureExtractor;
use honinbo::net::candle::fused::{Implementation, Workspaces};
use honinbo::net::candle::layers::activate;
use honinbo::net::candle::network::NetworkModules;
use honinbo::net::candle::policy_head::PolicyHead;
use honinbo::net::candle::value_head::ValueHead;
use honinbo::net::model::EncodedBatch;
use honinbo::net::spec::NetSpec;
use honinbo::net::spec::layers::Activation;

/// Raw outputs of a position: policy, pass, result, score and ownership.
type Heads<T> = [Vec<T>; 5];

fn network(net: &NetSpec, dtype: DType, max_batch: usize) -> NetworkModules {
    NetworkModules::new(net, Implementation::Plain(Backend::cpu(dtype)), max_batch).unwrap()
}

fn evaluate(network: &NetworkModules, input: &EncodedBatch<'_>) -> Vec<Heads<f32>> {
    let mut all = Vec::new();
    let run = network.run(input, |index, raw| {
        assert_eq!(index, all.len());
        let heads = [raw.policy, raw.pass, raw.result, raw.score, raw.ownership];
        all.push(heads.map(<[f32]>::to_vec));
        Ok(())
    });
    run.unwrap();
    assert_eq!(all.len(), input.count);
    all
}

/// Evaluates all positions with the plain forward pass.
fn plain(net: &NetSpec, input: &EncodedBatch<'_>) -> Vec<Heads<f64>> {
    let area = input.height * input.width;
    let part = |numbers: &[f32], index: usize| -> Vec<f64> {
        let length = numbers.len() / input.count;
        let numbers = &numbers[index * length..][..length];
        numbers.iter().copied().map(f64::from).collect()
    };
    let board = Board {
        height: input.height,
        width: input.width,
    };
    let position = |index: usize| {
        let planes = part(input.planes, index);
        let point = |point: usize| planes.iter().skip(point).step_by(area).copied().collect();
        let rows = (0..area).map(point).collect();
        let (globals, profile) = (part(input.globals, index), part(input.profiles, index));
        let heads = plain::run(net, board, &rows, &globals, &profile);
        [
            heads.policy.concat(),
            heads.pass,
            heads.result,
            heads.score,
            heads.ownership,
        ]
    };
    (0..input.count).map(position).collect()
}

/// Asserts that all numbers agree within 1e-4: absolute up to magnitude 1, relative above.
#[track_caller]
fn assert_near(what: &str, found: &[Heads<f32>], expected: &[Heads<f64>]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let names = ["policy", "pass", "result", "score", "ownership"];
    for (found, expected) in found.iter().zip(expected) {
        for ((name, found), expected) in names.iter().zip(found).zip(expected) {
            assert_eq!(found.len(), expected.len(), "{what}: {name}");
            for (&found, &expected) in found.iter().zip(expected) {
                let error = (f64::from(found) - expected).abs() / expected.abs().max(1.0);
                assert!(
                    error < 1e-4,
                    "{what}: {name}: expected {expected}, found {found}"
                );
            }
        }
    }
}

/// Returns the root mean square of the differences, relative to the root mean square of the expected numbers.
fn difference(found: &[Heads<f32>], expected: &[Heads<f64>]) -> f64 {
    let found = found.iter().flatten().flatten();
    let expected = expected.iter().flatten().flatten();
    let (mut differences, mut sizes) = (0.0, 0.0);
    for (found, expected) in found.zip(expected) {
        differences += (f64::from(*found) - expected).powi(2);
        sizes += expected.powi(2);
    }
    (differences / sizes).sqrt()
}

/// 16-bit types and their permitted differences: about ten roundings to a significand of 8 or 11 bits. Each layer adds a
/// rounding error, and long sums average the errors out.
const HALVES: [(DType, f64); 2] = [(DType::BF16, 0.02), (DType::F16, 0.0025)];

/// Asserts that a net agrees with the plain forward pass in f32, and approximately in types with 16 bits.
#[track_caller]
fn assert_agrees(what: &str, net: &NetSpec, boards: Boards<'_>) {
    let network = |dtype| network(net, dtype, 2);
    let full = network(DType::F32);
    let halves = HALVES.map(|(dtype, limit)| (dtype, limit, network(dtype)));
    for (seed, &(width, height)) in (1..).zip(boards) {
        let what = format!("{what}, {width}x{height}");
        let batch = Batch::random(net, 2, width, height, seed);
        let expected = plain(net, &batch.as_net_input());
        assert_near(&what, &evaluate(&full, &batch.as_net_input()), &expected);
        for (dtype, limit, half) in &halves {
            let lost = difference(&evaluate(half, &batch.as_net_input()), &expected);
            assert!(lost < *limit, "{what}, {dtype:?}: {lost}");
        }
    }
}

#[test]
fn every_block_on_every_board() {
    execution_cases::for_each_block(assert_agrees);
}

#[test]
fn every_extra() {
    execution_cases::for_each_extra(assert_agrees);
}

#[test]
fn layers_of_several_vectors() {
    execution_cases::for_each_width(assert_agrees);
}

#[test]
fn batches_of_every_size() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    let net = drawn::katago(16, Extras::default(), 7, &kinds);
    let batch = Batch::random(&net, MAX_BATCH, 5, 7, 6);
    let expected = plain(&net, &batch.as_net_input());
    for max_batch in [1, 2, 3, MAX_BATCH, 100] {
        let network = network(&net, DType::F32, max_batch);
        for count in [1, 2, MAX_BATCH] {
            let what = format!("{count} positions, {max_batch} at once");
            let found = evaluate(&network, &batch.slice(0, count));
            assert_near(&what, &found, &expected[..count]);
        }
    }
}

/// On the CPU, candle's convolution returns wrong results if channels, height and width are equal.
#[test]
fn boards_as_large_as_the_number_of_channels() {
    for side in [3, 9, 19] {
        let net = wide::net(side, side, side as u64);
        assert_agrees("square", &net, &[(side, side)]);
    }
}

#[test]
fn changed_board_sizes_change_rotary_tables() {
    let net = drawn::katago(16, Extras::default(), 5, &[3, 4]);
    let network = network(&net, DType::F32, 1);
    for (width, height) in [(5, 4), (4, 5), (9, 9), (5, 4)] {
        let batch = Batch::random(&net, 1, width, height, 3);
        let found = evaluate(&network, &batch.as_net_input());
        assert_near("positions", &found, &plain(&net, &batch.as_net_input()));
    }
}

#[test]
fn overflow_is_not_finite_in_policy() {
    let mut net = wide::net(32, 32, 4);
    for weight in &mut net.stem.conv.weights {
        *weight *= 1e38;
    }
    let batch = Batch::random(&net, 1, 9, 9, 1);
    for dtype in [DType::F32, DType::BF16, DType::F16] {
        let network = network(&net, dtype, 1);
        let [policy, ..] = &evaluate(&network, &batch.as_net_input())[0];
        assert!(policy.iter().any(|logit| !logit.is_finite()), "{dtype:?}");
    }
}

fn exact(x: f64, activation: Activation) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Silu => x / (1.0 + (-x).exp()),
    }
}

#[test]
fn activations_are_exact_and_preserve_nan() {
    let numbers: Vec<f32> = (-60..=60).map(|x| x as f32 / 4.0).collect();
    // The limits allow several rounding errors, for small results too. In f16, e^-x overflows for x = -11 and below.
    for (dtype, relative, absolute) in [
        (DType::F32, 1e-6, 1e-12),
        (DType::BF16, 0.03, 1e-12),
        (DType::F16, 0.004, 2e-4),
    ] {
        for activation in [
            Activation::Identity,
            Activation::Relu,
            Activation::Mish,
            Activation::Silu,
        ] {
            let apply = |numbers: &[f32]| -> Vec<f32> {
                let x = Tensor::new(numbers, &Device::Cpu).unwrap();
                let y = activate(&x.to_dtype(dtype).unwrap(), activation).unwrap();
                y.to_dtype(DType::F32).unwrap().to_vec1().unwrap()
            };
            for (x, found) in numbers.iter().zip(apply(&numbers)) {
                let expected = exact(f64::from(*x), activation);
                let error = (f64::from(found) - expected).abs();
                assert!(
                    error <= relative * expected.abs() + absolute,
                    "{activation:?} of {x} in {dtype:?}: expected {expected}, found {found}"
                );
            }
            let large = [f32::NAN, -f32::NAN, 3e4];
            let [nan, negative, large] = apply(&large)[..] else {
                panic!("three numbers");
            };
            assert!(nan.is_nan() && negative.is_nan(), "{activation:?}");
            assert!((large / 3e4 - 1.0).abs() < 0.004, "{activation:?}: {large}");
        }
    }
}

#[test]
fn modules_have_documented_shapes() {
    let net = drawn::katago(16, Extras::default(), 5, &[0, 2]);
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let implementation = Implementation::Plain(Backend::cpu(dtype));
        let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::F32, &Device::Cpu).unwrap();
        let planes = zeros(&[3, net.inputs.planes(), 5, 4]);
        let globals = zeros(&[3, net.inputs.globals()]);
        let workspaces = &mut Workspaces::default();
        let features = FeatureExtractor::new(&net, &implementation).unwrap();
        assert!(
            features
                .forward(&planes, &zeros(&[3, 0]), workspaces)
                .is_err()
        );
        let features = features.forward(&planes, &globals, workspaces).unwrap();
        assert_eq!(features.dims(), [3, drawn::CHANNELS, 5, 4]);
        let policy = PolicyHead::new(&net.policy, &implementation).unwrap();
        let policy = policy.forward(&features, workspaces).unwrap();
        assert_eq!(policy.dims(), [3, 20 * 4 + 4]);
        let value = ValueHead::new(&net.value, &implementation).unwrap();
        let value = value.forward(&features, workspaces).unwrap();
        assert_eq!(value.dims(), [3, 3 + 6 + 20]);
        let dtypes = [features.dtype(), policy.dtype(), value.dtype()];
        assert_eq!(dtypes, [DType::F32; 3]);
    }
}

#[test]
fn device_names_are_parsed_and_displayed() {
    for name in ["auto", "cpu", "cuda", "cuda:3", "metal", "candle"] {
        let choice: DeviceChoice = name.parse().unwrap();
        assert_eq!(choice.to_string(), name);
    }
    assert_eq!(
        "cuda:0".parse::<DeviceChoice>().unwrap().to_string(),
        "cuda"
    );
    for wrong in ["", "gpu", "CUDA", "cuda:", "cuda:x", "cuda:-1", "cpu:1"] {
        let error = wrong.parse::<DeviceChoice>().unwrap_err().to_string();
        let expected = "use auto, cpu, cuda, cuda:N, metal or candle";
        assert_eq!(error, format!("unknown device {wrong:?}: {expected}"));
    }
}

#[test]
fn devices_open_or_explain_what_to_do() {
    assert!(DeviceChoice::Cpu.open().unwrap().is_none());
    let backend = DeviceChoice::Candle.open().unwrap().unwrap();
    assert!(backend.device.is_cpu());
    assert_eq!(backend.dtype, DType::F32);
    DeviceChoice::Auto.open().unwrap();
    let builds = [
        (
            DeviceChoice::Cuda(0),
            "CUDA",
            "cuda",
            cfg!(feature = "cuda"),
        ),
        (
            DeviceChoice::Metal,
            "Metal",
            "metal",
            cfg!(feature = "metal"),
        ),
    ];
    for (choice, name, feature, is_built) in builds {
        if !is_built {
            let error = choice.open().unwrap_err().to_string();
            let expected = format!(
                "this build has no {name} support: build with `cargo build --release --features {feature}`, or use \
                 --device cpu"
            );
            assert_eq!(error, expected);
        }
    }
}

#[test]
fn first_working_number_type_is_selected() {
    // candle has no bf16 product on the CPU.
    let select = |dtypes: &[DType]| Backend::with_supported_dtype(Device::Cpu, dtypes);
    let selected = |dtypes: &[DType]| select(dtypes).unwrap().dtype;
    assert_eq!(selected(&[DType::BF16, DType::F16, DType::F32]), DType::F16);
    assert_eq!(selected(&[DType::BF16, DType::F32]), DType::F32);
    let error = select(&[DType::BF16]).unwrap_err().to_string();
    assert!(error.contains("BF16"), "{error}");
}
