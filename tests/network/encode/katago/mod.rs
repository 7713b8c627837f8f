//! Tests of KataGo's inputs.
//!
//! - `diagrams`: hand-made positions, plane by plane
//! - `history`: visible moves, and whether a pass ends the game
//! - `globals`: global features under each rule set
//! - `recomputed`: random games, compared with a naive computation and with their images under the symmetries
//! - `recorded`: games with the values computed by KataGo itself
//! - `profile`: player profiles of human-style networks

mod diagrams;
mod globals;
mod history;
mod profile;
mod recomputed;
mod recorded;

use honinbo::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::BoardSize;
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;

use super::marked_points;

/// Returns all planes and globals of a position.
fn encode(
    inputs: KataInputVersion,
    position: &Position,
    symmetry: Symmetry,
    options: KataOptions,
) -> (Vec<f32>, Vec<f32>) {
    let mut planes = vec![9.0; inputs.plane_count() * position.size().area()];
    let mut globals = vec![9.0; inputs.global_count()];
    KataEncoder::default().encode(
        inputs,
        position,
        symmetry,
        options,
        &mut planes,
        &mut globals,
    );
    (planes, globals)
}

/// Returns the points at which a plane is 1, and checks that it is 0 elsewhere.
fn points(inputs: KataInputVersion, position: &Position, name: &str) -> PointSet {
    points_with(KataOptions::default(), inputs, position, name)
}

fn points_with(
    options: KataOptions,
    inputs: KataInputVersion,
    position: &Position,
    name: &str,
) -> PointSet {
    let index = inputs.planes().position(|plane| plane.name == name);
    let index = index.expect("a plane of this version");
    let size = position.size();
    let planes = encode(inputs, position, Symmetry::IDENTITY, options).0;
    let plane = &planes[index * size.area()..][..size.area()];
    assert!(plane.iter().all(|&value| value == 0.0 || value == 1.0));
    let marked = size.points().zip(plane).filter(|(_, value)| **value == 1.0);
    marked.map(|(point, _)| point).collect()
}

fn global(inputs: KataInputVersion, position: &Position, name: &str) -> f32 {
    let index = inputs.globals().position(|global| global.name == name);
    let globals = encode(inputs, position, Symmetry::IDENTITY, KataOptions::default()).1;
    globals[index.expect("a global of this version")]
}

/// Compares a plane with a diagram in which `#` means 1.
fn check(inputs: KataInputVersion, position: &Position, name: &str, expected: &str) {
    let expected = marked_points(position.size(), expected);
    assert_eq!(
        points(inputs, position, name),
        expected,
        "{name} of {inputs:?}"
    );
}

fn rules(name: &str) -> Rules {
    Rules::parse(name).expect("a known set")
}

fn drawn(diagram_text: &str, to_move: Color, rules: Rules) -> Position {
    let board = Diagram::parse(diagram_text).unwrap().to_board().unwrap();
    Position::from_board(board, to_move, rules)
}

/// Plays moves given as vertices, with alternating colours. `=` before a vertex lets the same colour move again.
fn play(position: &mut Position, moves: &str) {
    for text in moves.split_whitespace() {
        if text.starts_with('=') {
            position.set_to_move(position.to_move().opposite());
        }
        let vertex = text.trim_start_matches('=');
        let mv = position.size().parse_move(vertex).expect("a vertex");
        position.play(position.to_move(), mv).expect("a legal move");
    }
}

/// Returns the position on a square board after these moves; see [`play`].
fn played(side: usize, rules: Rules, moves: &str) -> Position {
    let mut position = Position::new(BoardSize::new(side, side).unwrap(), rules);
    play(&mut position, moves);
    position
}
