//! Network precision and calibration.

use std::fs;
use std::path::{Path, PathBuf};

use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::calibration::build::BuiltNetwork;
use honinbo::eval::calibration::{self, cache_file};
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Evaluation, Request, embedded};
use honinbo::game::point::{MAX_SIDE, MIN_SIDE};
use honinbo::net::cpu::isa::Isa;
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::{from_bytes, v2};
use honinbo::net::model::Network;
use honinbo::net::precision::{DType, Precision};
use honinbo::net::spec::NetSpec;
use honinbo::random::Rng;

use super::support::{check_evaluation, evaluate, random_position, size, with_ownership};

/// Returns the embedded network without ranges, like a network from another program.
pub fn without_ranges() -> NetSpec {
    NetSpec {
        ranges: None,
        ..embedded::spec().unwrap()
    }
}

/// Returns the best instruction set for which the precision `fast` selects `dtype`, if the processor has one.
pub fn isa_with(dtype: DType) -> Option<Isa> {
    let all = Isa::available();
    all.filter(|isa| Precision::Fast.dtype(*isa) == dtype)
        .last()
}

/// Builds a network, and calibrates it if necessary.
fn build(spec: NetSpec, precision: Precision, isa: Isa, folder: Option<&Path>) -> Network {
    let built = BuiltNetwork::new(spec, precision, isa, folder.map(Path::to_path_buf));
    built.unwrap().calibrated(&())
}

/// Evaluates a random position with a network.
fn evaluation(network: Network) -> Evaluation {
    let position = random_position(size(19, 19), 60, &mut Rng::new(3));
    let evaluator = NetworkEvaluator::new(network, Profile::default()).unwrap();
    evaluate(&evaluator, Request::new(&position))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Asserts that two arrays are equal except for rounding.
#[track_caller]
fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    assert!(!expected.is_empty() && expected.iter().all(|size| *size > 0.0));
    for (found, expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs() / expected;
        assert!(difference < 1e-3, "expected {expected}, found {found}");
    }
}

#[test]
fn precision_and_isa_determine_arithmetic() {
    for isa in Isa::available() {
        for precision in Precision::ALL {
            let network = build(embedded::spec().unwrap(), precision, isa, None);
            assert_eq!(network.dtype(), precision.dtype(isa));
            assert_eq!(network.isa_name_or_candle(), isa.name());
        }
    }
}

#[test]
fn embedded_network_is_shared() {
    let pointer = |precision| {
        std::sync::Arc::as_ptr(&embedded::evaluator(DeviceConfig::on_cpu(precision)).unwrap())
    };
    assert_eq!(pointer(Precision::F32), pointer(Precision::F32));
    let dtype = Precision::Fast.dtype(Isa::from_env_or_best().unwrap());
    let same = pointer(Precision::F32) == pointer(Precision::Fast);
    assert_eq!(same, dtype == DType::F32);
}

#[test]
fn ranges_do_not_depend_on_threads_or_isa() {
    let spec = without_ranges();
    let by = |threads, isa| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let calibrate = || calibration::measure_ranges(&spec, isa, &()).unwrap();
        pool.build().unwrap().install(calibrate)
    };
    let best = by(1, Isa::best());
    assert_eq!(by(3, Isa::best()), best);
    let scalar = by(2, Isa::named("scalar").unwrap());
    assert_near(scalar.values(), best.values());
}

#[test]
fn embedded_ranges_match_calibration() {
    for spec in [embedded::spec(), embedded::classic_spec()] {
        let mut spec = spec.unwrap();
        let written = spec.ranges.take().unwrap();
        let found = calibration::measure_ranges(&spec, Isa::best(), &()).unwrap();
        assert_near(&written, found.values());
    }
}

