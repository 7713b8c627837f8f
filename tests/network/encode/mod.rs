//! Tests of the input encodings.
//!
//! - `diagrams`: hand-made positions
//! - `recomputed`: random games, compared with a naive computation and with their images under the eight symmetries
//! - `katago`: inputs of KataGo networks
//! - `leela_zero`: inputs of Leela Zero networks

mod diagrams;
mod katago;
mod leela_zero;
mod recomputed;

use honinbo::encode::{Encoder, Encoding};
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

/// Returns all planes and globals of a position.
fn encode(position: &Position, symmetry: Symmetry) -> (Vec<f32>, Vec<f32>) {
    let encoding = Encoding::FULL;
    let mut planes = vec![9.0; encoding.plane_count() * position.size().area()];
    let mut globals = vec![9.0; encoding.global_count()];
    Encoder::default().encode(encoding, position, symmetry, &mut planes, &mut globals);
    (planes, globals)
}

/// Returns a random move, usually near the last one, which leads to many captures and ladders.
fn random_move(position: &Position, rng: &mut Rng) -> Move {
    let legal = position.legal_points();
    let near = match position.past_move(0) {
        Some((_, Move::Play(last))) if rng.chance(0.7) => {
            let area = position.board().all_points();
            let around = PointSet::single(last).grown(area).grown(area).grown(area);
            legal & around
        }
        _ => legal,
    };
    let pool: Vec<Point> = if near.is_empty() { legal } else { near }.iter().collect();
    if pool.is_empty() || rng.chance(0.05) {
        Move::Pass
    } else {
        Move::Play(pool[rng.below(pool.len())])
    }
}

/// Plays a random game and calls `check` with every position.
fn random_game(size: BoardSize, rules: Rules, rng: &mut Rng, mut check: impl FnMut(&Position)) {
    let mut position = Position::new(size, rules);
    for _ in 0..size.area() {
        let mv = random_move(&position, rng);
        position.play_unchecked(position.to_move(), mv);
        check(&position);
    }
}

/// Plays a random game and its image under a symmetry, and calls `check` with the original and the image of every
/// position.
fn mapped_random_game(
    size: BoardSize,
    rules: Rules,
    symmetry: Symmetry,
    rng: &mut Rng,
    mut check: impl FnMut(&Position, &Position),
) {
    let mut mapped = Position::new(symmetry.map_size(size), rules);
    random_game(size, rules, rng, |original| {
        let (color, mv) = original.past_move(0).expect("a move was made");
        let image = mv
            .point()
            .map_or(Move::Pass, |p| Move::Play(symmetry.map_point(size, p)));
        mapped.play(color, image).expect("the image is legal too");
        check(original, &mapped);
    });
}

/// Returns the points that a diagram marks with `#`.
fn marked_points(size: BoardSize, diagram: &str) -> PointSet {
    let signs: Vec<char> = diagram.chars().filter(|c| !c.is_whitespace()).collect();
    assert_eq!(signs.len(), size.area(), "points of the diagram");
    let marked = size.points().zip(signs).filter(|(_, sign)| *sign == '#');
    marked.map(|(point, _)| point).collect()
}
