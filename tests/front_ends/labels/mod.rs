//! The label store: its format, labelling and interruptions, import, and conversion to samples.

mod format;
mod growth;
mod import;
mod stream;

use std::fs;
use std::path::Path;

use honinbo::eval::UncertaintyEstimates;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::record::Record;
use honinbo::game::rules::{Komi, Rules};
use honinbo::learn::labels::label::Label;
use honinbo::learn::labels::labelled_game::{LabelStoreEntry, LabelledGame, Origin};
use honinbo::learn::labels::store;

/// A label for a board with four points. All its numbers can be encoded exactly.
fn label() -> Label {
    Label {
        win: 1.0,
        no_result: 0.0,
        lead: Some(-2.5),
        score_deviation: Some(3.25),
        errors: Some(UncertaintyEstimates {
            variance_time: 1.5,
            value: 0.25,
            score: 0.5,
        }),
        policy: vec![(4, 0.5), (2, 0.25)],
        ownership: vec![-1.0, 1.0, 7.0 / 7.5 - 1.0, 1.0 / 7.5 - 1.0],
    }
}

/// A game of four moves on 2x2 with a capture. The positions before the first and after the third move have labels.
fn game() -> LabelledGame {
    let size = BoardSize::new(2, 2).unwrap();
    let rules = Rules::parse("tromp-taylor").unwrap();
    let mut record = Record::new(size, rules.with_komi(Komi::from_half_points(-3)));
    for (color, (column, row)) in [
        (Color::Black, (0, 0)),
        (Color::White, (0, 1)),
        (Color::Black, (1, 1)),
    ] {
        record
            .play(color, Move::Play(Point::at(column, row)))
            .unwrap();
    }
    record.play(Color::White, Move::Pass).unwrap();
    LabelledGame::new(&record, vec![(0, label()), (3, label())]).unwrap()
}

fn entry(source: u64, number: u64) -> LabelStoreEntry {
    LabelStoreEntry {
        origin: Origin {
            source_id: source,
            number,
        },
        games: vec![game()],
    }
}

/// Returns all entries of a store.
fn entries(folder: &Path) -> Vec<LabelStoreEntry> {
    let shards = store::shard_files(folder).unwrap();
    let entries = shards
        .iter()
        .flat_map(|shard| store::read_shard(shard).unwrap());
    entries.collect::<Result<_, _>>().unwrap()
}

/// Returns the contents of the only file of the store with this extension.
fn bytes(folder: &Path, ending: &str) -> Vec<u8> {
    let shards = store::shard_files(folder).unwrap();
    let file = shards
        .iter()
        .find(|shard| shard.extension().unwrap() == ending);
    fs::read(file.expect("a shard")).unwrap()
}