#[test]
fn ranges_are_read_from_cache_file() {
    let Some(isa) = isa_with(DType::I16) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("new").join("ranges");
    let run = || {
        let network = build(without_ranges(), Precision::Fast, isa, Some(&cache));
        assert_eq!(network.dtype(), DType::I16);
        evaluation(network)
    };
    let first = run();
    let [file] = files(&cache).try_into().expect("one file and no parts");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(run(), first);

    // Ranges that are a thousand times too large leave almost no precision. The lower precision shows that the ranges are
    // used.
    let ranges_file = cache_file::RangesFile::for_network(&mut without_ranges(), &cache);
    let ranges = ranges_file.read().unwrap();
    ranges_file.write(&ranges.iter().map(|size| 1000.0 * size).collect::<Vec<_>>());
    assert_ne!(run(), first);

    let wrong_count = text.replace(&ranges.len().to_string(), &(ranges.len() - 1).to_string());
    for damaged in [&text[..text.len() - 7], "", "\u{0}", &wrong_count] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(run(), first);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "rewritten");
    }
    ranges_file.write(&ranges[1..]);
    assert_eq!(run(), first, "ranges of other layers");
    assert_eq!(files(&cache).len(), 1);
}

#[test]
fn unwritable_cache_folder_is_ignored() {
    let Some(isa) = isa_with(DType::I16) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("file");
    fs::write(&occupied, "not a folder").unwrap();
    let run =
        |folder: Option<&Path>| evaluation(build(without_ranges(), Precision::Fast, isa, folder));
    assert_eq!(run(Some(&occupied)), run(None));
    assert_eq!(fs::read_to_string(&occupied).unwrap(), "not a folder");
}

#[test]
fn all_board_sizes_work_in_all_precisions() {
    let mut rng = Rng::new(8);
    for isa in [DType::Bf16, DType::I16].into_iter().filter_map(isa_with) {
        let evaluator = |precision| {
            let network = build(embedded::spec().unwrap(), precision, isa, None);
            NetworkEvaluator::new(network, Profile::default()).unwrap()
        };
        let (exact, fast) = (evaluator(Precision::F32), evaluator(Precision::Fast));
        for width in MIN_SIDE..=MAX_SIDE {
            for height in [width, MIN_SIDE + rng.below(MAX_SIDE - MIN_SIDE + 1)] {
                let size = size(width, height);
                let position = random_position(size, size.area() / 3, &mut rng);
                let request = with_ownership(&position);
                let (exact, fast) = (evaluate(&exact, request), evaluate(&fast, request));
                check_evaluation(&request, &fast);
                let difference = (exact.value - fast.value).abs();
                assert!(difference < 0.05, "{size}, {}: {difference}", isa.name());
            }
        }
    }
}

#[test]
fn fingerprint_depends_on_weights_only() {
    let mut spec = without_ranges();
    let name = |spec: &mut NetSpec| spec.fingerprint();
    let found = name(&mut spec);
    let bytes = v2::to_bytes(spec.clone(), FilePrecision::F32).unwrap();
    assert_eq!(name(&mut from_bytes(&bytes).unwrap()), found);
    spec.ranges = Some(vec![1.0]);
    assert_eq!(
        name(&mut spec),
        found,
        "ranges are not part of the fingerprint"
    );
    let weight = spec.stem.conv.weights.last_mut().unwrap();
    *weight = f32::from_bits(weight.to_bits() ^ 1);
    assert_ne!(name(&mut spec), found);
}

#[test]
fn precision_and_instruction_set_determine_the_number_format() {
    for isa in Isa::available() {
        let fast = match isa.name() {
            "amx" => DType::Bf16,
            "neon" => DType::F32,
            _ => DType::I16,
        };
        assert_eq!(Precision::F32.dtype(isa), DType::F32);
        assert_eq!(Precision::Fast.dtype(isa), fast);
        assert_eq!(Precision::Auto.dtype(isa), fast);
    }
}

#[test]
fn precision_names_are_parsed() {
    for precision in Precision::ALL {
        assert_eq!(precision.name().parse(), Ok(precision));
    }
    let error = "half".parse::<Precision>().unwrap_err().to_string();
    assert_eq!(error, "expected one of auto, f32, fast, found \"half\"");
}
