//! Broken network files: reading them returns an error that describes the problem.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use honinbo::net::error::NetError;
use honinbo::net::formats;
use honinbo::net::formats::honinbo::from_bytes;
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::v1::config::NetConfig;
use honinbo::net::formats::honinbo::v1::weights::{Array, Weights};
use honinbo::net::spec::Inputs;
use honinbo::net::spec::layers::Linear;
use honinbo::random::Rng;
use safetensors::tensor::{Dtype, TensorView};

/// Returns the bytes of a valid file.
fn good_bytes() -> Vec<u8> {
    let weights = Weights::random(NetConfig::classic(), 7).unwrap();
    weights.to_bytes(FilePrecision::F16).unwrap()
}

/// Returns the tensors of a valid net.
fn good_arrays() -> BTreeMap<String, Array> {
    let weights = Weights::random(NetConfig::classic(), 7).unwrap();
    weights
        .arrays()
        .map(|(name, array)| (name.to_owned(), array.clone()))
        .collect()
}

/// Writes a network file with arbitrary arrays and configuration text, without checks.
fn file(config: Option<&str>, arrays: &BTreeMap<String, Array>, dtype: Dtype) -> Vec<u8> {
    let bytes = |array: &Array| {
        array
            .values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let stored: Vec<_> = arrays
        .iter()
        .map(|(name, array)| (name, &array.shape, bytes(array)))
        .collect();
    let views = stored.iter().map(|(name, shape, bytes)| {
        (
            name.as_str(),
            TensorView::new(dtype, (*shape).clone(), bytes).unwrap(),
        )
    });
    let metadata = config.map(|text| HashMap::from([("honinbo".to_owned(), text.to_owned())]));
    safetensors::serialize(views, metadata).unwrap()
}

/// Returns the error of reading `arrays` as the classic net.
fn error_of(arrays: &BTreeMap<String, Array>) -> NetError {
    let config = NetConfig::classic().to_json().unwrap();
    Weights::from_bytes(&file(Some(&config), arrays, Dtype::F32)).unwrap_err()
}

#[test]
fn valid_file_is_accepted() {
    let config = NetConfig::classic().to_json().unwrap();
    Weights::from_bytes(&good_bytes()).unwrap();
    Weights::from_bytes(&file(Some(&config), &good_arrays(), Dtype::F32)).unwrap();
}

#[test]
fn truncated_files_are_rejected() {
    let bytes = good_bytes();
    for tenth in 0..10 {
        let error = Weights::from_bytes(&bytes[..bytes.len() * tenth / 10]).unwrap_err();
        assert!(matches!(error, NetError::Format(_)), "{tenth}/10: {error}");
    }
    let error = Weights::from_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error, NetError::Format(_)), "{error}");
}

#[test]
fn random_bytes_are_rejected() {
    let mut rng = Rng::new(5);
    for length in [1, 7, 8, 9, 100, 10_000] {
        let mut bytes: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        assert!(Weights::from_bytes(&bytes).is_err());
        // With a plausible header length, the random bytes reach the JSON parser.
        if length > 20 {
            bytes[..8].copy_from_slice(&(length as u64 / 2).to_le_bytes());
            assert!(Weights::from_bytes(&bytes).is_err());
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
        if let Err(error) = Weights::from_bytes(&bytes) {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn error_lists_missing_extra_and_misshapen_tensors() {
    let mut arrays = good_arrays();
    arrays.remove("tip.norm.bias");
    arrays.insert(
        "fish.weight".to_owned(),
        Array {
            shape: vec![2],
            values: vec![0.0; 2],
        },
    );
    let output = arrays.get_mut("policy.out.weight").unwrap();
    output.shape = vec![1, 10];
    let error = error_of(&arrays);
    let text = error.to_string();
    let NetError::Tensors(mismatch) = error else {
        panic!("{text}")
    };
    assert_eq!(mismatch.missing, ["tip.norm.bias"]);
    assert_eq!(mismatch.extra, ["fish.weight"]);
    assert_eq!(
        mismatch.differing,
        [(
            "policy.out.weight".to_owned(),
            vec![1, 10, 1, 1],
            vec![1, 10]
        )]
    );
    assert!(
        text.contains("policy.out.weight (expected [1, 10, 1, 1], found [1, 10])"),
        "{text}"
    );
}

#[test]
fn configuration_larger_than_file_is_rejected() {
    let mut config = NetConfig::classic();
    config.channels = 2048;
    config.blocks = vec![config.blocks[0]; 256];
    let bytes = file(Some(&config.to_json().unwrap()), &good_arrays(), Dtype::F32);
    let text = Weights::from_bytes(&bytes).unwrap_err().to_string();
    assert!(text.contains("more") && text.len() < 1500, "{text}");
}

#[test]
fn missing_or_unreadable_configuration_is_rejected() {
    let arrays = good_arrays();
    let missing = Weights::from_bytes(&file(None, &arrays, Dtype::F32)).unwrap_err();
    assert!(matches!(missing, NetError::NoConfig), "{missing}");
    let unreadable = Weights::from_bytes(&file(Some("{}"), &arrays, Dtype::F32)).unwrap_err();
    assert!(matches!(unreadable, NetError::Config(_)), "{unreadable}");
}

#[test]
fn other_number_formats_are_rejected() {
    let config = NetConfig::classic().to_json().unwrap();
    let error = Weights::from_bytes(&file(Some(&config), &good_arrays(), Dtype::I32)).unwrap_err();
    assert!(
        error.to_string().contains("expected F16 or F32, found I32"),
        "{error}"
    );
}

#[test]
fn nonfinite_numbers_and_negative_variances_are_rejected() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut arrays = good_arrays();
        arrays.get_mut("blocks.1.conv2.weight").unwrap().values[3] = bad;
        let text = error_of(&arrays).to_string();
        assert!(
            text.contains("blocks.1.conv2.weight: expected finite") && text.contains("index 3"),
            "{text}"
        );
    }
    let mut arrays = good_arrays();
    arrays.get_mut("tip.norm.running_var").unwrap().values[0] = -0.5;
    let text = error_of(&arrays).to_string();
    assert!(text.contains("at least 0, found -0.5"), "{text}");
}

#[test]
fn weights_outside_half_range_are_not_written() {
    let mut arrays = good_arrays();
    arrays.get_mut("value.hidden.weight").unwrap().values[1] = 70_000.0;
    let weights = Weights::new(NetConfig::classic(), arrays).unwrap();
    let error = weights.to_bytes(FilePrecision::F16).unwrap_err();
    assert!(
        matches!(
            error,
            NetError::Value {
                found: 70_000.0,
                index: 1,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(
        Weights::from_bytes(&weights.to_bytes(FilePrecision::F32).unwrap()).unwrap(),
        weights
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
    for (desc, layer) in [(global, "stem.global"), (plane, "stem.conv")] {
        let error = desc.checked().unwrap_err().to_string();
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
