//! The binary form of labels, compared with bytes written by hand, and its damage.

use std::fs;

use honinbo::game::color::{ByColor, Color};
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::{Komi, Rules};
use honinbo::learn::labels::label::Label;
use honinbo::learn::labels::labelled_game::{LabelStoreEntry, LabelledGame};
use honinbo::learn::labels::store::{LABELS_PER_SHARD, LabelStore, LabelStoreError};

use super::{bytes, entries, entry, game, label};

#[test]
fn label_encoding_matches_documentation() {
    let mut found = Vec::new();
    label().encode(&mut found);
    #[rustfmt::skip]
    let expected = [
        15,
        0xff, 0xff, // win
        0, 0, // no result
        0x60, 0xff, // lead: -160
        208, 0, // deviation
        0, 16, 32, 0, 96, 0, // errors: 4096, 32, 96
        2, 4, 0, 16, 2, 0, 32, // policy: 2^-1, 2^-2
        0xf0, 0x17, // owners
    ];
    assert_eq!(found, expected);
    let mut rest = &found[..];
    assert_eq!(Label::decode(&mut rest, 4), Some(label()));
    assert!(rest.is_empty());
}

#[test]
fn missing_label_parts_stay_missing() {
    let label = Label {
        win: 0.0,
        no_result: 1.0,
        ..Label::default()
    };
    let mut found = Vec::new();
    label.encode(&mut found);
    assert_eq!(found, [0, 0, 0, 0xff, 0xff, 0]);
    assert_eq!(Label::decode(&mut &found[..], 361), Some(label));
}

#[test]
fn damaged_entries_are_rejected() {
    let whole = entry(7, 9).encode();
    assert_eq!(LabelStoreEntry::decode(&whole), Some(entry(7, 9)));
    for length in 0..whole.len() {
        assert_eq!(
            LabelStoreEntry::decode(&whole[..length]),
            None,
            "{length} bytes"
        );
    }
    assert_eq!(LabelStoreEntry::decode(&[&whole[..], &[0]].concat()), None);
    // Make the first move of the last label invalid.
    let mut bad = whole.clone();
    let policy = whole.len() - 8;
    assert_eq!(bad[policy..policy + 3], [4, 0, 16]);
    bad[policy] = 5;
    assert_eq!(LabelStoreEntry::decode(&bad), None);
}

/// Covers handicap, set-up stones with White to move, superko, buttons, and unusual sizes and komis.
#[test]
fn labelled_games_preserve_positions() {
    for rules in Rules::name_list()
        .split(", ")
        .map(|name| Rules::parse(name).unwrap())
    {
        let rules = rules.with_komi(Komi::from_half_points(-7));
        let size = BoardSize::new(5, 4).unwrap();
        let mut handicap = Record::new(size, rules);
        handicap
            .place_handicap(&[Point::at(1, 1), Point::at(3, 2)])
            .unwrap();
        let stones = ByColor::new(
            [Point::at(2, 2)].into_iter().collect(),
            [Point::at(0, 0), Point::at(1, 0)].into_iter().collect(),
        );
        let position = Position::from_stones(size, stones, Color::White, rules).unwrap();
        for mut record in [
            handicap,
            Record::from_position(position),
            Record::new(size, rules),
        ] {
            let mut expected = vec![record.position().clone()];
            for mv in [
                Move::Play(Point::at(4, 3)),
                Move::Pass,
                Move::Play(Point::at(0, 3)),
            ] {
                record.play(record.position().to_move(), mv).unwrap();
                expected.push(record.position().clone());
            }
            let labels = (0..4).map(|number| (number, label())).collect();
            let game = LabelledGame::new(&record, labels).unwrap();
            let positions = game.positions().unwrap();
            let positions: Vec<_> = positions
                .into_iter()
                .map(|(position, _)| position)
                .collect();
            assert_eq!(positions, expected, "{rules:?}");
        }
    }
}

#[test]
fn truncated_store_keeps_complete_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut store = LabelStore::open(path).unwrap();
    for number in 0..3 {
        store.append(&entry(1, number)).unwrap();
    }
    assert!(matches!(
        LabelStore::open(path),
        Err(LabelStoreError::InUse(_))
    ));
    drop(store);
    let whole = bytes(path, "bin");
    let frame = (whole.len() - 8) / 3;
    let file = path.join("labels-000001.bin");
    for length in 0..=whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        let complete = length.saturating_sub(8) / frame;
        assert_eq!(entries(path).len(), complete, "{length} bytes");
        let mut store = LabelStore::open(path).unwrap();
        assert_eq!(store.next_entry_number(1), complete as u64);
        for number in complete as u64..3 {
            store.append(&entry(1, number)).unwrap();
        }
        drop(store);
        assert_eq!(bytes(path, "bin"), whole, "{length} bytes");
    }
}

#[test]
fn foreign_files_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("labels-000001.bin");
    fs::write(&file, "my labels, by hand").unwrap();
    let error = LabelStore::open(folder.path()).unwrap_err();
    assert!(
        error.to_string().contains("the file is not a label file"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), b"my labels, by hand");
}

/// A full shard is sealed. A crash between the steps of sealing neither loses nor duplicates labels.
#[test]
fn sealing_is_crash_safe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut store = LabelStore::open(path).unwrap();
    let count = LABELS_PER_SHARD / game().labels.len() as u64;
    for number in 0..count - 1 {
        store.append(&entry(1, number)).unwrap();
    }
    let open = bytes(path, "bin");
    store.append(&entry(1, count - 1)).unwrap();
    store.append(&entry(1, count)).unwrap();
    drop(store);
    let numbers = |path| {
        let all = entries(path);
        all.iter()
            .map(|entry| entry.origin.number)
            .collect::<Vec<_>>()
    };
    let all: Vec<u64> = (0..=count).collect();
    assert_eq!(numbers(path), all);
    let manifest = fs::read(path.join("manifest.json")).unwrap();
    // The open shard was not removed, or the manifest was not written.
    fs::write(path.join("labels-000001.bin"), &open).unwrap();
    assert_eq!(numbers(path), all);
    fs::remove_file(path.join("manifest.json")).unwrap();
    let store = LabelStore::open(path).unwrap();
    assert_eq!(store.summary().label_count(), LABELS_PER_SHARD + 2);
    drop(store);
    assert_eq!(numbers(path), all);
    assert!(!path.join("labels-000001.bin").exists());
    assert_eq!(fs::read(path.join("manifest.json")).unwrap(), manifest);
}
