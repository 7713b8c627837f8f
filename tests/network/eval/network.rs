//! The network as an evaluator: what comes back is about the position asked for, through every symmetry.

use honinbo::encode::Encoding;
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::embedded;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::Move;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::net::model::Network;
use honinbo::net::own::config::{BlockKind, NetConfig};
use honinbo::net::own::describe::describe;
use honinbo::net::own::weights::Weights;
use honinbo::net::precision::Precision;
use honinbo::random::Rng;

use super::support::{ask, check_answer, positions, size};

/// A small net with everything that the encoding and the answer can have.
fn config() -> NetConfig {
    NetConfig {
        name: "small".into(),
        planes: Encoding::FULL.planes(),
        globals: Encoding::FULL.globals(),
        channels: 8,
        blocks: vec![BlockKind::Ordinary, BlockKind::Pooling],
        pool_channels: 4,
        policy_channels: 6,
        value_channels: 6,
        value_hidden: 8,
        pass: true,
        score: true,
        ownership: true,
    }
}

fn network(config: NetConfig) -> Network {
    Network::new(&describe(&Weights::random(config, 4).unwrap()).unwrap()).unwrap()
}

fn evaluator(config: NetConfig) -> NetworkEvaluator {
    NetworkEvaluator::new(network(config), Profile::default()).unwrap()
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
}

#[test]
fn answers_are_answers_with_and_without_optional_parts() {
    let classic = evaluator(NetConfig::classic());
    let full = evaluator(config());
    for position in &positions(11) {
        let request = Request {
            ownership: true,
            ..Request::new(position)
        };
        let answer = ask(&full, request);
        check_answer(&request, &answer);
        assert_eq!(answer.ownership.len(), position.size().area());
        assert!(ask(&full, Request::new(position)).ownership.is_empty());
        let answer = ask(&classic, request);
        check_answer(&request, &answer);
        assert_eq!((answer.score_lead, answer.ownership.len()), (0.0, 0));
        let pass = answer.policy[position.size().area()];
        assert_eq!(pass > 0.01, position.legal_points().is_empty());
    }
}

#[test]
fn a_symmetry_is_the_same_as_asking_about_the_turned_game() {
    let evaluator = evaluator(config());
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
                // An illegal move is illegal in both.
                let played = plain.play(plain.to_move(), mv);
                assert_eq!(turned.play(turned.to_move(), turn(mv)), played);
            }
            let request = |position, symmetry| Request {
                symmetry,
                ownership: true,
                ..Request::new(position)
            };
            let through = ask(&evaluator, request(&plain, symmetry));
            let direct = ask(&evaluator, request(&turned, Symmetry::IDENTITY));
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
fn priors_are_the_softmax_of_the_logits_of_legal_moves() {
    use honinbo::encode::Encoder;
    use honinbo::net::model::NetInput;

    let network = network(config());
    let positions = positions(13);
    let position = &positions[2];
    let area = position.size().area();
    let mut planes = vec![0.0; Encoding::FULL.planes() * area];
    let mut globals = vec![0.0; Encoding::FULL.globals()];
    let identity = Symmetry::IDENTITY;
    Encoder::new().encode(
        Encoding::FULL,
        position,
        identity,
        &mut planes,
        &mut globals,
    );
    let outputs = network
        .evaluate(&NetInput {
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
    let answer = ask(&evaluator(config()), Request::new(position));
    let pass = output.pass.unwrap();
    for point in position.legal_points() {
        let index = position.size().index(point);
        let ratio = answer.policy[index] / answer.policy[area];
        let expected = (output.policy[index] - pass).exp();
        assert!((ratio / expected - 1.0).abs() < 1e-3, "{ratio} {expected}");
    }
    assert_eq!(answer.value, output.judgement.value);
    assert_eq!(answer.score_lead, output.judgement.lead.unwrap());
}

#[test]
fn a_batch_is_as_good_as_single_questions() {
    let evaluator = evaluator(config());
    let positions = positions(14);
    let same_size: Vec<&Position> = positions
        .iter()
        .filter(|p| p.size() == size(9, 9))
        .collect();
    for batch in [same_size, positions.iter().collect()] {
        let requests: Vec<Request<'_>> = batch.into_iter().map(Request::new).collect();
        let mut answers = vec![Evaluation::default(); requests.len()];
        evaluator.evaluate(&requests, &mut answers).unwrap();
        for (request, answer) in requests.iter().zip(&answers) {
            let single = ask(&evaluator, *request);
            assert!(near(&answer.policy, &single.policy));
            assert!(near(&[answer.value], &[single.value]));
        }
    }
    evaluator.evaluate(&[], &mut []).unwrap();
}

/// The kernels work on several positions at once: what one client hears is nothing that another one's question changes.
#[test]
fn what_the_net_inside_says_does_not_depend_on_its_company() {
    let evaluator = embedded::network(Precision::Auto).unwrap();
    let positions = positions(15);
    for side in [8, 9, 19] {
        let alike = positions.iter().filter(|p| p.size().height() == side);
        let mut requests: Vec<Request<'_>> = alike.map(Request::new).collect();
        for request in &mut requests {
            request.ownership = true;
        }
        let mut answers = vec![Evaluation::default(); requests.len()];
        evaluator.evaluate(&requests, &mut answers).unwrap();
        for (request, answer) in requests.iter().zip(&answers) {
            assert_eq!(ask(&*evaluator, *request), *answer);
        }
    }
}

#[test]
fn with_no_legal_point_the_pass_is_certain() {
    // White may not play into either eye, and Black has all the rest.
    let board = diagram::parse(
        ". X .
         X X X
         X X X",
    )
    .unwrap();
    let position = Position::from_board(board, Color::White, Rules::default());
    for config in [config(), NetConfig::classic()] {
        let answer = ask(&evaluator(config), Request::new(&position));
        assert_eq!(answer.policy[9], 1.0);
    }
}

#[test]
fn nets_with_other_inputs_are_refused() {
    let strange = NetConfig {
        planes: 17,
        globals: 2,
        ..config()
    };
    let error = NetworkEvaluator::new(network(strange), Profile::default()).unwrap_err();
    let expected = "evaluator: net small: expected 32 planes and 13 globals or 23 planes and 0 globals, \
                    found 17 planes and 2 globals";
    assert_eq!(error.to_string(), expected);
}

/// The network inside knows little of boards so small, and tells leads that they cannot hold.
#[test]
fn no_lead_is_told_that_the_board_cannot_hold() {
    let network = embedded::network(Precision::F32).unwrap();
    for (width, height) in [(2, 2), (3, 3), (2, 5)] {
        for to_move in Color::BOTH {
            let mut position = Position::new(size(width, height), Rules::default());
            let middle = position.size().points().nth(width * height / 2).unwrap();
            position.play(Color::Black, Move::Play(middle)).unwrap();
            position.set_to_move(to_move);
            let lead = to_move.to_perspective(ask(&*network, Request::new(&position)).score_lead);
            let most = (width * height) as f32;
            assert!(
                (-most..=most).contains(&(lead + 7.5)),
                "{width}x{height} {lead}"
            );
        }
    }
}
