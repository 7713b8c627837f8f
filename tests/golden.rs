//! Compares real networks with KataGo's own outputs. The environment variable `HONINBO_GOLDEN` names a folder with the
//! networks in `models/` and the expected outputs of `kata-raw-nn` in `golden/`, one JSON object per line. The networks
//! may not be redistributed, so this test is built only with `--features golden`; `tests/network/nets` checks generated
//! nets of every kind. `scripts/serve_teacher.py` is compared in the same way.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[path = "support/candle_backend.rs"]
mod candle_backend;

use candle_backend::backend;
use candle_core::DType;
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::game::symmetry::Symmetry;
use honinbo::learn::labels::teacher_process::TeacherProcess;
use honinbo::net::formats;
use honinbo::net::model::Network;
use honinbo::net::precision::Precision;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    net: String,
    width: usize,
    height: usize,
    rules: String,
    komi: f64,
    moves: Vec<(String, String)>,
    #[serde(rename = "to_play")]
    to_play: String,
    symmetry: usize,
    white_win: f32,
    white_loss: f32,
    no_result: f32,
    white_lead: f32,
    white_score_selfplay: f32,
    shortterm_winloss_error: f32,
    shortterm_score_error: f32,
    policy: Vec<Option<f32>>,
    policy_pass: f32,
    white_ownership: Vec<f32>,
}

impl Case {
    fn position(&self) -> Position {
        let size = BoardSize::new(self.width, self.height).expect("a valid size");
        let rules = Rules::parse(&self.rules).expect("a known rule set");
        let komi = Komi::from_points(self.komi).expect("a valid komi");
        let mut position = Position::new(size, rules.with_komi(komi));
        for (color, mv) in &self.moves {
            let mv = size.parse_move(mv).expect("a valid vertex");
            position.play(color_of(color), mv).expect("a legal move");
        }
        position.set_to_move(color_of(&self.to_play));
        position
    }
}

fn color_of(letter: &str) -> Color {
    match letter {
        "b" => Color::Black,
        _ => Color::White,
    }
}

/// Asserts that an evaluation equals the expected one, to the precision of the expected output.
fn compare(what: &str, case: &Case, position: &Position, answer: &Evaluation) {
    let white = |value: f32| -position.to_move().to_perspective(value);
    let near = |part: &str, found: f32, expected: f32, most: f32| {
        let off = (found - expected).abs();
        assert!(
            off <= most,
            "{what}: {part}: expected {expected}, found {found}"
        );
    };
    let value = white(answer.value);
    let decided = 1.0 - answer.no_result;
    near("win", (decided + value) / 2.0, case.white_win, 1e-4);
    near("loss", (decided - value) / 2.0, case.white_loss, 1e-4);
    near("no result", answer.no_result, case.no_result, 1e-4);
    let points = |expected: f32| 0.01 + 0.0005 * expected.abs();
    near(
        "lead",
        white(answer.score_lead),
        case.white_lead,
        points(case.white_lead),
    );
    let details = answer.details.expect("KataGo nets have detailed outputs");
    near(
        "score",
        white(details.score_mean),
        case.white_score_selfplay,
        points(case.white_score_selfplay),
    );
    let has_errors = case.shortterm_score_error >= 0.0;
    assert_eq!(details.errors.is_some(), has_errors, "{what}: errors");
    if let Some(errors) = details.errors {
        near(
            "value error",
            errors.value,
            case.shortterm_winloss_error,
            1e-3,
        );
        near(
            "score error",
            errors.score,
            case.shortterm_score_error,
            1e-2,
        );
    }
    let legal = position.legal_points();
    for (index, expected) in case.policy.iter().enumerate() {
        let point = position.size().point_at(index);
        assert_eq!(
            legal.contains(point),
            expected.is_some(),
            "{what}: legality of {index}"
        );
        let prior = answer.policy[index];
        near("policy", prior, expected.unwrap_or(0.0), 1e-4);
    }
    let pass = answer.policy[position.size().area()];
    near("pass", pass, case.policy_pass, 1e-4);
    for (owner, expected) in answer.ownership.iter().zip(&case.white_ownership) {
        near("ownership", white(*owner), *expected, 1e-3);
    }
}

