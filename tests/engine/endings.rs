//! The engine's play on settled boards, with random playouts and with the built-in network as evaluator.

use std::sync::Arc;

use honinbo::engine::Engine;
use honinbo::engine::decision::{self, Decision};
use honinbo::engine::final_status::PointStatus;
use honinbo::engine::genmove::GenmoveOptions;
use honinbo::engine::level::LEVELS;
use honinbo::engine::setting_change::SettingChange;
use honinbo::engine::settings::EngineSettings;
use honinbo::eval::Evaluator;
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::embedded;
use honinbo::eval::rollout::{RolloutEvaluator, RolloutSettings};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::net::precision::Precision;
use honinbo::random::Rng;

use crate::engine::{
    dead_stones, engine_at, genmove, genmove_with, point, rules, shared_evaluator,
};

/// Each side has a dead stone in the opponent's territory, White's at B6 and Black's at H1, and no point is open.
const SETTLED: &str = "
    . . X O . . O X .
    . . X O . . O X .
    X X X O O O O X X
    . O X X X O X X .
    . . . . X O X . .
    X X X . X O X X X
    O O X X X O O O O
    . O O O O O . . .
    . . . . . . . X .";

/// One komi with which Black is far behind, and one with which it is ahead.
const KOMIS: [f64; 2] = [25.5, -10.5];

/// Returns all combinations of the side to move and the komi.
fn turns() -> impl Iterator<Item = (Color, f64)> {
    let colors = Color::BOTH.into_iter();
    colors.flat_map(|color| KOMIS.map(|komi| (color, komi)))
}

