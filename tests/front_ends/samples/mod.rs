//! Training samples: targets from games and teachers, and symmetries.

mod files;
mod leaf_sampler;

use std::sync::Arc;

use honinbo::encode::Encoding;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::learn::batch_writer::BatchWriter;
use honinbo::learn::game::TrainingGame;
use honinbo::learn::sample::{LabelDetails, Sample, SampleSettings, Sampler};
use honinbo::learn::teacher::Teacher;
use honinbo::learn::teacher_input::TEACHER_INPUTS;
use honinbo::random::Rng;

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

const SETTINGS: SampleSettings = SampleSettings {
    encoding: Encoding::FULL,
    positions_per_game: 100,
    min_move: 0,
    random_symmetry: false,
    search_weight: 0.0,
    off_policy_moves: 0,
    balance_komi: false,
    with_teacher_inputs: false,
    with_policy: true,
};

fn samples(size: BoardSize, turn: bool, teacher: Option<&Teacher>) -> Vec<Sample> {
    sample_game_with(
        size,
        SampleSettings {
            random_symmetry: turn,
            ..SETTINGS
        },
        teacher,
    )
}

fn sample_game_with(
    size: BoardSize,
    settings: SampleSettings,
    teacher: Option<&Teacher>,
) -> Vec<Sample> {
    let mut sampler = Sampler::new(settings, teacher);
    sampler.sample_game(&game(size), &mut Rng::new(5)).unwrap()
}

fn policy(sample: &Sample) -> &[f32] {
    sample.policy.as_deref().unwrap()
}

fn plane<'a>(sample: &'a Sample, area: usize, name: &str) -> &'a [i8] {
    let number = Encoding::FULL.plane_names().position(|found| found == name);
    &sample.planes[number.unwrap() * area..][..area]
}

/// An evaluator that calls a function.
struct FnEvaluator(fn(&Position) -> Evaluation);

impl Evaluator for FnEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        for (request, evaluation) in requests.iter().zip(evaluations) {
            *evaluation = (self.0)(request.position);
        }
        Ok(())
    }
}

/// Owns its stones and plays only on opposing stones.
fn greedy(position: &Position) -> Evaluation {
    let (size, own) = (position.size(), position.to_move());
    let mut policy = vec![0.0; size.area() + 1];
    let mut ownership = vec![0.0; size.area()];
    let theirs = position.board().stones(own.opposite());
    for point in *theirs {
        policy[size.index(point)] = 1.0 / theirs.len() as f32;
    }
    for point in *position.board().stones(own) {
        ownership[size.index(point)] = 1.0;
    }
    Evaluation {
        policy,
        ownership,
        ..Evaluation::default()
    }
}

/// Evaluates the player to move as ahead, with a uniform policy that never passes.
fn optimistic(position: &Position) -> Evaluation {
    let area = position.size().area();
    let mut policy = vec![1.0 / area as f32; area];
    policy.push(0.0);
    Evaluation {
        policy,
        value: 0.5,
        ..Evaluation::default()
    }
}

