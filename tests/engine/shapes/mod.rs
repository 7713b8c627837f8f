//! The engine's count of generated positions with seki and small groups of known status.

mod generator;
mod local_game;

use std::env;

use honinbo::engine::final_status::PointStatus;
use honinbo::engine::settings::EngineSettings;
use honinbo::engine::{Engine, Evaluators};
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::embedded;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::net::precision::Precision;
use honinbo::random::Rng;

use crate::engine::{rules, shared_evaluator};
use crate::naive::NaiveBoard;
use crate::naive::bridge::{point, set_up};
use generator::{Expected, Kind, Shape, attempt};
use local_game::{Fate, LocalGame};

/// Number of shapes of each kind. The environment variable `SHAPES` sets another number.
const SHAPES: usize = 8;

const RULES: [&str; 4] = ["chinese", "japanese", "aga", "ancient-territory"];

fn drawn(rows: &str) -> NaiveBoard {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let mut board = NaiveBoard::new(rows[0].len(), rows.len());
    for (row, text) in rows.iter().enumerate() {
        for (column, letter) in text.chars().enumerate() {
            let color = match letter {
                'X' => Some(Color::Black),
                'O' => Some(Color::White),
                _ => None,
            };
            board.set((column, row), color);
        }
    }
    board
}

/// The search must know the textbook shapes.
#[test]
fn local_search_knows_textbook_shapes() {
    for (rows, inner_columns, place, fate) in [
        // Three points in a row, four in a square, and four in a row, at the edge.
        ("...XO XXXXO OOOOO", 4, (3, 0), Fate::Unsettled),
        ("..XO ..XO XXXO OOOO", 3, (2, 0), Fate::Dead),
        ("....XO XXXXXO OOOOOO", 5, (4, 0), Fate::Survives),
        // Two chains share two liberties. White can sacrifice three stones in a row, but not four.
        (".OO.XO XXXXXO OOOOOO", 5, (4, 0), Fate::Dead),
        (".OOO.XO XXXXXXO OOOOOOO", 6, (5, 0), Fate::Survives),
    ] {
        let board = drawn(rows);
        let inner: Vec<_> = (board.places().into_iter())
            .filter(|&(column, row)| column < inner_columns && row + 1 < board.height())
            .collect();
        assert_eq!(
            LocalGame::new(&board, &inner).fate(place),
            Some(fate),
            "{rows}"
        );
    }
}

/// Returns differences between the expected and the counted status.
fn differences(engine: &mut Engine, shape: &Shape, rules_name: &str) -> Vec<String> {
    let position = Position::from_board(set_up(&shape.board), shape.to_move, rules(rules_name));
    let size = position.size();
    engine
        .set_record(Record::from_position(position))
        .expect("a size that the network supports");
    let status = engine.final_status().expect("a status");
    let differs = |&&(place, expected): &&(_, Expected)| {
        status.at(point(place))
            != match expected {
                Expected::Alive => PointStatus::Alive,
                Expected::Dead => PointStatus::Dead,
                Expected::Seki => PointStatus::Seki,
            }
    };
    let wrong = shape.expected.iter().filter(differs);
    wrong
        .map(|&(place, expected)| {
            let (vertex, found) = (size.vertex(point(place)), status.at(point(place)));
            format!("{vertex}: {} instead of {expected:?}", found.name())
        })
        .collect()
}

#[test]
fn generated_shapes_are_counted_correctly() {
    let shapes = env::var("SHAPES").map_or(SHAPES, |text| text.parse().expect("a number"));
    let network =
        embedded::evaluator(DeviceConfig::on_cpu(Precision::F32)).expect("the network inside");
    let evaluators: Evaluators = shared_evaluator(network);
    let settings = EngineSettings::default();
    let mut engine =
        Engine::new(settings, evaluators, BoardSize::STANDARD, rules("chinese")).expect("a thread");
    let (mut wrong, mut sekis) = (Vec::new(), 0);
    for kind in [Kind::SharedLiberties, Kind::EyeSpace, Kind::Mixed] {
        let mut rng = Rng::new(kind as u64);
        for number in 0..shapes {
            let shape = loop {
                if let Some(shape) = attempt(kind, &mut rng) {
                    break shape;
                }
            };
            let is_seki = (shape.expected.iter()).any(|(_, status)| *status == Expected::Seki);
            sekis += usize::from(is_seki);
            let rules_name = RULES[number % RULES.len()];
            let found = differences(&mut engine, &shape, rules_name);
            if !found.is_empty() {
                let text = diagram::to_diagram(&set_up(&shape.board));
                wrong.push(format!(
                    "{kind:?} {number}, {rules_name}, {} to move: {}\n{text}",
                    shape.to_move,
                    found.join(", ")
                ));
            }
        }
    }
    assert!(sekis > 0, "no seki was generated");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