fn evaluators() -> [(&'static str, Arc<dyn Evaluator>); 2] {
    let network =
        embedded::evaluator(DeviceConfig::on_cpu(Precision::F32)).expect("the network inside");
    [
        (
            "playouts",
            Arc::new(RolloutEvaluator::new(RolloutSettings::default())),
        ),
        ("network", network),
    ]
}

fn player_at(evaluator: &Arc<dyn Evaluator>, board_diagram: &str, name: &str, komi: f64) -> Engine {
    let settings = EngineSettings {
        visits: Some(50),
        resign_percent: Some(0.0),
        ..EngineSettings::default()
    };
    let komi = Komi::from_points(komi).expect("half points");
    let (evaluators, rules) = (
        shared_evaluator(Arc::clone(evaluator)),
        rules(name).with_komi(komi),
    );
    engine_at(settings, evaluators, board_diagram, Color::Black, rules)
}

#[test]
fn both_pass_on_settled_board_under_territory_rules() {
    for (name, evaluator) in evaluators() {
        for (color, komi) in turns() {
            let mut engine = player_at(&evaluator, SETTLED, "japanese", komi);
            assert_eq!(dead_stones(&engine), ["B6", "H1"], "{name}, komi {komi}");
            for color in [color, color.opposite()] {
                let decision = genmove(&mut engine, color);
                assert_eq!(decision, Decision::Pass, "{name}, {color}, komi {komi}");
            }
        }
    }
}

#[test]
fn pass_cycle_requires_moves_between_passes() {
    const KOS: &str = "
        . X O . . X O . . X O .
        X O . O X . X O X O . O
        . X O . . X O . . X O .
        . . . . . . . . . . . .";
    let goes_round = |moves: &str| {
        let board = diagram::parse_board(KOS).expect("a drawn board");
        let mut position = Position::from_board(board, Color::Black, rules("chinese"));
        for vertex in moves.split_whitespace() {
            let mv = position.size().parse_move(vertex).expect("a vertex");
            position.play_unchecked(position.to_move(), mv);
        }
        decision::is_pass_cycle(&position)
    };
    // Each side captures one of three kos in turn until the first situation is repeated.
    let round = "C3 F3 L3 B3 G3 K3";
    assert!(goes_round(&format!("pass pass {round} pass")));
    assert!(!goes_round(&format!("{round} pass")));
    assert!(!goes_round(&format!("pass pass {round}")));
    // Resuming a game after two passes is not a repetition.
    assert!(!goes_round("pass pass pass"));
}

#[test]
fn harmless_stone_is_ignored() {
    for (name, evaluator) in evaluators() {
        for (color, vertex) in [(Color::White, "B8"), (Color::Black, "E1")] {
            let mut engine = player_at(&evaluator, SETTLED, "japanese", 6.5);
            let threat = Move::Play(point(&engine, vertex));
            engine.play(color, threat).expect("a legal move");
            let decision = genmove(&mut engine, color.opposite());
            assert_eq!(decision, Decision::Pass, "{name}, {vertex}");
        }
    }
}

#[test]
fn last_point_is_filled_before_winning_pass() {
    // E3 is neutral.
    let open = SETTLED.replace("O O X X X O O O O", "O O X X . O O O O");
    let [_, (_, network)] = evaluators();
    for (color, komi) in [(Color::Black, -10.5), (Color::White, 25.5)] {
        let mut engine = player_at(&network, &open, "chinese", komi);
        let last = Move::Play(point(&engine, "E3"));
        for expected in [last, Move::Pass] {
            engine
                .play(color.opposite(), Move::Pass)
                .expect("a legal move");
            let decision = genmove(&mut engine, color);
            assert_eq!(decision.mv(), Some(expected), "{color}, komi {komi}");
        }
    }
}

#[test]
fn winning_pass_precedes_risky_point() {
    // At J7, the only neutral point, White would fill an eye that it needs.
    let won = "
        X X X X O O X X X
        O O X X X O . O X
        . O O X X O O O .
        . O O O X O X O O
        . O O X X X X X O
        O O O O X X . X O
        X . O X . O X X O
        . O O X X X X X O
        . O O O X X X X O";
    let [_, (_, network)] = evaluators();
    let mut engine = player_at(&network, won, "chinese", 7.0);
    engine.play(Color::Black, Move::Pass).expect("a legal move");
    let decision = genmove(&mut engine, Color::White);
    assert_eq!(decision, Decision::Pass);
}

#[test]
fn endangered_group_is_protected_before_passing() {
    // Black's corner has a three-point eye space. White's best move is in its middle as well.
    let critical = "
        . . . X O . . O .
        X X X X O O O O O
        O O O O O X X X X
        O . O X X X . . .
        O O O X . X X X X
        O . O X X X . X .
        O O O O O X X X X
        . O . O . O X . X
        O O O O O O X X .";
    let [_, (_, network)] = evaluators();
    for komi in [0.5, 6.5] {
        let mut engine = player_at(&network, critical, "japanese", komi);
        let vital = point(&engine, "B9");
        let decision = genmove(&mut engine, Color::Black);
        assert_eq!(decision, Decision::Play(vital), "komi {komi}");
    }
}

#[test]
fn cleanup_captures_dead_stones_then_passes() {
    let options = GenmoveOptions {
        cleanup: true,
        ..GenmoveOptions::default()
    };
    let cases = (evaluators().into_iter())
        .flat_map(|evaluator| ["cgos", "japanese"].map(|rules| (evaluator.clone(), rules)));
    for ((name, evaluator), rules) in cases {
        for (color, komi) in turns() {
            let mut engine = player_at(&evaluator, SETTLED, rules, komi);
            // Like the cleanup command: every remaining stone counts.
            let rules = *engine.record().rules();
            engine.set_rules(Rules {
                friendly_pass: false,
                ..rules
            });
            let own = *engine.position().board().stones(color);
            let (lost, captive) = match color {
                Color::Black => ("H1", "B6"),
                Color::White => ("B6", "H1"),
            };
            let [lost, captive] =
                [lost, captive].map(|vertex| PointSet::single(point(&engine, vertex)));
            for _ in 0..2 {
                let turn = engine.position().to_move();
                engine.play(turn, Move::Pass).expect("a pass is legal");
            }
            let mut moves = 0;
            while genmove_with(&mut engine, color, options.clone()) != Decision::Pass {
                (engine.play(color.opposite(), Move::Pass)).expect("a pass is legal");
                moves += 1;
                assert!(moves < 12, "{name}, {color}, komi {komi}");
            }
            let board = engine.position().board();
            let foes = board.stones(color.opposite());
            assert!(!foes.intersects(&captive), "{name}, {color}, komi {komi}");
            let left = board.stones(color);
            assert!((own - lost).is_subset(left), "{name}, {color}, komi {komi}");
        }
    }
}

const FIVE_STONES_IN_SEKI: &str = "
    O O O . X O . . .
    O O X X X O . . .
    . X X O O O . . .
    X X O O . . . . .
    O O O . . . . . .
    O O O O O O O O O
    X X X X X X X X X
    . . . . . . . . .
    . . . . . . . . .";

const BLOCK_IN_SEKI: &str = "
    O X . O O O . X O
    O X X O O O X X O
    O O X X X X X O O
    . O O O O O O O .
    . . . . . . . . .
    O O O O O O O O O
    X X X X X X X X X
    . . . . . . . . .
    . . . . . . . . .";

const FOUR_STONES_IN_SEKI: &str = "
    O X . O O O . X O
    O X X X O X X X O
    O O O X X X O O O
    . . O O O O O . .
    . . . . . . . . .
    O O O O O O O O O
    X X X X X X X X X
    . . . . . . . . .
    . . . . . . . . .";

/// Black's stones at A9 and at G9 live because White cannot start either.
const TWO_CHAINS_IN_SEKI: &str = "
    X . O O O O . X O
    X X X O O O X X O
    O O X X X X X O O
    O O O O O O O O .
    . . . . . . . . .
    O O O O O O O O O
    X X X X X X X X X
    . . . . . . . . .
    . . . . . . . . .";

/// Black's group around six points lives regardless of the side to move.
const LIVING_ON_THE_EDGE: &str = "
    . O X . . . X O .
    . O X . . . X O .
    . O X X X X X O .
    . O O O O O O O .
    O O O O O O O O O
    X X X X X X X X X
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .";

/// White's stones at E5 and F5 are connected through a false eye at D5.
const FALSE_EYE: &str = "
    . . O X . . . . .
    . . O X . . . . .
    . O O X X . X . .
    . . O O X X . . .
    . . O . O O X . .
    . . O O X X . . .
    . O O X X . X . .
    . . O X . . . . .
    . . O X . . . . .";

/// The same at C4, with all neutral points filled.
const FINISHED_FALSE_EYE: &str = "
    . O X . . . .
    . O X X . . .
    . O O X X . .
    O O . O O X .
    . O O X X . .
    . O X X . . .
    . O X . . . .";

/// Exchanges the colours of a diagram.
fn swapped(text: &str) -> String {
    let swap = |letter| match letter {
        'X' => 'O',
        'O' => 'X',
        other => other,
    };
    text.chars().map(swap).collect()
}

/// Counts the vertices of a diagram with this status.
fn number_with_status(engine: &Engine, wanted: PointStatus) -> usize {
    engine
        .final_status()
        .expect("a status")
        .points(wanted)
        .len()
}

#[test]
fn set_up_groups_have_the_right_status() {
    let [_, (_, network)] = evaluators();
    for (name, text, chinese, japanese, seki) in [
        ("five stones", FIVE_STONES_IN_SEKI, "W+9", "W+2", 13),
        ("block", BLOCK_IN_SEKI, "W+3", "B+7", 17),
        ("four stones", FOUR_STONES_IN_SEKI, "W+3", "B+5", 15),
        ("two chains", TWO_CHAINS_IN_SEKI, "W+1", "B+8", 19),
        ("life", LIVING_ON_THE_EDGE, "B+21", "B+25", 0),
    ] {
        for (rules, expected) in [("chinese", chinese), ("japanese", japanese)] {
            for (text, is_swapped) in [(text.to_owned(), false), (swapped(text), true)] {
                let engine = player_at(&network, &text, rules, 0.0);
                let score = engine.final_count().expect("a count").score.to_string();
                let score = match (is_swapped, score.split_at(1)) {
                    (true, ("B", lead)) => format!("W{lead}"),
                    (true, ("W", lead)) => format!("B{lead}"),
                    _ => score,
                };
                assert_eq!(score, expected, "{name}, {rules}, swapped: {is_swapped}");
                assert_eq!(
                    number_with_status(&engine, PointStatus::Seki),
                    seki,
                    "{name}"
                );
                assert_eq!(number_with_status(&engine, PointStatus::Dead), 0, "{name}");
            }
        }
    }
}

#[test]
fn cleanup_spares_seki() {
    let [_, (_, network)] = evaluators();
    let options = GenmoveOptions {
        cleanup: true,
        ..GenmoveOptions::default()
    };
    for name in ["chinese", "japanese"] {
        let mut engine = player_at(&network, FIVE_STONES_IN_SEKI, name, 6.5);
        engine.set_rules(Rules {
            friendly_pass: false,
            ..*engine.record().rules()
        });
        for color in [Color::Black, Color::White, Color::Black] {
            engine.play(color, Move::Pass).expect("a pass is legal");
        }
        let decision = genmove_with(&mut engine, Color::White, options.clone());
        assert_eq!(decision, Decision::Pass, "{name}");
    }
}

#[test]
fn false_eye_is_connected_before_passing() {
    let [_, (_, network)] = evaluators();
    for (name, komi) in [
        ("japanese", 20.5),
        ("japanese", 0.5),
        ("chinese", 20.5),
        ("chinese", 0.5),
    ] {
        for (text, color, komi) in [
            (FALSE_EYE.to_owned(), Color::White, komi),
            (swapped(FALSE_EYE), Color::Black, -komi),
        ] {
            let mut engine = player_at(&network, &text, name, komi);
            engine
                .play(color.opposite(), Move::Pass)
                .expect("a pass is legal");
            // Other points may be played first if they are worth more.
            let connection = point(&engine, "D5");
            let mut moves = 0;
            loop {
                let decision = genmove(&mut engine, color);
                if decision == Decision::Play(connection) {
                    break;
                }
                assert_ne!(decision, Decision::Pass, "{name}, {color}, komi {komi}");
                engine
                    .play(color.opposite(), Move::Pass)
                    .expect("a pass is legal");
                moves += 1;
                assert!(moves < 10, "{name}, {color}, komi {komi}");
            }
        }
    }
}

#[test]
fn false_eye_is_no_territory() {
    let [_, (_, network)] = evaluators();
    let mut engine = player_at(&network, FINISHED_FALSE_EYE, "japanese", 14.5);
    for color in Color::BOTH {
        engine.play(color, Move::Pass).expect("a pass is legal");
    }
    let false_eye = point(&engine, "C4");
    let status = engine.final_status().expect("a status").at(false_eye);
    assert_ne!(status, PointStatus::Territory(Color::White));
    let score = engine.final_count().expect("a count").score.to_string();
    assert_eq!(score, "W+1.5");
}

#[test]
fn opening_pass_is_answered_with_a_move() {
    let mut rng = Rng::new(5);
    for (name, evaluator) in evaluators() {
        for (side, moves, attempts) in [(9, 29, 20), (19, 59, 3)] {
            for attempt in 0..attempts {
                let rules_name = ["chinese", "japanese", "tromp-taylor", "aga"][attempt % 4];
                let size = BoardSize::new(side, side).expect("a size");
                let settings = EngineSettings {
                    visits: Some(20),
                    resign_percent: Some(0.0),
                    ..EngineSettings::default()
                };
                let evaluators = shared_evaluator(Arc::clone(&evaluator));
                let mut engine =
                    Engine::new(settings, evaluators, size, rules(rules_name)).expect("a thread");
                let level = &LEVELS[attempt % LEVELS.len()];
                (engine.change_setting(SettingChange::Level(level))).expect("any level will do");
                let moves = rng.below(moves);
                for _ in 0..moves {
                    let legal: Vec<Point> = engine.position().legal_points().iter().collect();
                    let played = Move::Play(legal[rng.below(legal.len())]);
                    let color = engine.position().to_move();
                    engine.play(color, played).expect("a legal move");
                }
                let color = engine.position().to_move();
                engine.play(color, Move::Pass).expect("a pass is legal");
                let decision = genmove(&mut engine, color.opposite());
                assert!(
                    matches!(decision, Decision::Play(_)),
                    "{name}, {size}, {rules_name}, level {level:?}, after {moves} moves: {decision:?}"
                );
            }
        }
    }
}

/// Walls with few stones divide the board completely.
const DIVIDED: &str = "
    . . . X O . . . .
    . . . X O . . . .
    . . X X O O . . .
    . . X . X O O . .
    . . X X X O . . .
    . . . X O O . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .";

#[test]
fn pass_is_answered_with_a_pass_once_borders_are_closed() {
    for (name, evaluator) in evaluators() {
        for color in Color::BOTH {
            let mut engine = player_at(&evaluator, DIVIDED, "japanese", 6.5);
            engine
                .play(color.opposite(), Move::Pass)
                .expect("a pass is legal");
            let decision = genmove(&mut engine, color);
            assert_eq!(decision, Decision::Pass, "{name}, {color}");
        }
    }
}

/// Returns Black's lead if the game is counted now, and the lead that is expected at its end.
fn counted_and_expected(engine: &Engine) -> [f32; 2] {
    let count = engine.count_position().expect("a count");
    [count.count.score, count.expected_score].map(|score| score.black_lead_points())
}

#[test]
fn unsettled_points_count_by_expected_owner() {
    let [_, (_, network)] = evaluators();
    let empty = ". . . . . . . . .\n".repeat(9);
    for name in ["chinese", "japanese"] {
        // With this komi, the game is about even.
        let mut engine = player_at(&network, &empty, name, 7.0);
        let middle = Move::Play(point(&engine, "E5"));
        engine.play(Color::Black, middle).expect("a legal move");
        let [counted, expected] = counted_and_expected(&engine);
        assert!(counted >= 73.0, "{name}: {counted}");
        assert!(expected.abs() < 6.0, "{name}: {expected}");
        // The komi is a whole number.
        assert_eq!(expected.fract(), 0.0, "{name}: {expected}");
    }
}

#[test]
fn settled_points_are_counted_exactly() {
    let [_, (_, network)] = evaluators();
    for name in ["chinese", "japanese"] {
        for (text, komi) in [(SETTLED, 25.5), (OPEN_BORDER, 0.5), (BLOCK_IN_SEKI, 0.0)] {
            let engine = player_at(&network, text, name, komi);
            let [counted, expected] = counted_and_expected(&engine);
            assert_eq!(counted, expected, "{name}");
        }
        // Two passes end the game, however many points are unsettled.
        let open = ". . . . . . . . .\n".repeat(9);
        let mut engine = player_at(&network, &open, name, 0.5);
        let middle = Move::Play(point(&engine, "E5"));
        engine.play(Color::Black, middle).expect("a legal move");
        for color in [Color::White, Color::Black] {
            engine.play(color, Move::Pass).expect("a pass is legal");
        }
        let [counted, expected] = counted_and_expected(&engine);
        assert_eq!(counted, expected, "{name}");
    }
}

/// One point between the territories, D1, is open.
const OPEN_BORDER: &str = "
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . X O . . . .
    . . . . O . . . .";

#[test]
fn open_border_point_costs_no_territory() {
    let [_, (_, network)] = evaluators();
    for name in ["chinese", "japanese"] {
        for color in Color::BOTH {
            let mut engine = player_at(&network, OPEN_BORDER, name, 0.0);
            engine.play(color, Move::Pass).expect("a pass is legal");
            let lead = -engine
                .final_count()
                .expect("a count")
                .score
                .black_lead_points();
            assert!((8.0..=10.0).contains(&lead), "{name}, {color}: {lead}");
        }
    }
}
