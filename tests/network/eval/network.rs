//! The network evaluator.

use honinbo::encode::Encoding;
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::Request;
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::embedded;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::Move;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::net::formats::honinbo::from_bytes;
use honinbo::net::model::Network;
use honinbo::net::precision::Precision;
use honinbo::net::spec::NetSpec;
use honinbo::random::Rng;

use crate::nets::drawn;
use crate::stored;

use super::support::{check_evaluation, evaluate, evaluate_all, positions, size, with_ownership};

/// A small network with all optional inputs and outputs.
fn full() -> NetSpec {
    drawn::honinbo(
        Encoding::FULL.plane_count(),
        Encoding::FULL.global_count(),
        4,
    )
}

/// A small network without optional inputs and outputs.
fn classic() -> NetSpec {
    from_bytes(&stored::bytes("classic")).unwrap()
}

fn network(spec: &NetSpec) -> Network {
    Network::new(spec).unwrap()
}

fn evaluator(spec: &NetSpec) -> NetworkEvaluator {
    NetworkEvaluator::new(network(spec), Profile::default()).unwrap()
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
}

#[test]
fn optional_outputs_may_be_missing() {
    let classic = evaluator(&classic());
    let full = evaluator(&full());
    for position in &positions(11) {
        let request = with_ownership(position);
        let evaluation = evaluate(&full, request);
        check_evaluation(&request, &evaluation);
        assert_eq!(evaluation.ownership.len(), position.size().area());
        assert!(evaluate(&full, Request::new(position)).ownership.is_empty());
        let evaluation = evaluate(&classic, request);
        check_evaluation(&request, &evaluation);
        assert_eq!(
            (evaluation.score_lead, evaluation.ownership.len()),
            (0.0, 0)
        );
        let pass = evaluation.policy[position.size().area()];
        assert_eq!(pass > 0.01, position.legal_points().is_empty());
    }
}

#[test]
fn symmetry_equals_transformed_game() {
    let evaluator = evaluator(&full());
    let mut rng = Rng::new(12);
    for board in [size(9, 9), size(5, 8)] {
        let moves: Vec<Move> = std::iter::repeat_with(|| rng.below(board.area()))
            .map(|index| Move::Play(board.point_at(index)))
            .take(60)
            .collect();
        for symmetry in Symmetry::for_size(board) {
            let turn = |mv: Move| {
                mv.point()
                    .map_or(mv, |p| Move::Play(symmetry.map_point(board, p)))
            };
            let mut plain = Position::new(board, Rules::default());
            let mut turned = Position::new(board, Rules::default());
            for &mv in &moves {
                // An illegal move is illegal in both positions.
                let played = plain.play(plain.to_move(), mv);
                assert_eq!(turned.play(turned.to_move(), turn(mv)), played);
            }
            let request = |position, symmetry| Request {
                symmetry,
                ..with_ownership(position)
            };
            let through = evaluate(&evaluator, request(&plain, symmetry));
            let direct = evaluate(&evaluator, request(&turned, Symmetry::IDENTITY));
            let back = |numbers: &[f32]| -> Vec<f32> {
                let index = |point| board.index(symmetry.map_point(board, point));
                board.points().map(|point| numbers[index(point)]).collect()
            };
            assert!(near(&through.policy[..board.area()], &back(&direct.policy)));
            assert!(near(&through.ownership, &back(&direct.ownership)));
            assert!(near(
                &[
                    through.value,
                    through.score_lead,
                    through.policy[board.area()]
                ],
                &[direct.value, direct.score_lead, direct.policy[board.area()]],
            ));
        }
    }
}

