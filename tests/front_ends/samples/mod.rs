//! Training samples: targets from games and labels, and symmetries.

mod files;

use std::path::Path;

use honinbo::encode::Encoding;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::learn::batch_writer::{BatchFormat, BatchWriter};
use honinbo::learn::game::TrainingGame;
use honinbo::learn::labels::label::Label;
use honinbo::learn::sample::{AuxiliaryTargets, Sample, Sampler, SamplerSettings};
use honinbo::random::Rng;
use serde_json::Value;

use crate::program::honinbo;

/// Runs `honinbo samples` with the classic encoding and batches of one sample on a game file or, after `--store`, a
/// store of labels. Returns the header and the frames.
pub fn run_samples(arguments: &[&str], path: &Path) -> Result<(Value, Vec<u8>), String> {
    let mut program = honinbo(&["samples", "--classic", "--batch", "1"]);
    let output = program.args(arguments).arg(path).output().unwrap();
    if output.status.success() {
        Ok(header_and_frames(&output.stdout))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn header_and_frames(bytes: &[u8]) -> (Value, Vec<u8>) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let header = serde_json::from_slice(&bytes[..end]).unwrap();
    (header, bytes[end + 1..].to_vec())
}

const MOVES: usize = 18;

/// Stones on every second row in order; White wins.
fn game(size: BoardSize) -> TrainingGame {
    let points = size.points().filter(|point| point.row() % 2 == 0);
    let counted = Rules::default().with_komi(Komi::from_half_points(13));
    TrainingGame {
        initial: Position::new(size, counted),
        scoring_rules: counted,
        rules: None,
        winner: Some(Color::White),
        margin: None,
        moves: points.take(MOVES).map(Move::Play).collect(),
        search_targets: Vec::new(),
        final_ownership: None,
    }
}

pub const SETTINGS: SamplerSettings = SamplerSettings {
    encoding: Encoding::FULL,
    positions_per_game: 1000,
    min_move: 0,
    random_symmetry: false,
    search_weight: 0.0,
};

fn policy(sample: &Sample) -> &[f32] {
    sample.policy.as_deref().unwrap()
}

fn plane<'a>(sample: &'a Sample, area: usize, name: &str) -> &'a [i8] {
    let number = Encoding::FULL.plane_names().position(|found| found == name);
    &sample.planes[number.unwrap() * area..][..area]
}

/// Owns the stones of the player to move and plays only on opposing stones.
fn greedy_label(position: &Position) -> Label {
    let (size, own) = (position.size(), position.to_move());
    let mut ownership = vec![0.0; size.area()];
    for point in *position.board().stones(own) {
        ownership[size.index(point)] = 1.0;
    }
    let theirs = *position.board().stones(own.opposite());
    Label {
        policy: (theirs.into_iter())
            .map(|point| (size.index(point) as u16, 1.0 / theirs.len() as f32))
            .collect(),
        ownership,
        ..Label::default()
    }
}

/// Returns a labelled sample of each position of the game after its first move.
fn labelled_samples(size: BoardSize, random_symmetry: bool) -> Vec<Sample> {
    let settings = SamplerSettings {
        random_symmetry,
        ..SETTINGS
    };
    let (mut sampler, mut rng) = (Sampler::new(settings), Rng::new(5));
    let game = game(size);
    let mut position = game.initial.clone();
    let samples = game.moves.iter().map(|&mv| {
        position.play_unchecked(position.to_move(), mv);
        sampler.labelled_sample(&position, &greedy_label(&position), &mut rng)
    });
    samples.collect()
}

#[test]
fn game_gives_policy_and_result_targets() {
    let size = BoardSize::new(9, 9).unwrap();
    let found = Sampler::new(SETTINGS).sample_game(&game(size), &mut Rng::new(5));
    assert_eq!(found.len(), MOVES);
    for (index, (sample, mv)) in found.iter().zip(game(size).moves).enumerate() {
        let mut expected = vec![0.0; size.area() + 1];
        expected[size.index(mv.point().unwrap())] = 1.0;
        assert_eq!(policy(sample), expected);
        assert_eq!(sample.value, if index % 2 == 0 { -1.0 } else { 1.0 });
        assert_eq!((sample.lead, &sample.ownership), (None, &None));
        let own: i32 = plane(sample, 81, "own").iter().map(|x| i32::from(*x)).sum();
        assert_eq!(own, index as i32 / 2);
    }
}

#[test]
fn targets_follow_symmetry() {
    for size in [
        BoardSize::new(9, 9).unwrap(),
        BoardSize::new(7, 11).unwrap(),
    ] {
        let area = size.area();
        let all = labelled_samples(size, true);
        let straight = labelled_samples(size, false);
        assert!(all.iter().zip(&straight).any(|(a, b)| a.planes != b.planes));
        for sample in all {
            let owners: Vec<i8> = plane(&sample, area, "own")
                .iter()
                .map(|x| 127 * x)
                .collect();
            assert_eq!(sample.ownership, Some(owners));
            let theirs = plane(&sample, area, "opponent");
            let wanted: Vec<bool> = policy(&sample).iter().map(|share| *share > 0.0).collect();
            let stones: Vec<bool> = theirs.iter().map(|x| *x == 1).collect();
            assert_eq!((&wanted[..area], wanted[area]), (&stones[..], false));
        }
    }
}

#[test]
fn small_boards_are_in_grid_corner() {
    let (size, grid) = (BoardSize::new(5, 4).unwrap(), BoardSize::new(9, 9).unwrap());
    let sample = Sample {
        planes: vec![1; Encoding::CLASSIC.plane_count() * 20],
        globals: Vec::new(),
        policy: Some((0..21).map(|place| place as f32 / 256.0).collect()),
        value: -0.25,
        lead: Some(3.5),
        ownership: None,
        auxiliary_targets: AuxiliaryTargets::default(),
    };
    let mut bytes = Vec::new();
    let format = BatchFormat {
        encoding: Encoding::CLASSIC,
        grid,
        batch_size: 4,
        has_auxiliary_targets: false,
    };
    let mut writer = BatchWriter::new(&mut bytes, format, 4, Rng::new(1)).unwrap();
    writer.push(size, sample).unwrap();
    writer.finish().unwrap();
    let (_, frame) = header_and_frames(&bytes);
    assert_eq!(frame[..4], 1_u32.to_le_bytes());
    let planes = &frame[4..][..23 * 81];
    assert_eq!(planes.iter().filter(|byte| **byte == 1).count(), 23 * 20);
    let policy: Vec<f32> = frame[4 + 23 * 81..][..2 * 82]
        .chunks_exact(2)
        .map(|pair| half::f16::from_le_bytes([pair[0], pair[1]]).to_f32())
        .collect();
    for row in 0..9 {
        for column in 0..9 {
            let on_board = row < 4 && column < 5;
            let place = (row * 5 + column) as f32 / 256.0;
            let expected = if on_board { place } else { 0.0 };
            assert_eq!(
                policy[row * 9 + column],
                expected,
                "row {row}, column {column}"
            );
        }
    }
    assert_eq!(policy[81], 20.0 / 256.0);
    let rest: Vec<f32> = frame[4 + 23 * 81 + 2 * 82..][..20]
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
        .collect();
    assert_eq!(rest, [1.0, -0.25, 1.0, 3.5, 1.0]);
}
