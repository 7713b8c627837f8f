//! Broken network files: reading them returns an error that describes the problem.

use std::path::PathBuf;

use honinbo::net::error::NetError;
use honinbo::net::formats;
use honinbo::net::formats::honinbo::from_bytes;
use honinbo::net::spec::Inputs;
use honinbo::net::spec::layers::Linear;
use honinbo::random::Rng;
use safetensors::tensor::Dtype;

use crate::stored::{self, Tensors};

/// Returns the bytes of a valid file.
fn good_bytes() -> Vec<u8> {
    stored::bytes("classic")
}

/// Returns the tensors of a valid net.
fn good_tensors() -> Tensors {
    stored::tensors("classic")
}

/// Returns the error of reading `tensors` as the net with this configuration.
fn error_with(config: Option<&str>, tensors: &Tensors) -> NetError {
    from_bytes(&stored::file(config, tensors, Dtype::F32)).unwrap_err()
}

/// Returns the error of reading `tensors` as the classic net.
fn error_of(tensors: &Tensors) -> NetError {
    error_with(Some(&stored::config("classic")), tensors)
}

#[test]
fn truncated_files_are_rejected() {
    let bytes = good_bytes();
    for tenth in 0..10 {
        let error = from_bytes(&bytes[..bytes.len() * tenth / 10]).unwrap_err();
        assert!(matches!(error, NetError::Format(_)), "{tenth}/10: {error}");
    }
    let error = from_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error, NetError::Format(_)), "{error}");
}

#[test]
fn random_bytes_are_rejected() {
    let mut rng = Rng::new(5);
    for length in [1, 7, 8, 9, 100, 10_000] {
        let mut bytes: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        assert!(from_bytes(&bytes).is_err());
        // With a plausible header length, the random bytes reach the JSON parser.
        if length > 20 {
            bytes[..8].copy_from_slice(&(length as u64 / 2).to_le_bytes());
            assert!(from_bytes(&bytes).is_err());
        }
    }
}

#[test]
fn damaged_headers_never_panic() {
    let good = good_bytes();
    let header = u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    let mut rng = Rng::new(9);
    for _ in 0..2000 {
        let mut bytes = good.clone();
        for _ in 0..=rng.below(3) {
            bytes[rng.below(8 + header)] = b"0123456789\",:[]{}azF\xff\x00"[rng.below(22)];
        }
        // Some changes are harmless, such as those to the training note or the name. No change may cause a panic or the
        // allocation of huge amounts of memory.
        if let Err(error) = from_bytes(&bytes) {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn error_lists_missing_extra_and_misshapen_tensors() {
    let mut tensors = good_tensors();
    tensors.remove("tip.norm.bias");
    tensors.insert("fish.weight".to_owned(), (vec![2], vec![0.0; 2]));
    tensors.get_mut("policy.out.weight").unwrap().0 = vec![1, 10];
    let error = error_of(&tensors);
    assert!(matches!(error, NetError::Tensors(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "the tensors do not match the configuration: 1 missing: tip.norm.bias; 1 unexpected: fish.weight; \
         1 with the wrong shape: policy.out.weight (expected [1, 10, 1, 1], found [1, 10])"
    );
}

#[test]
fn configuration_larger_than_file_is_rejected() {
    let config = stored::config("classic")
        .replace("\"channels\": 10", "\"channels\": 2048")
        .replace("\"ordinary\", ", &"\"ordinary\", ".repeat(255));
    let text = error_with(Some(&config), &good_tensors()).to_string();
    assert!(text.contains("more") && text.len() < 1500, "{text}");
}

#[test]
fn missing_configuration_is_rejected() {
    let missing = error_with(None, &good_tensors());
    assert!(matches!(missing, NetError::NoConfig), "{missing}");
}

#[test]
fn unusable_configurations_are_explained() {
    let good = stored::config("classic");
    for (from, to, expected) in [
        (
            "\"honinbo-net\"",
            "\"other\"",
            "expected format \"honinbo-net\", found \"other\"",
        ),
        (
            "\"format\": \"honinbo-net\", ",
            "",
            "expected format \"honinbo-net\", found none",
        ),
        (
            "\"version\": 1",
            "\"version\": 3",
            "expected version 1 or 2, found 3",
        ),
        (
            "\"channels\": 10",
            "\"channels\": 0",
            "expected channels from 1 to 2048, found 0",
        ),
        (
            "\"channels\": 10",
            "\"channels\": 999999999999",
            "expected channels from 1 to 2048",
        ),
        ("\"channels\": 10", "\"channels\": -3", "invalid value"),
        ("\"channels\": 10, ", "", "missing field `channels`"),
        (
            "\"pass\": false",
            "\"pass\": false, \"fish\": 1",
            "unknown field `fish`",
        ),
        ("\"ordinary\"", "\"strange\"", "unknown variant `strange`"),
        ("{", "[", "network configuration"),
    ] {
        assert!(good.contains(from), "{from} not in {good}");
        let text = error_with(Some(&good.replace(from, to)), &good_tensors()).to_string();
        assert!(text.contains(expected), "{from} -> {to}: {text}");
    }
}

#[test]
fn other_number_formats_are_rejected() {
    let config = stored::config("classic");
    let bytes = stored::file(Some(&config), &good_tensors(), Dtype::I32);
    let text = from_bytes(&bytes).unwrap_err().to_string();
    assert!(text.contains("expected F16 or F32, found I32"), "{text}");
}

#[test]
fn nonfinite_numbers_and_negative_variances_are_rejected() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut tensors = good_tensors();
        tensors.get_mut("blocks.1.conv2.weight").unwrap().1[3] = bad;
        let text = error_of(&tensors).to_string();
        assert!(
            text.contains("blocks.1.conv2.weight: expected finite") && text.contains("index 3"),
            "{text}"
        );
    }
    let mut tensors = good_tensors();
    tensors.get_mut("tip.norm.running_var").unwrap().1[0] = -0.5;
    let text = error_of(&tensors).to_string();
    assert_eq!(
        text,
        "norm tip.norm: expected variances of at least 0, found -0.5 at index 0"
    );
}

#[test]
fn layer_without_inputs_is_rejected() {
    let good = from_bytes(&good_bytes()).unwrap();
    let mut global = good.clone();
    global.inputs = Inputs::Honinbo {
        planes: good.inputs.planes(),
        globals: 0,
    };
    global.stem.global = Some(Linear {
        outputs: good.stem.conv.outputs,
        ..Linear::default()
    });
    let mut plane = good;
    plane.inputs = Inputs::Honinbo {
        planes: 0,
        globals: 0,
    };
    plane.stem.global = None;
    plane.stem.conv.inputs = 0;
    plane.stem.conv.weights.clear();
    for (spec, layer) in [(global, "stem.global"), (plane, "stem.conv")] {
        let error = spec.checked().unwrap_err().to_string();
        assert!(error.contains(layer), "{error}");
    }
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("broken.safetensors");
    let absent = formats::read(&path).unwrap_err().to_string();
    assert!(absent.contains("broken.safetensors"), "{absent}");
    std::fs::write(&path, b"\x09\0\0\0\0\0\0\0{not a net").unwrap();
    let broken = formats::read(&path).unwrap_err().to_string();
    assert!(
        broken.contains("broken.safetensors") && broken.contains("safetensors file"),
        "{broken}"
    );
}
