//! The engine's play on settled boards, with random playouts and with the built-in network as evaluator.

use std::sync::Arc;

use honinbo::engine::decision::{self, Decision};
use honinbo::engine::genmove::GenmoveOptions;
use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::Evaluator;
use honinbo::eval::embedded;
use honinbo::eval::rollout::{Rollout, RolloutSettings};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::Move;
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::{Komi, Rules};
use honinbo::net::precision::Precision;

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
    let network = embedded::network(Precision::F32).expect("the network inside");
    [
        (
            "playouts",
            Arc::new(Rollout::new(RolloutSettings::default())),
        ),
        ("network", network),
    ]
}

fn player_at(evaluator: &Arc<dyn Evaluator>, picture: &str, rules: &str, komi: f64) -> Engine {
    let evaluators = Evaluators::new(Arc::clone(evaluator), Arc::clone(evaluator));
    let settings = EngineSettings {
        visits: Some(50),
        resign: Some(0.0),
        ..EngineSettings::default()
    };
    let komi = Komi::from_points(komi).expect("half points");
    let rules = Rules::named(rules).expect("a known set").with_komi(komi);
    let board = diagram::parse(picture).expect("a drawn board");
    let mut engine = Engine::new(settings, evaluators, board.size(), rules).expect("a thread");
    let position = Position::from_board(board, Color::Black, rules);
    engine.set_record(Record::from_position(position)).unwrap();
    engine
}

fn stone(engine: &Engine, vertex: &str) -> Move {
    let point = engine.record().size().parse_vertex(vertex);
    Move::Play(point.expect("a vertex"))
}

fn genmove(engine: &mut Engine, color: Color, options: &GenmoveOptions) -> Decision {
    let decision = engine.genmove(color, options.clone());
    decision.expect("no evaluation fails")
}

#[test]
fn both_pass_on_settled_board_under_territory_rules() {
    for (name, evaluator) in evaluators() {
        for (color, komi) in turns() {
            let mut engine = player_at(&evaluator, SETTLED, "japanese", komi);
            let dead = engine.final_status().expect("a status").dead;
            let size = engine.record().size();
            let dead: Vec<String> = dead.iter().map(|point| size.vertex(point)).collect();
            assert_eq!(dead, ["B6", "H1"], "{name}, komi {komi}");
            for color in [color, color.opposite()] {
                let decision = genmove(&mut engine, color, &GenmoveOptions::default());
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
        let board = diagram::parse(KOS).expect("a drawn board");
        let rules = Rules::named("chinese").expect("a known set");
        let mut position = Position::from_board(board, Color::Black, rules);
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
            let threat = stone(&engine, vertex);
            engine.play(color, threat).expect("a legal move");
            let decision = genmove(&mut engine, color.opposite(), &GenmoveOptions::default());
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
        let last = stone(&engine, "E3");
        for expected in [last, Move::Pass] {
            engine
                .play(color.opposite(), Move::Pass)
                .expect("a legal move");
            let decision = genmove(&mut engine, color, &GenmoveOptions::default());
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
    let decision = genmove(&mut engine, Color::White, &GenmoveOptions::default());
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
        let vital = stone(&engine, "B9");
        let decision = genmove(&mut engine, Color::Black, &GenmoveOptions::default());
        assert_eq!(decision.mv(), Some(vital), "komi {komi}");
    }
}

#[test]
fn cleanup_captures_dead_stones_then_passes() {
    let options = GenmoveOptions {
        cleanup: true,
        ..GenmoveOptions::default()
    };
    for ((name, evaluator), rules) in evaluators()
        .into_iter()
        .flat_map(|evaluator| ["cgos", "japanese"].map(|rules| (evaluator.clone(), rules)))
    {
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
            let [lost, captive] = [lost, captive].map(|vertex| {
                let point = stone(&engine, vertex).point();
                PointSet::single(point.expect("a stone"))
            });
            for _ in 0..2 {
                let turn = engine.position().to_move();
                engine.play(turn, Move::Pass).expect("a pass is legal");
            }
            let mut moves = 0;
            while genmove(&mut engine, color, &options) != Decision::Pass {
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