#[test]
fn real_networks_agree_with_katago() {
    check_all(compare, |file| {
        let profile = Profile::default();
        Box::new(
            NetworkEvaluator::read_calibrated(file, profile, DeviceConfig::on_cpu(Precision::F32))
                .expect("a valid network"),
        )
    });
}

/// Opens a network that consists of candle's operations.
fn open_in_candle(file: &Path, dtype: DType) -> Box<dyn Evaluator> {
    let spec = formats::read(file).expect("a valid network");
    let network = Network::with_backend(&spec, &backend(dtype)).expect("a working device");
    let evaluator = NetworkEvaluator::new(network, Profile::default());
    Box::new(evaluator.expect("known inputs"))
}

#[test]
fn candle_agrees_with_katago() {
    check_all(compare, |file| open_in_candle(file, DType::F32));
}

/// On a CPU, the differences in the probability of winning are 0.019 and 0.0007 (largest and mean), the divergence of the
/// policy is 0.00007, and another move is best in 2 of 168 positions.
#[test]
fn candle_in_bf16_is_close_to_katago() {
    let (mut error, mut divergence, mut same, mut count) = (0.0, 0.0, 0, 0);
    let check = |what: &str, case: &Case, position: &Position, answer: &Evaluation| {
        let value = -position.to_move().to_perspective(answer.value);
        let win = (1.0 - answer.no_result + value) / 2.0;
        let off = (win - case.white_win).abs();
        assert!(
            off < 0.02,
            "{what}: expected {}, found {win}",
            case.white_win
        );
        error += f64::from(off);
        let expected = case.policy.iter().map(|prior| prior.unwrap_or(0.0));
        let expected: Vec<f32> = expected.chain([case.policy_pass]).collect();
        let pairs = expected.iter().zip(&answer.policy);
        let terms = pairs.filter(|(p, _)| **p > 0.0);
        divergence += terms
            .map(|(p, q)| f64::from(p * (p / q.max(1e-9)).ln()))
            .sum::<f64>();
        let best =
            |policy: &[f32]| (0..policy.len()).max_by(|a, b| policy[*a].total_cmp(&policy[*b]));
        same += usize::from(best(&expected) == best(&answer.policy));
        count += 1;
    };
    check_all(check, |file| open_in_candle(file, DType::BF16));
    let mean = |sum: f64| sum / count as f64;
    assert!(mean(error) < 0.005, "error {}", mean(error));
    assert!(mean(divergence) < 0.001, "divergence {}", mean(divergence));
    assert!(same * 100 >= count * 97, "{same} of {count} moves");
}

#[test]
fn teacher_process_agrees_with_katago() {
    check_all(compare, |file| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/serve_teacher.py");
        let file = file.to_str().expect("a UTF-8 path");
        let command = ["python3", script, file, "--device", "cpu"].map(str::to_owned);
        Box::new(TeacherProcess::start(&command).expect("Python with PyTorch"))
    });
}

/// Passes all expected outputs to `check`, with the evaluations by the evaluators that `open` creates for the network
/// files.
fn check_all(
    mut check: impl FnMut(&str, &Case, &Position, &Evaluation),
    open: impl Fn(&Path) -> Box<dyn Evaluator>,
) {
    let folder = std::env::var_os("HONINBO_GOLDEN").expect("HONINBO_GOLDEN must name a folder");
    let folder = Path::new(&folder);
    let mut nets: BTreeMap<String, Box<dyn Evaluator>> = BTreeMap::new();
    let mut checked = 0;
    for entry in
        fs::read_dir(folder.join("golden")).expect("a folder golden/ with expected outputs")
    {
        let path = entry.expect("a readable folder entry").path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(&path).expect("a readable file").lines() {
            let case: Case = serde_json::from_str(line).expect("a valid case");
            let net = nets
                .entry(case.net.clone())
                .or_insert_with(|| open(&folder.join("models").join(&case.net)));
            let position = case.position();
            let request = Request {
                symmetry: Symmetry::from_number(case.symmetry).expect("a symmetry"),
                ownership: true,
                ..Request::new(&position)
            };
            let mut answer = [Evaluation::default()];
            net.evaluate(&[request], &mut answer)
                .expect("an evaluation");
            checked += 1;
            let what = format!("{} #{checked}", case.net);
            check(&what, &case, &position, &answer[0]);
        }
    }
    assert!(checked > 0, "no cases in {}", folder.display());
}
