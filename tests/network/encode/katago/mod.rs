//! The inputs of KataGo's networks.
//!
//! - `drawn`: positions drawn by hand, plane by plane
//! - `turns`: what is shown of the past, and whether a pass ends play
//! - `globals`: the global vector under each rule set
//! - `recomputed`: random games against a naive recomputation and through the symmetries
//! - `recorded`: games with what KataGo's own code writes for them
//! - `profile`: the profiles of the networks that imitate humans

mod drawn;
mod globals;
// The rules of the rules' own tests serve here too, though not all of them.
#[allow(dead_code)]
#[path = "../../../foundation/rules/naive.rs"]
mod naive;
mod profile;
mod recomputed;
mod recorded;
mod turns;

use honinbo::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::BoardSize;
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;

/// All planes and globals of a position.
fn encode(
    inputs: KataInputVersion,
    position: &Position,
    symmetry: Symmetry,
    options: KataOptions,
) -> (Vec<f32>, Vec<f32>) {
    let mut planes = vec![9.0; inputs.plane_count() * position.size().area()];
    let mut globals = vec![9.0; inputs.global_count()];
    KataEncoder::new().encode(
        inputs,
        position,
        symmetry,
        options,
        &mut planes,
        &mut globals,
    );
    (planes, globals)
}

/// The points where a plane is 1; it is 0 on all others.
fn points(inputs: KataInputVersion, position: &Position, name: &str) -> PointSet {
    points_with(KataOptions::default(), inputs, position, name)
}

fn points_with(
    options: KataOptions,
    inputs: KataInputVersion,
    position: &Position,
    name: &str,
) -> PointSet {
    let index = inputs
        .planes()
        .position(|plane| plane.name == name)
        .expect("a plane of this version");
    let size = position.size();
    let planes = encode(inputs, position, Symmetry::IDENTITY, options).0;
    let plane = &planes[index * size.area()..][..size.area()];
    assert!(plane.iter().all(|&value| value == 0.0 || value == 1.0));
    size.points()
        .zip(plane)
        .filter(|(_, value)| **value == 1.0)
        .map(|(point, _)| point)
        .collect()
}

fn global(inputs: KataInputVersion, position: &Position, name: &str) -> f32 {
    let index = inputs
        .globals()
        .position(|global| global.name == name)
        .expect("a global of this version");
    encode(inputs, position, Symmetry::IDENTITY, KataOptions::default()).1[index]
}

/// The points that a drawing marks with `#`.
fn drawn_points(size: BoardSize, drawing: &str) -> PointSet {
    let signs: Vec<char> = drawing.chars().filter(|c| !c.is_whitespace()).collect();
    assert_eq!(signs.len(), size.area(), "points of the drawing");
    size.points()
        .zip(signs)
        .filter(|(_, sign)| *sign == '#')
        .map(|(point, _)| point)
        .collect()
}

/// Compares a plane with a drawing in which `#` stands for 1.
fn check(inputs: KataInputVersion, position: &Position, name: &str, drawing: &str) {
    assert_eq!(
        points(inputs, position, name),
        drawn_points(position.size(), drawing),
        "{name} of {inputs:?}"
    );
}

fn rules(name: &str) -> Rules {
    Rules::named(name).expect("a known set")
}

fn drawn(picture: &str, to_move: Color, rules: Rules) -> Position {
    let board = Diagram::parse(picture).unwrap().board().unwrap();
    Position::from_board(board, to_move, rules)
}

/// Plays moves by vertex, the sides in turn; `=` before a move gives the turn back first.
fn play(position: &mut Position, moves: &str) {
    for text in moves.split_whitespace() {
        let (again, vertex) = match text.strip_prefix('=') {
            Some(vertex) => (true, vertex),
            None => (false, text),
        };
        if again {
            position.set_to_move(position.to_move().opposite());
        }
        let mv = position.size().parse_move(vertex).expect("a vertex");
        position.play(position.to_move(), mv).expect("a legal move");
    }
}

/// The board of that size after these moves; see [`play`].
fn played(side: usize, rules: Rules, moves: &str) -> Position {
    let mut position = Position::new(BoardSize::new(side, side).unwrap(), rules);
    play(&mut position, moves);
    position
}
