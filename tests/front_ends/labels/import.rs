//! Import of hand-written labels in the format `GOLABEL1`.

use std::fs;

use honinbo::game::color::Color;
use honinbo::game::point::Point;
use honinbo::learn::labels::import::{IMPORTED_SOURCE_BIT, LabelImporter};

/// A label on 3x3 after the moves Black B1, White pass, with Black to move.
fn file() -> Vec<u8> {
    let mut bytes = b"GOLABEL1".to_vec();
    bytes.extend([3, 255, 0, 0, 0, 0, 0, 0]);
    for word in [2_u16, 7, 9] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([5_i8.cast_unsigned(), 1]);
    for word in [65_535_u16, 0, 64, 128, 32_768, 192, 320] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.push(2);
    for word in [4_u16, 49_151, 9, 16_384] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0x0f, 0xf0, 0x0f, 0xf0, 0x0f]);
    bytes
}

#[test]
fn labels_are_imported_with_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.bin");
    let once = file();
    fs::write(&path, [&once[..], &once[8..]].concat()).unwrap();
    let import = LabelImporter::open(&path, Vec::new()).unwrap();
    let source = import.source_id();
    assert_ne!(source & IMPORTED_SOURCE_BIT, 0);
    let entries: Vec<_> = import.map(Result::unwrap).collect();
    let origins = entries
        .iter()
        .map(|entry| (entry.origin.source_id, entry.origin.number));
    assert_eq!(origins.collect::<Vec<_>>(), [(source, 0), (source, 1)]);
    let positions = entries[0].games[0].positions().unwrap();
    let [(position, label)] = &positions[..] else {
        panic!("one label");
    };
    assert_eq!(position.to_move(), Color::Black);
    assert_eq!(position.rules().komi.points(), 2.5);
    let black = *position.board().stones(Color::Black);
    assert_eq!(black.iter().collect::<Vec<_>>(), [Point::at(1, 2)]);
    assert_eq!(
        (label.win, label.lead, label.score_deviation),
        (1.0, Some(1.0), Some(2.0))
    );
    let errors = label.errors.unwrap();
    assert!(
        (errors.value - 1.0).abs() < 1e-4,
        "twice the error of the winrate"
    );
    assert_eq!((errors.score, errors.variance_time), (3.0, 5.0));
    assert_eq!(label.policy.len(), 2);
    assert!((label.dense_policy(9).unwrap()[4] - 0.75).abs() < 1e-4);
    assert_eq!(label.ownership[..3], [1.0, -1.0, -1.0]);
    // Labels imported earlier are skipped.
    let mut import = LabelImporter::open(&path, Vec::new()).unwrap();
    import.skip_labels(1).unwrap();
    assert_eq!(import.count(), 1);
}

#[test]
fn damage_and_missing_games_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.bin");
    let whole = file();
    let open = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        LabelImporter::open(&path, Vec::new())
    };
    for length in 9..whole.len() {
        let results: Vec<_> = open(&whole[..length]).unwrap().collect();
        assert!(matches!(&results[..], [Err(_)]), "{length} bytes");
    }
    assert!(open(b"GOLABEL").is_err());
    let mut recorded = whole;
    recorded[9] = 11;
    let results: Vec<_> = open(&recorded).unwrap().collect();
    let error = results[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("train-11"), "{error}");
}