#[test]
fn priors_are_softmax_over_legal_moves() {
    use honinbo::encode::Encoder;
    use honinbo::net::model::EncodedBatch;

    let network = network(&full());
    let positions = positions(13);
    let position = &positions[2];
    let area = position.size().area();
    let mut planes = vec![0.0; Encoding::FULL.plane_count() * area];
    let mut globals = vec![0.0; Encoding::FULL.global_count()];
    let identity = Symmetry::IDENTITY;
    Encoder::default().encode(
        Encoding::FULL,
        position,
        identity,
        &mut planes,
        &mut globals,
    );
    let outputs = network
        .evaluate(&EncodedBatch {
            count: 1,
            width: position.size().width(),
            height: position.size().height(),
            planes: &planes,
            globals: &globals,
            profiles: &[],
            no_result: &[false],
            optimism: 0.0,
        })
        .unwrap();
    let output = &outputs[0];
    let evaluation = evaluate(&evaluator(&full()), Request::new(position));
    let pass = output.pass.unwrap();
    for point in position.legal_points() {
        let index = position.size().index(point);
        let ratio = evaluation.policy[index] / evaluation.policy[area];
        let expected = (output.policy[index] - pass).exp();
        assert!((ratio / expected - 1.0).abs() < 1e-3, "{ratio} {expected}");
    }
    assert_eq!(evaluation.value, output.value_estimate.value);
    assert_eq!(evaluation.score_lead, output.value_estimate.lead.unwrap());
}

#[test]
fn batch_matches_single_requests() {
    let evaluator = evaluator(&full());
    let positions = positions(14);
    let same_size: Vec<&Position> = positions
        .iter()
        .filter(|p| p.size() == size(9, 9))
        .collect();
    for batch in [same_size, positions.iter().collect()] {
        let requests: Vec<Request<'_>> = batch.into_iter().map(Request::new).collect();
        let evaluations = evaluate_all(&evaluator, &requests);
        for (request, evaluation) in requests.iter().zip(&evaluations) {
            let single = evaluate(&evaluator, *request);
            assert!(near(&evaluation.policy, &single.policy));
            assert!(near(&[evaluation.value], &[single.value]));
        }
    }
    evaluate_all(&evaluator, &[]);
}

/// Kernels process several positions together. Results must not depend on the other positions in a batch. candle's
/// operations may round differently.
#[test]
fn embedded_network_ignores_batch_composition() {
    let evaluator = embedded::evaluator(DeviceConfig::on_cpu(Precision::Auto)).unwrap();
    let positions = positions(15);
    for side in [8, 9, 19] {
        let alike = positions.iter().filter(|p| p.size().height() == side);
        let requests: Vec<Request<'_>> = alike.map(with_ownership).collect();
        let evaluations = evaluate_all(&*evaluator, &requests);
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let alone = evaluate(&*evaluator, *request);
            if cfg!(feature = "cpu-kernels") {
                assert_eq!(alone, evaluation);
            } else {
                assert!(near(&alone.policy, &evaluation.policy));
                assert!(near(&alone.ownership, &evaluation.ownership));
                assert!(near(&[alone.value], &[evaluation.value]));
            }
        }
    }
}

#[test]
fn pass_is_certain_without_legal_points() {
    // Both empty points are eyes of Black, so White has no legal move.
    let board = diagram::parse_board(
        ". X .
         X X X
         X X X",
    )
    .unwrap();
    let position = Position::from_board(board, Color::White, Rules::default());
    for spec in [full(), classic()] {
        let evaluation = evaluate(&evaluator(&spec), Request::new(&position));
        assert_eq!(evaluation.policy[9], 1.0);
    }
}

#[test]
fn unsupported_inputs_are_rejected() {
    let strange = drawn::honinbo(17, 2, 4);
    let error = NetworkEvaluator::new(network(&strange), Profile::default()).unwrap_err();
    let expected = "evaluator: network drawn-4 has unsupported inputs: 17 planes and 2 global inputs \
                    (supported: 32 planes and 13 global inputs, or 23 planes and 0 global inputs)";
    assert_eq!(error.to_string(), expected);
}

/// On very small boards, the embedded network predicts leads that are impossible.
#[test]
fn lead_is_limited_by_board_size() {
    let network = embedded::evaluator(DeviceConfig::on_cpu(Precision::F32)).unwrap();
    for (width, height) in [(2, 2), (3, 3), (2, 5)] {
        for to_move in Color::BOTH {
            let mut position = Position::new(size(width, height), Rules::default());
            let middle = position.size().points().nth(width * height / 2).unwrap();
            position.play(Color::Black, Move::Play(middle)).unwrap();
            position.set_to_move(to_move);
            let lead =
                to_move.to_perspective(evaluate(&*network, Request::new(&position)).score_lead);
            let most = (width * height) as f32;
            assert!(
                (-most..=most).contains(&(lead + 7.5)),
                "{width}x{height} {lead}"
            );
        }
    }
}