#[test]
fn game_gives_policy_and_result_targets() {
    let size = BoardSize::new(9, 9).unwrap();
    let found = samples(size, false, None);
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
    let teacher = Teacher::new(Arc::new(FnEvaluator(greedy)), 0.0, 0.0);
    for size in [
        BoardSize::new(9, 9).unwrap(),
        BoardSize::new(7, 11).unwrap(),
    ] {
        let area = size.area();
        let all = samples(size, true, Some(&teacher));
        let straight = samples(size, false, Some(&teacher));
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
fn off_policy_positions_have_teacher_targets() {
    let size = BoardSize::new(9, 9).unwrap();
    let teacher = Teacher::new(Arc::new(FnEvaluator(optimistic)), 1.0, 1.0);
    let straight = samples(size, false, Some(&teacher));
    let settings = SampleSettings {
        off_policy_moves: 2,
        ..SETTINGS
    };
    let found = sample_game_with(size, settings, Some(&teacher));
    assert_eq!(found.len(), 3 * straight.len());
    let mut off = 0;
    for (at, three) in found.chunks(3).enumerate() {
        assert_eq!(three[0], straight[at]);
        for pair in three.windows(2) {
            let own = plane(&pair[0], 81, "own");
            let moved = plane(&pair[1], 81, "opponent").iter().zip(own);
            let new = moved.map(|(after, before)| after - before);
            assert_eq!(new.filter(|x| *x != 0).collect::<Vec<_>>(), [1]);
        }
        for leaf in &three[1..] {
            assert_eq!((leaf.value, policy(leaf)[0]), (0.5, 1.0 / 81.0));
            off += i32::from(straight.iter().all(|sample| sample.planes != leaf.planes));
        }
    }
    assert!(off > 0, "some positions are not in the game");
}

/// Scores stones and komi.
fn score_stones(position: &Position) -> Evaluation {
    let stones = |color| position.board().stones(color).len() as f64;
    let black = stones(Color::Black) - stones(Color::White) - position.rules().komi.points();
    let score_lead = position.to_move().to_perspective(black) as f32;
    let mut policy = vec![0.0; position.size().area() + 1];
    policy[position.size().area()] = 1.0;
    Evaluation {
        policy,
        score_lead,
        value: (score_lead / 20.0).tanh(),
        ..Evaluation::default()
    }
}

#[test]
fn komi_balance_makes_late_positions_even() {
    let size = BoardSize::new(9, 9).unwrap();
    let teacher = Teacher::new(Arc::new(FnEvaluator(score_stones)), 1.0, 1.0);
    let late = SampleSettings {
        min_move: 8,
        off_policy_moves: 1,
        ..SETTINGS
    };
    let leads = |settings| {
        let samples = sample_game_with(size, settings, Some(&teacher));
        let lead = |sample: &Sample| sample.lead.unwrap();
        let found: Vec<f32> = samples.iter().map(lead).collect();
        for (sample, lead) in samples.iter().zip(&found) {
            let own: i32 = plane(sample, 81, "own").iter().map(|x| i32::from(*x)).sum();
            assert!(own >= 4);
            // The winning margin of the game is unknown.
            if settings.balance_komi {
                assert_eq!(sample.value, (lead / 20.0).tanh());
            }
        }
        found
    };
    let even = SampleSettings {
        balance_komi: true,
        ..late
    };
    let (plain, even) = (leads(late), leads(even));
    assert_eq!((plain.len(), even.len()), (20, 20));
    assert!(plain.iter().all(|lead| (5.0..8.0).contains(&lead.abs())));
    let mean = even.iter().map(|lead| lead.abs()).sum::<f32>() / 20.0;
    assert!(mean < 4.0, "{mean}");
    assert!(even.iter().any(|lead| lead.abs() > 1.0));
}

#[test]
fn teacher_inputs_match_sample_inputs() {
    let size = BoardSize::new(9, 7).unwrap();
    let settings = SampleSettings {
        with_teacher_inputs: true,
        ..SETTINGS
    };
    let asking = sample_game_with(size, settings, None);
    assert_eq!(asking.len(), MOVES);
    let planes = |sample: &Sample, name: &str| {
        let number = TEACHER_INPUTS.planes().position(|plane| plane.name == name);
        sample.teacher_input.as_ref().unwrap().planes[number.unwrap() * 63..][..63].to_vec()
    };
    for (sample, plain) in asking.iter().zip(samples(size, false, None)) {
        let input = sample.teacher_input.as_ref().unwrap();
        assert_eq!(input.planes.len(), TEACHER_INPUTS.plane_count() * 63);
        for name in ["on_board", "own", "opponent", "ko_forbidden"] {
            assert_eq!(planes(sample, name), plane(sample, 63, name), "{name}");
        }
        let own = Encoding::FULL.global_names().zip(&sample.globals);
        for (name, number) in own.filter(|(name, _)| ["suicide", "territory"].contains(name)) {
            let mut stderr = TEACHER_INPUTS.globals().zip(&input.globals);
            let (_, stderr) = stderr.find(|(global, _)| global.name == name).unwrap();
            assert_eq!(number, stderr, "{name}");
        }
        // All other fields are unchanged.
        let without = Sample {
            teacher_input: None,
            ..sample.clone()
        };
        assert_eq!(without, plain);
    }
    // All positions except the first have a last move.
    let moved = |sample: &&Sample| planes(sample, "last_move").contains(&1);
    assert_eq!(asking.iter().filter(moved).count(), MOVES - 1);
}

#[test]
fn small_boards_are_in_grid_corner() {
    let (size, grid) = (BoardSize::new(5, 4).unwrap(), BoardSize::new(9, 9).unwrap());
    let sample = Sample {
        planes: vec![1; Encoding::CLASSIC.planes() * 20],
        globals: Vec::new(),
        policy: Some((0..21).map(|place| place as f32 / 256.0).collect()),
        value: -0.25,
        lead: Some(3.5),
        ownership: None,
        teacher_input: None,
        details: LabelDetails::default(),
    };
    let mut bytes = Vec::new();
    let writer = BatchWriter::new(&mut bytes, Encoding::CLASSIC, grid, 4, 4, Rng::new(1), None);
    let mut writer = writer.unwrap();
    writer.push(size, sample).unwrap();
    writer.finish().unwrap();
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let frame = &bytes[header + 1..];
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
