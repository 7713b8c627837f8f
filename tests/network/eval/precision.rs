//! Precisions: what a network multiplies, and where integers have their ranges from.

use std::fs;
use std::path::{Path, PathBuf};

use honinbo::encode::katago::profile::Profile;
use honinbo::eval::calibration::{self, cache_file};
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Evaluation, Request, embedded};
use honinbo::game::point::{MAX_SIDE, MIN_SIDE};
use honinbo::net::desc::NetDesc;
use honinbo::net::kernels::vocabulary::Vocabulary;
use honinbo::net::own::described;
use honinbo::net::own::numbers;
use honinbo::net::precision::{Arithmetic, Precision};
use honinbo::net::{model::Network, own};
use honinbo::random::Rng;

use super::support::{ask, check_answer, random_position, size};

/// The network inside the program as if it were another's: without ranges.
fn foreign() -> NetDesc {
    NetDesc {
        ranges: None,
        ..embedded::description().unwrap()
    }
}

/// The best vocabulary of which `fast` chooses this arithmetic, if the processor has one.
fn going(arithmetic: Arithmetic) -> Option<Vocabulary> {
    let all = Vocabulary::available();
    all.filter(|vocabulary| Precision::Fast.arithmetic(*vocabulary) == arithmetic)
        .last()
}

/// What a network says of some position.
fn answer(network: Network) -> Evaluation {
    let position = random_position(size(19, 19), 60, &mut Rng::new(3));
    let evaluator = NetworkEvaluator::new(network, Profile::default()).unwrap();
    ask(&evaluator, Request::new(&position))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Asserts that one is the other but for rounding.
#[track_caller]
fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    assert!(!expected.is_empty() && expected.iter().all(|size| *size > 0.0));
    for (found, expected) in found.iter().zip(expected) {
        let off = (found - expected).abs() / expected;
        assert!(off < 1e-3, "expected {expected}, found {found}");
    }
}

#[test]
fn a_network_runs_as_its_precision_and_the_vocabulary_have_it() {
    for vocabulary in Vocabulary::available() {
        for precision in Precision::ALL {
            let mut desc = embedded::description().unwrap();
            let network =
                calibration::build_network(&mut desc, precision, vocabulary, None).unwrap();
            assert_eq!(network.arithmetic(), precision.arithmetic(vocabulary));
            assert_eq!(network.instructions(), vocabulary.name());
        }
    }
}

#[test]
fn the_embedded_network_is_shared_by_those_who_ask_for_the_same() {
    let pointer = |precision| std::sync::Arc::as_ptr(&embedded::network(precision).unwrap());
    assert_eq!(pointer(Precision::F32), pointer(Precision::F32));
    let arithmetic = Precision::Fast.arithmetic(Vocabulary::chosen().unwrap());
    let same = pointer(Precision::F32) == pointer(Precision::Fast);
    assert_eq!(same, arithmetic == Arithmetic::F32);
}

#[test]
fn ranges_are_the_same_whoever_looks() {
    let desc = foreign();
    let by = |threads, vocabulary| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let look = || calibration::ranges(&desc, vocabulary).unwrap();
        pool.build().unwrap().install(look)
    };
    let best = by(1, Vocabulary::best());
    assert_eq!(by(3, Vocabulary::best()), best);
    let scalar = by(2, Vocabulary::named("scalar").unwrap());
    assert_near(scalar.numbers(), best.numbers());
}

#[test]
fn the_embedded_ranges_are_those_of_the_positions() {
    let written = embedded::description().unwrap().ranges.unwrap();
    let found = calibration::ranges(&foreign(), Vocabulary::best()).unwrap();
    assert_near(&written, found.numbers());
}

#[test]
fn a_foreign_network_is_calibrated_once() {
    let Some(vocabulary) = going(Arithmetic::Pairs) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("new").join("ranges");
    let run = || {
        let network =
            calibration::build_network(&mut foreign(), Precision::Fast, vocabulary, Some(&kept))
                .unwrap();
        assert_eq!(network.arithmetic(), Arithmetic::Pairs);
        answer(network)
    };
    let first = run();
    let [file] = files(&kept).try_into().expect("one file and no parts");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(run(), first);

    // Ranges a thousand times as large leave next to nothing of the numbers: they are seen to be used.
    let place = cache_file::RangesFile::for_network(&mut foreign(), &kept);
    let ranges = place.read().unwrap();
    place.write(&ranges.iter().map(|size| 1000.0 * size).collect::<Vec<_>>());
    assert_ne!(run(), first);

    let ill_fitting = text.replace(&ranges.len().to_string(), &(ranges.len() - 1).to_string());
    for damaged in [&text[..text.len() - 7], "", "\u{0}", &ill_fitting] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(run(), first);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "written anew");
    }
    place.write(&ranges[1..]);
    assert_eq!(run(), first, "ranges of other layers");
    assert_eq!(files(&kept).len(), 1);
}

#[test]
fn nothing_fails_where_nothing_can_be_kept() {
    let Some(vocabulary) = going(Arithmetic::Pairs) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("file");
    fs::write(&occupied, "not a folder").unwrap();
    let run = |folder: Option<&Path>| {
        let mut desc = foreign();
        answer(calibration::build_network(&mut desc, Precision::Fast, vocabulary, folder).unwrap())
    };
    assert_eq!(run(Some(&occupied)), run(None));
    assert_eq!(fs::read_to_string(&occupied).unwrap(), "not a folder");
}

#[test]
fn every_board_is_played_on_in_every_precision() {
    let mut rng = Rng::new(8);
    for vocabulary in [Arithmetic::Tiles, Arithmetic::Pairs]
        .into_iter()
        .filter_map(going)
    {
        let evaluator = |precision| {
            let mut desc = embedded::description().unwrap();
            let network =
                calibration::build_network(&mut desc, precision, vocabulary, None).unwrap();
            NetworkEvaluator::new(network, Profile::default()).unwrap()
        };
        let (exact, fast) = (evaluator(Precision::F32), evaluator(Precision::Fast));
        for width in MIN_SIDE..=MAX_SIDE {
            for height in [width, MIN_SIDE + rng.below(MAX_SIDE - MIN_SIDE + 1)] {
                let size = size(width, height);
                let position = random_position(size, size.area() / 3, &mut rng);
                let request = Request {
                    ownership: true,
                    ..Request::new(&position)
                };
                let (exact, fast) = (ask(&exact, request), ask(&fast, request));
                check_answer(&request, &fast);
                let off = (exact.value - fast.value).abs();
                assert!(off < 0.05, "{size}, {}: {off}", vocabulary.name());
            }
        }
    }
}

#[test]
fn a_network_is_known_by_what_it_is() {
    let mut desc = foreign();
    let name = |desc: &mut NetDesc| desc.fingerprint();
    let found = name(&mut desc);
    let bytes = described::to_bytes(desc.clone(), numbers::Precision::F32).unwrap();
    assert_eq!(name(&mut own::from_bytes(&bytes).unwrap()), found);
    desc.ranges = Some(vec![1.0]);
    assert_eq!(name(&mut desc), found, "ranges do not make a network");
    let weight = desc.stem.conv.weights.last_mut().unwrap();
    *weight = f32::from_bits(weight.to_bits() ^ 1);
    assert_ne!(name(&mut desc), found);
}
